"""Residual-stream patching at one place of each prompt, at p or after it: all layers in one batched pass.

A place is one or more tokens that are patched together, such as those of a word.

Layer 0 is the embedding, layer l the output of block l = 1..L, before the final norm. Nothing that a patch cannot
change is computed twice: all runs of a prompt share the keys and values before p, a patched run starts at its layer,
the last block has one query per run, and only two rows of the unembedding are read.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int

from mechaware.models.families.block import States
from mechaware.models.interventions.runs import (
    Layout,
    Prefix,
    Suffix,
    embed_suffixes,
    layout_of,
    logit_differences,
    run_slices,
    through_block,
)

Offsets = Int[torch.Tensor, "place prompt token"]
"""The tokens of places, counted from p. A prompt with fewer tokens at its place than others repeats one of them."""


class Sweep(NamedTuple):
    """The base run of N prompts and its patched runs; a difference is logit(correct) - logit(incorrect) at the end.

    `states` is the base run's residual stream at the patched places, layers 0..L. The last axis of `patched_diff` is
    that of the layers that were patched, in the order given.
    """

    base_diff: Float[torch.Tensor, " prompt"]
    states: Float[torch.Tensor, "place prompt layer token d_model"]
    patched_diff: Float[torch.Tensor, "set prompt patched"]


@torch.inference_mode()
def sweep(
    prefix: Prefix,
    suffixes: Sequence[Sequence[int]],
    answers: Int[torch.Tensor, "prompt 2"],
    *,
    offsets: Offsets,
    replacements: Float[torch.Tensor, "set prompt layer token d_model"] | None = None,
    layers: Sequence[int] = (),
) -> Sweep:
    """Run `suffixes` (token ids from p to the end), and again for each set and layer with one place's states replaced.

    `answers` holds the ids of the correct and the incorrect token. Patching layer l means that the residual stream
    after block l (before block 1 for l = 0) becomes `replacements[set, :, l]` at the set's place, `offsets[set]`. A
    single place is that of all sets. Results lie on the model's device. Raises `UserError` for a prompt longer than the
    model's context, and `ValueError` for a layer that does not exist, a suffix that ends at p, or a patch of layer L at
    the end, where the answer would be read from the patched state itself.
    """
    suffix, n_layers = embed_suffixes(prefix, suffixes), len(prefix.blocks)
    _check_sweep(suffix, layers, offsets, n_layers)
    if replacements is None:
        shape = (0, len(suffixes), n_layers + 1, offsets.shape[-1], suffix.residual.shape[-1])
        replacements = suffix.residual.new_empty(shape)
    # A patch after the last block can no longer reach another position.
    run_layers = sorted({layer for layer in layers if layer < n_layers})
    runs, states = _through_blocks(prefix, suffix, replacements, run_layers, offsets)

    ends = suffix.at_end.columns
    places = prefix.width + offsets.transpose(0, 1).flatten(1)
    places_and_end = layout_of(prefix, torch.cat([places, ends], -1), suffix.ids)
    base_outputs = _through_last_block(prefix, runs[:1], suffix.layout, places_and_end)[0]
    end_outputs = _through_last_block(prefix, runs[1:], suffix.layout, suffix.at_end)[:, :, 0]

    diffs = logit_differences(prefix.model, torch.cat([base_outputs[None, :, -1], end_outputs]), answers)
    patched_diff = _by_layer(diffs, len(replacements), run_layers, layers)
    at_places = base_outputs[:, :-1].reshape(len(suffixes), len(offsets), offsets.shape[-1], -1).transpose(0, 1)
    states = torch.cat([states, at_places[:, :, None]], 2)
    return Sweep(diffs[0], states, patched_diff)


def _through_blocks(
    prefix: Prefix,
    suffix: Suffix,
    replacements: Float[torch.Tensor, "set prompt layer token d_model"],
    run_layers: list[int],
    offsets: Offsets,
) -> tuple[States, Float[torch.Tensor, "place prompt L token d_model"]]:
    """All runs up to the input of the last block, and the base run's states at the places, layers 0..L-1.

    Run 0 is the base. For each of `run_layers`, in ascending order, follow the runs of all sets, which start there as
    copies of the base with the states at one place replaced.
    """
    base, n_sets = suffix.residual, len(replacements)
    runs = base.new_empty(1 + n_sets * len(run_layers), *base.shape)
    runs[0], n_started = base, 1
    prompts = torch.arange(len(base), device=base.device)[:, None]
    sets = torch.arange(n_sets, device=base.device)[:, None, None]
    states = []
    for layer in range(len(prefix.blocks)):
        if layer:
            for rows in run_slices(runs[:n_started]):
                through_block(prefix, layer - 1, runs[:n_started][rows], suffix.layout, suffix.layout)
        states.append(runs[0, prompts, offsets])
        if layer in run_layers:
            starting = runs[n_started : n_started + n_sets]
            starting[:] = runs[0]
            starting[sets, prompts, offsets] = replacements[:, :, layer]
            n_started += n_sets
    return runs, torch.stack(states, 2)


def _through_last_block(
    prefix: Prefix, runs: States, suffix_layout: Layout, query_layout: Layout
) -> Float[torch.Tensor, "run prompt query d_model"]:
    """The output of the last block, computed at `query_layout` only."""
    index = len(prefix.blocks) - 1
    outputs = [through_block(prefix, index, runs[rows], suffix_layout, query_layout) for rows in run_slices(runs)]
    return torch.cat(outputs)


def _by_layer(
    diffs: Float[torch.Tensor, "run prompt"], n_sets: int, run_layers: list[int], layers: Sequence[int]
) -> Float[torch.Tensor, "set prompt patched"]:
    """The differences of the patched runs, in the order of `layers`; at layer L that of the base run itself.

    `diffs` holds the base run, then the sets of each of `run_layers`.
    """
    patched = diffs[0, :, None].repeat(n_sets, 1, len(layers))
    for column, layer in enumerate(layers):
        if layer in run_layers:
            first = 1 + run_layers.index(layer) * n_sets
            patched[:, :, column] = diffs[first : first + n_sets]
    return patched


def _check_sweep(suffix: Suffix, layers: Sequence[int], offsets: Offsets, n_layers: int) -> None:
    if outside := [layer for layer in layers if not 0 <= layer <= n_layers]:
        raise ValueError(f"layers {outside}: the model has 0 (the embedding) to {n_layers}")
    if n_layers in layers and bool((offsets == suffix.counts[:, None] - 1).any()):
        raise ValueError(f"layer {n_layers} of the last token: the answer would be read from the patched state itself")
