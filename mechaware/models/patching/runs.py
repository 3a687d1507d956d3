"""Pairs of prompts that differ in one word, and several runs of the same prompts from the word on.

p is the position of the word's first token. All runs of a prompt share the keys and values of the
tokens before p.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import nn

from mechaware.core.errors import UserError
from mechaware.models.batching import batches
from mechaware.models.context import context_length
from mechaware.models.families.family import (
    CHUNK_TOKENS,
    Block,
    Heads,
    Mask,
    PromptPositions,
    Rope,
    States,
)
from mechaware.models.families.supported import family_of

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_Columns = Int[torch.Tensor, "prompt pos"]
_WordHeads = Float[torch.Tensor, "run prompt head token d_head"]


class TokenPair(NamedTuple):
    """Two prompts that differ in one word, and the two answers whose logits are compared; all are
    token ids.

    The clean prompt's word has `n_tokens` tokens, of which the first is at `position`, from 0.
    Before and after the word both prompts are equal, so the corrupted prompt's word has
    `n_corrupted` tokens. `correct` is the answer to the clean prompt, `incorrect` the answer to the
    corrupted one.

    Words of equally many tokens are patched token by token. Words of different length are aligned
    at their ends:

        clean       In  New   York  it  rains      position 1, n_tokens 2
        corrupted   In        Rome  it  rains      n_corrupted 1

    - At the word, the residual state of its last token is patched: the state of `York` is put at
      `Rome`.
    - A token after the word is matched from the end: the state of the clean `it` (position 3) is
      put at the corrupted `it` (position 2).
    - Where keys and values are cut, the tokens after the word see the whole other word, at the
      distance that it has in its own prompt. When denoising, `it` sees `New` two tokens before it
      and `York` one token before it, and does not see `Rome`. The word's own tokens have no
      counterparts and see what they saw before.

    A patched token keeps its position: the tokens after the word are one position earlier in the
    corrupted prompt, patched or not. So cutting all blocks does not give the other prompt's run
    exactly, as it does for words of equal length.
    """

    clean: list[int]
    corrupted: list[int]
    position: int
    correct: int
    incorrect: int
    n_tokens: int = 1

    @property
    def n_corrupted(self) -> int:
        """The tokens of the corrupted prompt's word."""
        return self.n_tokens + len(self.corrupted) - len(self.clean)

    @property
    def equal_lengths(self) -> bool:
        """Whether both words have equally many tokens."""
        return len(self.clean) == len(self.corrupted)


class Prefix(NamedTuple):
    """The tokens of N prompts before their positions p, with their keys and values in every block.

    The axis of runs has length 1, since all runs share these keys and values. Prompts with fewer
    tokens before p are padded on the left, so that p is the same column for all.
    """

    model: "PreTrainedModel"
    blocks: list[Block]
    padding: Int[torch.Tensor, " prompt"]  # columns before a prompt's first token
    width: int  # columns before p
    keys: list[Heads]
    values: list[Heads]


class Layout(NamedTuple):
    """The positions of the tokens in some columns of a batch, and what depends on them.

    `positions` count from 0 in each prompt. `masks` has a mask for each window that some block has
    (`Block.window`): 0 for a key that a token sees, minus infinity for others.
    """

    columns: _Columns
    positions: PromptPositions
    rope: Rope | None
    masks: dict[int | None, Mask]


class Suffix(NamedTuple):
    """The tokens of N prompts from p on, padded on the right: their residual stream before block 1,
    and their layout.

    `at_end` is the layout of the last token of each prompt. `n_columns` is the number of columns,
    prefixes included.
    """

    residual: Float[torch.Tensor, "prompt pos d_model"]
    layout: Layout
    at_end: Layout
    n_columns: int


class WordSwap(NamedTuple):
    """Keys (rotated) and values that replace a run's own in one block, from p on,
    where `replaced` is true.
    """

    keys: _WordHeads
    values: _WordHeads
    replaced: Bool[torch.Tensor, "run prompt 1 token"]  # in all heads


def check_pairs(model: "PreTrainedModel", pairs: Sequence[TokenPair]) -> None:
    """Raise `ValueError` if there are no pairs, or if a pair differs outside its word or ends with
    it.

    Raises `UserError` for a prompt longer than the model's context.
    """
    if not pairs:
        raise ValueError("no pairs to patch")
    for index, pair in enumerate(pairs):
        clean = pair.clean
        corrupted = pair.corrupted
        position = pair.position
        n_tokens = pair.n_tokens
        if pair.n_corrupted < 1:
            raise ValueError(
                f"pair {index}: {len(clean)} clean tokens, of which {n_tokens} are the word's, and "
                f"{len(corrupted)} corrupted ones: no word is left"
            )
        if not 0 <= position < position + n_tokens < len(clean):
            raise ValueError(
                f"pair {index}: a word of {n_tokens} tokens at position {position} of {len(clean)}: expected one "
                "before the last token"
            )
        # The corrupted prompt at the clean one's length, with None for the tokens of the clean
        # word.
        after_word = corrupted[position + pair.n_corrupted :]
        no_tokens: list[int | None] = [None] * n_tokens
        aligned = [*corrupted[:position], *no_tokens, *after_word]
        differing = [at for at, token in enumerate(clean) if token != aligned[at]]
        if not set(differing) <= set(range(position, position + n_tokens)):
            raise ValueError(
                f"pair {index}: the prompts differ at {differing}, expected at {n_tokens} tokens from {position} on"
            )
    longest = max(max(len(pair.clean), len(pair.corrupted)) for pair in pairs)
    _check_context(model, longest)


def _check_context(model: "PreTrainedModel", longest: int) -> None:
    """Raise `UserError` if a prompt of `longest` tokens does not fit the model's context."""
    context = context_length(model.config)
    if longest > context:
        raise UserError(
            f"a prompt has {longest} tokens, and the model's context holds {context}: shorten the prompt"
        )


def split_pairs(
    model: "PreTrainedModel", pairs: Sequence[TokenPair]
) -> tuple[list[int], list[int]]:
    """Indices of the pairs that are patched in batches, block by block, and of the pairs that are
    patched alone.

    A pair whose words differ in length is patched alone; so is every pair of a model whose blocks
    are not known in parts (`Family.split_block`).
    """
    if family_of(model).split_block is None:
        return [], list(range(len(pairs)))
    in_batches = [index for index, pair in enumerate(pairs) if pair.equal_lengths]
    alone = [index for index, pair in enumerate(pairs) if not pair.equal_lengths]
    return in_batches, alone


def pair_batches(
    pairs: Sequence[TokenPair], n_runs: int, tokens_per_batch: int
) -> Iterator[list[int]]:
    """Indices of pairs, shortest suffixes first, in batches of at most `tokens_per_batch` tokens
    when padded.

    Each pair counts its prefix once and its suffix in `n_runs` runs.
    """
    suffixes = [len(pair.clean) - pair.position for pair in pairs]

    def tokens(batch: list[int]) -> int:
        longest_prefix = max(pairs[index].position for index in batch)
        longest_suffix = max(suffixes[index] for index in batch)
        return len(batch) * (longest_prefix + n_runs * longest_suffix)

    order = sorted(range(len(pairs)), key=lambda index: (suffixes[index], pairs[index].position))
    return batches(order, tokens, tokens_per_batch)


def tokens_in_words(pairs: Sequence[TokenPair]) -> Bool[torch.Tensor, "pair token"]:
    """Which of the tokens from p on belong to the pair's clean word; a column for each token of the
    longest word.

    Words of 1 and 3 tokens give 1 0 0 and 1 1 1.
    """
    counts = torch.tensor([pair.n_tokens for pair in pairs])
    return torch.arange(int(counts.max())) < counts[:, None]


@torch.inference_mode()
def prefill(model: "PreTrainedModel", pairs: Sequence[TokenPair]) -> Prefix:
    """Keys and values of the tokens before p, whose number may differ between pairs and may be 0.

    Prefixes are padded on the left, so that all words begin in one column, `width`. For two pairs
    with the prefixes `a` and `b c d`:

        column    0  1  2  3          padding
        pair 1          a  word ...   2
        pair 2    b  c  d  word ...   0

    Raises `UserError` for a setting of the config that patching does not support, such as a sliding
    window.
    """
    family = family_of(model)
    blocks = family.split_blocks(model)
    prefixes = [pair.clean[: pair.position] for pair in pairs]
    counts = torch.tensor([len(ids) for ids in prefixes], device=model.device)
    width = int(counts.max())
    padded = [[0] * (width - len(ids)) + ids for ids in prefixes]
    ids = torch.tensor(padded, device=model.device).long()  # an empty list would give floats

    prefix = Prefix(model, blocks, padding=width - counts, width=width, keys=[], values=[])
    columns = torch.arange(width, device=model.device).expand(len(ids), -1)
    layout = layout_of(prefix, columns, width)
    residual = family.embed(model, ids, layout.positions)[None]  # the axis of runs
    for block in blocks:
        normed = block.norm(residual)
        prefix.keys.append(block.keys(normed, layout.rope))
        prefix.values.append(block.values(normed))
        if block is not blocks[-1]:  # nothing reads the last block's output before p
            queries = block.queries(normed, layout.rope)
            z = block.attend(
                queries, prefix.keys[-1], prefix.values[-1], layout.masks[block.window]
            )
            block.write_outputs(residual, z)
    return prefix


@torch.inference_mode()
def embed_suffixes(prefix: Prefix, suffixes: Sequence[Sequence[int]]) -> Suffix:
    """The embedded `suffixes` (token ids from p to the end) of prompts that fit the model's
    context.

    They begin in the column `prefix.width` and are padded on the right: after prefixes of width 3,
    suffixes of 2 and 4 tokens are in the columns 3 to 6, with their last tokens in the columns 4
    and 6.
    """
    model = prefix.model
    ids = nn.utils.rnn.pad_sequence(
        [torch.tensor(suffix) for suffix in suffixes], batch_first=True
    ).to(model.device)
    counts = torch.tensor([len(suffix) for suffix in suffixes], device=model.device)

    n_columns = prefix.width + ids.shape[1]
    columns = torch.arange(prefix.width, n_columns, device=model.device).expand(len(ids), -1)
    ends = prefix.width + counts[:, None] - 1

    layout = layout_of(prefix, columns, n_columns)
    at_end = layout_of(prefix, ends, n_columns)
    residual = family_of(model).embed(model, ids, layout.positions)
    return Suffix(residual, layout, at_end, n_columns)


def layout_of(prefix: Prefix, columns: _Columns, n_columns: int) -> Layout:
    """The layout of the tokens in `columns` of a batch of whole prompts, with the padding of
    `prefix` on the left.

    In a prompt with a padding of 2, column 3 is position 1 and sees the columns 2 and 3.
    """
    model = prefix.model
    padding = prefix.padding
    # No real token sees padding, so it may have any position inside the context.
    positions = (columns - padding[:, None]).clamp(0, context_length(model.config) - 1)

    keys = torch.arange(n_columns, device=columns.device)
    distance = columns[:, :, None] - keys  # from the query back to the key
    earlier = (distance > 0) & (keys >= padding[:, None, None])
    masks = {}
    for window in {block.window for block in prefix.blocks}:
        seen = earlier if window is None else earlier & (distance < window)
        # Every query sees itself, even padding: the softmax of a row without any key would be NaN.
        seen = seen | (distance == 0)
        mask = torch.zeros_like(distance, dtype=model.dtype)
        masks[window] = mask.masked_fill_(~seen, -torch.inf)

    embed_rotary = family_of(model).rope
    rope = None if embed_rotary is None else embed_rotary(model, positions)
    return Layout(columns, positions, rope, masks)


def through_block(
    prefix: Prefix,
    index: int,
    residual: States,
    suffix_layout: Layout,
    query_layout: Layout,
    swap: WordSwap | None = None,
) -> Float[torch.Tensor, "run prompt query d_model"]:
    """The output of one block (index from 0) at `query_layout`, from its input at all positions
    from p on.

    `residual` is the input, at `suffix_layout`. If `query_layout` is the same object, the output
    overwrites the input. Otherwise `query_layout` has some of the columns of `suffix_layout`, and
    the input is not changed. With a `swap` the runs read its keys and values instead of their own.
    """
    block = prefix.blocks[index]
    normed = block.norm(residual)
    keys = block.keys(normed, suffix_layout.rope)
    values = block.values(normed)
    if swap is not None:
        # In place on a slice: positions after the word keep the keys and values of their own run.
        for run_heads, donor in ((keys, swap.keys), (values, swap.values)):
            at_word = run_heads[..., : donor.shape[-2], :]
            at_word[:] = torch.where(swap.replaced[..., None], donor, at_word)

    for_every_run = (len(residual), -1, -1, -1, -1)
    keys = torch.cat([prefix.keys[index].expand(for_every_run), keys], -2)
    values = torch.cat([prefix.values[index].expand(for_every_run), values], -2)

    if query_layout is not suffix_layout:
        prompts = torch.arange(residual.shape[1], device=residual.device)[:, None]
        offsets = query_layout.columns - prefix.width
        residual = residual[:, prompts, offsets]
        normed = normed[:, prompts, offsets]
    queries = block.queries(normed, query_layout.rope)
    z = block.attend(queries, keys, values, query_layout.masks[block.window])
    block.write_outputs(residual, z)
    return residual


def run_slices(runs: States) -> list[slice]:
    """Slices of the runs with at most `CHUNK_TOKENS` tokens each, but at least one run;
    a single empty slice if there are no runs.
    """
    tokens_of_run = runs.shape[1:3].numel()
    step = max(1, CHUNK_TOKENS // tokens_of_run)
    return [slice(first, first + step) for first in range(0, max(1, len(runs)), step)]


def logit_differences(
    model: "PreTrainedModel",
    states: Float[torch.Tensor, "run prompt d_model"],
    answers: Int[torch.Tensor, "prompt 2"],
) -> Float[torch.Tensor, "run prompt"]:
    """logit(first answer) - logit(second), from states after the last block,
    in at least float32.
    """
    family = family_of(model)
    logits = family.answer_logits(model, states, answers.to(model.device))
    logits = logits.to(difference_dtype(model))
    return logits[..., 0] - logits[..., 1]


def difference_dtype(model: "PreTrainedModel") -> torch.dtype:
    """The precision of differences of logits: the model's,
    or float32 for a model in half precision.
    """
    return torch.promote_types(model.dtype, torch.float32)
