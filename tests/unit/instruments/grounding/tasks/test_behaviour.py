"""What answers follow, counted by hand, and whether they are the model's."""

import io

import pandas as pd
import pytest

from mechaware.instruments.grounding.tasks.behaviour import (
    options_probability,
    other_answers,
    predicted_shares,
    swap_rate,
)

# Pair c answers its clean prompt alone rightly, d its corrupted one alone; in e a tie is no answer, and no answer is
# wanted of the corrupted prompt of f.
TABLE = """
pair,prompt,wanted,answer,options_probability,likeliest,choice_first
a,clean,dog,dog,0.75,NEWLINE,dog
a,corrupted,cat,cat,0,cat,cat
a,third,fox,dog,0,cat,fox
b,clean,dog,dog,0.5,NEWLINE,red
b,corrupted,cat,cat,0,cat,red
c,clean,dog,dog,0.25,The,red
c,corrupted,cat,red,0,cat,red
d,clean,dog,red,0,The,red
d,corrupted,cat,cat,0,cat,red
e,clean,dog,,0.5,NEWLINE,red
e,corrupted,cat,cat,0,cat,
f,clean,dog,dog,0.1,NEWLINE,
f,corrupted,,dog,0,cat,
"""
ANSWERS = pd.read_csv(io.StringIO(TABLE), keep_default_na=False).replace("NEWLINE", "\n")


def test_an_answer_follows_the_word_where_both_prompts_get_the_wanted_one() -> None:
    """Of the pairs a to e, a and b: 2 of 5, with the exact interval of binomial tables, 5.3% to 85.3%."""
    swap = swap_rate(ANSWERS, 0.95)
    assert swap is not None
    assert (swap.n, swap.followed, swap.share) == (5, 2, 0.4)
    assert (swap.low, swap.high) == pytest.approx((0.0527, 0.8534), abs=1e-4)
    assert swap.sentence == "the answer follows the exchanged word in 2 of 5 pairs (40%, 5% to 85%)"


def test_pairs_are_matched_by_name_not_by_row() -> None:
    shuffled = ANSWERS.iloc[::-1]
    assert swap_rate(shuffled, 0.95) == swap_rate(ANSWERS, 0.95)


def test_without_a_wanted_answer_to_a_corrupted_prompt_there_is_no_swap_rate() -> None:
    assert swap_rate(ANSWERS[ANSWERS["pair"] == "f"], 0.95) is None


def test_the_options_probability_is_the_mean_of_the_clean_prompts() -> None:
    """(0.75 + 0.5 + 0.25 + 0 + 0.5 + 0.1) / 6 = 0.35."""
    assert options_probability(ANSWERS) == pytest.approx(0.35)
    found = other_answers(ANSWERS)
    assert "the options hold 35% of the probability on average, at least 50% is required" in found
    assert (
        "the model's likeliest token is '\\n' in 4 of 6; write options that the model says" in found
    )


def test_each_predictor_counts_the_prompts_for_which_it_predicts() -> None:
    """Answers: dog in 6 of 13, cat in 4, red in 2, once a tie.

    Right: of 12 prompts that want an answer a has 2, b 2, c 1, d 1, e 1 and f 1. First: of 10 it predicts dog and cat
    of a, and red of c's corrupted and d's clean prompt.
    """
    found = predicted_shares(ANSWERS).set_index("predictor")
    assert found.index.tolist() == ["the right answer", "always 'dog'", "first"]
    assert found["n"].tolist() == [12, 13, 10]
    assert found["predicted"].tolist() == pytest.approx([8 / 12, 6 / 13, 4 / 10])


def test_a_model_that_ties_everywhere_follows_nothing() -> None:
    ties = ANSWERS.assign(answer="")
    assert predicted_shares(ties)["predicted"].tolist() == [0, 0]
    swap = swap_rate(ties, 0.95)
    assert swap is not None
    assert (swap.n, swap.followed) == (5, 0)
