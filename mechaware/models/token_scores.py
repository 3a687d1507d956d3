"""The scores of tokens in texts under a model, from one forward pass per batch.

Texts are sorted by length and padded on the right. Attention is causal, so a text's own tokens
never see the padding, and but for rounding a text has the same scores in any batch.
"""

import math
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float, Int

from mechaware.models.batching import CACHED_PER_TOKEN, length_batches, pad_right, run_in_halves
from mechaware.models.families.own_forward import last_token_options
from mechaware.models.families.supported import FAMILIES
from mechaware.models.summaries import TokenScores

if TYPE_CHECKING:
    from transformers import Cache, PreTrainedModel

_SCORED_LOGITS = 200_000  # at a time: 1.6 MB in float64
_MIN_SHARED = 16  # tokens: for fewer, a pass of their own saves nothing


@torch.inference_mode()
def score_tokens(
    model: "PreTrainedModel",
    texts: Sequence[Sequence[int]],
    first: Sequence[int],
    *,
    tokens_per_batch: int,
) -> list[TokenScores]:
    """The scores of the last tokens of each text, in float64 from the model's own logits.

    `texts` are token ids. `first` has for each text the index of its first scored token, at least
    1; the tokens before it are context. Tokens that all texts begin with are read once, where a
    family's cache is known to change nothing. Raises `ValueError` for a text without a token to
    score.
    """
    if any(not 1 <= start < len(ids) for ids, start in zip(texts, first, strict=True)):
        raise ValueError("each text needs a token with a context to score")
    scores: dict[int, TokenScores] = {}
    n_shared = _n_shared_tokens(model, texts, first)
    prefix = _read_prefix(model, texts[0][:n_shared]) if n_shared else None

    def score_batch(batch: list[int]) -> None:
        padded = pad_right([texts[index][n_shared:] for index in batch]).to(model.device)
        if prefix is None:
            logits = model(input_ids=padded, use_cache=False).logits
        else:
            past = _rows_of(prefix, len(batch))
            logits = model(input_ids=padded, past_key_values=past, use_cache=True).logits
        for row, index in enumerate(batch):
            ids = texts[index]
            start = first[index]
            # The logits at a token are logits of the next token.
            before_each = logits[row, start - 1 - n_shared : len(ids) - 1 - n_shared]
            scores[index] = _token_scores(before_each, torch.tensor(ids[start:]))

    # In each row, the shared tokens take memory for their keys and values only.
    cached = math.ceil(n_shared / CACHED_PER_TOKEN)
    sizes = [len(ids) - n_shared + cached for ids in texts]
    for batch in length_batches(sizes, tokens_per_batch):
        run_in_halves(batch, score_batch)
    return [scores[index] for index in range(len(texts))]


def _n_shared_tokens(
    model: "PreTrainedModel", texts: Sequence[Sequence[int]], first: Sequence[int]
) -> int:
    """The number of tokens that all texts begin with and that are read once; 0 where that would not
    pay.

    The token before the first scored one is not among them, since its logits are needed in each
    text. Texts 5 6 7 8 9 and 5 6 7 3 with `first` 3 would share 5 6, if sharing so few tokens paid:
    the logits at the third token, 7, give the first score.
    """
    if len(texts) == 1 or model.config.model_type not in FAMILIES:
        return 0
    n_shared = 0
    for tokens in zip(*texts, strict=False):
        if n_shared == min(first) - 1 or len(set(tokens)) > 1:
            break
        n_shared += 1
    return n_shared if n_shared >= _MIN_SHARED else 0


def _read_prefix(model: "PreTrainedModel", ids: Sequence[int]) -> "Cache":
    """The keys and values of some tokens, one row.

    Raises `UserError` if they do not fit the memory.
    """
    keys_and_values: list[Cache] = []

    def read(_batch: list[int]) -> None:
        row = torch.tensor([list(ids)], device=model.device)
        output = model(input_ids=row, use_cache=True, **last_token_options(model))
        keys_and_values.append(output.past_key_values)

    # The batch stands for one text: if it does not fit, it is refused, and no halves are tried.
    run_in_halves([0], read)
    return keys_and_values[0]


def _rows_of(cache: "Cache", n_rows: int) -> "Cache":
    """A copy of a cache with one row, repeated in `n_rows` rows. Tokens that are read after the
    copy are not added to `cache` itself.
    """
    rows = copy(cache)
    # A layer puts longer tensors in the place of its own, so that copies of the layers can share
    # them.
    rows.layers = [copy(layer) for layer in cache.layers]
    rows.batch_repeat_interleave(n_rows)
    return rows


def _token_scores(
    logits: Float[torch.Tensor, "token vocabulary"], ids: Int[torch.Tensor, " token"]
) -> TokenScores:
    """The scores of the tokens `ids`, from the logits before each of them."""
    # In chunks of one size: freed memory is reused only for tensors of the same size.
    n_rows = max(1, _SCORED_LOGITS // logits.shape[1])
    parts = []
    for some_logits, some_ids in zip(
        torch.split(logits, n_rows), torch.split(ids, n_rows), strict=True
    ):
        parts.append(_scores_of_rows(some_logits, some_ids))

    # Each part is a `TokenScores`: join each of its fields over all parts.
    joined_fields = [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]
    return TokenScores(*joined_fields)


def _scores_of_rows(
    logits: Float[torch.Tensor, "token vocabulary"], ids: Int[torch.Tensor, " token"]
) -> TokenScores:
    """The scores of `_token_scores`, for all tokens at once."""
    log_probs = logits.cpu().double().log_softmax(-1)
    probabilities = log_probs.exp()
    best = log_probs.amax(-1)

    # Relative to the best one: where all tokens are equally likely, every distance and the
    # deviation are exactly 0.
    distances = log_probs - best[:, None]
    mean_distances = (probabilities * distances).sum(-1)

    # Two passes: the mean square less the squared mean would lose digits where the squared mean is
    # much larger than the variance.
    variances = (probabilities * (distances - mean_distances[:, None]) ** 2).sum(-1)

    own = log_probs.gather(-1, ids[:, None])[:, 0]
    return TokenScores(
        ids=ids.numpy(),
        log_probs=own.numpy(),
        means=(best + mean_distances).numpy(),
        deviations=variances.sqrt().numpy(),
        best=best.numpy(),
    )
