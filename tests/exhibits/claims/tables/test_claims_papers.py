"""The table of papers lists the printed papers and the judged ones, with their labels.

The small study, of the judges `good` and `broken`, is described at the head of filled_tables.py.
"""

import pytest

from exhibits.claims.tables import claims_papers
from tests.exhibits.claims.tables.filled_tables import Fill


def test_claims_papers_lists_printed_and_judged_papers(table: Fill) -> None:
    rows = table(claims_papers)
    assert rows["source"].tolist() == ["reported"] * 9 + ["ours"] * 4

    ours = rows[rows["source"] == "ours"].set_index("paper")
    assert ours.loc["planted-01", ["planted_claims", "planted_leaks"]].tolist() == ["2", "2"]
    # YEARS_LEVELS.
    assert float(ours.loc["planted-02", "expected_cvs"]) == pytest.approx(1.5 / 1.8)
    unlabelled = ["expected_tier", "label_source", "planted_claims"]
    assert ours.loc["mine", unlabelled].tolist() == ["", "", ""]

    (gender_bias,) = rows[rows["paper"] == "gender-bias"].to_dict("records")
    assert gender_bias["identifier"] == "arXiv:1607.06520"
    assert gender_bias["README"] == ""

    # Grokking is in every list of labels.
    (grokking,) = rows[rows["paper"] == "grokking"].to_dict("records")
    assert grokking["expected_tier"] == "Validated"
    assert grokking["README"] == "Causally Suggestive"
    assert grokking["theory paper"] == "Triangulated"
    assert grokking["case pages"] == "Validated"
