"""Denoising of the residual stream: clean states put into the corrupted run, at the word or later.

p is the position of the word's first token. A place is the tokens that are patched together: all
tokens of the word at p, one token at a later position.

A batch takes all layers and positions of its pairs through the model in one pass, if they fit.
Nothing is computed that a patch cannot change: a patched run starts at its layer as a copy of the
base run, the last block has one query per run, and only two rows of the unembedding are used.

    map_pairs          batches of pairs
      _map_batch       one batch: the clean run, then the corrupted run and its patches
        _sweep         a base run and its patched runs, from the embedding to differences of logits
          _through_blocks    all blocks but the last
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Float, Int

from mechaware.models.families.family import States
from mechaware.models.families.supported import find_modules
from mechaware.models.patching.by_hooks import map_pair
from mechaware.models.patching.runs import (
    Layout,
    Prefix,
    Suffix,
    TokenPair,
    check_pairs,
    difference_dtype,
    embed_suffixes,
    layout_of,
    logit_differences,
    pair_batches,
    prefill,
    run_slices,
    split_pairs,
    through_block,
    tokens_in_words,
)

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_Offsets = Int[torch.Tensor, "place prompt token"]
"""The positions of each place's tokens, minus p.

A prompt whose word is shorter than the longest repeats the offset of its last token.
"""


class PairPatch(NamedTuple):
    """logit(correct) - logit(incorrect) at the last token, on the CPU; pairs in the given order.

    `patched_diff` has a value for each patched layer; from `map_pairs`, for each position and
    layer.
    """

    clean_diff: Float[torch.Tensor, " pair"]
    corrupted_diff: Float[torch.Tensor, " pair"]
    patched_diff: Float[torch.Tensor, "pair *position layer"]


class _Sweep(NamedTuple):
    """The base run of N prompts and its patched runs, one for each place and patched layer.

    A difference is logit(correct) - logit(incorrect) at the last token. `states` is the base run's
    residual stream at the places, layers 0..L.
    """

    base_diff: Float[torch.Tensor, " prompt"]
    states: Float[torch.Tensor, "place prompt layer token d_model"]
    patched_diff: Float[torch.Tensor, "place prompt patched_layer"]


def patch_pairs(
    model: "PreTrainedModel",
    pairs: Sequence[TokenPair],
    *,
    layers: Sequence[int] | None = None,
    tokens_per_batch: int,
    after_batch: Callable[[int], object] = lambda _n_pairs: None,
) -> PairPatch:
    """Put the clean states of every pair's word into the corrupted run, one layer at a time.

    All tokens of a word are patched together; if the words differ in length, only their last tokens
    (`TokenPair`). Arguments, batches and errors are as in `map_pairs`.
    """
    mapped = map_pairs(
        model,
        pairs,
        [[pair.position] for pair in pairs],
        layers=layers,
        tokens_per_batch=tokens_per_batch,
        after_batch=after_batch,
    )
    return mapped._replace(patched_diff=mapped.patched_diff[:, 0])


def map_pairs(
    model: "PreTrainedModel",
    pairs: Sequence[TokenPair],
    positions: Sequence[Sequence[int]],
    *,
    layers: Sequence[int] | None = None,
    tokens_per_batch: int,
    after_batch: Callable[[int], object] = lambda _n_pairs: None,
) -> PairPatch:
    """Put the clean state at each position and layer into the corrupted run, one at a time.

    Layer l is the residual stream after block l, or before block 1 for l = 0. L is the number of
    blocks; at the last position and layer L the result is the clean difference itself.

    Args:
        model: A model whose states can be read.
        pairs: At least one pair.
        positions: `positions[i]` are positions of pair i, from 0; equally many for every pair, and
            none before the word, where no state differs. At the word's first position all of its
            tokens are patched together; if the words differ in length, only their last tokens.
            Positions after the word are positions in the clean prompt (`TokenPair`).
        layers: Layers in any order, 0 to L; all by default.
        tokens_per_batch: A batch holds the pairs that fit in this many tokens, at least one; every
            prefix and every run counts as many tokens as the longest. If the runs of one pair do
            not fit, its positions are taken in several passes. A pair whose words differ in length
            is a batch of its own.
        after_batch: Called with the number of pairs of each batch.

    Returns:
        Differences of logits, `patched_diff` by pair, position and layer.

    Raises:
        ValueError: The prompts of a pair differ in anything but their word, or end with it; or
            there are no pairs.
        UserError: The states of the model cannot be read, or a prompt is longer than the model's
            context.
    """
    check_pairs(model, pairs)
    n_layers = len(find_modules(model).blocks)
    layers = range(n_layers + 1) if layers is None else layers
    n_pairs = len(pairs)
    dtype = difference_dtype(model)
    n_positions = len(positions[0])
    result = PairPatch(
        clean_diff=torch.empty(n_pairs, dtype=dtype),
        corrupted_diff=torch.empty(n_pairs, dtype=dtype),
        patched_diff=torch.empty(n_pairs, n_positions, len(layers), dtype=dtype),
    )

    in_batches, alone = split_pairs(model, pairs)
    for index in alone:
        by_pair = map_pair(model, pairs[index], positions[index], layers, tokens_per_batch)
        result.clean_diff[index] = by_pair.clean_diff
        result.corrupted_diff[index] = by_pair.corrupted_diff
        result.patched_diff[index] = by_pair.patched_diff
        after_batch(1)
    if not in_batches:
        return result

    batched_pairs = [pairs[index] for index in in_batches]
    n_fitting = min(_n_patched_runs(pair, tokens_per_batch) for pair in batched_pairs)
    # A patch at layer L needs no run (`_map_batch`).
    runs_per_position = max(1, sum(layer != n_layers for layer in layers))
    positions_at_once = max(1, min(n_fitting // runs_per_position, n_positions))
    runs_per_pair = 1 + positions_at_once * runs_per_position
    for numbers in pair_batches(batched_pairs, runs_per_pair, tokens_per_batch):
        batch = [in_batches[number] for number in numbers]
        batch_pairs = [pairs[index] for index in batch]
        batch_positions = [positions[index] for index in batch]
        mapped = _map_batch(model, batch_pairs, batch_positions, layers, positions_at_once)
        result.clean_diff[batch] = mapped.clean_diff.cpu()
        result.corrupted_diff[batch] = mapped.corrupted_diff.cpu()
        result.patched_diff[batch] = mapped.patched_diff.cpu()
        after_batch(len(batch))
    return result


def _n_patched_runs(pair: TokenPair, tokens_per_batch: int) -> int:
    """How many patched runs of a pair fit a batch, together with the pair's prefix and base run."""
    n_suffix = len(pair.clean) - pair.position
    return (tokens_per_batch - pair.position) // n_suffix - 1


def _map_batch(
    model: "PreTrainedModel",
    pairs: list[TokenPair],
    positions: list[Sequence[int]],
    layers: Sequence[int],
    positions_at_once: int,
) -> PairPatch:
    """One batch, some positions at a time; results as in `map_pairs`, on the model's device.

    There is one run for each different layer below L, in ascending order. The result of layer L
    needs no run and is the last column. In a model of 3 blocks the layers 2, 1, 3 and 1 give

        layers          2  1  3  1
        run_layers      1  2
        by_layer        1  2  3         the layers of its columns
        columns         1  0  2  0      which columns are returned
    """
    prefix = prefill(model, pairs)
    answers = torch.tensor([[pair.correct, pair.incorrect] for pair in pairs])
    offsets = _offsets(pairs, positions).to(model.device)
    clean_suffixes = [pair.clean[pair.position :] for pair in pairs]
    corrupted_suffixes = [pair.corrupted[pair.position :] for pair in pairs]
    clean = _sweep(prefix, clean_suffixes, answers, offsets)

    run_layers = sorted({layer for layer in layers if layer < len(prefix.blocks)})
    offset_parts = torch.split(offsets, positions_at_once)
    state_parts = torch.split(clean.states, positions_at_once)
    patched_parts = []
    for part, states in zip(offset_parts, state_parts, strict=True):
        corrupted = _sweep(prefix, corrupted_suffixes, answers, part, states, run_layers)
        patched_parts.append(corrupted.patched_diff)
    by_run_layer = torch.cat(patched_parts).transpose(0, 1)  # prompt, place, run_layer
    corrupted_diff = corrupted.base_diff  # every part has the same base run

    # Only the last token's state of layer L is read. Patched there, the result is the clean run's;
    # elsewhere nothing changes.
    last_positions = torch.tensor([[len(pair.clean) - 1] for pair in pairs])
    is_last = (torch.tensor(positions) == last_positions).to(model.device)
    at_last_layer = torch.where(is_last, clean.base_diff[:, None], corrupted_diff[:, None])
    by_layer = torch.cat([by_run_layer, at_last_layer[..., None]], -1)
    column_of = {layer: column for column, layer in enumerate(run_layers)}
    columns = [column_of.get(layer, len(run_layers)) for layer in layers]
    return PairPatch(clean.base_diff, corrupted_diff, by_layer[..., columns])


@torch.inference_mode()
def _sweep(
    prefix: Prefix,
    suffixes: Sequence[Sequence[int]],
    answers: Int[torch.Tensor, "prompt 2"],
    offsets: _Offsets,
    replacements: Float[torch.Tensor, "place prompt layer token d_model"] | None = None,
    layers: Sequence[int] = (),
) -> _Sweep:
    """Run `suffixes`, and run them again for each place and layer with the states there replaced.

    `suffixes` are token ids from p to the end. A patch of layer l sets the residual stream after
    block l (before block 1 for l = 0) to `replacements[place, :, l]` at the place. `layers` ascend
    and are below L: a patch after the last block can no longer reach another position. Without
    `replacements` and `layers` there is only the base run. Results are on the model's device.
    """
    suffix = embed_suffixes(prefix, suffixes)
    n_prompts = len(suffixes)
    n_blocks = len(prefix.blocks)
    n_places, _, n_tokens = offsets.shape
    if replacements is None:
        d_model = suffix.residual.shape[-1]
        replacements = suffix.residual.new_empty(0, n_prompts, n_blocks + 1, n_tokens, d_model)
    runs, earlier_states = _through_blocks(prefix, suffix, replacements, layers, offsets)

    # In the last block the base run's queries are the tokens of the places and the last token. With
    # two places a and b of two tokens each, every prompt has the queries a a b b and the end.
    place_columns = prefix.width + offsets.transpose(0, 1).flatten(1)
    query_columns = torch.cat([place_columns, suffix.at_end.columns], -1)
    places_and_end = layout_of(prefix, query_columns, suffix.n_columns)

    def last_block(
        inputs: States, queries: Layout
    ) -> Float[torch.Tensor, "run prompt query d_model"]:
        outputs = []
        for rows in run_slices(inputs):
            outputs.append(
                through_block(prefix, n_blocks - 1, inputs[rows], suffix.layout, queries)
            )
        return torch.cat(outputs)

    base = last_block(runs[:1], places_and_end)[0]
    base_at_end = base[None, :, -1]
    patched_at_end = last_block(runs[1:], suffix.at_end)[:, :, 0]
    diffs = logit_differences(prefix.model, torch.cat([base_at_end, patched_at_end]), answers)

    at_places = base[:, :-1].reshape(n_prompts, n_places, n_tokens, -1).transpose(0, 1)
    states = torch.cat([earlier_states, at_places[:, :, None]], 2)
    # The base run is followed by the runs of all places for the first layer, then by those for the
    # second layer, and so on.
    by_layer = diffs[1:].view(len(layers), len(replacements), n_prompts)
    patched_diff = by_layer.permute(1, 2, 0)
    return _Sweep(diffs[0], states, patched_diff)


def _through_blocks(
    prefix: Prefix,
    suffix: Suffix,
    replacements: Float[torch.Tensor, "patched_place prompt layer token d_model"],
    layers: Sequence[int],
    offsets: _Offsets,
) -> tuple[States, Float[torch.Tensor, "place prompt L token d_model"]]:
    """The inputs of the last block in all runs, and the base run's states in layers 0..L-1.

    The states are those at the places. Run 0 is the base run. It is followed, for each of `layers`,
    by one run for each place with replacements: all places or none. A run starts at its layer, as a
    copy of the base run with the states at its place replaced. With the layers 0 and 2 and the
    places a and b:

        run               0     1     2     3     4
        patched           -     a     b     a     b
        starts at layer   0     0     0     2     2
    """
    base = suffix.residual
    n_patched_places = len(replacements)
    runs = base.new_empty(1 + n_patched_places * len(layers), *base.shape)
    runs[0] = base
    n_started = 1
    # Indices that pair each place and prompt with the offsets of its tokens.
    prompts = torch.arange(len(base), device=base.device)[:, None]
    patched_places = torch.arange(n_patched_places, device=base.device)[:, None, None]
    states = []
    for layer in range(len(prefix.blocks)):
        if layer > 0:
            started = runs[:n_started]
            for rows in run_slices(started):
                # The outputs overwrite the inputs.
                through_block(prefix, layer - 1, started[rows], suffix.layout, suffix.layout)
        states.append(runs[0, prompts, offsets])
        if layer in layers:
            starting = runs[n_started : n_started + n_patched_places]
            starting[:] = runs[0]
            starting[patched_places, prompts, offsets] = replacements[:, :, layer]
            n_started += n_patched_places
    return runs, torch.stack(states, 2)


def _offsets(pairs: Sequence[TokenPair], positions: Sequence[Sequence[int]]) -> _Offsets:
    """The tokens of the place at each position: the whole word at p, one token elsewhere.

    For two pairs with words of 1 and 3 tokens, at the positions of the word and of the token after
    it:

        positions - p    place of the word    place after it
        0 1              0 0 0                1 1 1
        0 3              0 1 2                3 3 3
    """
    starts = torch.tensor([[pair.position] for pair in pairs])
    from_start = (torch.tensor(positions) - starts).T[..., None]  # place, prompt, 1
    # Words of 1 and 3 tokens: 1 0 0 and 1 1 1 become 0 0 0 and 0 1 2.
    word_offsets = tokens_in_words(pairs).cumsum(1) - 1
    return torch.where(from_start == 0, word_offsets, from_start)
