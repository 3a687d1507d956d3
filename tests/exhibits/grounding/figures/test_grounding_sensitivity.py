"""The gap of every pair by category, the mean of a category, and its range over the seeds."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection

from exhibits.grounding.figures import grounding_sensitivity

# By category, in the order of the figure: how far its gaps are above those of the first category.
ABOVE_FIRST = {
    "db_synonyms": 0.0,
    "db_scramble": 10.0,
    "non_db_synonyms": 20.0,
    "non_db_scramble": 30.0,
    "super_scramble": 40.0,
}


def gaps_of_pairs(seeds: int) -> pd.DataFrame:
    """Two pairs of each category, in models of both conditions and of the seeds 0 to `seeds` - 1.

    By the seed 0, the gaps of the first category are 3 and -1 with the schema, and -3 and 1
    without. Each further seed adds 1.
    """
    rows = []
    for condition, sign in (("schema", 1.0), ("no_schema", -1.0)):
        for seed in range(seeds):
            for category, above in ABOVE_FIRST.items():
                for gap in (3.0, -1.0):
                    row = {
                        "run": f"{condition}-s{seed}",
                        "pair": f"{category} {gap}",
                        "category": category,
                        "delta": sign * gap + seed + above,
                    }
                    rows.append(row)
    return pd.DataFrame(rows)


class Drawn(NamedTuple):
    """What is drawn of one condition in the first category.

    - `points`: the gap of each pair, averaged over the seeds.
    - `mean`: the mean of the points.
    - `lowest`, `highest`: the ends of the line, the mean gaps by the lowest and the highest seed.
    """

    points: tuple[float, float]
    mean: float
    lowest: float
    highest: float


@pytest.mark.parametrize(
    ("seeds", "schema", "no_schema"),
    [
        pytest.param(
            1,
            Drawn(points=(3, -1), mean=1, lowest=1, highest=1),
            Drawn(points=(-3, 1), mean=-1, lowest=-1, highest=-1),
            id="the seed 0",
        ),
        # All gaps are 1 higher by the seed 1, and so 0.5 higher on average.
        pytest.param(
            2,
            Drawn(points=(3.5, -0.5), mean=1.5, lowest=1, highest=2),
            Drawn(points=(-2.5, 1.5), mean=-0.5, lowest=-1, highest=0),
            id="the seeds 0 and 1",
        ),
    ],
)
def test_each_category_has_the_gaps_of_its_pairs_with_their_mean_and_its_range_over_the_seeds(
    seeds: int, schema: Drawn, no_schema: Drawn
) -> None:
    figure = grounding_sensitivity.draw(rules=gaps_of_pairs(seeds), tau=0.4, width=7.0)

    (axes,) = figure.axes
    points = set()
    ranges = []
    for collection in axes.collections:
        if isinstance(collection, LineCollection):
            ranges.append([segment[:, 1].tolist() for segment in collection.get_segments()])
        else:
            positions = np.asarray(collection.get_offsets()).round(9)
            points |= set(map(tuple, positions.tolist()))
    means = [line.get_ydata().tolist() for line in axes.lines]

    expected_points = set()
    expected_means = []
    expected_ranges = []
    # The category of number n is at x = n, its points 0.2 to the left with the schema and 0.2 to
    # the right without.
    for shift, drawn in ((-0.2, schema), (0.2, no_schema)):
        for number, above in enumerate(ABOVE_FIRST.values()):
            for gap in drawn.points:
                expected_points.add((round(number + shift, 9), gap + above))
        expected_means.append([drawn.mean + above for above in ABOVE_FIRST.values()])
        expected_ranges.append(
            [[drawn.lowest + above, drawn.highest + above] for above in ABOVE_FIRST.values()]
        )
    assert points == expected_points
    assert means == expected_means
    assert ranges == expected_ranges


def test_the_legend_names_both_conditions() -> None:
    figure = grounding_sensitivity.draw(rules=gaps_of_pairs(seeds=1), tau=0.4, width=7.0)

    (legend,) = figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == ["trained: schema", "trained: no schema"]
