"""G1, G4 and G5 on measurements written by hand; G2 and G3 are in test_shared_block.py."""

from collections.abc import Sequence

import pandas as pd
import pytest

from mechaware.instruments.grounding.rules import PairMeasurements
from mechaware.instruments.grounding.rules.grounded import _right_answers, _signed_gap
from mechaware.instruments.grounding.rules.registry import judge_pairs
from mechaware.verdicts.cases.hand_pairs import THRESHOLDS, HandPair, pair_measurements, several
from tests.unit.instruments.grounding.rules.failing_rules import failing_rules

# Synonyms with the differences 2 (clean) and -2 (corrupted), whose word is read in block 2.
PAIR = HandPair()
SCRAMBLE = HandPair(category="db_scramble")

# G1


def pairs_of(gaps: Sequence[float], effects: Sequence[float]) -> dict[str, HandPair]:
    """Pairs p0, p1, ... with these gaps and these effects of an irrelevant change, in logits."""
    pairs = {}
    for number, (gap, effect) in enumerate(zip(gaps, effects, strict=True)):
        pairs[f"p{number}"] = SCRAMBLE._replace(clean=gap, corrupted=0.0, irrelevant=effect)
    return pairs


@pytest.mark.parametrize(
    ("quantile", "passing"), [(0.5, ["p2", "p3", "p4"]), (0.75, ["p4"]), (1.0, [])]
)
def test_g1_needs_more_than_the_quantile_of_the_sizes_of_irrelevant_effects(
    quantile: float, passing: list[str]
) -> None:
    # The sizes of the effects are 0, 1, 1, 2, 3: their quantiles are 1 at 0.5, 2 at 0.75, 3 at 1.
    effects = (0.0, 1.0, -1.0, 2.0, -3.0)
    gaps = (0.9, 1.0, 1.1, 2.0, 2.1)
    pairs = pairs_of(gaps, effects)

    table = judge_pairs(pair_measurements(pairs), THRESHOLDS._replace(null_quantile=quantile))

    assert list(table["pair"][table["g1"]]) == passing


def test_g1_interpolates_its_quantile_between_two_sizes() -> None:
    # Quantile 0.9 of the sizes 0, 1, 1, 2, 3 is at index 0.9 * 4 = 3.6, counted from 0. It is
    # 2 + 0.6 * (3 - 2) = 2.6.
    effects = (0.0, 1.0, -1.0, 2.0, -3.0)
    gaps = (1.9, 2.1, 2.5, 2.7, 3.1)
    pairs = pairs_of(gaps, effects)

    passes = _signed_gap(pair_measurements(pairs), THRESHOLDS._replace(null_quantile=0.9))

    assert list(passes) == [False, False, False, True, True]


def test_a_gap_that_exceeds_the_quantile_by_rounding_alone_fails_g1() -> None:
    rounded = 0.1 + 0.2
    assert rounded > 0.3
    pairs = {
        "rounded": SCRAMBLE._replace(clean=rounded, corrupted=0.0),
        "larger": SCRAMBLE._replace(clean=0.3001, corrupted=0.0),
        "equal": SCRAMBLE._replace(clean=0.3, corrupted=0.0, irrelevant=0.3),
    }

    passes = _signed_gap(pair_measurements(pairs), THRESHOLDS._replace(null_quantile=1.0))

    assert passes.to_dict() == {"rounded": False, "larger": True, "equal": False}


# G4 (b): another fitting word's keys and values bring out that word

# A pair whose set has two blocks: one block alone removes only 0.2 of the gap.
TWO_BLOCKS = PAIR._replace(removed=(0.2, 1.0, 1.0))


def g4_of(pair: HandPair) -> bool:
    """The verdict of G4 on the pair, beside one with a third word and one without, which pass."""
    others = {"with a third": PAIR._replace(third=(1.0, 1.0, 1.0)), "without": SCRAMBLE}

    table = judge_pairs(pair_measurements({"pair": pair} | others), THRESHOLDS).set_index("pair")

    verdicts = table["g4"].to_dict()
    assert verdicts["with a third"]
    assert verdicts["without"]
    return bool(verdicts["pair"])


@pytest.mark.parametrize(
    ("pair", "passes"),
    [
        # With its corrupted word alone PAIR would pass.
        pytest.param(
            PAIR._replace(third=(-1.0, 1.0, 1.0)), False, id="synonyms, the third word stays below"
        ),
        # With its corrupted word alone it would fail: its difference is 1.
        pytest.param(
            PAIR._replace(third=(1.0, 0.0, 0.0), clean=3.0, corrupted=1.0),
            True,
            id="synonyms, the third word comes out",
        ),
        pytest.param(
            SCRAMBLE._replace(third=(-1.0, 1.0, 1.0)),
            False,
            id="scramble, the third word stays below",
        ),
    ],
)
def test_g4_asks_for_the_third_word_where_a_pair_has_one(pair: HandPair, passes: bool) -> None:
    assert g4_of(pair) == passes


@pytest.mark.parametrize(
    ("third", "passes"),
    [
        pytest.param((-1.0, 1.0, -1.0), True, id="it comes out only in two blocks"),
        pytest.param((1.0, -1.0, 1.0), False, id="it comes out in one and in three"),
    ],
)
def test_g4_puts_the_third_word_into_the_pairs_own_set(
    third: tuple[float, ...], passes: bool
) -> None:
    assert g4_of(TWO_BLOCKS._replace(third=third)) == passes


@pytest.mark.parametrize(
    ("pair", "passes"),
    [
        # The set of one block removes 0.9 of the gap 2.1: the difference is 2 - 1.89 = 0.11.
        pytest.param(
            PAIR._replace(corrupted=-0.1, removed=(0.9, 1.0, 1.0)),
            False,
            id="the clean word stays ahead",
        ),
        # The set has two blocks and removes all of the gap: the difference is -0.1.
        pytest.param(
            PAIR._replace(corrupted=-0.1, removed=(0.8, 1.0, 1.0)),
            True,
            id="the corrupted word comes out",
        ),
        # The difference is that of the corrupted prompt, 0.5.
        pytest.param(
            PAIR._replace(category="non_db_synonyms", clean=3.0, corrupted=0.5),
            False,
            id="the clean word is ahead in the corrupted prompt, too",
        ),
    ],
)
def test_g4_asks_for_the_corrupted_word_of_synonyms_without_a_third_word(
    pair: HandPair, passes: bool
) -> None:
    assert g4_of(pair) == passes


@pytest.mark.parametrize("category", ["db_scramble", "non_db_scramble", "super_scramble"])
def test_g4_asks_for_no_other_word_of_a_scramble_without_a_third_word(category: str) -> None:
    assert g4_of(PAIR._replace(category=category, clean=3.0, corrupted=0.5))


def test_g4_fails_a_pair_without_a_set_of_blocks() -> None:
    assert not g4_of(SCRAMBLE._replace(recovered=(0.0, 0.0, 0.0)))


# G4 (a): only the asked column has an effect


def test_g4_fails_a_pair_whose_unasked_column_counts_though_the_third_word_comes_out() -> None:
    # An unasked column moves its logit by 1.5, an asked one by 2.
    assert not g4_of(PAIR._replace(third=(1.0, 1.0, 1.0), unasked=3.0))


@pytest.mark.parametrize(
    ("pair", "passes"),
    [
        # A word that the schema lists gains 4 if it is not asked for, and 10 if it is. The unasked
        # difference counts two unasked words, 8. The gap counts two asked words, 20 (synonyms), or
        # an asked and an unasked one, 14 (scrambles).
        pytest.param(
            PAIR._replace(clean=10.0, corrupted=-10.0, unasked=8.0), True, id="synonyms, 4 of 10"
        ),
        pytest.param(
            SCRAMBLE._replace(clean=10.0, corrupted=-4.0, unasked=8.0), True, id="scramble, 4 of 10"
        ),
        # Likewise with 5 and 9: an unasked word has more than half of the effect.
        pytest.param(
            PAIR._replace(clean=9.0, corrupted=-9.0, unasked=10.0), False, id="synonyms, 5 of 9"
        ),
        pytest.param(
            SCRAMBLE._replace(clean=9.0, corrupted=-5.0, unasked=10.0), False, id="scramble, 5 of 9"
        ),
        # The unasked word gains 1, so that the gap of -4 leaves -5 for the asked one.
        pytest.param(
            SCRAMBLE._replace(clean=-2.0, corrupted=2.0, unasked=2.0), True, id="scramble, 1 of -5"
        ),
    ],
)
def test_g4_passes_an_unasked_word_with_at_most_half_of_the_effect_of_an_asked_one(
    pair: HandPair, passes: bool
) -> None:
    assert g4_of(pair) == passes


@pytest.mark.parametrize(("listed", "fitting"), [(6.0, 4.0), (3.0, 0.5), (20.0, 19.0)])
def test_g4_alone_fails_a_reader_that_adds_what_is_listed_to_what_fits(
    listed: float, fitting: float
) -> None:
    """A word's logit is `listed` if the schema has it, plus `fitting` if the request may mean it.

    If one listed word fits, it is the answer. If none fits, every listed word is above the words
    that would fit.
    """
    # Both words of synonyms fit. Clean: (listed + fitting) - fitting; corrupted: the reverse.
    synonyms = PAIR._replace(clean=listed, corrupted=-listed, unasked=2 * listed)
    # The corrupted word of a scramble does not fit. Clean: (listed + fitting) - 0; corrupted:
    # fitting - listed.
    scramble = SCRAMBLE._replace(
        clean=listed + fitting, corrupted=fitting - listed, unasked=2 * listed
    )

    failed = failing_rules(several(synonyms=synonyms, scramble=scramble))

    assert failed == {"synonyms": "g4", "scramble": "g4"}


# G5


def with_answer(
    measurements: PairMeasurements, *, pair: str, prompt: str, answer: str
) -> PairMeasurements:
    """The measurements in which the pair's prompt, which wants "price", gets this answer.

    The prompt's row is replaced, or added if the pair has none.
    """
    answers = measurements.answers
    is_replaced = (answers["pair"] == pair) & (answers["prompt"] == prompt)
    any_row = answers[answers["pair"] == pair].head(1)
    row = any_row.assign(prompt=prompt, wanted="price", answer=answer)
    return measurements._replace(answers=pd.concat([answers[~is_replaced], row]))


@pytest.mark.parametrize(
    ("prompt", "counts"),
    [
        ("clean", True),
        ("third", True),
        ("corrupted", True),
        ("other", True),
        # In these the word that the request asks for is not changed.
        ("irrelevant", False),
        ("unasked", False),
        ("both", False),
    ],
)
def test_g5_needs_the_right_answer_to_each_prompt_with_one_word_that_fits(
    prompt: str, counts: bool
) -> None:
    measurements = pair_measurements({"wrong": PAIR, "right": PAIR})
    # The right answer, price, is the first option, and the wrong one, city, is not.
    measurements = measurements._replace(answers=measurements.answers.assign(first="price"))
    measurements = with_answer(measurements, pair="wrong", prompt=prompt, answer="city")

    passes = _right_answers(measurements, THRESHOLDS)

    assert passes.to_dict() == {"wrong": not counts, "right": True}
