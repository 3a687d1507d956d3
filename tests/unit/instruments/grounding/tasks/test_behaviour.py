"""How much probability the options hold, and what the answers follow, counted by hand."""

import io

import pandas as pd
import pytest

from mechaware.instruments.grounding.tasks.behaviour import (
    options_probability,
    other_answers,
    predicted_shares,
    swap_rate,
)

# Whether a prompt gets its wanted answer, by pair. An empty answer is a tie of two options, which
# is no answer.
#
#     pair       a    b    c    d    e    f
#     clean      yes  yes  yes  no   tie  yes
#     corrupted  yes  yes  no   yes  yes  (none is wanted)
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
    """Both do in a and b, of the pairs a to e; the exact interval of 2 of 5 is 5.3% to 85.3%.

    The interval is from binomial tables. Pair f is left out: its corrupted prompt wants no answer.
    """
    swap = swap_rate(ANSWERS, 0.95)
    assert swap is not None
    assert (swap.n, swap.followed, swap.share) == (5, 2, 0.4)
    assert (swap.low, swap.high) == pytest.approx((0.0527, 0.8534), abs=1e-4)
    assert swap.sentence == "the answer follows the exchanged word in 2 of 5 pairs (40%, 5% to 85%)"


def test_pairs_are_matched_by_name_not_by_row() -> None:
    # Matched by row, 3 of 5 would follow: d's right corrupted answer would go with c's right clean
    # one.
    moved = (ANSWERS["pair"] == "c") & (ANSWERS["prompt"] == "corrupted")
    reordered = pd.concat([ANSWERS[~moved], ANSWERS[moved]])
    assert swap_rate(reordered, 0.95) == swap_rate(ANSWERS, 0.95)


def test_without_a_wanted_answer_to_a_corrupted_prompt_there_is_no_swap_rate() -> None:
    assert swap_rate(ANSWERS[ANSWERS["pair"] == "f"], 0.95) is None


def test_the_options_probability_is_the_mean_of_the_clean_prompts() -> None:
    # Of the pairs a to f.
    mean = (0.75 + 0.5 + 0.25 + 0 + 0.5 + 0.1) / 6
    assert mean == pytest.approx(0.35)

    assert options_probability(ANSWERS) == pytest.approx(mean)


def test_where_the_options_are_not_what_the_model_says_its_likeliest_token_is_reported() -> None:
    """In the six clean prompts the likeliest token is a line feed (a, b, e, f) or "The" (c, d)."""
    message = other_answers(ANSWERS)

    assert "the options hold 35% of the probability on average, at least 50% is required" in message
    assert (
        "the model's likeliest token is '\\n' in 4 of 6; write options that the model says"
        in message
    )


def test_each_predictor_counts_the_prompts_for_which_it_predicts() -> None:
    """Each predictor's hits among the prompts for which it predicts an answer, by hand.

    - The right answer: 12 of the 13 prompts want one; a has 2 hits, and b 2, c 1, d 1, e 1, f 1.
    - The commonest answer: dog is given in 6 of all 13 prompts (cat in 4, red in 2, one tie).
    - The first option: column `choice_first` has an answer in 10 prompts. It predicts dog (clean)
      and cat (corrupted) of a, and red of c's corrupted and of d's clean prompt: 4 hits.
    """
    shares = predicted_shares(ANSWERS).set_index("predictor")

    assert shares.index.tolist() == ["the right answer", "always 'dog'", "first"]
    assert shares["n"].tolist() == [12, 13, 10]
    assert shares["predicted"].tolist() == pytest.approx([8 / 12, 6 / 13, 4 / 10])


def test_a_model_that_ties_everywhere_follows_nothing() -> None:
    ties = ANSWERS.assign(answer="")

    swap = swap_rate(ties, 0.95)
    assert swap is not None
    assert (swap.n, swap.followed) == (5, 0)


def test_no_predictor_predicts_a_tie() -> None:
    """No answer is the commonest, so that the right answer and the first option are left."""
    shares = predicted_shares(ANSWERS.assign(answer="")).set_index("predictor")

    assert shares["predicted"].to_dict() == {"the right answer": 0, "first": 0}
