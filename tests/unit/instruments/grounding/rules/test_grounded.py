"""Every rule on measurements written by hand, where it alone fails and at its threshold; sets of rules; a new rule."""

import itertools
from collections import Counter
from collections.abc import Sequence

import pandas as pd
import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.rules import (
    ConfiguredThresholds,
    PairMeasurements,
    Rule,
    Thresholds,
)
from mechaware.instruments.grounding.rules.grounded import (
    _right_answers,
    _shared_block,
    _shared_block_p_value,
    _signed_gap,
    block_sets,
    cut_shares,
    most_common_block,
)
from mechaware.instruments.grounding.rules.registry import (
    RULE_SETS,
    RULES,
    judge_pairs,
    judge_runs,
)
from mechaware.verdicts.cases.hand_pairs import THRESHOLDS, HandPair, pair_measurements, several

PAIR = HandPair()
SCRAMBLE = HandPair(category="db_scramble")
# The pairs that `several` makes, each of which passes.
SIX_PAIRS = {"p0": True, "p1": True, "p2": True, "p3": True, "p4": True, "p5": True}


def failing(pairs: dict[str, HandPair], thresholds: Thresholds = THRESHOLDS) -> dict[str, str]:
    """The rules that fail, of each pair of which any does."""
    table = judge_pairs(pair_measurements(pairs), thresholds).set_index("pair")
    names = [rule.name for rule in RULES]
    failed = {}
    for pair, row in table.iterrows():
        of_pair = [name for name in names if not row[name]]
        if of_pair:
            failed[str(pair)] = " ".join(of_pair)
    return failed


# Every changed pair keeps to all rules but those named. R2 and R3 build on R1, and a pair whose word is read in no set
# of blocks has no set in which G3 finds its shared block, or into which G4 puts another word.
ALONE = {
    "nothing is changed": (PAIR, ""),
    "a gap below tau": (PAIR._replace(clean=0.2, corrupted=-0.15), "r1 r2 r3"),
    "no layer recovers 0.9": (PAIR._replace(patched=(0.89, 0.5, 0.0)), "r2 r3"),
    "another layer recovers": (PAIR._replace(patched=(0.5, 1.0, 0.0)), "r3"),
    "the word that is not in the schema": (SCRAMBLE._replace(clean=-2.0, corrupted=2.0), "g1"),
    "all blocks are needed": (PAIR._replace(recovered=(0.5, 0.8, 1.0)), ""),  # G3 is not asked
    "no blocks recover": (PAIR._replace(recovered=(0.5, 0.8, 0.89)), "g2 g3 g4"),
    "no blocks remove": (PAIR._replace(removed=(0.5, 0.8, 0.89)), "g2 g3 g4"),
    "read in another block": (PAIR._replace(ranking=(3, 1, 2)), "g3"),
    "another column counts": (PAIR._replace(unasked=2.1), "g4"),
    "the corrupted word, a synonym, stays below": (PAIR._replace(clean=3.0, corrupted=0.5), "g4"),
    "the third word stays below": (PAIR._replace(third=(-0.5, 1.0, 1.0)), "g4"),
    "the answer is another column": (PAIR._replace(answer="pet"), "g5"),
    "another request has the same answer": (PAIR._replace(other_answer="pet"), "g5"),
    "no gap": (PAIR._replace(clean=1.0, corrupted=1.0), "r1 r2 r3 g1 g2 g3 g4"),
}


@pytest.mark.parametrize("name", ALONE)
def test_a_rule_fails_alone(name: str) -> None:
    pair, rules = ALONE[name]
    assert failing(several(changed=pair)) == ({"changed": rules} if rules else {})


# Thresholds


@pytest.mark.parametrize(
    ("pair", "rules"),
    [
        # In floating point the gap of 0.7 - 0.3 is less than 0.4.
        (PAIR._replace(clean=0.7, corrupted=0.3, category="db_scramble"), ""),
        (PAIR._replace(clean=0.7, corrupted=0.301, category="db_scramble"), "r1 r2 r3"),
        # R1 reads the gap in either direction.
        (PAIR._replace(clean=-0.3, corrupted=0.1, category="db_scramble"), "g1"),
        (PAIR._replace(patched=(0.9, 0.0, 0.0)), ""),
        (PAIR._replace(patched=(0.8999, 0.0, 0.0)), "r2 r3"),
        (PAIR._replace(recovered=(0.0, 0.9, 0.0)), ""),
        (PAIR._replace(removed=(0.0, 0.0, 0.8999)), "g2 g3 g4"),
        (PAIR._replace(unasked=2.0), ""),  # half of the gap 4
        (PAIR._replace(unasked=-2.0), ""),
        (PAIR._replace(unasked=2.001), "g4"),
        (PAIR._replace(unasked=-2.001), "g4"),
        (PAIR._replace(third=(0.0, 0.0, 0.0)), "g4"),  # as likely as the clean word is not above it
        (PAIR._replace(third=(5e-7, 0.0, 0.0)), "g4"),  # nor is a rounding error
        (PAIR._replace(third=(0.001, 0.0, 0.0)), ""),
        (PAIR._replace(clean=2.0, corrupted=0.0), "g4"),
        # In floating point both shares of 3.9 are less than 0.9, and 0.425 is more than half of 0.85.
        (
            PAIR._replace(
                clean=0.5, corrupted=-3.4, recovered=(0.9, 1.0, 1.0), removed=(0.9, 1.0, 1.0)
            ),
            "",
        ),
        (PAIR._replace(clean=0.2, corrupted=-1.5, unasked=0.85), ""),
    ],
)
def test_a_value_at_the_threshold_meets_it_and_one_beyond_does_not(
    pair: HandPair, rules: str
) -> None:
    assert failing(several(changed=pair)) == ({"changed": rules} if rules else {})


# G1


def pairs_of(gaps: Sequence[float], effects: Sequence[float]) -> dict[str, HandPair]:
    """Pairs p0, p1, ... with these gaps and these effects of an irrelevant word."""
    pairs = {}
    for number, (gap, effect) in enumerate(zip(gaps, effects, strict=True)):
        pairs[f"p{number}"] = SCRAMBLE._replace(clean=gap, corrupted=0.0, irrelevant=effect)
    return pairs


@pytest.mark.parametrize(
    ("quantile", "holding"), [(0.5, ["p2", "p3", "p4"]), (0.75, ["p4"]), (1.0, [])]
)
def test_g1_needs_more_than_the_quantile_of_the_sizes_of_irrelevant_effects(
    quantile: float, holding: list[str]
) -> None:
    # Sizes 0, 1, 1, 2, 3 in pairs, in both directions. Their quantile 0.5 is 1, their quantile 0.75 is 2.
    effects = (0.0, 1.0, -1.0, 2.0, -3.0)
    gaps = (0.9, 1.0, 1.1, 2.0, 2.1)
    pairs = pairs_of(gaps, effects)

    table = judge_pairs(pair_measurements(pairs), THRESHOLDS._replace(null_quantile=quantile))

    assert list(table["pair"][table["g1"]]) == holding


def test_g1_interpolates_its_quantile_between_two_sizes() -> None:
    # Quantile 0.9 of the sizes 0, 1, 1, 2, 3 is at place 0.9 * 4 = 3.6, counted from 0: 2 + 0.6 * (3 - 2) = 2.6.
    effects = (0.0, 1.0, -1.0, 2.0, -3.0)
    gaps = (1.9, 2.1, 2.5, 2.7, 3.1)
    pairs = pairs_of(gaps, effects)

    holds = _signed_gap(pair_measurements(pairs), THRESHOLDS._replace(null_quantile=0.9))

    assert list(holds) == [False, False, False, True, True]


def test_a_gap_that_exceeds_the_quantile_by_rounding_alone_fails_g1() -> None:
    rounded = 0.1 + 0.2
    assert rounded > 0.3
    pairs = {
        "rounded": SCRAMBLE._replace(clean=rounded, corrupted=0.0),
        "larger": SCRAMBLE._replace(clean=0.3001, corrupted=0.0),
        "equal": SCRAMBLE._replace(clean=0.3, corrupted=0.0, irrelevant=0.3),
    }

    holds = _signed_gap(pair_measurements(pairs), THRESHOLDS._replace(null_quantile=1.0))

    assert holds.to_dict() == {"rounded": False, "larger": True, "equal": False}


# Sets of blocks


def test_shares_of_a_cut_are_what_denoising_recovers_and_noising_removes() -> None:
    cuts = pd.DataFrame(
        [
            ("denoise", 3.0, -1.0, 2.0),  # 3 of 4 from -1
            ("noise", 3.0, -1.0, 2.0),  # 1 of 4 from 3
            ("denoise", -1.0, 1.0, 0.5),  # -0.5 of -2 from 1
            ("noise", -1.0, 1.0, 0.5),  # 1.5 of 2 from -1
            ("denoise", 1.0, 0.0, 1.5),  # not capped
            ("noise", 1.0, 0.0, 1.5),  # the wrong way
            ("denoise", 1.0, 1.0, 2.0),  # no gap
            ("noise", 1.0, 1.0, 1.0),
        ],
        columns=["mode", "clean_diff", "corrupted_diff", "cut_diff"],
    )

    shares = cut_shares(cuts)

    assert list(shares[:6]) == pytest.approx([0.75, 0.25, 0.25, 0.75, 1.5, -0.5])
    assert shares[6:].isna().all()


SETS = {
    "one block": (PAIR, (1, 1, 1, "2")),
    "a smaller set is enough": (PAIR._replace(recovered=(0.9, 0.2, 0.1)), (1, 1, 1, "2")),
    # Either of two blocks recovers, and only both together remove: noising alone shows the redundancy.
    "redundant": (PAIR._replace(ranking=(1, 3, 2), removed=(0.1, 1.0, 1.0)), (1, 2, 2, "1 3")),
    # Both blocks are needed to recover, and each alone removes.
    "the reverse": (PAIR._replace(ranking=(3, 1, 2), recovered=(0.0, 1.0, 1.0)), (2, 1, 2, "1 3")),
    "recovered alone": (PAIR._replace(removed=(0.0, 0.5, 0.8)), (1, None, None, "")),
    "removed alone": (PAIR._replace(recovered=(0.0, 0.5, 0.8)), (None, 1, None, "")),
    "neither": (
        PAIR._replace(recovered=(0.0, 0.5, 0.8), removed=(0.0, 0.5, 0.8)),
        (None, None, None, ""),
    ),
    "no gap": (PAIR._replace(corrupted=2.0), (None, None, None, "")),
}


@pytest.mark.parametrize("name", SETS)
def test_the_set_of_a_pair_is_the_larger_of_the_two_smallest(name: str) -> None:
    pair, expected = SETS[name]

    sets = block_sets(pair_measurements({"zebra": PAIR, "pair": pair, "ant": PAIR}).cuts, 0.9)

    assert list(sets.index) == ["zebra", "pair", "ant"]
    found = sets.loc["pair", ["denoise_size", "noise_size", "size", "blocks"]]
    assert [None if pd.isna(value) else value for value in found] == list(expected)


@pytest.mark.parametrize(
    ("sets", "block"),
    [
        pytest.param(["3", "2 3", "1 2", "3"], 3, id="in three of four sets"),
        pytest.param(["3", "1 2", "", "2 3"], 2, id="the earlier of two that are in two"),
        pytest.param(["10", "9"], 9, id="the earlier by number, not by digits"),
        pytest.param(["", ""], None, id="no sets"),
    ],
)
def test_the_most_common_block_is_in_most_sets_and_the_earliest_of_a_tie(
    sets: list[str], block: int | None
) -> None:
    assert most_common_block(pd.DataFrame({"blocks": sets})) == block


# G3


def test_p_of_a_shared_block_is_1_without_a_set() -> None:
    without = pd.DataFrame({"size": [None, None], "blocks": ["", ""]})

    assert _shared_block_p_value(without, 3) == 1.0


@pytest.mark.parametrize(
    ("blocks", "count"),
    [
        pytest.param(["1", "1 2", "1", "1 2 3"], 4, id="block 1 in all four sets"),
        pytest.param(["1", "1 2", "3", "1 2 3"], 3, id="block 1 in three of them"),
    ],
)
def test_p_of_a_shared_block_is_that_of_all_draws(blocks: list[str], count: int) -> None:
    # Sets of 1, 2, 1 and 3 of 4 blocks: 4 * 6 * 4 * 4 = 384 draws, in which the most common block is in 2, 3 or 4.
    sizes = (1, 2, 1, 3)
    sets_of_each_pair = [list(itertools.combinations(range(4), size)) for size in sizes]
    draws = list(itertools.product(*sets_of_each_pair))
    assert len(draws) == 384
    n_as_large = 0
    for draw in draws:
        counts = Counter(itertools.chain.from_iterable(draw))
        if max(counts.values()) >= count:
            n_as_large += 1
    expected = n_as_large / len(draws)
    assert 0.05 < expected < 0.95

    # Two pairs have no set.
    sets = pd.DataFrame({"size": [*sizes, None, None], "blocks": [*blocks, "", ""]})
    assert _shared_block_p_value(sets, 4) == pytest.approx(expected, abs=0.05)


def test_g3_holds_of_the_pairs_that_share_the_block_at_the_level_of_significance() -> None:
    # Six pairs of seven read in block 2.
    made = pair_measurements(several(other=PAIR._replace(ranking=(1, 2, 3))))
    p = _shared_block_p_value(block_sets(made.cuts, 0.9), 3)
    assert 0 < p < 0.05

    at = _shared_block(made, THRESHOLDS._replace(significance=p))
    below = _shared_block(made, THRESHOLDS._replace(significance=p - 1e-9))

    assert at.to_dict() == SIX_PAIRS | {"other": False}
    assert not below.any()


def test_g3_fails_of_two_pairs_that_share_a_block() -> None:
    # Two pairs of one block of three: both have the same in 1 of 3 draws.
    assert failing({"a": PAIR, "b": PAIR}) == {"a": "g3", "b": "g3"}


def test_g3_fails_of_a_tie_of_blocks_that_may_be_chance() -> None:
    # Blocks 1 and 2 are in the sets of five pairs each. The earlier is the shared one, but 5 of 10 in one of three
    # blocks is nothing beyond chance: the most common of three is in at least 4.
    pairs = {}
    for number in range(10):
        ranking = (1, 2, 3) if number % 2 == 0 else (2, 1, 3)
        pairs[f"p{number}"] = PAIR._replace(ranking=ranking)

    assert failing(pairs) == dict.fromkeys(pairs, "g3")


# 20 pairs read blocks 1 and 2 of three; by chance all of 20 sets of two share a block in 3 * (2/3)^20 = 0.1%.
BOTH = PAIR._replace(removed=(0.0, 1.0, 1.0))
TWENTY = {f"p{number}": BOTH for number in range(20)}
LATE = BOTH._replace(ranking=(2, 3, 1))
EARLY = BOTH._replace(ranking=(1, 3, 2))


def test_a_block_in_more_sets_than_an_earlier_one_is_the_shared_block() -> None:
    # Block 2 is in 21 sets, block 1 in 20.
    assert _shared_block(pair_measurements(TWENTY | {"late": LATE}), THRESHOLDS).all()


def test_a_tie_of_blocks_beyond_chance_goes_to_the_earlier() -> None:
    # Blocks 1 and 2 are in 21 sets each.
    verdicts = _shared_block(pair_measurements(TWENTY | {"late": LATE, "early": EARLY}), THRESHOLDS)

    assert verdicts["early"]
    assert not verdicts["late"]


ALL_BLOCKS = PAIR._replace(removed=(0.3, 0.6, 1.0))  # its set has all blocks


def test_g3_is_not_asked_of_sets_that_hold_all_blocks() -> None:
    pairs = {f"p{number}": ALL_BLOCKS for number in range(6)}

    assert _shared_block(pair_measurements(pairs), THRESHOLDS).all()


def test_sets_of_all_blocks_do_not_help_the_others_to_share_one() -> None:
    # Two pairs of one block show nothing, whatever four pairs of all blocks hold.
    pairs = {f"p{number}": ALL_BLOCKS for number in range(4)}
    others = {"a": PAIR, "b": PAIR, "none": PAIR._replace(corrupted=2.0)}

    verdicts = _shared_block(pair_measurements(pairs | others), THRESHOLDS)

    assert verdicts.to_dict() == dict.fromkeys(pairs, True) | dict.fromkeys(others, False)


# G4

SECOND = PAIR._replace(removed=(0.2, 1.0, 1.0))  # its set has two blocks


@pytest.mark.parametrize(
    ("pair", "holds"),
    [
        # The third word decides where there is one, even of a synonym category whose corrupted word comes out.
        pytest.param(
            PAIR._replace(third=(-1.0, 1.0, 1.0)), False, id="synonyms, the third word does not"
        ),
        pytest.param(
            PAIR._replace(third=(1.0, 0.0, 0.0), clean=3.0, corrupted=1.0),
            True,
            id="synonyms, the third word does",
        ),
        pytest.param(
            SCRAMBLE._replace(third=(-1.0, 1.0, 1.0)), False, id="scramble, the third word does not"
        ),
        pytest.param(
            SECOND._replace(third=(-1.0, 1.0, -1.0)), True, id="third word at the size of the set"
        ),
        pytest.param(
            SECOND._replace(third=(1.0, -1.0, 1.0)), False, id="third word at the other sizes"
        ),
        # Removing 0.9 of a gap from 2 to -0.1 leaves 2 - 1.89 = 0.11, and all of it -0.1.
        pytest.param(
            PAIR._replace(corrupted=-0.1, removed=(0.9, 1.0, 1.0)),
            False,
            id="the set leaves the clean word ahead",
        ),
        pytest.param(
            PAIR._replace(corrupted=-0.1, removed=(0.8, 1.0, 1.0)),
            True,
            id="a larger set does not",
        ),
        pytest.param(
            PAIR._replace(category="non_db_synonyms", clean=3.0, corrupted=0.5),
            False,
            id="synonyms without a third word, the corrupted word does not come out",
        ),
        # Without another word that fits, the column that is not asked for decides alone.
        pytest.param(
            PAIR._replace(category="db_scramble", clean=3.0, corrupted=0.5), True, id="db_scramble"
        ),
        pytest.param(
            PAIR._replace(category="non_db_scramble", clean=3.0, corrupted=0.5),
            True,
            id="non_db_scramble",
        ),
        pytest.param(
            PAIR._replace(category="super_scramble", clean=3.0, corrupted=0.5),
            True,
            id="super_scramble",
        ),
        pytest.param(
            PAIR._replace(third=(1.0, 1.0, 1.0), unasked=3.0),
            False,
            id="the third word does, an unasked column as well",
        ),
        # Every column raised by 4 and the asked one by 6 more: the gap is 20 of two asked words or 14 of one.
        pytest.param(
            PAIR._replace(clean=10.0, corrupted=-10.0, unasked=8.0),
            True,
            id="synonyms, an unasked column 4 of 10",
        ),
        pytest.param(
            SCRAMBLE._replace(clean=10.0, corrupted=-4.0, unasked=8.0),
            True,
            id="scramble, an unasked column 4 of 10",
        ),
        # By 5 and 4 more: an unasked column counts 5 of 9, more than half.
        pytest.param(
            PAIR._replace(clean=9.0, corrupted=-9.0, unasked=10.0),
            False,
            id="synonyms, an unasked column 5 of 9",
        ),
        pytest.param(
            SCRAMBLE._replace(clean=9.0, corrupted=-5.0, unasked=10.0),
            False,
            id="scramble, an unasked column 5 of 9",
        ),
        # A gap of -4 is one of an asked column that is lowered by 5, and an unasked one by 1 less.
        pytest.param(
            SCRAMBLE._replace(clean=-2.0, corrupted=2.0, unasked=2.0), True, id="a negative gap"
        ),
        pytest.param(SCRAMBLE._replace(recovered=(0.0, 0.0, 0.0)), False, id="no set of blocks"),
    ],
)
def test_g4_needs_the_word_that_fits_and_no_other_column(pair: HandPair, holds: bool) -> None:
    others = {"with a third": PAIR._replace(third=(1.0, 1.0, 1.0)), "without": SCRAMBLE}

    table = judge_pairs(pair_measurements({"pair": pair} | others), THRESHOLDS).set_index("pair")

    assert table["g4"].to_dict() == {"pair": holds, "with a third": True, "without": True}


@pytest.mark.parametrize(("listed", "fitting"), [(6.0, 4.0), (3.0, 0.5), (20.0, 19.0)])
def test_g4_alone_fails_a_reader_that_adds_what_is_listed_to_what_fits(
    listed: float, fitting: float
) -> None:
    """The logit of a word is `listed`, if the schema has it, plus `fitting`, if the request may mean it.

    Where one listed word fits, it is the answer. Where none fits, every listed word is above the words that would fit.
    """
    # Synonyms fit both: (listed + fitting) - fitting, and the reverse.
    synonyms = PAIR._replace(clean=listed, corrupted=-listed, unasked=2 * listed)
    # In a scramble the corrupted word does not fit: (listed + fitting) - 0, and fitting - listed.
    scramble = SCRAMBLE._replace(
        clean=listed + fitting, corrupted=fitting - listed, unasked=2 * listed
    )

    failed = failing(several(synonyms=synonyms, scramble=scramble))

    assert failed == {"synonyms": "g4", "scramble": "g4"}


# G5


def with_answer(made: PairMeasurements, pair: str, prompt: str, answer: str) -> PairMeasurements:
    """The measurements with this answer of the pair to this prompt, which asks for "price"."""
    is_replaced = (made.answers["pair"] == pair) & (made.answers["prompt"] == prompt)
    any_row = made.answers[made.answers["pair"] == pair].head(1)
    row = any_row.assign(prompt=prompt, wanted="price", answer=answer)
    return made._replace(answers=pd.concat([made.answers[~is_replaced], row]))


@pytest.mark.parametrize(
    ("prompt", "counts"),
    [
        ("clean", True),
        ("third", True),
        ("corrupted", True),
        ("other", True),
        # What is changed in these is not the word that the request asks for.
        ("irrelevant", False),
        ("unasked", False),
        ("both", False),
    ],
)
def test_g5_needs_the_right_answer_to_each_prompt_with_one_word_that_fits(
    prompt: str, counts: bool
) -> None:
    made = pair_measurements({"wrong": PAIR, "right": PAIR})
    # The wrong answer is not the first option, and the right one is.
    made = made._replace(answers=made.answers.assign(first="price"))

    holds = _right_answers(with_answer(made, "wrong", prompt, "city"), THRESHOLDS)

    assert holds.to_dict() == {"wrong": not counts, "right": True}


# All rules together


@pytest.mark.parametrize(
    ("prompt", "rule"), [("irrelevant", "g1"), ("unasked", "g4"), ("other", "g5")]
)
def test_no_pair_passes_a_rule_whose_prompt_was_not_measured(prompt: str, rule: str) -> None:
    made = pair_measurements(several())
    answers = made.answers[made.answers["prompt"] != prompt]

    table = judge_pairs(made._replace(answers=answers), THRESHOLDS)

    for each in RULES:
        passes = each.name != rule
        assert set(table[each.name]) == {passes}, each.name


TWO_MORE = several(
    zebra=PAIR._replace(ranking=(3, 1, 2)), ant=PAIR._replace(patched=(0.0, 1.0, 0.0))
)


def test_the_verdicts_are_a_row_per_pair_in_their_order() -> None:
    table = judge_pairs(pair_measurements(TWO_MORE), THRESHOLDS, [])

    assert list(table["pair"]) == list(TWO_MORE)
    for rule in RULES:
        assert table[rule.name].dtype == bool
    for rule_set in RULE_SETS:
        assert table[rule_set].dtype == bool


def test_the_verdicts_on_several_runs_are_those_on_each_with_its_name() -> None:
    first = pair_measurements(TWO_MORE)
    second = pair_measurements({"pair": PAIR})

    table = judge_runs({"first": first, "second": second}, THRESHOLDS, [])

    assert list(table["run"]) == ["first"] * len(TWO_MORE) + ["second"]
    by_run = table.set_index("run")
    for run, measurements in (("first", first), ("second", second)):
        alone = judge_pairs(measurements, THRESHOLDS, [])
        pd.testing.assert_frame_equal(by_run.loc[[run]].reset_index(drop=True), alone)


def test_the_level_of_the_test_follows_from_the_confidence_level() -> None:
    configured = ConfiguredThresholds(tau=0.4, alpha=0.9, null_quantile=0.95, unasked_share=0.5)

    # 1 - 0.9 is 0.09999999999999998.
    assert configured.at(0.9) == Thresholds(
        tau=0.4, alpha=0.9, null_quantile=0.95, unasked_share=0.5, significance=0.1
    )


def test_the_order_of_the_rows_of_measurements_does_not_count() -> None:
    made = pair_measurements(TWO_MORE)
    shuffled = made._replace(
        patching=made.patching.sample(frac=1, random_state=1), cuts=made.cuts.iloc[::-1]
    )

    table = judge_pairs(shuffled, THRESHOLDS, [])

    pd.testing.assert_frame_equal(table, judge_pairs(made, THRESHOLDS, []))


# The pairs of ALONE, with names that `several` takes.
ALONE_BY_NAME = {name.replace(" ", "_"): pair for name, (pair, _) in ALONE.items()}


def test_a_set_of_rules_holds_where_all_of_its_rules_do() -> None:
    table = judge_pairs(pair_measurements(several(**ALONE_BY_NAME)), THRESHOLDS)

    assert list(table["paper"]) == list(table["r1"] & table["r2"] & table["r3"])
    grounded = table["g1"] & table["g2"] & table["g3"] & table["g4"] & table["g5"]
    assert list(table["grounded"]) == list(grounded)
    both = set(zip(table["paper"], table["grounded"], strict=True))
    assert both == {(True, True), (True, False), (False, True), (False, False)}


# Values of each threshold at which some pair of ALONE has another verdict than at THRESHOLDS.
OTHERS = {
    "tau": (0.1, 1.0, 9.0),
    "alpha": (0.5, 0.85, 0.99),
    "null_quantile": (0.5, 0.99),
    "unasked_share": (0.0, 0.6, 9.0),
    "significance": (1e-9, 0.5),
}


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_a_rule_asks_for_the_thresholds_that_it_names_and_for_no_other(rule: Rule) -> None:
    assert OTHERS.keys() == set(Thresholds._fields)
    pairs = several(
        wide=PAIR._replace(irrelevant=3.9), narrow=PAIR._replace(clean=0.3, corrupted=-0.3)
    )
    made = pair_measurements(pairs | ALONE_BY_NAME)
    before = rule.passes(made, THRESHOLDS)

    for threshold, values in OTHERS.items():
        is_changed = False
        for value in values:
            after = rule.passes(made, THRESHOLDS._replace(**{threshold: value}))
            is_changed |= not after.equals(before)
        assert is_changed == (threshold in rule.thresholds), threshold


def test_a_further_rule_gets_its_column_and_changes_no_set() -> None:
    def second_place(made: PairMeasurements, _thresholds: Thresholds) -> pd.Series:
        return made.answers.drop_duplicates("pair").set_index("pair")["place"] == 2

    made = pair_measurements(several(first=PAIR._replace(place=1)))

    table = judge_pairs(made, THRESHOLDS, [Rule("second", second_place)])

    passed = dict(zip(table["pair"], table.pop("further_second"), strict=True))
    assert passed == SIX_PAIRS | {"first": False}
    pd.testing.assert_frame_equal(table, judge_pairs(made, THRESHOLDS, []))


@pytest.mark.parametrize(
    "verdicts",
    [
        pytest.param(pd.Series(True, index=["p0"]), id="one pair alone"),
        pytest.param(pd.Series(1.0, index=list(SIX_PAIRS)), id="numbers"),
    ],
)
def test_a_further_rule_without_a_truth_value_per_pair_is_refused_by_name(
    verdicts: pd.Series,
) -> None:
    odd = Rule("odd", lambda *_: verdicts)

    with pytest.raises(UserError, match="rule odd: not one truth value per pair"):
        judge_pairs(pair_measurements(several()), THRESHOLDS, [odd])
