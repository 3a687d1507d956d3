"""Residual-stream patching at one position p of each prompt: all layers and replacements in one batched pass.

Layer 0 is the embedding, layer l the output of block l = 1..L, before the final norm. Nothing that a patch cannot
change is computed twice: all runs of a prompt share the keys and values before p, a patched run starts at its layer,
the last block has one query per run, and only two rows of the unembedding are read.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from jaxtyping import Float, Int
from torch import nn

from mechaware.errors import UserError
from mechaware.models.families.block import CHUNK_TOKENS, Block, Heads, Mask, Rope, States
from mechaware.models.families.family import PromptPositions
from mechaware.models.families.supported import family_named, find_modules

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Columns = Int[torch.Tensor, "prompt pos"]


class Prefix(NamedTuple):
    """The tokens of N prompts before their positions p: keys and values of every block, as the heads of one run.

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

    `states` is the base run's residual stream at p, layers 0..L. The last axis of `patched_diff` is that of the layers
    that were patched, in the order given.
    """

    base_diff: Float[torch.Tensor, " prompt"]
    states: Float[torch.Tensor, "prompt layer d_model"]
    patched_diff: Float[torch.Tensor, "set prompt patched"]


class Layout(NamedTuple):
    """Where the tokens in some columns of a batch lie: what position embeddings and attention depend on.

    `positions` count from 0 in each prompt. `masks` holds, by the attention window of a block, which keys they see.
    """

    columns: Columns
    positions: PromptPositions
    rope: Rope | None
    masks: dict[int | None, Mask]


@torch.inference_mode()
def prefill(model: "PreTrainedModel", prefixes: Sequence[Sequence[int]]) -> Prefix:
    """Keys and values of the tokens before p, which may differ in number between prompts and may be none.

    Raises `UserError` for an unsupported family of models, or one whose layers have a sliding window.
    """
    family = family_named(model.config.model_type)
    blocks, counts = family.split_blocks(model), torch.tensor([len(ids) for ids in prefixes], device=model.device)
    width = int(counts.max())
    prefix = Prefix(model, blocks, width - counts, width, [], [])
    ids = torch.tensor([[0] * (width - len(ids)) + [*ids] for ids in prefixes], device=model.device).long()
    columns = torch.arange(width, device=model.device).expand(len(ids), -1)
    layout = _layout(prefix, columns, n_columns=width)
    residual = family.embed(model, ids, layout.positions)[None]
    for block in blocks:
        normed = block.norm(residual)
        prefix.keys.append(block.keys(normed, layout.rope))
        prefix.values.append(block.values(normed))
        if block is not blocks[-1]:
            queries = block.queries(normed, layout.rope)
            z = block.attend(queries, prefix.keys[-1], prefix.values[-1], layout.masks[block.window])
            block.write_outputs(residual, z)
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

    suffix_layout = _layout(prefix, columns, n_columns)
    base = family_named(model.config.model_type).embed(model, ids, suffix_layout.positions)
    if replacements is None:
        replacements = base.new_empty(0, len(ids), n_layers + 1, base.shape[-1])
    # A patch after the last block can no longer reach another position.
    run_layers = sorted({layer for layer in layers if layer < n_layers})
    runs, states = _through_blocks(prefix, base, suffix_layout, replacements, run_layers)
    p_and_end = _layout(prefix, torch.cat([columns[:, :1], ends], -1), n_columns)
    base_outputs = _through_last_block(prefix, runs[:1], suffix_layout, p_and_end)[0]
    end_outputs = _through_last_block(prefix, runs[1:], suffix_layout, _layout(prefix, ends, n_columns))[:, :, 0]

    diffs = _logit_differences(model, torch.cat([base_outputs[None, :, 1], end_outputs]), answers.to(model.device))
    patched_diff = _by_layer(diffs, len(replacements), run_layers, layers)
    return Sweep(diffs[0], torch.stack([*states, base_outputs[:, 0]], 1), patched_diff)


def check_context(model: "PreTrainedModel", longest: int) -> None:
    """Raise `UserError` if a prompt of `longest` tokens does not fit the model's context."""
    context = model.config.max_position_embeddings
    if longest > context:
        raise UserError(f"a prompt has {longest} tokens, and the model's context holds {context}: shorten the prompt")


def _layout(prefix: Prefix, columns: Columns, n_columns: int) -> Layout:
    """The layout of the tokens in `columns` of a batch of `n_columns` with the padding of `prefix` on the left."""
    model, padding = prefix.model, prefix.padding
    # Nothing real sees padding: it takes any position inside the context.
    positions = (columns - padding[:, None]).clamp(0, model.config.max_position_embeddings - 1)
    keys = torch.arange(n_columns, device=columns.device)
    distance = columns[:, :, None] - keys  # from the query back to the key
    causal = (distance > 0) & (keys >= padding[:, None, None])
    masks = {}
    for window in {block.window for block in prefix.blocks}:
        seen = causal if window is None else causal & (distance < window)
        # Every query sees itself, padding too: the softmax of a row without any key would be NaN.
        masks[window] = torch.zeros_like(distance, dtype=model.dtype).masked_fill_(
            ~(seen | (distance == 0)), -torch.inf
        )
    rope = family_named(model.config.model_type).rope
    return Layout(columns, positions, None if rope is None else rope(model, positions), masks)


def _through_block(
    prefix: Prefix, index: int, residual: States, suffix_layout: Layout, query_layout: Layout
) -> Float[torch.Tensor, "run prompt query d_model"]:
    """The output of one block at `query_layout`, from its input at all positions from p on.

    The input is overwritten where both layouts are the same object.
    """
    block = prefix.blocks[index]
    normed = block.norm(residual)
    one_for_all = (len(residual), -1, -1, -1, -1)
    keys = torch.cat([prefix.keys[index].expand(one_for_all), block.keys(normed, suffix_layout.rope)], -2)
    values = torch.cat([prefix.values[index].expand(one_for_all), block.values(normed)], -2)
    if query_layout is not suffix_layout:
        prompts = torch.arange(residual.shape[1], device=residual.device)[:, None]
        residual, normed = (states[:, prompts, query_layout.columns - prefix.width] for states in (residual, normed))
    queries = block.queries(normed, query_layout.rope)
    block.write_outputs(residual, block.attend(queries, keys, values, query_layout.masks[block.window]))
    return residual


def _through_blocks(
    prefix: Prefix,
    base: Float[torch.Tensor, "prompt pos d_model"],
    suffix_layout: Layout,
    replacements: Float[torch.Tensor, "set prompt layer d_model"],
    run_layers: list[int],
) -> tuple[States, list[Float[torch.Tensor, "prompt d_model"]]]:
    """All runs up to the input of the last block, and the base run's states at p.

    Run 0 is the base. For each of `run_layers`, in ascending order, follow the runs of all sets, which start there as
    copies of the base with the state at p replaced.
    """
    n_sets = len(replacements)
    runs = base.new_empty(1 + n_sets * len(run_layers), *base.shape)
    runs[0], n_started = base, 1
    states = []
    for layer in range(len(prefix.blocks)):
        if layer:
            for chunk in _chunks(runs[:n_started]):
                _through_block(prefix, layer - 1, chunk, suffix_layout, suffix_layout)
        states.append(runs[0, :, 0].clone())
        if layer in run_layers:
            starting = runs[n_started : n_started + n_sets]
            starting[:] = runs[0]
            starting[:, :, 0] = replacements[:, :, layer]
            n_started += n_sets
    return runs, states


def _through_last_block(
    prefix: Prefix, runs: States, suffix_layout: Layout, query_layout: Layout
) -> Float[torch.Tensor, "run prompt query d_model"]:
    """The output of the last block, computed at `query_layout` only."""
    index = len(prefix.blocks) - 1
    return torch.cat([_through_block(prefix, index, chunk, suffix_layout, query_layout) for chunk in _chunks(runs)])


def _chunks(runs: States) -> tuple[torch.Tensor, ...]:
    return torch.split(runs, max(1, CHUNK_TOKENS // runs.shape[1:3].numel()))


def _logit_differences(
    model: "PreTrainedModel", states: Float[torch.Tensor, "run prompt d_model"], answers: Int[torch.Tensor, "prompt 2"]
) -> Float[torch.Tensor, "run prompt"]:
    """logit(first answer) - logit(second), from states after the last block: the final norm and two unembeddings."""
    modules = find_modules(model)
    unembedding = cast(nn.Linear, modules.unembedding)
    logits = torch.einsum("rpd,pad->rpa", modules.final_norm(states), unembedding.weight[answers])
    if unembedding.bias is not None:
        logits += unembedding.bias[answers]
    return logits[..., 0] - logits[..., 1]


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


def _check_sweep(prefix: Prefix, counts: Int[torch.Tensor, " prompt"], layers: Sequence[int]) -> None:
    if counts.min() < 2:
        raise ValueError("the patched position is the last token: give a suffix that goes on after it")
    if outside := [layer for layer in layers if not 0 <= layer <= len(prefix.blocks)]:
        raise ValueError(f"layers {outside}: the model has 0 (the embedding) to {len(prefix.blocks)}")
    check_context(prefix.model, int((prefix.width - prefix.padding + counts).max()))
