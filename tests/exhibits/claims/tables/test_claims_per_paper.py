"""The table of claims has the scores of a paper's other claims beside that of its main claim.

The small study, of the judges `good` and `broken`, is described at the head of filled_tables.py.
"""

import pytest

from exhibits.claims.tables import claims_per_paper
from tests.exhibits.claims.tables.filled_tables import Fill


def test_claims_per_paper_has_the_mean_of_the_other_claims_where_all_are_known(table: Fill) -> None:
    rows = table(claims_per_paper).set_index(["source", "paper"])

    # The printed 3.9, 3.3, 3.3 and 3.3 are raw 7, 6, 6 and 6, before rounding; their mean / 1.8.
    assert float(rows.loc[("reported", "ioi"), "sub_mean"]) == pytest.approx(
        (7 + 6 + 6 + 6) / 4 / 1.8
    )
    # The paper prints two of the three other scores.
    assert rows.loc[("reported", "copy-suppression"), "sub_mean"] == ""
    # The other claim is MOVERS.
    assert float(rows.loc[("good", "ioi"), "sub_mean"]) == pytest.approx(3 / 1.8)
    assert rows.loc[("good", "ioi"), "sub_tier_low"] == "Proposed"
    assert rows.loc[("good", "ioi"), "n_claims"] == 2
    # The vote on planted-02 has one claim, and so no others.
    of_others = ["sub_mean", "sub_low", "sub_tier_low"]
    assert rows.loc[("good", "planted-02"), of_others].tolist() == ["", "", ""]
