"""Scores the tokens of texts, in one pass a batch."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int

from mechaware.models.capture import length_batches, pad_right
from mechaware.models.token_scores import TokenScores

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@torch.inference_mode()
def score_tokens(
    model: "PreTrainedModel", texts: Sequence[Sequence[int]], first: Sequence[int], *, tokens_per_batch: int
) -> list[TokenScores]:
    """Scores of each text's tokens from index `first`, at least 1, to its end, in float64 from the model's own logits.

    `texts` are token ids; tokens before `first` are context. Raises `ValueError` for a text without a token to score.
    """
    if any(not 1 <= start < len(ids) for ids, start in zip(texts, first, strict=True)):
        raise ValueError("each text needs a token with a context to score")
    scores: dict[int, TokenScores] = {}
    for batch in length_batches([len(ids) for ids in texts], tokens_per_batch):
        logits = model(input_ids=pad_right([texts[i] for i in batch]).to(model.device), use_cache=False).logits
        for row, index in enumerate(batch):
            ids, start = texts[index], first[index]
            scores[index] = _summarise(logits[row, start - 1 : len(ids) - 1], torch.tensor(ids[start:]))
    return [scores[index] for index in range(len(texts))]


def _summarise(logits: Float[torch.Tensor, "token vocabulary"], ids: Int[torch.Tensor, " token"]) -> TokenScores:
    log_probs = logits.cpu().double().log_softmax(-1)
    probabilities = log_probs.exp()
    best = log_probs.amax(-1)
    # From the best one down: where all tokens are equally likely every distance is exactly 0, and so is the deviation.
    distances = log_probs - best[:, None]
    mean_distances = (probabilities * distances).sum(-1)
    # Two passes: the mean square less the squared mean cancels where one token has nearly all probability.
    variances = (probabilities * (distances - mean_distances[:, None]) ** 2).sum(-1)
    own = log_probs.gather(-1, ids[:, None])[:, 0]
    parts = (own, best + mean_distances, variances.sqrt(), best)
    return TokenScores(ids.numpy(), *(part.numpy() for part in parts))
