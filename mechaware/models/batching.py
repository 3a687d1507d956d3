"""Groups prompts into batches by their numbers of tokens, and pads them to one length."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

import torch
from jaxtyping import Int
from torch import nn

from mechaware.core.errors import UserError

# So many tokens in a cache count as one token of a pass: keys and values take far less memory than
# a pass.
CACHED_PER_TOKEN = 8


def batches(
    order: Iterable[int], size: Callable[[list[int]], int], most: int
) -> Iterator[list[int]]:
    """Consecutive indices of `order`: as many in a batch as keep `size(batch)` at `most` or
    less, and at least one.
    """
    batch: list[int] = []
    for index in order:
        if batch and size([*batch, index]) > most:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def length_batches(token_counts: Sequence[int], tokens_per_batch: int) -> Iterator[list[int]]:
    """Indices of prompts, shortest first, in batches of at most `tokens_per_batch` tokens, padding
    included.

    A prompt with more tokens is a batch of its own.
    """
    shortest_first = sorted(range(len(token_counts)), key=lambda index: token_counts[index])

    def padded_tokens(batch: list[int]) -> int:
        longest = token_counts[batch[-1]]
        return len(batch) * longest

    return batches(shortest_first, padded_tokens, tokens_per_batch)


def run_in_halves(batch: list[int], run: Callable[[list[int]], object]) -> None:
    """Call `run(batch)`; a batch that does not fit the GPU's memory is run in halves, with a line
    in the log.

    `run` may be repeated for a part of its batch, so it must overwrite its results. Raises
    `UserError` for a single text that does not fit.
    """
    try:
        run(batch)
        return
    except torch.OutOfMemoryError as error:
        if len(batch) == 1:
            raise UserError(
                "one text does not fit in the GPU's memory together with the model; write dtype: bfloat16 or "
                "device_map: auto in the model's entry of config/models.yaml, or shorten the text"
            ) from error

    # Outside the `except`: inside it, the error still holds the tensors of the failed pass.
    torch.cuda.empty_cache()
    print(
        f"a batch of {len(batch)} texts does not fit the GPU's memory; it is run in halves",
        file=sys.stderr,
    )
    middle = len(batch) // 2
    run_in_halves(batch[:middle], run)
    run_in_halves(batch[middle:], run)


def pad_right(prompts: Sequence[Sequence[int]]) -> Int[torch.Tensor, "batch pos"]:
    """Token-id prompts as one tensor as long as the longest, padded on the right with id 0."""
    # Any token can be the padding: attention is causal, so no real position sees it.
    return nn.utils.rnn.pad_sequence([torch.tensor(prompt) for prompt in prompts], batch_first=True)


def pad_left(
    prompts: Sequence[Sequence[int]],
) -> tuple[Int[torch.Tensor, "batch pos"], Int[torch.Tensor, "batch pos"]]:
    """Token-id prompts as one tensor, padded on the left with id 0, and its mask:
    0 for padding, 1 for tokens.
    """
    rows = [torch.tensor(prompt) for prompt in prompts]
    masks = [torch.ones_like(row) for row in rows]

    # Any token can be the padding: the mask hides it from the prompt's own tokens.
    padded = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_side="left")
    mask = nn.utils.rnn.pad_sequence(masks, batch_first=True, padding_side="left")
    return padded, mask
