"""Denoising of the residual stream: clean states put into the corrupted run, at the word or at later tokens.

All layers and positions of a pair go through the model in one batched pass, as far as they fit a batch. A place is one
or more tokens that are patched together, such as the tokens of a word, whose first token is at position p. What patches
cannot change is computed once: a patched run starts at its layer, the last block has one query per run, and only two
rows of the unembedding are used.
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
"""The tokens of places, counted from p. A prompt with fewer tokens at its place than others repeats the last one."""


class PairPatch(NamedTuple):
    """logit(correct) - logit(incorrect) at the last token of each pair, in the order given, on the CPU.

    `patched_diff` has a value for each patched layer; in a map, for each position and layer.
    """

    clean_diff: Float[torch.Tensor, " pair"]
    corrupted_diff: Float[torch.Tensor, " pair"]
    patched_diff: Float[torch.Tensor, "pair *position layer"]


class _Sweep(NamedTuple):
    """The base run of N prompts and its patched runs; a difference is logit(correct) - logit(incorrect) at the end.

    `states` is the base run's residual stream at the places, layers 0..L.
    """

    base_diff: Float[torch.Tensor, " prompt"]
    states: Float[torch.Tensor, "place prompt layer token d_model"]
    patched_diff: Float[torch.Tensor, "place prompt patched"]


def patch_pairs(
    model: "PreTrainedModel",
    pairs: Sequence[TokenPair],
    *,
    layers: Sequence[int] | None = None,
    tokens_per_batch: int,
    after_batch: Callable[[int], object] = lambda _n_pairs: None,
) -> PairPatch:
    """Put the clean states of every pair's word into the corrupted run, in one of `layers` (default: 0..L) at a time.

    All tokens of a word are patched together; if the words differ in length, their last tokens (`TokenPair`). Batches
    and errors are as in `map_pairs`.
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

    At the last position and layer L the result is the clean difference itself.

    Args:
        model: A model whose states can be read.
        pairs: At least one pair.
        positions: `positions[i]` are positions of pair i, from 0; equally many for every pair, and none before the
            word, where no state differs. At the word's first position all of its tokens are patched together; if the
            words differ in length, their last tokens. Positions after the word are positions in the clean
            prompt (`TokenPair`).
        layers: Layers in any order, 0 to L; all by default.
        tokens_per_batch: A batch holds as many pairs as fit so many tokens, and at least one; prefixes and runs count
            with the width of the widest. If the runs of one pair do not fit, its positions are taken in several passes.
            A pair whose words differ in length is a batch of its own.
        after_batch: Called with the number of pairs of each batch.

    Returns:
        Differences of logits, `patched_diff` by pair, position and layer.

    Raises:
        ValueError: The prompts of a pair differ in anything but their word, or end with it; or there are no pairs.
        UserError: The states of the model cannot be read, or a prompt is longer than the model's context.
    """
    check_pairs(model, pairs)
    n_layers = len(find_modules(model).blocks)
    layers = range(n_layers + 1) if layers is None else layers
    n_pairs = len(pairs)
    dtype = difference_dtype(model)
    result = PairPatch(
        torch.empty(n_pairs, dtype=dtype),
        torch.empty(n_pairs, dtype=dtype),
        torch.empty(n_pairs, len(positions[0]), len(layers), dtype=dtype),
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

    chosen = [pairs[index] for index in in_batches]
    n_runs = max(1, sum(layer != n_layers for layer in layers))  # for each position
    n_fitting = min(_n_patched_runs(pair, tokens_per_batch) for pair in chosen)
    at_once = max(1, min(n_fitting // n_runs, len(positions[0])))
    for numbers in pair_batches(chosen, 1 + at_once * n_runs, tokens_per_batch):
        batch = [in_batches[number] for number in numbers]
        batch_pairs = [pairs[index] for index in batch]
        batch_positions = [positions[index] for index in batch]
        mapped = _map_batch(model, batch_pairs, batch_positions, layers, at_once)
        result.clean_diff[batch] = mapped.clean_diff.cpu()
        result.corrupted_diff[batch] = mapped.corrupted_diff.cpu()
        result.patched_diff[batch] = mapped.patched_diff.cpu()
        after_batch(len(batch))
    return result


def _n_patched_runs(pair: TokenPair, tokens_per_batch: int) -> int:
    """How many patched runs of a pair fit a batch of so many tokens, together with its prefix and its base run."""
    n_suffix = len(pair.clean) - pair.position
    return (tokens_per_batch - pair.position) // n_suffix - 1


def _map_batch(
    model: "PreTrainedModel",
    pairs: list[TokenPair],
    positions: list[Sequence[int]],
    layers: Sequence[int],
    at_once: int,
) -> PairPatch:
    """One batch, `at_once` positions at a time; results as in `map_pairs`, on the model's device.

    There is one run for each different layer below L, in ascending order; `columns` restores the order of `layers`.
    In a model of 3 blocks the layers 2, 1, 3 and 1 need the runs of layers 1 and 2, and take the columns 1, 0, 2 and 0
    of

        layer 1    layer 2    layer L = 3, without a run
    """
    prefix = prefill(model, pairs)
    answers = torch.tensor([[pair.correct, pair.incorrect] for pair in pairs])
    ends = torch.tensor([[len(pair.clean) - 1] for pair in pairs])
    is_end = (torch.tensor(positions) == ends).to(model.device)
    offsets = _offsets(pairs, positions).to(model.device)
    clean = _sweep(prefix, [pair.clean[pair.position :] for pair in pairs], answers, offsets)
    corrupted_suffixes = [pair.corrupted[pair.position :] for pair in pairs]
    run_layers = sorted({layer for layer in layers if layer < len(prefix.blocks)})

    by_position = []
    parts = zip(torch.split(offsets, at_once), torch.split(clean.states, at_once), strict=True)
    for part, states in parts:
        corrupted = _sweep(prefix, corrupted_suffixes, answers, part, states, run_layers)
        by_position.append(corrupted.patched_diff)
    corrupted_diff = corrupted.base_diff  # every part has the same base run

    # A state of layer L is read only at the last token: there the result is the clean run's, elsewhere nothing changes.
    at_last = torch.where(is_end, clean.base_diff[:, None], corrupted_diff[:, None])
    by_layer = torch.cat([torch.cat(by_position).transpose(0, 1), at_last[..., None]], -1)
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
    """Run `suffixes` (token ids from p to the end), and again for each place and layer with the states there replaced.

    Patching layer l means that the residual stream after block l (before block 1 for l = 0) becomes
    `replacements[place, :, l]` at the place. `layers` ascend and are below L: a patch after the last block can no
    longer reach another position. Results lie on the model's device.
    """
    suffix = embed_suffixes(prefix, suffixes)
    n_prompts = len(suffixes)
    n_blocks = len(prefix.blocks)
    n_places, _, n_tokens = offsets.shape
    if replacements is None:
        d_model = suffix.residual.shape[-1]
        replacements = suffix.residual.new_empty(0, n_prompts, n_blocks + 1, n_tokens, d_model)
    runs, states = _through_blocks(prefix, suffix, replacements, layers, offsets)

    # In the last block only the tokens of the places and the last token are queries. With two places a and b of two
    # tokens each, every prompt has the queries a a b b and the end.
    columns = prefix.width + offsets.transpose(0, 1).flatten(1)
    columns = torch.cat([columns, suffix.at_end.columns], -1)
    places_and_end = layout_of(prefix, columns, suffix.n_columns)

    def last_block(
        part: States, queries: Layout
    ) -> Float[torch.Tensor, "run prompt query d_model"]:
        parts = []
        for rows in run_slices(part):
            outputs = through_block(prefix, n_blocks - 1, part[rows], suffix.layout, queries)
            parts.append(outputs)
        return torch.cat(parts)

    base = last_block(runs[:1], places_and_end)[0]
    patched = last_block(runs[1:], suffix.at_end)[:, :, 0]
    diffs = logit_differences(prefix.model, torch.cat([base[None, :, -1], patched]), answers)
    at_places = base[:, :-1].reshape(n_prompts, n_places, n_tokens, -1).transpose(0, 1)
    states = torch.cat([states, at_places[:, :, None]], 2)
    # After the base run come the runs of all places for the first layer, then those for the second one, and so on.
    by_layer = diffs[1:].view(len(layers), len(replacements), n_prompts)
    patched_diff = by_layer.permute(1, 2, 0)
    return _Sweep(diffs[0], states, patched_diff)


def _through_blocks(
    prefix: Prefix,
    suffix: Suffix,
    replacements: Float[torch.Tensor, "set prompt layer token d_model"],
    layers: Sequence[int],
    offsets: _Offsets,
) -> tuple[States, Float[torch.Tensor, "place prompt L token d_model"]]:
    """All runs up to the input of the last block, and the base run's states at the places, layers 0..L-1.

    Run 0 is the base. Then come, for each of `layers`, the runs of all sets of replacements, one set for each place.
    They start at that layer as copies of the base run with the states at the place replaced.
    """
    base = suffix.residual
    n_sets = len(replacements)
    runs = base.new_empty(1 + n_sets * len(layers), *base.shape)
    runs[0] = base
    n_started = 1
    prompts = torch.arange(len(base), device=base.device)[:, None]
    sets = torch.arange(n_sets, device=base.device)[:, None, None]
    states = []
    for layer in range(len(prefix.blocks)):
        if layer > 0:
            started = runs[:n_started]
            for rows in run_slices(started):
                through_block(prefix, layer - 1, started[rows], suffix.layout, suffix.layout)
        states.append(runs[0, prompts, offsets])
        if layer in layers:
            starting = runs[n_started : n_started + n_sets]
            starting[:] = runs[0]
            starting[sets, prompts, offsets] = replacements[:, :, layer]
            n_started += n_sets
    return runs, torch.stack(states, 2)


def _offsets(pairs: Sequence[TokenPair], positions: Sequence[Sequence[int]]) -> _Offsets:
    """The places at the positions: the whole word at its first token, one token elsewhere.

    Words shorter than the longest repeat their last token. For two pairs with words of 1 and 3 tokens, at the positions
    of the word and of the token after it:

        positions - p    place of the word    place after it
        0 1              0 0 0                1 1 1
        0 3              0 1 2                3 3 3
    """
    starts = torch.tensor([[pair.position] for pair in pairs])
    offsets = (torch.tensor(positions) - starts).T[..., None]
    return torch.where(offsets == 0, tokens_in_words(pairs).cumsum(1) - 1, offsets)
