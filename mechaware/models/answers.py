"""Scores known answers, from one pass of the model over each question with its answer.

The scores need only the model's probabilities of the next token: they are the black-box baseline
for RADAR's surface features, which read this distribution after every layer, including the last.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float

from mechaware.models.answer_scores import AnswerScores
from mechaware.models.batching import length_batches, pad_right, run_in_halves

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@torch.inference_mode()
def score_answers(
    model: "PreTrainedModel",
    questions: Sequence[Sequence[int]],
    answers: Sequence[Sequence[int]],
    *,
    tokens_per_batch: int,
) -> list[AnswerScores]:
    """The scores of each answer after its question, in float64 from the model's own logits.

    `questions` and `answers` are token ids, and the scores are in their order. `AnswerScores` gives
    the units and ties. A batch has at most `tokens_per_batch` tokens, padding included, unless a
    single text is longer.

    Raises `ValueError` for a question or an answer without a token.
    """
    texts = []
    for question, answer in zip(questions, answers, strict=True):
        if not question or not answer:
            raise ValueError("each text needs a question and an answer")
        texts.append([*question, *answer])
    scores: dict[int, AnswerScores] = {}  # by the index of the text

    def score_batch(batch: list[int]) -> None:
        padded = pad_right([texts[index] for index in batch]).to(model.device)
        logits = model(input_ids=padded, use_cache=False).logits
        for row, index in enumerate(batch):
            answer = answers[index]
            # The logits at a position predict the next token: the answer's first token is predicted
            # at the question's last position.
            first = len(questions[index]) - 1
            answer_logits = logits[row, first : first + len(answer)]
            scores[index] = _score(answer_logits.cpu().double().log_softmax(-1), answer)

    for batch in length_batches([len(ids) for ids in texts], tokens_per_batch):
        run_in_halves(batch, score_batch)
    return [scores[index] for index in range(len(texts))]


def _score(
    log_probs: Float[torch.Tensor, "token vocabulary"], answer: Sequence[int]
) -> AnswerScores:
    """The scores of an answer. Row t of `log_probs` is the distribution of the answer's token t."""
    after_question = log_probs[0]
    probabilities = after_question.exp()
    n_likelier = int((after_question > after_question[answer[0]]).sum())
    return AnswerScores(
        confidence=float(probabilities.max()),
        # `xlogy` counts p log p as 0 where p is 0.
        entropy=float(-torch.xlogy(probabilities, probabilities).sum()),
        log_prob=float(log_probs[range(len(answer)), list(answer)].sum()),
        log_rank=math.log1p(n_likelier),
    )
