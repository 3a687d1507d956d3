"""The table of drawn controls has the rules' scores on the held-out half and on all of them."""

import pandas as pd

from exhibits.grounding.tables import grounding_drawn
from tests.exhibits.grounding.tables.shown_rows import assert_shows


def test_drawn_controls_have_a_row_for_the_held_out_half_and_a_row_for_all() -> None:
    """The developed half is in the numbers and not in the cells."""
    held_out = {
        "grounded": 10,
        "others": 11,
        "auroc": 0.9,
        "low": 0.75,
        "high": 0.95,
        "lead": 0.25,
        "lead_low": 0.0,
        "lead_high": 0.5,
        "sensitivity": 0.9,
        "sensitivity_n": 10,
        "sensitivity_low": 0.7,
        "sensitivity_high": 1.0,
        "specificity": 0.4,
        "specificity_n": 11,
        "specificity_low": 0.2,
        "specificity_high": 0.8,
        "pairs_right": 0.875,
        "auroc_by_share": 0.85,
    }
    on_all = held_out | {
        "grounded": 20,
        "others": 21,
        "auroc": 0.8,
        "low": 0.6,
        "lead": -0.1,
        "lead_low": -0.2,
        "lead_high": 0.05,
        "specificity": 11 / 21,
        "specificity_low": 0.3,
        "specificity_high": 0.7,
    }
    drawn = pd.DataFrame(
        [
            held_out | {"rules": "grounded", "half": "developed"},
            held_out | {"rules": "grounded", "half": "held_out"},
            on_all | {"rules": "grounded", "half": "all"},
        ]
    )

    table = grounding_drawn.fill(drawn=drawn)

    assert len(table.numbers) == 3

    cells_of_held_out = {
        "Rules": "G1 to G5",
        "Controls": "held out: 10, 11",
        "AUROC": "0.90 (0.75 to 0.95)",
        "AUROC, by share": "0.85",
        "Lead": "+0.25 (0.00 to +0.50)",
        "Sensitivity": "90.0 (70.0 to 100.0)",
        "Specificity": "40.0 (20.0 to 80.0)",
        "Pairs right": "87.5",
    }
    cells_of_all = {
        "Rules": "G1 to G5",
        "Controls": "all: 20, 21",
        "AUROC": "0.80 (0.60 to 0.95)",
        "AUROC, by share": "0.85",
        "Lead": "-0.10 (-0.20 to +0.05)",
        "Sensitivity": "90.0 (70.0 to 100.0)",
        "Specificity": "52.4 (30.0 to 70.0)",
        "Pairs right": "87.5",
    }

    assert_shows(table, cells_of_held_out, cells_of_all)
