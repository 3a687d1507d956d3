"""Whole kinds of question held out: which prompts are compared,
and RADAR's lead over a reader of word order.
"""

from collections import Counter
from itertools import product
from pathlib import Path

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

SAME_WORDS = Path(__file__).resolve().parents[4] / "config/prompts/radar_matched_800.csv"
DRAWS = Draws(folds=3, seeds=1, resamples=2000, confidence_level=0.95, seed=5)


@pytest.mark.parametrize(
    ("answers", "form"),
    [
        (("87", "eighty-seven"), "number"),
        (("three hundred and sixty", "360"), "number"),
        (("u",), "letter"),
        (("watt", "watts"), "words"),
        (("h2so4",), "words"),
        (("?", "7."), "number"),
        ((), "words"),
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

    # In the slice the labels of each form are balanced: the form is right for half.
    in_slice = np.array(in_one_form(prompts))
    assert np.array(is_right)[in_slice].sum() == 154
    assert in_slice.sum() == 308


# Two fits (rows) of five prompts of three kinds. Over the fits RADAR is right on 0.5, 1, 1, 1, 1 of
# them, and word order on 1, 0, 0, 1, 0.5.
RIGHT = {
    "radar": np.array([[1.0, 1, 1, 1, 1], [0, 1, 1, 1, 1]]),
    "word_order": np.array([[1.0, 0, 0, 1, 0], [1, 0, 0, 1, 1]]),
}
KINDS = pd.Series(["a", "b", "b", "c", "c"])


def test_radars_lead_is_paired_by_prompt_and_tested_by_flips_of_whole_kinds() -> None:
    measured = _compare(RIGHT, "word_order", KINDS, np.ones(5, bool), DRAWS)
    # By prompt -0.5, 1, 1, 0 and 0.5: 2 of 5. By kind -0.5, 2 and 0.5.
    assert measured["radar_lead"] == pytest.approx(0.4)
    by_kind = np.array([-0.5, 2, 0.5])
    flipped = np.array(list(product((-1, 1), repeat=3))) @ by_kind
    assert measured["p_against_radar"] == pytest.approx((np.abs(flipped) >= 2.0).mean())
    # Word order is right on 2 of 5 in the first fit, and on 3 of 5 in the second.
    assert measured["accuracy"] == pytest.approx(0.5)
    assert measured["n"] == 5
    assert measured["seed_mean"] == pytest.approx(0.5)
    assert measured["seed_min"] == pytest.approx(0.4)
    assert measured["seed_max"] == pytest.approx(0.6)
    # A kind is drawn whole: three times kind a gives a lead of -0.5, three times kind b a lead of
    # 1.
    assert measured["radar_lead_low"] == -0.5
    assert measured["radar_lead_high"] == 1.0


def test_a_part_of_the_prompts_has_its_own_lead() -> None:
    part = np.array([True, False, False, True, True])
    measured = _compare(RIGHT, "word_order", KINDS, part, DRAWS)
    assert measured["radar_lead"] == pytest.approx(0)  # -0.5, 0 and 0.5
    assert "radar_lead" not in _compare(RIGHT, "radar", KINDS, np.ones(5, bool), DRAWS)


def made_prompts(kinds_with_numbers: int = 2) -> list[Prompt]:
    """Six kinds of three pairs, whose prompts have the same words in different orders.

    The recall prompt asks for the fact, the reasoning prompt for the rule. Answers are a word,
    except that the reasoning answers of the first `kinds_with_numbers` kinds are a number.
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
            name = f"m-{kind}{pair}-{label}"
            prompts.append(Prompt(name, text, label, "matched", f"kind {kind}", 1, (answer,)))
    return prompts


def test_features_transfer_to_a_held_out_kind_and_word_order_does_not() -> None:
    """Features depend on the label alone, alike in all kinds. Every kind has words of its own."""
    prompts = made_prompts()
    generator = np.random.default_rng(0)
    table = pd.DataFrame(generator.normal(size=(len(prompts), len(FEATURES))), columns=FEATURES)
    for feature in FEATURES:
        table[feature] += [8.0 * (prompt.label == "recall") for prompt in prompts]
    table = table.assign(
        id=[prompt.id for prompt in prompts],
        label=[prompt.label for prompt in prompts],
        prompt=[prompt.prompt for prompt in prompts],
    )
    order = generator.permutation(len(prompts))  # rows in another order than the prompts
    table = table.iloc[order].reset_index(drop=True)
    rows = held_out_rows(table, prompts, np.ones(len(table), bool), DRAWS)
    by = rows.set_index(["slice", "protocol", "system"])
    for part, n in ((OVERALL, 36), (ONE_FORM, 24)):
        assert by.loc[(part, KINDS_HELD_OUT, "radar"), ["accuracy", "n"]].tolist() == [1.0, n]
        words = by.loc[(part, KINDS_HELD_OUT, "word_order")]
        assert words["accuracy"] == pytest.approx(0.5)
        assert words["radar_lead"] == pytest.approx(0.5)


def form_of_the_answer_is_right(kinds_with_numbers: int) -> pd.Series:
    """The accuracy of the reader of the form, by slice and protocol."""
    prompts = made_prompts(kinds_with_numbers)
    table = pd.DataFrame(0.0, index=range(len(prompts)), columns=FEATURES)
    table = table.assign(
        id=[prompt.id for prompt in prompts],
        label=[prompt.label for prompt in prompts],
        prompt=[prompt.prompt for prompt in prompts],
    )
    rows = held_out_rows(table, prompts, np.ones(len(table), bool), DRAWS)
    rows = rows[rows["system"] == "answer_form"]
    return rows.set_index(["slice", "protocol"])["accuracy"]


def test_the_form_of_the_answer_reveals_the_label_in_kinds_whose_labels_differ_in_it() -> None:
    """Numbers are called reasoning and words recall:
    right are the 6 prompts with numbers, and 18 recall prompts.
    """
    is_right = form_of_the_answer_is_right(kinds_with_numbers=2)

    assert is_right[OVERALL, CROSS_VALIDATED] == pytest.approx(24 / 36)
    # Where both prompts of a pair have words, one of them is right.
    assert is_right[ONE_FORM, KINDS_HELD_OUT] == pytest.approx(0.5)
    assert is_right[ONE_FORM, CROSS_VALIDATED] == pytest.approx(0.5)


def test_the_form_of_the_answer_is_not_learned_while_the_only_kind_with_numbers_is_held_out() -> (
    None
):
    """The other kinds have words alone, for both labels: 3 of the 6 prompts of the held-out kind
    are right.

    While another kind is held out, words are called recall, which is right for one prompt of each
    of the 15 other pairs.
    """
    is_right = form_of_the_answer_is_right(kinds_with_numbers=1)

    assert is_right[OVERALL, KINDS_HELD_OUT] == pytest.approx((3 + 15) / 36)
    assert is_right[OVERALL, CROSS_VALIDATED] == pytest.approx((3 + 18) / 36)
