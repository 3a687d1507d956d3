"""The scores of known answers: against numbers by hand, and against one text at a time."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from mechaware.models.answers import _score, score_answers
from mechaware.models.registry import load_model
from tests.tiny_models import make_tiny_model

QUESTIONS = ([5, 9, 3], [7], [2, 2, 8, 1, 6, 4, 30])
ANSWERS = ([11, 4], [6, 12, 3, 9], [40])


def test_the_four_scores_are_those_of_two_distributions_by_hand() -> None:
    after_question = [1 / 8, 1 / 2, 1 / 4, 1 / 8, 0]
    after_first_token = [1 / 5, 1 / 5, 1 / 5, 1 / 5, 1 / 5]
    log_probs = torch.tensor([after_question, after_first_token], dtype=torch.float64).log()
    scores = _score(log_probs, [2, 0])
    # The highest probability after the question.
    assert scores.confidence == pytest.approx(1 / 2)
    # 1/2 * 1 + 1/4 * 2 + 2 * 1/8 * 3 bits; the last token, which has no probability, adds none.
    assert scores.entropy == pytest.approx(1.75 * math.log(2))
    # Token 2 after the question, token 0 after token 2.
    assert scores.log_prob == pytest.approx(math.log(1 / 4 * 1 / 5))
    # After the question, token 2 is the second most likely.
    assert scores.log_rank == pytest.approx(math.log(2))


@pytest.mark.parametrize(("answer", "n_likelier"), [(1, 0), (2, 1), (0, 2), (3, 2), (4, 4)])
def test_tokens_of_one_probability_share_the_better_rank(answer: int, n_likelier: int) -> None:
    log_probs = torch.tensor([[1 / 8, 1 / 2, 1 / 4, 1 / 8, 0]], dtype=torch.float64).log()
    assert _score(log_probs, [answer]).log_rank == pytest.approx(math.log(1 + n_likelier))


def test_answers_in_one_batch_score_as_each_does_alone(tmp_path: Path) -> None:
    model = load_model(make_tiny_model("llama", tmp_path), torch.device("cpu"))
    together = score_answers(model, QUESTIONS, ANSWERS, tokens_per_batch=1000)
    for scores, question, answer in zip(together, QUESTIONS, ANSWERS, strict=True):
        with torch.no_grad():
            logits = model(torch.tensor([[*question, *answer]])).logits[0].double().numpy()
        log_probs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))

        # The row of each token has the distribution of the next one.
        last_of_question = len(question) - 1
        first = log_probs[last_of_question]
        assert scores.confidence == pytest.approx(np.exp(first.max()), rel=1e-4)
        assert scores.entropy == pytest.approx(-(np.exp(first) * first).sum(), rel=1e-4)
        log_prob = sum(
            log_probs[last_of_question + step, token] for step, token in enumerate(answer)
        )
        assert scores.log_prob == pytest.approx(log_prob, rel=1e-4)
        n_likelier = (first > first[answer[0]]).sum()
        assert scores.log_rank == pytest.approx(math.log(1 + n_likelier))
    # The texts have different scores, or a wrong order in the batch would not show.
    assert len({scores.log_prob for scores in together}) == len(QUESTIONS)


@pytest.mark.parametrize(("question", "answer"), [([], [1]), ([1], [])])
def test_a_text_without_a_question_or_an_answer_is_refused(
    tmp_path: Path, question: list[int], answer: list[int]
) -> None:
    model = load_model(make_tiny_model("llama", tmp_path), torch.device("cpu"))
    with pytest.raises(ValueError, match="needs a question and an answer"):
        score_answers(model, [question], [answer], tokens_per_batch=10)
