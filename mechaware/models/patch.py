"""Residual-stream patching at one position p of each prompt, all layers and replacements in one batched pass.

Layer 0 is the embedding, layer l the output of block l = 1..L, before the final norm. What a patch cannot change is
not computed: keys and values before p are shared by all runs of a prompt, a patched run starts at its layer, the last
block has one query per run, and only two rows of the unembedding are read.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from jaxtyping import Float, Int
from torch import nn

from mechaware.errors import UserError
from mechaware.models.architecture import find_modules
from mechaware.models.blocks import (
    CHUNK_TOKENS,
    Block,
    Heads,
    Positions,
    States,
    embed,
    find_positions,
    logit_differences,
    take_apart,
)

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Outputs = Float[torch.Tensor, "run prompt query d_model"]
MODES = ("denoise", "noise", "mean_ablation", "zero_ablation")


class Prefix(NamedTuple):
    """What N prompts hold before their positions p: keys and values of every block, as the heads of one run.

    Prompts with fewer tokens before p are padded on the left, so that p is the same column for all.
    """

    model: "PreTrainedModel"
    blocks: list[Block]
    padding: Int[torch.Tensor, " prompt"]  # columns before a prompt's first token
    width: int  # columns before p
    keys: list[Heads]
    values: list[Heads]


class Sweep(NamedTuple):
    """The base run of N prompts and its patched runs; a difference is logit(correct) - logit(incorrect) at the end.

    `states` is the base run's residual stream at p, layers 0..L. The last axis of `patched_diff` goes with the layers
    that were patched.
    """

    base_diff: Float[torch.Tensor, " prompt"]
    states: Float[torch.Tensor, "prompt layer d_model"]
    patched_diff: Float[torch.Tensor, "set prompt patched"]


class TokenPair(NamedTuple):
    """Two prompts that differ in one token, and the two answers whose logits are compared; all are token ids."""

    clean: list[int]
    corrupted: list[int]
    position: int
    correct: int
    incorrect: int


class PairSweep(NamedTuple):
    """Logit differences of pairs, in the order given, on the CPU; per mode one column for each patched layer."""

    clean_diff: Float[torch.Tensor, " pair"]
    corrupted_diff: Float[torch.Tensor, " pair"]
    patched_diff: dict[str, Float[torch.Tensor, "pair patched"]]


@torch.inference_mode()
def prefill(model: "PreTrainedModel", prefixes: Sequence[Sequence[int]]) -> Prefix:
    """Keys and values of the tokens before p, which may differ in number between prompts and may be none.

    Raises `UserError` for an unsupported family of models, or one whose layers have a sliding window.
    """
    blocks, counts = take_apart(model), torch.tensor([len(ids) for ids in prefixes], device=model.device)
    width = int(counts.max())
    prefix = Prefix(model, blocks, width - counts, width, [], [])
    ids = torch.tensor([[0] * (width - len(ids)) + [*ids] for ids in prefixes], device=model.device).long()
    columns = torch.arange(width, device=model.device).expand(len(ids), -1)
    here = _positions(prefix, columns, n_columns=width)
    states = embed(model, ids, here.places)[None]
    for block in blocks:
        normed = block.norm(states)
        prefix.keys.append(block.keys(normed, here.rotation))
        prefix.values.append(block.values(normed))
        if block is not blocks[-1]:
            queries = block.queries(normed, here.rotation)
            mask = here.masks[block.window]
            block.close(states, block.attend(queries, prefix.keys[-1], prefix.values[-1], mask))
    return prefix


@torch.inference_mode()
def sweep(
    prefix: Prefix,
    suffixes: Sequence[Sequence[int]],
    answers: Int[torch.Tensor, "prompt 2"],
    *,
    replacements: Float[torch.Tensor, "set prompt layer d_model"] | None = None,
    layers: Sequence[int] = (),
) -> Sweep:
    """Run `suffixes` (token ids from p to the end), and again for each set and layer with the state at p replaced.

    `answers` holds the ids of the correct and the incorrect token. Patching layer l means that the residual stream
    after block l (before block 1 for l = 0) becomes `replacements[set, :, l]` at p. Results lie on the model's device.
    Raises `UserError` for a prompt longer than the model's context, and `ValueError` for a layer that does not exist
    or a suffix that ends at p, where the answer would be read from the patched state itself.
    """
    model, n_layers = prefix.model, len(prefix.blocks)
    ids = nn.utils.rnn.pad_sequence([torch.tensor(suffix) for suffix in suffixes], batch_first=True).to(model.device)
    counts = torch.tensor([len(suffix) for suffix in suffixes], device=model.device)
    _check_sweep(prefix, counts, layers)
    n_columns = prefix.width + ids.shape[1]
    columns = torch.arange(prefix.width, n_columns, device=model.device).expand(len(ids), -1)
    ends = prefix.width + counts[:, None] - 1

    everywhere = _positions(prefix, columns, n_columns)
    base = embed(model, ids, everywhere.places)
    if replacements is None:
        replacements = base.new_empty(0, len(ids), n_layers + 1, base.shape[-1])
    # What is patched after the last block can no longer reach another position.
    joining = sorted({layer for layer in layers if layer < n_layers})
    runs, states = _through_blocks(prefix, base, everywhere, replacements, joining)
    both = _positions(prefix, torch.cat([columns[:, :1], ends], -1), n_columns)
    base_outputs = _through_last(prefix, runs[:1], everywhere, both)[0]
    patched_outputs = _through_last(prefix, runs[1:], everywhere, _positions(prefix, ends, n_columns))[:, :, 0]

    diffs = logit_differences(model, torch.cat([base_outputs[None, :, 1], patched_outputs]), answers.to(model.device))
    patched_diff = _by_layer(diffs, len(replacements), joining, layers)
    return Sweep(diffs[0], torch.stack([*states, base_outputs[:, 0]], 1), patched_diff)


def patch_pairs(
    model: "PreTrainedModel",
    pairs: Sequence[TokenPair],
    *,
    modes: Sequence[str] = MODES,
    layers: Sequence[int] | None = None,
    tokens_per_batch: int,
) -> PairSweep:
    """Patch every pair at its position in the given modes and layers (all, 0..L, by default).

    `denoise` puts clean states into the corrupted run; `noise`, `mean_ablation` and `zero_ablation` put corrupted
    states, the mean of the clean states over all pairs, and zeros into the clean run. A batch holds as many pairs as
    fit `tokens_per_batch` tokens, prefixes and all runs counted at their widest, and at least one. Raises `ValueError`
    for a pair whose prompts differ in anything but the token at its position or end there, and `UserError` for an
    unsupported family of models or a prompt longer than the model's context.
    """
    _check_pairs(model, pairs, modes)
    n_layers = len(find_modules(model).blocks)
    layers = range(n_layers + 1) if layers is None else layers
    n_runs = 1 + sum(layer < n_layers for layer in layers) * max(1, len(set(modes) - {"denoise"}))
    batches = list(_pair_batches(pairs, n_runs, tokens_per_batch))
    mean = None
    if "mean_ablation" in modes:
        mean = _mean_clean_state(model, [[pairs[i] for i in batch] for batch in batches])
    clean_diff, corrupted_diff = torch.empty(len(pairs)), torch.empty(len(pairs))
    patched_diff = {mode: torch.empty(len(pairs), len(layers)) for mode in modes}
    for batch in batches:
        swept = _sweep_batch(model, [pairs[i] for i in batch], modes, layers, mean)
        clean_diff[batch], corrupted_diff[batch] = swept.clean_diff, swept.corrupted_diff
        for mode in modes:
            patched_diff[mode][batch] = swept.patched_diff[mode]
    return PairSweep(clean_diff, corrupted_diff, patched_diff)


def _positions(prefix: Prefix, columns: Int[torch.Tensor, "prompt pos"], n_columns: int) -> Positions:
    return find_positions(prefix.model, prefix.blocks, prefix.padding, columns, n_columns)


def _through_block(prefix: Prefix, index: int, states: States, everywhere: Positions, queries: Positions) -> Outputs:
    """The output of one block at `queries`, from the states of all positions; these are overwritten if all query."""
    block = prefix.blocks[index]
    normed = block.norm(states)
    before = (len(states), -1, -1, -1, -1)
    keys = torch.cat([prefix.keys[index].expand(before), block.keys(normed, everywhere.rotation)], -2)
    values = torch.cat([prefix.values[index].expand(before), block.values(normed)], -2)
    if queries is not everywhere:
        prompts = torch.arange(states.shape[1], device=states.device)[:, None]
        states, normed = (tensor[:, prompts, queries.columns - prefix.width] for tensor in (states, normed))
    heads = block.queries(normed, queries.rotation)
    block.close(states, block.attend(heads, keys, values, queries.masks[block.window]))
    return states


def _through_blocks(
    prefix: Prefix,
    base: Float[torch.Tensor, "prompt pos d_model"],
    everywhere: Positions,
    replacements: Float[torch.Tensor, "set prompt layer d_model"],
    joining: list[int],
) -> tuple[States, list[Float[torch.Tensor, "prompt d_model"]]]:
    """All runs before the last block: the base, then the sets layer by layer; and the base's states at p."""
    n_sets = len(replacements)
    runs = base.new_empty(1 + n_sets * len(joining), *base.shape)
    runs[0], started = base, 1
    states = []
    for layer in range(len(prefix.blocks)):
        if layer:
            for chunk in _chunks(runs[:started]):
                _through_block(prefix, layer - 1, chunk, everywhere, everywhere)
        states.append(runs[0, :, 0].clone())
        if layer in joining:
            joined = runs[started : started + n_sets]
            joined[:] = runs[0]
            joined[:, :, 0] = replacements[:, :, layer]
            started += n_sets
    return runs, states


def _through_last(prefix: Prefix, runs: States, everywhere: Positions, queries: Positions) -> Outputs:
    """The output of the last block where it is needed."""
    index = len(prefix.blocks) - 1
    return torch.cat([_through_block(prefix, index, chunk, everywhere, queries) for chunk in _chunks(runs)])


def _by_layer(
    diffs: Float[torch.Tensor, "run prompt"], n_sets: int, joining: list[int], layers: Sequence[int]
) -> Float[torch.Tensor, "set prompt patched"]:
    """The differences of the patched runs, which follow the base's in the order of `joining`; L has the base's own."""
    patched = diffs[0, :, None].repeat(n_sets, 1, len(layers))
    for column, layer in enumerate(layers):
        if layer in joining:
            first = 1 + joining.index(layer) * n_sets
            patched[:, :, column] = diffs[first : first + n_sets]
    return patched


def _chunks(runs: States) -> tuple[torch.Tensor, ...]:
    return torch.split(runs, max(1, CHUNK_TOKENS // runs.shape[1:3].numel()))


def _sweep_batch(
    model: "PreTrainedModel",
    pairs: list[TokenPair],
    modes: Sequence[str],
    layers: Sequence[int],
    mean: Float[torch.Tensor, "layer d_model"] | None,
) -> PairSweep:
    """One batch in all modes; results as in `patch_pairs`, on the model's device."""
    prefix, clean_ends, answers = _prefill_clean(model, pairs)
    clean = sweep(prefix, clean_ends, answers)
    corrupted_ends = [pair.corrupted[pair.position :] for pair in pairs]
    replacements = clean.states[None] if "denoise" in modes else None
    corrupted = sweep(prefix, corrupted_ends, answers, replacements=replacements, layers=layers)
    patched_diff = dict(zip(["denoise"], corrupted.patched_diff, strict=False))
    if asked := [mode for mode in modes if mode != "denoise"]:
        into_clean = {"noise": corrupted.states, "zero_ablation": torch.zeros_like(clean.states)}
        if mean is not None:
            into_clean["mean_ablation"] = mean.expand_as(clean.states)
        replacements = torch.stack([into_clean[mode] for mode in asked])
        # Again with its own base run: a difference of 0 is then exactly 0.
        clean = sweep(prefix, clean_ends, answers, replacements=replacements, layers=layers)
        patched_diff |= zip(asked, clean.patched_diff, strict=True)
    return PairSweep(clean.base_diff, corrupted.base_diff, patched_diff)


def _prefill_clean(
    model: "PreTrainedModel", pairs: list[TokenPair]
) -> tuple[Prefix, list[list[int]], Int[torch.Tensor, "pair 2"]]:
    """What the prompts of each pair share, the rest of its clean prompt, and its answers."""
    prefix = prefill(model, [pair.clean[: pair.position] for pair in pairs])
    answers = torch.tensor([[pair.correct, pair.incorrect] for pair in pairs])
    return prefix, [pair.clean[pair.position :] for pair in pairs], answers


def _mean_clean_state(model: "PreTrainedModel", batches: list[list[TokenPair]]) -> Float[torch.Tensor, "layer d_model"]:
    """The mean over all pairs of the clean run's states at their positions, summed in float64."""
    total = sum(sweep(*_prefill_clean(model, pairs)).states.double().sum(0) for pairs in batches)
    return cast(torch.Tensor, total / sum(map(len, batches))).to(model.dtype)


def _pair_batches(pairs: Sequence[TokenPair], n_runs: int, tokens_per_batch: int) -> Iterator[list[int]]:
    """Indices of pairs, shortest suffixes first, in batches of at most `tokens_per_batch` tokens when padded."""

    def extent(index: int) -> tuple[int, int]:
        return len(pairs[index].clean) - pairs[index].position, pairs[index].position

    batch: list[int] = []
    suffix = prefix = 0
    for index in sorted(range(len(pairs)), key=extent):
        suffix, prefix = max(suffix, extent(index)[0]), max(prefix, extent(index)[1])
        if batch and (len(batch) + 1) * (prefix + n_runs * suffix) > tokens_per_batch:
            yield batch
            batch = []
            suffix, prefix = extent(index)
        batch.append(index)
    if batch:
        yield batch


def _check_context(model: "PreTrainedModel", longest: int) -> None:
    context = model.config.max_position_embeddings
    if longest > context:
        raise UserError(f"a prompt has {longest} tokens, and the model's context holds {context}: shorten the prompt")


def _check_sweep(prefix: Prefix, counts: Int[torch.Tensor, " prompt"], layers: Sequence[int]) -> None:
    if counts.min() < 2:
        raise ValueError("the patched position is the last token: give a suffix that goes on after it")
    if outside := [layer for layer in layers if not 0 <= layer <= len(prefix.blocks)]:
        raise ValueError(f"layers {outside}: the model has 0 (the embedding) to {len(prefix.blocks)}")
    _check_context(prefix.model, int((prefix.width - prefix.padding + counts).max()))


def _check_pairs(model: "PreTrainedModel", pairs: Sequence[TokenPair], modes: Sequence[str]) -> None:
    if not pairs:
        raise ValueError("no pairs to patch")
    if unknown := set(modes) - set(MODES):
        raise ValueError(f"modes {sorted(unknown)}: known are {', '.join(MODES)}")
    for index, (clean, corrupted, position, *_) in enumerate(pairs):
        if len(clean) != len(corrupted):
            raise ValueError(f"pair {index}: {len(clean)} clean tokens and {len(corrupted)} corrupted ones")
        if not 0 <= position < len(clean) - 1:
            raise ValueError(f"pair {index}: position {position} of {len(clean)} tokens: expected one before the last")
        differ = [place for place, tokens in enumerate(zip(clean, corrupted, strict=True)) if len(set(tokens)) > 1]
        if differ and differ != [position]:
            raise ValueError(f"pair {index}: the prompts differ at {differ}, expected at {position} only")
    _check_context(model, max(len(pair.clean) for pair in pairs))
