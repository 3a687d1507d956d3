"""Blind readers measure lengths and frequencies, and learn the words that give the truth away."""

import math
import zlib

import numpy as np
import pandas as pd
import pytest

from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.planted.twins.blind import blind_scores, question_scores
from tests.unit.instruments.radar.detectors.made_evidence import items_under_two_models
from tests.unit.models.tiny_llama import with_start

SEED = 3


def test_length_is_in_characters_and_compressed_length_in_bytes_of_zlib() -> None:
    # Rows are item by item: under model A, then under model B.
    evidence = items_under_two_models(6, seed=0)
    scores = blind_scores(evidence, np.asarray(evidence.seen), ["A", "B"] * 6, SEED)
    lengths = [len(text) for text in evidence.texts]
    compressed_lengths = [len(zlib.compress(text.encode())) for text in evidence.texts]
    assert scores["length"].tolist() == lengths
    assert scores["zlib_bytes"].tolist() == compressed_lengths


# Operation words of recall begin with "zul" and those of reasoning with "ket"; the last two words
# are in no fitting question.
FITTING = {
    "recall": [QuestionAnswer(f"Ab, Cd zul{end}:", "") for end in "xyz"],
    "reasoning": [QuestionAnswer(f"Ab, Cd ket{end}:", "") for end in "xyz"],
}
QUESTIONS = ["Ef, Gh zulx:", "Ef, Gh ketx:", "Ef, Gh, Ij zulw:", "Ef, Gh, Ij ketw:"]


@pytest.fixture(scope="module")
def scores_of_questions() -> pd.DataFrame:
    """The scores of `QUESTIONS`, where only "zulx" is frequent: it occurs 7 times."""
    tokenizer = with_start(QUESTIONS)
    *_, zulx, _colon = tokenizer(QUESTIONS[0]).input_ids
    counts = np.zeros(len(tokenizer), dtype=int)
    counts[zulx] = 7
    return question_scores(QUESTIONS, FITTING, tokenizer, counts)


def test_a_questions_length_is_in_characters(scores_of_questions: pd.DataFrame) -> None:
    assert scores_of_questions["question_characters"].tolist() == [12, 12, 16, 16]


def test_a_questions_frequency_is_the_mean_log_of_one_plus_its_tokens_counts(
    scores_of_questions: pd.DataFrame,
) -> None:
    # All tokens of the questions have a count of 0, but "zulx" in the first.
    n_tokens = len(with_start(QUESTIONS)(QUESTIONS[0]).input_ids)
    expected = [math.log(1 + 7) / n_tokens, 0, 0, 0]
    assert scores_of_questions["question_frequency"].tolist() == pytest.approx(expected)


def test_letters_that_give_the_kind_away_are_learned_even_in_new_words(
    scores_of_questions: pd.DataFrame,
) -> None:
    assert (np.sign(scores_of_questions["question_letters"]) == [1, -1, 1, -1]).all()


def test_a_high_frequency_counts_for_the_kind_whose_fitting_questions_have_a_frequent_word(
    scores_of_questions: pd.DataFrame,
) -> None:
    # "zulx" is in a fitting question of the kind recall, and no other word is frequent.
    frequent, *others = scores_of_questions["question_frequency_fitted"]
    assert others == [others[0]] * 3
    assert frequent > others[0]


def test_words_that_give_the_kind_away_are_learned_from_the_fitting_questions(
    scores_of_questions: pd.DataFrame,
) -> None:
    words = scores_of_questions["question_words"]
    assert words[0] > words[1]
    # Neither "zulw" nor "ketw" is in a fitting question.
    assert words[2] == words[3]


def test_fitted_frequency_counts_for_the_kind_whose_fitting_questions_have_it() -> None:
    """Fitting questions of the kind recall have the rarer word, so a rare word counts for it."""
    fitting = {
        "recall": [QuestionAnswer(f"{name} rare:", "") for name in ("Ab", "Cd", "Ef")],
        "reasoning": [QuestionAnswer(f"{name} often:", "") for name in ("Ab", "Cd", "Ef")],
    }
    questions = ["Gh often:", "Gh rare:", "Gh never:"]
    texts = list(questions)
    for lines in fitting.values():
        texts += [line.question for line in lines]
    tokenizer = with_start(texts)
    counts = np.zeros(len(tokenizer), dtype=int)
    for word, count in (("often", 80), ("rare", 20)):
        *_, token, _colon = tokenizer(f"Gh {word}:").input_ids
        counts[token] = count
    scores = question_scores(questions, fitting, tokenizer, counts)
    often, rare, never = scores["question_frequency_fitted"]
    assert often < 0 < rare < never
    assert scores["question_frequency"].is_monotonic_decreasing


def test_a_bag_of_words_finds_words_that_only_seen_items_have() -> None:
    """Seen items have the word "zul", and unseen ones "ket"; every seen item scores higher."""
    seen = np.arange(20) % 2 == 0
    texts = [f"zul of {row}" if is_seen else f"ket of {row}" for row, is_seen in enumerate(seen)]
    # Twenty rows under one model; each row is a group of its own.
    evidence = items_under_two_models(10, seed=0)._replace(texts=texts, groups=texts)
    scores = blind_scores(evidence, seen, ["A"] * 20, SEED)["bag_of_words"]
    assert scores[seen].min() > scores[~seen].max()
