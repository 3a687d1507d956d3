"""What the numbers of the claim-validity paper imply, worked out by hand from its tables.

The dimensions are C, I, M, E and V, each with a score from 0 to 3. "Raw" is a claim's weighted sum

    raw = 1.5 C + 1.5 I + M + E + V,  at most 18,  and  CVS = 10 raw / 18 = raw / 1.8.

Intervals are Clopper-Pearson at 95%.
"""

import pandas as pd
import pytest

from exhibits.reanalysis import claims_implied
from exhibits.reanalysis.claims.audit import counts_printed_as
from mechaware.instruments.claims.rubric.scoring import printed_score
from tests.exhibits.reanalysis.printed import REPORTED, printed_tables

# What each row implies, by its quantity, with the hand computation above it.
IMPLIED = {
    # The diagonal of the confusion matrix, which is written out in its own test below.
    "exact tier": "5 of 9; 21.2% to 86.3%",
    # All of nine: 0.025^(1/9) = 0.664.
    "within one tier": "9 of 9; 66.4% to 100.0%",
    # Papers by tier, from the lowest: labels 2 3 3 0 1, scores 1 2 4 1 1.
    # Exact are 5 / 9 = 45 / 81; by chance (2 * 1 + 3 * 2 + 3 * 4 + 0 * 1 + 1 * 1) / 81 = 21 / 81:
    # (45 - 21) / (81 - 21) = 0.4.
    # Four of nine are off by 1, so the mean distance and the mean square are 4 / 9 = 36 / 81.
    # By chance they are 104 / 81 and 224 / 81: 1 - 36 / 104 = 0.654 and 1 - 36 / 224 = 0.839.
    "Cohen's kappa of the tiers": "0.400; 0.654 linear, 0.839 quadratic",
    # Two tails of four heads: 2 / 16. None of nine: 1 - 0.025^(1/9) = 0.336.
    "direction of the errors": "p = 0.125; at most 33.6% too low",
    # No split of the five exact papers is more probable than 2 and 3.
    "exact tier, registry and expert labels": "2 of 4 and 3 of 5; p = 1.000",
    # Ranks of the tiers, 0 to 4, of IOI, Induction Heads, Copy Suppression, Greater Than, Grokking,
    # Othello and Successor Heads.
    # Printed             2 3 2 2 4 2 1
    # README              3 2 2 2 1 3 1
    "tiers by the author's README": "3 of 7 exact; 9.9% to 81.6%; 2 too high, 2 too low",
    # Theory paper        2 3 2 2 3 1 1
    "tiers by the author's theory paper": "5 of 7 exact; 29.0% to 96.3%; 2 too high, 0 too low",
    # Case pages          1 3 1 1 4 1 1
    "tiers by the author's case pages": "3 of 7 exact; 9.9% to 81.6%; 4 too high, 0 too low",
    # Audits of August    1 3 2 2 2 1 2
    "tiers by the author's audits of August": "3 of 7 exact; 9.9% to 81.6%; 3 too high, 1 too low",
    "tiers among the reference labels": "4 of 5: no paper is Triangulated",
    # Claude, DeepSeek, GPT-5.5, Gemma, Qwen, GPT-5.4 Mini, GLM.
    "models compared": "7",
    # Successor Heads is off by 0.
    "over-scored among the Causally Suggestive": "Greater Than, Othello",
    # 4.2 is at least 4.0: the label's own tier.
    "IOI after the devil's advocate": "Mechanistically Supported: off by 0",
    # C 2, I 1, M 1, E 0, V 2: 1.5 * 2 + 1.5 * 1 + 1 + 0 + 2 = 7.5; 7.5 / 1.8 = 4.1667.
    "worked example, CVS": "raw 7.5, CVS 4.17",
    # Internal 0 takes 1.5: 6.0 / 1.8.
    "worked example, final CVS": "3.3 with Internal 0",
    # Raw 6.0, 4.5, 6.0, 6.5, 6.5, 5.5, each divided by 1.8.
    "worked example, what can follow": (
        "C 2 to 1: 3.3; C 2 to 0: 2.5; I 1 to 0: 3.3; M 1 to 0: 3.6; V 2 to 1: 3.6; V 2 to 0: 3.1"
    ),
    # 7.5 + 1 = 8.5; / 1.8 = 4.72. Internal 0 takes 1.5: 7.0 / 1.8 = 3.89, the printed final score.
    "worked example, External": "at least 1: raw 8.5, CVS 4.7",
    "worked example, final CVS with External 1": "3.9 with Internal 0",
    # Probing and Grokking.
    "exact tier without the vote": "2 of 9",
    "CVS after the vote": "equal to the lowest run in 5 of 5 whose runs differ",
    # 5.3 - 3.1 and 7.8 - 5.6.
    "range of single runs": "2.2",
    # Printed are agreements of 74.8% and 81.5%, and mean absolute errors of 0.163 and 0.111.
    # Seven claims have 7 * 27 = 189 criteria, and five have 135.
    # 141 / 189 = 74.6%, 142 / 189 = 75.1%; 154 / 189 = 81.48%.
    "agreement before and after, 7 claims": "no count and 154 of 189",
    # 30.5 / 189 = 0.161, 31 / 189 = 0.164; 21 / 189 = 0.111.
    "mean absolute error before and after, 7 claims": "no count and 21 over 189",
    # 101 / 135 = 74.81%, 110 / 135 = 81.48%, 22 / 135 = 0.16296, 15 / 135 = 0.1111.
    "agreement before and after, 5 claims": "101 and 110 of 135",
    "mean absolute error before and after, 5 claims": "22 and 15 over 135",
    "claims behind these four numbers": "5",
    # 110 - 101.
    "downgrades by the audit": "at least 9 in IOI",
    # Raw 15; others 3.5, 6, 3.5, 4.5: 15 / 1.8 and 17.5 / 4 / 1.8.
    "main claim and mean of the others, Grokking": "8.33 and 2.43: higher",
    # Raw 10; others 7, 6, 6, 6: 10 / 1.8 and 25 / 4 / 1.8.
    "main claim and mean of the others, IOI Circuit": "5.56 and 3.47: higher",
    # Raw 10; others 2.5, 8.5 and one between them: 13.5 / 3 / 1.8 to 19.5 / 3 / 1.8.
    "main claim and mean of the others, Copy Suppression": "5.56 and 2.50 to 3.61: higher",
    # Raw 5.5; others 3.5, 8.5, 4.5: 5.5 / 1.8 and 16.5 / 3 / 1.8.
    "main claim and mean of the others, Successor Heads": "3.06 and 3.06: equal",
    # Raw 2.5, and so are the others: 2.5 / 1.8.
    "main claim and mean of the others, Probing Control Tasks": "1.39 and 1.39: equal",
    "smallest of these gaps": "Probing Control Tasks, Successor Heads",
    "largest of these gaps": "Grokking, Induction Heads",
    "main claim is the highest-scoring": "not in Successor Heads: 3.1 below 4.7",
    "papers that change tier, 2.0 to 1.5": "no paper",
    "papers that change tier, 2.0 to 2.5": "no paper",
    "papers that change tier, 4.0 to 3.5": "no paper",
    "papers that change tier, 4.0 to 4.5": "Othello",
    "papers that change tier, 6.0 to 5.5": "Copy Suppression, Greater Than, IOI Circuit",
    "papers that change tier, 6.0 to 6.5": "Induction Heads",
    "papers that change tier, 8.0 to 7.5": "no paper",
    "papers that change tier, 8.0 to 8.5": "Grokking",
    # 0.4 from 6.0: 5.6 three times and 6.4; 0.4 from 4.0: 4.4; 0.3 from 8.0: 8.3.
    # Probing is 0.6 from 2.0.
    "CVS within 0.5 of a boundary": (
        "Copy Suppression, Greater Than, Grokking, IOI Circuit, Induction Heads, Othello"
    ),
    # Claude 8 and 9, GPT-5.5 9 and 10, but Qwen 8 and 7.
    "claims without thinking": "fewer in 2 of 3 models",
    "claims of IOI by DeepSeek V4 Pro": "5 in Table 5",
    "criteria that enter the CVS": "21; never C3, C4, I4, M2, M6, V5",
    "what the audited criteria can change": "I3, I5, E2: only a dimension at 3",
}
TABLES = printed_tables(claims_implied)
ROWS = claims_implied.fill(**TABLES).numbers.set_index("quantity")


def implied(quantity: str) -> str:
    return str(ROWS.loc[quantity, "implied"])


@pytest.mark.parametrize(("quantity", "expected"), IMPLIED.items(), ids=IMPLIED)
def test_a_printed_number_implies(quantity: str, expected: str) -> None:
    assert implied(quantity) == expected


def test_the_final_score_of_the_worked_example_follows_from_no_lowering_of_its_levels() -> None:
    how = ROWS.loc["worked example, final CVS", "how"]
    assert how == "3.9 is raw 7.0, 0.5 less; 0 ways to lower the five scores give that"


# The printed scores: for each of nine papers one in Table 3, two in Table 4 and three
# in Table 5; ten in Table 6.
N_IN_TABLES = 9 + 2 * 9 + 3 * 9 + 10


def test_every_printed_score_can_be_reached() -> None:
    n = N_IN_TABLES + 37 + 8  # 37 in Appendix B, 8 in the text
    assert implied("printed CVS that can be reached") == f"{n} of {n}"


def test_every_printed_tier_is_the_tier_of_its_score() -> None:
    n = N_IN_TABLES + 35  # two of the 37 scores in Appendix B have no tier; nor has the text
    assert implied("printed tiers that fit their CVS") == f"{n} of {n}"


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


def test_a_wrong_score_in_a_printed_table_contradicts_its_tier_and_the_single_runs() -> None:
    main = TABLES["main"].copy()
    main.loc[main["paper"] == "ioi", ["cvs", "tier"]] = [3.9, "Mechanistically Supported"]

    numbers = claims_implied.fill(**TABLES | {"main": main}).numbers
    changed = numbers.set_index("quantity")["implied"]

    count, n = changed["printed tiers that fit their CVS"].split(" of ")
    assert int(count) == int(n) - 1
    assert changed["CVS after the vote"] == "equal to the lowest run in 4 of 5 whose runs differ"


def test_a_score_just_as_far_from_a_boundary_as_boundaries_are_moved_is_near_it() -> None:
    """Raw 4.5: a CVS of 2.5, which is 0.5 from 2.0. All other papers keep their scores."""
    main = TABLES["main"].copy()
    main.loc[main["paper"] == "probing", ["cvs", "tier"]] = [2.5, "Causally Suggestive"]

    numbers = claims_implied.fill(**TABLES | {"main": main}).numbers
    near = numbers.set_index("quantity").loc["CVS within 0.5 of a boundary", "implied"]

    before = IMPLIED["CVS within 0.5 of a boundary"]
    assert near == f"{before}, Probing Control Tasks"


def test_a_model_with_as_many_claims_in_both_modes_has_no_fewer_without_thinking() -> None:
    """Claude with 9 and 9, GPT-5.5 with 9 and 10, Qwen with 8 and 7."""
    judges = TABLES["judges"].copy()
    is_claude = (judges["judge"] == "Claude Opus 4.7") & (judges["thinking"] == "off")
    judges.loc[is_claude, "n_claims"] = 9

    numbers = claims_implied.fill(**TABLES | {"judges": judges}).numbers
    fewer = numbers.set_index("quantity").loc["claims without thinking", "implied"]

    assert fewer == "fewer in 1 of 3 models"


@pytest.mark.parametrize(
    ("value", "raw"), [(0.0, 0), (1.4, 2.5), (3.9, 7), (5.6, 10), (8.1, 14.5), (10.0, 18)]
)
def test_a_printed_score_is_read_as_the_score_that_rounds_to_it(value: float, raw: float) -> None:
    assert printed_score(value) == pytest.approx(raw / 1.8)


def test_counts_are_those_that_round_to_the_printed_text() -> None:
    # Percentages: 1 of 3 is 33.3%.
    assert counts_printed_as("33.3", 3, scale=100.0) == [1]
    # 98, 99 and 100 of 300 are 32.67%, 33% and 33.33%; 97 and 101 are 32.33% and 33.67%.
    assert counts_printed_as("33", 300, scale=100.0) == [98, 99, 100]
    # Totals in half steps: 0.5 / 2.
    assert counts_printed_as("0.25", 2, step=0.5) == [0.5]
    # No whole number is 0.4 of 1.
    assert counts_printed_as("0.4", 1) == []


def test_reported_tables_agree_with_each_other_and_name_known_papers() -> None:
    papers = TABLES["papers"].set_index("paper")
    main = TABLES["main"].set_index("paper")
    single_run = TABLES["single_run"].set_index("paper")

    assert main["expected_tier"].to_dict() == papers["expected_tier"].to_dict()
    assert single_run["expected_tier"].to_dict() == papers["expected_tier"].to_dict()
    assert main["label_source"].to_dict() == papers["label_source"].to_dict()
    assert set(TABLES["claims"]["paper"]) == set(papers.index)
    assert set(TABLES["per_paper"]["paper"]) == set(papers.index)

    listed = pd.read_csv(REPORTED.parent / "papers.csv", dtype=str).set_index("id")
    identifiers = "arXiv:" + listed.loc[papers.index, "location"]
    assert identifiers.tolist() == papers["identifier"].tolist()


def test_table_5_has_the_main_score_and_the_range_of_the_other_scores_of_appendix_b() -> None:
    claims = TABLES["claims"]
    for row in TABLES["per_paper"].itertuples():
        part = claims[claims["paper"] == row.paper]
        assert part.loc[part["main"], "cvs"].tolist() == [row.cvs]
        others = part.loc[~part["main"], "cvs"]
        assert (others.min(), others.max()) == (row.sub_low, row.sub_high)
        # Of the other claims of Copy Suppression, Appendix B has only the lowest and the highest.
        if row.paper != "copy-suppression":
            assert len(part) == row.n_claims


def test_the_share_of_criteria_that_never_enter_the_cvs_has_an_interval_without_width() -> None:
    row = ROWS.loc["criteria that enter the CVS", ["number", "number_low", "number_high"]]
    # C3, C4, I4, M2, M6 and V5 of 27.
    assert list(row) == pytest.approx([6 / 27, 6 / 27, 6 / 27])
