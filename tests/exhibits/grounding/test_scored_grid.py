"""Each point of a grid is scored by its verdicts on controls, and by the pass rates of models."""

from collections.abc import Mapping

import pandas as pd
import pytest

from exhibits.grounding.threshold_grid import scored_grid
from mechaware.instruments.grounding.rules import Thresholds
from mechaware.verdicts.cases.hand_pairs import THRESHOLDS

# How many of a run's four pairs pass at tau 0.4, and at tau 1.
PASSED = {
    # Controls that ground.
    "grounded_1": (4, 2),
    "grounded_2": (2, 1),
    "relay": (1, 0),
    # Shortcuts: controls that do not ground.
    "first_column": (3, 2),
    "schema_blind": (0, 0),
    # Models.
    "schema-s0": (4, 1),
    "schema-s1": (2, 0),
    "no_schema-s0": (1, 0),
    "smollm2.few-shot": (3, 3),
}

# The scores of a point. `schema` and `no_schema` are mean shares of passing pairs, over the models
# that are trained with and without the schema.
SCORES = ["sensitivity", "specificity", "schema", "no_schema"]


def grid_of(passed_by_run: Mapping[str, tuple[int, int]], *, shortcut: float = 0.0) -> pd.DataFrame:
    """A grid of R1 to R3 with two values of tau; the best shortcut is right in a share `shortcut`
    of the pairs.
    """
    rows = []
    for run, (at_low_tau, at_high_tau) in passed_by_run.items():
        rows.append(("paper", run, *THRESHOLDS._replace(tau=0.4), at_low_tau, 4))
        rows.append(("paper", run, *THRESHOLDS._replace(tau=1.0), at_high_tau, 4))
    columns = ["rules", "run", *Thresholds._fields, "passed", "n"]
    return pd.DataFrame(rows, columns=columns).assign(shortcut=shortcut)


def test_a_point_of_a_grid_has_sensitivity_specificity_and_the_rates_of_both_conditions() -> None:
    table = scored_grid(grid_of(PASSED), verdict_share=0.5).set_index("tau")

    assert list(table.columns[-4:]) == SCORES
    # A verdict needs two of four pairs. At tau 0.4 two of three controls that ground have them, and
    # one of two shortcuts.
    assert table.loc[0.4, SCORES].tolist() == pytest.approx(
        [2 / 3, 1 - 1 / 2, (4 / 4 + 2 / 4) / 2, 1 / 4]
    )
    # At tau 1 one of three controls that ground has them, and one of two shortcuts.
    assert table.loc[1.0, SCORES].tolist() == pytest.approx(
        [1 / 3, 1 - 1 / 2, (1 / 4 + 0 / 4) / 2, 0 / 4]
    )


def test_with_a_larger_verdict_share_fewer_controls_have_a_verdict() -> None:
    """More than three of four pairs are needed: at tau 0.4 only grounded_1 has them."""
    table = scored_grid(grid_of(PASSED), verdict_share=0.76).set_index("tau")

    assert table.loc[0.4, "sensitivity"] == 1 / 3
    assert table.loc[0.4, "specificity"] == 1


def test_a_verdict_counts_pairs_beyond_the_best_shortcut() -> None:
    """If a shortcut is right in half of the pairs, three of four pairs count as
    (3/4 - 1/2) / (1 - 1/2) = 1/2.

    So at tau 0.4 only grounded_1, whose four pairs all pass, reaches 0.51.
    """
    table = scored_grid(grid_of(PASSED, shortcut=0.5), verdict_share=0.51).set_index("tau")

    assert table.loc[0.4, "sensitivity"] == 1 / 3
    assert table.loc[0.4, "specificity"] == 1
