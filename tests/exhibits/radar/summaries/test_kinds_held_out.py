"""RADAR compared with a reader of word order and a reader of the answer's form, with whole kinds of
question held out.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
import pytest

from exhibits.radar.summaries.kinds_held_out import (
    KINDS_HELD_OUT,
    ONE_FORM,
    OVERALL,
    Draws,
    _compare,
    answer_form,
    held_out_rows,
    in_one_form,
)
from mechaware.instruments.radar.controls import CROSS_VALIDATED
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.prompts import Prompt, read_prompts
from tests.checkout import REPOSITORY

# Matched pairs whose two prompts have the same words, of thirty kinds.
SAME_WORDS = REPOSITORY / "config/prompts/radar_matched_800.csv"
DRAWS = Draws(folds=3, seeds=1, resamples=2000, confidence_level=0.95, seed=5)


@pytest.mark.parametrize(
    ("answers", "form"),
    [
        pytest.param(("87", "eighty-seven"), "number", id="a number, then words"),
        pytest.param(("three hundred and sixty", "360"), "number", id="words, then a number"),
        pytest.param(("u",), "letter", id="a single character"),
        pytest.param(("watt", "watts"), "words", id="words"),
        pytest.param(("h2so4",), "words", id="digits within a word"),
        pytest.param(("?", "7."), "number", id="a number goes before a single character"),
        pytest.param((), "words", id="no answer"),
    ],
)
def test_an_answer_has_the_form_of_a_number_a_letter_or_words(
    answers: tuple[str, ...], form: str
) -> None:
    assert answer_form(answers) == form


def test_eleven_of_the_thirty_kinds_have_answers_of_one_form() -> None:
    """Counted in the file by hand: both labels have numbers in two kinds,
    and words of several letters in nine.
    """
    prompts = read_prompts(SAME_WORDS)
    prompts_of_kind: Counter[str] = Counter()
    for prompt, has_one_form in zip(prompts, in_one_form(prompts), strict=True):
        if has_one_form:
            prompts_of_kind[prompt.source] += 1
    assert prompts_of_kind == {
        "animal sound / spelled word": 24,
        "author / tallest": 32,
        "color / colored hat": 28,
        "continent / later day": 24,
        "holiday / later month": 18,
        "language / third name": 22,
        "opposite / alphabetical order": 36,
        "past tense / longer word": 32,
        "proverb / dropped letter": 36,
        "quantity / sum": 32,
        "year / later year": 24,
    }


def test_the_form_of_the_answer_alone_is_right_for_80_percent_of_the_prompts() -> None:
    """A number or a single letter is called reasoning, words are called recall:
    the 80% that the documents give.
    """
    prompts = read_prompts(SAME_WORDS)
    is_right = []
    for prompt in prompts:
        called = "recall" if answer_form(prompt.answers) == "words" else "reasoning"
        is_right.append(called == prompt.label)
    # In the file 367 recall prompts have words, 220 reasoning prompts numbers and 54 a letter.
    assert sum(is_right) == 367 + 220 + 54
    assert f"{sum(is_right) / len(prompts):.0%}" == "80%"

    # In the 308 prompts of the eleven kinds above the labels of each form are balanced, so the form
    # is right for half of them.
    has_one_form = np.array(in_one_form(prompts))
    assert has_one_form.sum() == 308
    assert np.array(is_right)[has_one_form].sum() == 154


# Whether a system is right, for two fits (rows) and five prompts (columns) of three kinds.
#
#     prompt                       1     2    3    4    5
#     kind                         a     b    b    c    c
#     RADAR, mean over fits        0.5   1    1    1    1
#     word order, mean over fits   1     0    0    1    0.5
#     RADAR's lead                 -0.5  1    1    0    0.5
RIGHT = {
    "radar": np.array([[1.0, 1, 1, 1, 1], [0, 1, 1, 1, 1]]),
    "word_order": np.array([[1.0, 0, 0, 1, 0], [1, 0, 0, 1, 1]]),
}
KINDS = pd.Series(["a", "b", "b", "c", "c"])
EVERY_PROMPT = np.ones(5, bool)


def test_radars_lead_is_paired_by_prompt_and_tested_by_flips_of_whole_kinds() -> None:
    measured = _compare(RIGHT, "word_order", KINDS, EVERY_PROMPT, DRAWS)

    assert measured["radar_lead"] == pytest.approx((-0.5 + 1 + 1 + 0 + 0.5) / 5)
    # The sums of the leads of kinds a, b and c, with the 2^3 ways to flip their signs.
    by_kind = np.array([-0.5, 2, 0.5])
    signs = np.array(list(product((-1, 1), repeat=3)))
    sums = signs @ by_kind
    assert measured["p_against_radar"] == pytest.approx((np.abs(sums) >= by_kind.sum()).mean())

    # Word order is right on 2 of 5 prompts in the first fit, and on 3 of 5 in the second.
    assert measured["accuracy"] == pytest.approx(0.5)
    assert measured["n"] == 5
    assert measured["seed_mean"] == pytest.approx(0.5)
    assert measured["seed_min"] == pytest.approx(0.4)
    assert measured["seed_max"] == pytest.approx(0.6)

    # The bootstrap draws kinds whole. The lowest lead is -0.5, with kind a drawn three times; the
    # highest is 1, with kind b drawn three times.
    assert measured["radar_lead_low"] == -0.5
    assert measured["radar_lead_high"] == 1.0


def test_a_part_of_the_prompts_has_its_own_lead() -> None:
    without_kind_b = np.array([True, False, False, True, True])
    measured = _compare(RIGHT, "word_order", KINDS, without_kind_b, DRAWS)
    assert measured["radar_lead"] == pytest.approx(-0.5 + 0 + 0.5)


def test_radar_has_no_lead_over_itself() -> None:
    assert "radar_lead" not in _compare(RIGHT, "radar", KINDS, EVERY_PROMPT, DRAWS)


def made_prompts(kinds_with_numbers: int = 2) -> list[Prompt]:
    """Six kinds of three pairs, whose prompts have the same words in different orders.

    In a pair the recall prompt asks for the fact, and the reasoning prompt for the rule; no other
    pair has these two words. Every answer is a word, except that the answers of the reasoning
    prompts of the first `kinds_with_numbers` kinds are a number.
    """
    prompts = []
    for kind, pair in product(range(6), range(3)):
        fact = f"fact{kind}{pair}"
        rule = f"rule{kind}{pair}"
        texts = {
            "recall": f"Skip {rule} and give {fact}",
            "reasoning": f"Skip {fact} and give {rule}",
        }
        for label, text in texts.items():
            is_number = label == "reasoning" and kind < kinds_with_numbers
            answer = "12" if is_number else "word"
            prompts.append(
                Prompt(
                    id=f"m-{kind}{pair}-{label}",
                    prompt=text,
                    label=label,
                    category="matched",
                    source=f"kind {kind}",
                    row=1,
                    answers=(answer,),
                )
            )
    return prompts


def feature_table(features: pd.DataFrame, prompts: Sequence[Prompt]) -> pd.DataFrame:
    """`features`, a row per prompt, with the columns id, label and prompt."""
    return features.assign(
        id=[prompt.id for prompt in prompts],
        label=[prompt.label for prompt in prompts],
        prompt=[prompt.prompt for prompt in prompts],
    )


def test_features_transfer_to_a_held_out_kind_and_word_order_does_not() -> None:
    """In all kinds, features are 8 higher for recall. A held-out kind shares no telling word with
    the other kinds, so word order gives both prompts of a pair one label.
    """
    prompts = made_prompts()
    generator = np.random.default_rng(0)
    features = pd.DataFrame(generator.normal(size=(len(prompts), len(FEATURES))), columns=FEATURES)
    shift = np.array([8.0 * (prompt.label == "recall") for prompt in prompts])
    for feature in FEATURES:
        features[feature] += shift
    table = feature_table(features, prompts)
    # The table's rows are in another order than the prompts.
    order = generator.permutation(len(prompts))
    table = table.iloc[order].reset_index(drop=True)

    rows = held_out_rows(table, prompts, np.ones(len(table), bool), DRAWS)

    by_system = rows.set_index(["slice", "protocol", "system"])
    # Six kinds of 6 prompts; the answers of four kinds have one form.
    for part, n in ((OVERALL, 6 * 6), (ONE_FORM, 4 * 6)):
        radar = by_system.loc[(part, KINDS_HELD_OUT, "radar")]
        assert radar["accuracy"] == 1.0
        assert radar["n"] == n
        word_order = by_system.loc[(part, KINDS_HELD_OUT, "word_order")]
        assert word_order["accuracy"] == pytest.approx(0.5)
        assert word_order["radar_lead"] == pytest.approx(1.0 - 0.5)


def accuracy_of_answer_form(kinds_with_numbers: int) -> pd.Series:
    """The accuracy of the reader of the answer's form on `made_prompts`, by slice and protocol."""
    prompts = made_prompts(kinds_with_numbers)
    constant = pd.DataFrame(0.0, index=range(len(prompts)), columns=FEATURES)
    table = feature_table(constant, prompts)
    rows = held_out_rows(table, prompts, np.ones(len(table), bool), DRAWS)
    rows = rows[rows["system"] == "answer_form"]
    return rows.set_index(["slice", "protocol"])["accuracy"]


def test_the_form_of_the_answer_reveals_the_label_in_kinds_whose_labels_differ_in_it() -> None:
    """Numbers are called reasoning, and words are called recall.

    This is right for the 6 prompts with numbers, and for the 18 recall prompts.
    """
    accuracy = accuracy_of_answer_form(kinds_with_numbers=2)

    assert accuracy[OVERALL, CROSS_VALIDATED] == pytest.approx((6 + 18) / 36)
    # Both prompts of a pair have words and get one label, which is right for one of them.
    assert accuracy[ONE_FORM, KINDS_HELD_OUT] == pytest.approx(0.5)
    assert accuracy[ONE_FORM, CROSS_VALIDATED] == pytest.approx(0.5)


def test_the_form_is_not_learned_while_the_only_kind_with_numbers_is_held_out() -> None:
    """The other five kinds have words for both labels, so the 6 prompts of the held-out kind get
    one label, which is right for 3.

    While another kind is held out, words are called recall, which is right for one prompt of each
    of the 15 pairs of the five kinds.
    """
    accuracy = accuracy_of_answer_form(kinds_with_numbers=1)

    assert accuracy[OVERALL, KINDS_HELD_OUT] == pytest.approx((3 + 15) / 36)
    # With the kind in training, right are its 3 prompts with numbers and all 18 recall prompts.
    assert accuracy[OVERALL, CROSS_VALIDATED] == pytest.approx((3 + 18) / 36)
