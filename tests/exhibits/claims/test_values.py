"""Values of the claims study for the paper's text, from the committed printed tables."""

from pathlib import Path

import pytest

from exhibits.claims.values import tiers_alike

REPORTED = Path(__file__).resolve().parents[3] / "config/reported"


def test_no_published_paper_has_the_same_tier_in_all_lists_of_references() -> None:
    values = tiers_alike(
        REPORTED / "claims_papers.csv", REPORTED / "claims_references.csv", confidence_level=0.95
    )
    alike = values["references/alike"]

    # Only Successor Heads has one tier in all lists before the audits of August, which raise it.
    assert (alike["value"], alike["n"]) == (0, 7)
    # None of seven: the upper end solves (1 - high)^7 = 0.025.
    assert (alike["low"], alike["high"]) == pytest.approx((0, 0.40962), abs=1e-5)
