"""Three tables show beside each score what share its judge got right on planted papers.

The small study, of the judges `good` and `broken`, is described at the head of filled_tables.py.
"""

from math import nan
from pathlib import Path

import pandas as pd
import pytest

from exhibits.claims.tables import (
    claims_main,
    claims_per_paper,
    claims_single_run,
)
from exhibits.claims.tables.cells import right_on_planted
from tests.exhibits.claims.tables.filled_tables import INTERVALS, filled


def test_each_row_has_the_share_that_its_judge_got_right_on_planted_papers(summary: Path) -> None:
    """After the audit 79 of the 81 criteria of the matched claims are right: 97.5%."""
    expected = {("reported", ""), ("good", "97.5"), ("broken", "not tested")}
    for made in (
        filled(claims_main, summary, **INTERVALS),
        filled(claims_single_run, summary),
        filled(claims_per_paper, summary),
    ):
        assert set(zip(made.numbers["source"], made.shown["Right, %"], strict=True)) == expected


def test_a_criterion_without_a_status_counts_neither_as_right_nor_as_wrong() -> None:
    """Of the three audited criteria with a status two are right; the vote is left out."""
    criteria = pd.DataFrame(
        {
            "judge": "good",
            "stage": ["audited"] * 4 + ["voted"],
            "status": ["YES", "NO", "", "PARTIAL", "NO"],
            "truth": ["YES", "YES", "YES", "PARTIAL", "YES"],
        }
    )
    sources = pd.Series(["reported", "good", "broken"])

    right = right_on_planted(criteria, sources)

    assert right.tolist() == pytest.approx([nan, 2 / 3, nan], nan_ok=True)
