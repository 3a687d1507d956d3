"""The table of single runs has the range of each paper's runs beside the score of the vote.

The small study, of the judges `good` and `broken`, is described at the head of filled_tables.py.
"""

import pytest

from exhibits.claims.tables import claims_single_run
from tests.exhibits.claims.tables.filled_tables import Fill, floats


def test_claims_single_run_has_the_range_of_single_runs_and_the_vote(table: Fill) -> None:
    rows = table(claims_single_run).set_index(["source", "paper"])
    printed = rows.loc[("reported", "ioi")]
    ours = rows.loc[("good", "planted-01")]

    columns = ("single_low", "single_high", "single_range", "voted_cvs")
    assert floats(printed, *columns) == pytest.approx([5.6, 6.9, 1.3, 5.6])
    # With E5 YES, run 0 has External 2 instead of 0: raw 10.
    assert floats(ours, *columns) == pytest.approx([8 / 1.8, 10 / 1.8, 2 / 1.8, 8 / 1.8])
    # Both ends are Mechanistically Supported, as labelled.
    assert (ours["off_low"], ours["off_high"]) == ("0", "0")
    # The highest run of a paper that should be Proposed is 2.5, Causally Suggestive.
    assert rows.loc[("good", "planted-02"), "off_high"] == "1"
    # No run of `broken` has a score, and `mine` has no label.
    assert rows.loc[("broken", "planted-01"), "single_low"] == ""
    assert rows.loc[("good", "mine"), "off_low"] == ""
