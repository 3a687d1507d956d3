"""The gap of every pair by category, the mean of a category, and its range over the seeds."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection

from exhibits.grounding.figures import grounding_sensitivity

CATEGORIES = ("db_synonyms", "db_scramble", "non_db_synonyms", "non_db_scramble", "super_scramble")


def gaps_of_pairs(seeds: int) -> pd.DataFrame:
    """Two pairs of each category, with gaps of 3 and -1 with the schema, and of -3 and 1 without.

    In the model of seed s each gap is larger by s.
    """
    rows = []
    for condition, sign in (("schema", 1.0), ("no_schema", -1.0)):
        for seed in range(seeds):
            for category in CATEGORIES:
                for gap in (3.0, -1.0):
                    row = {
                        "run": f"{condition}-s{seed}",
                        "pair": f"{category} {gap}",
                        "category": category,
                        "delta": sign * gap + seed,
                    }
                    rows.append(row)
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("seeds", "schema", "no_schema"),
    [
        # With the seed 0 alone: points, their mean, and the means of the lowest and the highest
        # seed.
        pytest.param(1, ((-1, 3), 1, [1, 1]), ((-3, 1), -1, [-1, -1]), id="one seed"),
        # With the seeds 0 and 1 the mean over the seeds is 0.5 higher, and the highest seed 1.
        pytest.param(2, ((-0.5, 3.5), 1.5, [1, 2]), ((-2.5, 1.5), -0.5, [-1, 0]), id="two seeds"),
    ],
)
def test_sensitivity_has_each_pair_in_its_category_with_the_range_of_the_seeds(
    seeds: int,
    schema: tuple[tuple[float, float], float, list[float]],
    no_schema: tuple[tuple[float, float], float, list[float]],
) -> None:
    figure = grounding_sensitivity.draw(rules=gaps_of_pairs(seeds), tau=0.4, width=7.0)
    (axes,) = figure.axes
    points_schema, mean_schema, range_schema = schema
    points_no_schema, mean_no_schema, range_no_schema = no_schema

    points = set()
    ranges = []
    for drawn in axes.collections:
        if isinstance(drawn, LineCollection):
            first_category = drawn.get_segments()[0]
            ranges.append(first_category[:, 1].tolist())
            continue
        heights = np.asarray(drawn.get_offsets())[:, 1]
        if len(heights) > 1:
            points.add(tuple(sorted(heights.round(9))))
    assert points == {points_schema, points_no_schema}
    assert ranges == [range_schema, range_no_schema]

    means = [line.get_ydata().tolist() for line in axes.lines]
    assert means == [[mean_schema] * 5, [mean_no_schema] * 5]

    (legend,) = figure.legends
    labels = [text.get_text() for text in legend.get_texts()]

    assert labels == ["trained: schema", "trained: no schema"]
