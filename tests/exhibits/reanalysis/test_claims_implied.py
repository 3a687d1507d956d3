"""What the printed numbers imply, worked out by hand from the printed paper."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from exhibits.reanalysis import claims_implied
from exhibits.reanalysis.claims_implied import counts_printed_as
from mechaware.instruments.claims.rubric.scoring import printed_score
from tests.exhibits.reanalysis.printed import REPORTED, printed_tables

IMPLIED = yaml.safe_load((Path(__file__).parent / "claims_implied.yaml").read_text())
TABLES = printed_tables(claims_implied)
ROWS = claims_implied.fill(**TABLES).numbers.set_index("quantity")


def implied(quantity: str) -> str:
    return str(ROWS.loc[quantity, "implied"])


@pytest.mark.parametrize(("quantity", "expected"), IMPLIED.items(), ids=IMPLIED)
def test_a_printed_number_implies(quantity: str, expected: str) -> None:
    assert implied(quantity) == expected


def test_no_lowering_of_dimensions_gives_the_final_score_of_the_worked_example() -> None:
    how = ROWS.loc["worked example, final CVS", "how"]
    assert how == "3.9 is raw 7.0, 0.5 less; 0 ways to lower the five scores give that"


def test_every_printed_score_can_be_reached_and_has_its_tier() -> None:
    for quantity in ("printed CVS that can be reached", "printed tiers that fit their CVS"):
        count, of = implied(quantity).split(" of ")
        assert count == of
    # 9 + 2 * 9 + 3 * 9 + 10 of the tables, 37 of Appendix B (two without a tier), 8 in the text.
    assert implied("printed CVS that can be reached").endswith(f" of {9 + 18 + 27 + 10 + 37 + 8}")
    assert implied("printed tiers that fit their CVS").endswith(f" of {9 + 18 + 27 + 10 + 35}")


def test_the_confusion_matrix_has_the_nine_papers() -> None:
    cells = dict(cell.split(": ") for cell in implied("confusion matrix").split("; "))
    assert cells == {
        "Proposed as Proposed": "1",
        "Proposed as Causally Suggestive": "1",
        "Causally Suggestive as Causally Suggestive": "1",
        "Causally Suggestive as Mechanistically Supported": "2",
        "Mechanistically Supported as Mechanistically Supported": "2",
        "Mechanistically Supported as Triangulated": "1",
        "Validated as Validated": "1",
    }


def test_a_wrong_digit_in_a_printed_table_is_seen() -> None:
    main = TABLES["main"].copy()
    main.loc[main["paper"] == "ioi", ["cvs", "tier"]] = [3.9, "Mechanistically Supported"]
    changed = claims_implied.fill(**TABLES | {"main": main}).numbers.set_index("quantity")[
        "implied"
    ]
    count, of = changed["printed tiers that fit their CVS"].split(" of ")
    assert int(count) == int(of) - 1
    assert changed["CVS after the vote"] == "equal to the lowest run in 4 of 5 whose runs differ"


@pytest.mark.parametrize(
    ("value", "raw"), [(0.0, 0), (1.4, 2.5), (3.9, 7), (5.6, 10), (8.1, 14.5), (10.0, 18)]
)
def test_a_printed_score_stands_for_one_that_can_be_reached(value: float, raw: float) -> None:
    assert printed_score(value) == pytest.approx(raw / 1.8)


def test_counts_are_those_that_round_to_the_printed_text() -> None:
    assert counts_printed_as("33.3", 3, scale=100.0) == [1]
    # 32.67 to 33.33; 97.5 and 100.5 are no counts.
    assert counts_printed_as("33", 300, scale=100.0) == [
        98,
        99,
        100,
    ]
    assert counts_printed_as("0.25", 2, step=0.5) == [0.5]
    assert counts_printed_as("0.4", 1) == []


def test_reported_tables_agree_with_each_other_and_name_known_papers() -> None:
    papers = TABLES["papers"].set_index("paper")
    for name in ("main", "single_run"):
        part = TABLES[name].set_index("paper")
        assert part["expected_tier"].to_dict() == papers["expected_tier"].to_dict()
    assert (
        TABLES["main"].set_index("paper")["label_source"].to_dict()
        == papers["label_source"].to_dict()
    )
    assert set(TABLES["claims"]["paper"]) == set(TABLES["per_paper"]["paper"]) == set(papers.index)
    listed = pd.read_csv(REPORTED.parent / "papers.csv", dtype=str).set_index("id")
    assert ("arXiv:" + listed.loc[papers.index, "location"]).tolist() == papers[
        "identifier"
    ].tolist()


def test_table_5_is_the_range_of_appendix_b() -> None:
    claims = TABLES["claims"]
    for row in TABLES["per_paper"].itertuples():
        part = claims[claims["paper"] == row.paper]
        assert part.loc[part["main"], "cvs"].tolist() == [row.cvs]
        others = part.loc[~part["main"], "cvs"]
        assert (others.min(), others.max()) == (row.sub_low, row.sub_high)
        if row.paper != "copy-suppression":  # only the ends of its range are printed
            assert len(part) == row.n_claims


def test_the_criteria_that_no_rule_names_are_a_share_that_follows_without_error() -> None:
    """C3, C4, I4, M2, M6 and V5 of 27."""
    row = ROWS.loc["criteria that enter the CVS", ["number", "number_low", "number_high"]]
    assert list(row) == pytest.approx([6 / 27, 6 / 27, 6 / 27])
