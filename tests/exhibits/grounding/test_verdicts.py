"""The verdicts on three runs whose pairs, answers and shares of the gap are chosen.

`rule_tables` makes their rules, answers and sets of blocks. In every pair the wanted column of the
clean prompt is `price`:

    run           pair  place of price  answer  what holds of the pair
    grounded_2    a     1               price   r1 r2 r3 paper, g1 g2 g3 g4 grounded
                  b     1               pet     r1 r2, g1
                  c     2               price   r1, g1 g2 g3 g4 grounded
                  d     3               price   r1 r2 r3 paper, g1 g4
    schema-s0     a     2               pet     r1 r2 r3 paper
                  b     2               price   nothing
                  c     3               pet     g1
    first_column  a     1               price   r1
"""

import pandas as pd
import pytest

from exhibits.grounding.control_scores import score_rule_sets
from exhibits.grounding.verdicts import block_set_table, category_table, verdict_table
from mechaware.verdicts.cases.hand_pairs import HandPair
from tests.exhibits.grounding.rule_tables import (
    ANSWERS,
    CUTS,
    RULE_TABLE,
    UNREAD,
    CleanAnswer,
    answers_of_run,
    cuts_of_run,
    rules_of_run,
    verdicts,
)


def test_behaviour_is_the_share_of_clean_prompts_answered_rightly_by_place() -> None:
    table = verdicts()

    # In grounded_2 price is first in a and b, of which a is answered rightly; c and d both are.
    assert table.loc["grounded_2", ["right_first", "right_elsewhere"]].tolist() == [0.5, 1.0]
    # In schema-s0 price is first in no pair, and of a, b and c only b is answered rightly.
    assert pd.isna(table.loc["schema-s0", "right_first"])
    assert table.loc["schema-s0", "right_elsewhere"] == pytest.approx(1 / 3)
    # In first_column price is first in the only pair.
    assert pd.isna(table.loc["first_column", "right_elsewhere"])


def test_the_share_of_right_answers_has_an_exact_interval() -> None:
    row = verdicts().loc["grounded_2"]

    # Two of two pairs are right. The lower end is the p with p^2 = 0.025.
    assert row["right_elsewhere_n"] == 2
    assert (row["right_elsewhere_low"], row["right_elsewhere_high"]) == pytest.approx(
        (0.025**0.5, 1)
    )


def test_the_absent_word_is_preferred_where_its_logit_is_more_than_a_tie_higher() -> None:
    """The logit of price, which the corrupted prompt lacks, is 9 higher in pairs where price is
    first in the clean prompt, and 5e-4 higher, which counts as a tie, in the others.

    Price is first in a and b of the four pairs of grounded_2, in no pair of schema-s0, and in the
    only pair of first_column.
    """
    prefers_absent = verdicts()["prefers_absent"]

    assert prefers_absent.to_dict() == {"grounded_2": 0.5, "schema-s0": 0.0, "first_column": 1.0}


def test_rules_and_sets_have_the_share_of_pairs_that_pass() -> None:
    row = verdicts().loc["grounded_2"]

    rules = {"r1": 1.0, "r2": 0.75, "r3": 0.5}
    rules |= {"g1": 1.0, "g2": 0.5, "g3": 0.5, "g4": 0.75, "g5": 0.0}
    rules |= {"paper": 0.5, "grounded": 0.5}

    assert row[list(rules)].to_dict() == rules


def test_a_share_without_one_of_our_rules_requires_all_others() -> None:
    """In grounded_2 a and c pass G1 to G4, b passes G1, and d passes G1 and G4; none passes G5."""
    row = verdicts().loc["grounded_2"]

    assert row["grounded_but_g5"] == 0.5  # a and c
    assert row["grounded_but_g1"] == 0.0  # none, for G5 is required


def test_sets_have_their_share_where_the_wanted_column_is_first_and_elsewhere() -> None:
    """The wanted column is first in a and b of grounded_2, and in no pair of schema-s0."""
    grounded_2 = verdicts().loc["grounded_2"]
    schema = verdicts().loc["schema-s0"]

    # In grounded_2 `grounded` holds of a among a and b, and of c among c and d. In schema-s0 it
    # holds of none.
    assert (grounded_2["grounded_first"], grounded_2["grounded_elsewhere"]) == (0.5, 0.5)
    assert schema["grounded_elsewhere"] == 0
    # In schema-s0 `paper` holds of a among a, b and c.
    assert pd.isna(schema["paper_first"])
    assert schema["paper_elsewhere"] == pytest.approx(1 / 3)


def test_a_set_that_passes_only_where_the_wanted_column_is_first_has_shares_1_and_0() -> None:
    passes_first = RULE_TABLE.assign(paper=RULE_TABLE["pair"].isin(["a", "b"]))

    row = verdicts(rules=passes_first).loc["grounded_2"]

    assert (row["paper_first"], row["paper_elsewhere"]) == (1.0, 0.0)


@pytest.mark.parametrize("confidence_level", [0.95, 0.8])
def test_sets_have_an_exact_interval(confidence_level: float) -> None:
    grounded = verdicts(confidence_level).loc["schema-s0"]

    # None of 3 pairs passes. The upper end is the p with (1 - p)^3 = (1 - confidence_level) / 2.
    assert (grounded["grounded_low"], grounded["grounded_high"]) == pytest.approx(
        (0, 1 - ((1 - confidence_level) / 2) ** (1 / 3))
    )


@pytest.mark.parametrize(("verdict_share", "grounds"), [(0.5, True), (0.51, False), (0.25, True)])
def test_the_verdict_needs_at_least_the_share_of_the_pairs(
    verdict_share: float, grounds: bool
) -> None:
    """Half of the pairs of grounded_2 pass each set; the pair of first_column passes neither."""
    table = verdicts(verdict_share=verdict_share)

    assert bool(table.loc["grounded_2", "paper_verdict"]) is grounds
    assert bool(table.loc["grounded_2", "grounded_verdict"]) is grounds
    assert not table.loc["first_column", "paper_verdict"]


def test_a_verdict_counts_the_pairs_beyond_the_best_place_shortcut() -> None:
    """Of the four pairs of grounded_2 the shortcut `first` is right in two, and `last` in one.

    The share of the best shortcut is 2/4; a share s is corrected to (s - 2/4) / (1 - 2/4).
    """
    is_grounded_2 = ANSWERS["run"] == "grounded_2"
    answers = ANSWERS.assign(
        shortcut_first=is_grounded_2 & ANSWERS["pair"].isin(["a", "b"]),
        shortcut_last=is_grounded_2 & (ANSWERS["pair"] == "c"),
    )

    table = verdict_table(
        RULE_TABLE, answers, CUTS, alpha=0.9, verdict_share=0.3, confidence_level=0.95
    ).set_index("run")

    # R1 to R3 pass in two of four pairs: (2/4 - 2/4) / (1 - 2/4) = 0. The answer is right in three:
    # (3/4 - 2/4) / (1 - 2/4) = 1/2.
    grounded_2 = table.loc["grounded_2"]
    assert grounded_2["shortcut"] == 0.5
    assert (grounded_2["paper"], grounded_2["paper_corrected"]) == (0.5, 0.0)
    assert not grounded_2["paper_verdict"]
    assert grounded_2["answer"] == 0.75
    assert grounded_2["answer_corrected"] == 0.5
    assert grounded_2["answer_verdict"]

    # No shortcut is right in schema-s0, so that nothing is subtracted.
    schema = table.loc["schema-s0"]
    assert schema["shortcut"] == 0.0
    assert schema["paper"] == pytest.approx(1 / 3)
    assert schema["paper_corrected"] == pytest.approx(1 / 3)
    assert schema["paper_verdict"]


def test_controls_have_the_blocks_in_which_they_read() -> None:
    assert verdicts()["known_blocks"].to_dict() == {
        "grounded_2": "2",
        "schema-s0": "",  # a trained model
        "first_column": "2",
    }


def test_the_found_block_is_in_most_pairs_sets_and_the_found_blocks_are_the_commonest_set() -> None:
    """Sets of grounded_2: 2, 2 3, 3 and none; of schema-s0: 3, none, 3; of first_column: none."""
    table = verdicts()

    # In grounded_2 blocks 2 and 3 are in two sets each, and each set occurs once: the earlier block
    # and the earlier set count.
    assert table.loc["grounded_2", "found_block"] == 2
    assert table.loc["schema-s0", "found_block"] == 3
    assert pd.isna(table.loc["first_column", "found_block"])
    assert table["found_blocks"].to_dict() == {
        "grounded_2": "2",
        "schema-s0": "3",
        "first_column": "",
    }


def test_the_found_block_is_an_integer_column_even_where_no_run_has_one() -> None:
    table = verdict_table(
        rules_of_run("split", {"a": "r1"}),
        answers_of_run("split", {"a": CleanAnswer(1, "price")}),
        cuts_of_run("split", {"a": UNREAD}),
        alpha=0.9,
        verdict_share=0.5,
        confidence_level=0.95,
    )

    assert table["known_blocks"].tolist() == ["1 3"]
    assert table["found_block"].isna().all()
    assert table["found_block"].dtype == "Int64"


def test_a_further_rule_gets_its_share_and_its_verdict_and_changes_no_other_column() -> None:
    """The rule passes in pair a of each run: one of four, one of three and one of one."""
    rules = RULE_TABLE.assign(further_a=RULE_TABLE["pair"] == "a")

    table = verdicts(rules=rules)

    assert list(table["further_a"]) == [0.25, pytest.approx(1 / 3), 1.0]
    assert list(table["further_a_verdict"]) == [False, False, True]

    of_further_rule = list(table.filter(like="further_a"))
    pd.testing.assert_frame_equal(table.drop(columns=of_further_rule), verdicts())


def test_a_further_rule_is_scored_on_the_controls_and_has_its_share_by_category() -> None:
    """The rule passes in pair a of each run.

    It misses grounded_2, the control that grounds, with 1 of 4 pairs, and accepts first_column,
    the control that does not, with 1 of 1.
    """
    rules = RULE_TABLE.assign(further_a=RULE_TABLE["pair"] == "a")

    scores = score_rule_sets(verdicts(rules=rules).reset_index(), confidence_level=0.95)
    by_category = category_table(rules, ANSWERS).set_index(["run", "category"])

    columns = ["measure", "right", "n", "wrong"]
    assert scores.loc[scores["rules"] == "further_a", columns].to_numpy().tolist() == [
        ["sensitivity", 0, 1, "grounded_2"],
        ["specificity", 0, 1, "first_column"],
    ]
    # The pairs a and b are synonyms.
    assert by_category.loc[("grounded_2", "db_synonyms"), "further_a"] == 0.5


def test_variants_of_the_papers_rules_have_verdicts_of_their_own() -> None:
    """The pairs of grounded_2 that pass, and their share:

    paper            a d      2/4
    paper_signed     a        1/4  the gap of d is negative
    paper_embedding  a b c d  4/4  the pairs that pass R1
    paper_both       a b c    3/4  signed, and with the embedding
    paper_top        c        1/4  with L* of all TopLayers
    """
    at_half = verdicts(verdict_share=0.5).loc["grounded_2"]
    assert at_half["paper_verdict"]
    assert not at_half["paper_signed_verdict"]
    assert at_half["paper_embedding_verdict"]
    assert at_half["paper_both_verdict"]
    assert not at_half["paper_top_verdict"]

    at_four_fifths = verdicts(verdict_share=0.8).loc["grounded_2"]
    assert at_four_fifths["paper_embedding_verdict"]
    assert not at_four_fifths["paper_both_verdict"]

    assert verdicts(verdict_share=0.25).loc["grounded_2", "paper_top_verdict"]


def test_baselines_ask_for_the_right_answer_to_the_clean_prompt() -> None:
    """The pairs that pass, and their share:

    run         right answer  and R1 (gap)  and R1 to R3 (paper)
    grounded_2  a c d  3/4    a c d  3/4    a d   2/4
    schema-s0   b      1/3    none   0      none  0
    """
    names = ["answer_verdict", "answer_and_gap_verdict", "answer_and_paper_verdict"]

    at_three_fifths = verdicts(verdict_share=0.6)
    assert at_three_fifths.loc["grounded_2", names].tolist() == [True, True, False]

    at_three_tenths = verdicts(verdict_share=0.3)
    assert at_three_tenths.loc["grounded_2", names].tolist() == [True, True, True]
    assert at_three_tenths.loc["schema-s0", names].tolist() == [True, False, False]


def test_categories_have_the_shares_of_their_own_pairs() -> None:
    """Pairs a and b of a run are synonyms, c and d scrambles."""
    table = category_table(RULE_TABLE, ANSWERS).set_index(["run", "category"])

    assert table["n"].to_dict() == {
        ("grounded_2", "db_synonyms"): 2,
        ("grounded_2", "db_scramble"): 2,
        ("schema-s0", "db_synonyms"): 2,
        ("schema-s0", "db_scramble"): 1,
        ("first_column", "db_synonyms"): 1,
    }

    # Of a and b, only a is answered rightly and only a passes R3 and `grounded`. Both gaps are 1,
    # and in both the absent word is preferred.
    synonyms = {"delta": 1, "right": 0.5, "absent": 1}
    synonyms |= {"r3": 0.5, "g1": 1, "grounded": 0.5, "answer_and_gap": 0.5}

    assert table.loc[("grounded_2", "db_synonyms"), list(synonyms)].to_dict() == synonyms

    # Both c and d are answered rightly; their gaps are 1 and -1. d passes R3, and c `grounded`.
    scrambles = {"delta": 0, "right": 1, "absent": 0}
    scrambles |= {"r3": 0.5, "g1": 1, "grounded": 0.5, "answer_and_gap": 1}

    assert table.loc[("grounded_2", "db_scramble"), list(scrambles)].to_dict() == scrambles
    assert table.loc[("schema-s0", "db_synonyms"), ["right", "absent"]].tolist() == [0.5, 0]


def test_sets_of_blocks_have_their_size_and_say_where_reading_is_redundant() -> None:
    """Five pairs; the first blocks of a pair's ranking recover and remove 0.9 of its gap:

    pair  ranking  recovered by  removed by  set   redundant: fewer blocks recover than remove
    a     1 3 2    1 block       2 blocks    1 3   yes
    b     3 1 2    1 block       2 blocks    1 3   yes
    c     2 1 3    1 block       1 block     2     no
    d     2 1 3    1 block       none        none  yes
    e     2 1 3    2 blocks      1 block     1 2   no
    """
    pairs = {
        "a": HandPair(ranking=(1, 3, 2), removed=(0.5, 1.0, 1.0)),
        "b": HandPair(ranking=(3, 1, 2), removed=(0.0, 1.0, 1.0)),
        "c": HandPair(ranking=(2, 1, 3)),
        "d": HandPair(ranking=(2, 1, 3), removed=(0.0, 0.0, 0.0)),
        "e": HandPair(ranking=(2, 1, 3), recovered=(0.0, 1.0, 1.0)),
    }

    row = block_set_table(cuts_of_run("split", pairs), alpha=0.9).iloc[0]

    assert (row["run"], row["n"], row["known_blocks"]) == ("split", 5, "1 3")
    assert row["has_set"] == 4 / 5
    assert row["all_blocks"] == 0.0
    assert row["size"] == (2 + 2 + 1 + 2) / 4
    assert row["redundant"] == 3 / 5
    assert (row["found_blocks"], row["found_share"]) == ("1 3", 2 / 5)


def test_a_run_without_sets_of_blocks_has_no_size() -> None:
    nothing_moves = HandPair(removed=(0.0, 0.0, 0.0), recovered=(0.0, 0.0, 0.0))

    row = block_set_table(cuts_of_run("schema-s0", {"a": nothing_moves}), alpha=0.9).iloc[0]

    assert (row["has_set"], row["redundant"]) == (0, 0)
    assert (row["found_blocks"], row["found_share"]) == ("", 0)
    assert pd.isna(row["size"])
