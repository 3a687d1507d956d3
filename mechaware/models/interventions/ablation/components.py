"""The forward pass of whole prompts with its components kept, and again from any block with some of them replaced.

The components of a block are its heads, in order, and then its MLP. A head's output is its part of z, before the output
projection; an MLP's output is what it adds to the residual stream. States have a first axis of length 1, the `run` of
`families/block.py`. Prompts are padded on the right: attention is causal, so no real token sees the padding.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Bool, Float, Int

from mechaware.models.capture import length_batches, pad_right
from mechaware.models.families.block import Block, States, Z
from mechaware.models.families.supported import family_named
from mechaware.models.interventions.runs import Layout, Prefix, check_context, layout_of, logit_differences

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Answers = Int[torch.Tensor, "prompt 2"]  # the answer's token and the foil's
Margin = Float[torch.Tensor, " prompt"]  # logit(answer) - logit(foil) at the last token
Ablated = Bool[torch.Tensor, "prompt block component"]


class Tokens(NamedTuple):
    """Whole prompts, the residual stream before block 1, and the blocks of the model that reads them.

    `layout` is that of all tokens, `at_end` that of the last token of each prompt, whose column is in `ends`.
    """

    model: "PreTrainedModel"
    blocks: list[Block]
    embedded: States
    layout: Layout
    at_end: Layout
    ends: Int[torch.Tensor, " prompt"]


class BlockRun(NamedTuple):
    """What went through one block: its input, its components, and its output."""

    residual: States
    z: Z
    mlp_output: States
    output: States


class CleanRun(NamedTuple):
    """A forward pass without any change."""

    tokens: Tokens
    answers: Answers
    blocks: list[BlockRun]
    margin: Margin


class Means(NamedTuple):
    """The mean of every component over all positions of all prompts of a reference set."""

    z: Float[torch.Tensor, "block d_z"]
    mlp_output: Float[torch.Tensor, "block d_model"]


class Ablation(NamedTuple):
    """The components of each prompt that are replaced by their means, at all of its positions."""

    ablated: Ablated
    means: Means


def embed_prompts(model: "PreTrainedModel", prompts: Sequence[Sequence[int]]) -> Tokens:
    """Token-id `prompts` of any lengths, none empty, as one batch.

    Raises `UserError` for an unsupported family of models or a prompt longer than the model's context.
    """
    family = family_named(model.config.model_type)
    check_context(model, max(map(len, prompts)))
    blocks, ids = family.split_blocks(model), pad_right(list(prompts)).to(model.device)
    ends = torch.tensor([len(prompt) - 1 for prompt in prompts], device=model.device)
    columns = torch.arange(ids.shape[1], device=model.device).expand(len(ids), -1)
    no_prefix = Prefix(model, blocks, torch.zeros_like(ends), ids[:, :0], 0, [], [])
    layout, at_end = (layout_of(no_prefix, some, ids) for some in (columns, ends[:, None]))
    embedded = family.embed(model, ids, layout.positions)[None]
    return Tokens(model, blocks, embedded.detach(), layout, at_end, ends)


def run_clean(tokens: Tokens, answers: Answers) -> CleanRun:
    """The forward pass; where gradients are enabled, the margin has them with respect to every component."""
    residual = tokens.embedded.requires_grad_(torch.is_grad_enabled())
    blocks = []
    for block in tokens.blocks:
        z = _attend(block, residual, tokens.layout)
        blocks.append(_add_outputs(block, residual, z))
        residual = blocks[-1].output
    margin = logit_differences(tokens.model, states_at_end(tokens, residual), answers)[0]
    return CleanRun(tokens, answers, blocks, margin)


def rerun(run: CleanRun, start: int, residual: States, ablation: Ablation | None = None) -> Margin:
    """The margin of a pass that starts with the input `residual` of block `start` (from 0), with components ablated.

    The z of the first block is the clean run's where `residual` is the very input of the clean run.
    """
    tokens, last = run.tokens, len(run.blocks) - 1
    for index in range(start, last + 1):
        block, clean = tokens.blocks[index], run.blocks[index]
        z = clean.z if residual is clean.residual else None
        if index < last:
            z = _attend(block, residual, tokens.layout) if z is None else z
        else:  # only the last token is read
            z = _attend_at_end(tokens, residual) if z is None else states_at_end(tokens, z)[:, :, None]
            residual = states_at_end(tokens, residual)[:, :, None]
        residual = _add_outputs(block, residual, z, ablation, index).output
    return logit_differences(tokens.model, residual[:, :, 0], run.answers)[0]


def ablated_margin(run: CleanRun, ablation: Ablation) -> Margin:
    """The margin with components ablated, at least one; nothing below the first ablated block is computed again."""
    start = ablation.ablated.any(-1).any(0).tolist().index(True)
    return rerun(run, start, run.blocks[start].residual, ablation)


@torch.no_grad()
def mean_components(model: "PreTrainedModel", prompts: Sequence[Sequence[int]], *, tokens_per_batch: int) -> Means:
    """The means over all positions of token-id `prompts`, summed in float64.

    Raises `ValueError` without prompts or for one without tokens, and the errors of `embed_prompts`.
    """
    if not prompts or not all(map(len, prompts)):
        raise ValueError("give prompts to average over, each with at least one token")
    z, mlp_output = [], []
    for batch in length_batches([len(prompt) for prompt in prompts], tokens_per_batch):
        tokens = embed_prompts(model, [prompts[i] for i in batch])
        no_answers = torch.zeros(len(batch), 2, dtype=torch.long)
        run = run_clean(tokens, no_answers)
        real = tokens.layout.columns <= tokens.ends[:, None]
        z.append(torch.stack([block.z[0, real].double().sum(0) for block in run.blocks]))
        mlp_output.append(torch.stack([block.mlp_output[0, real].double().sum(0) for block in run.blocks]))
    n_tokens = sum(map(len, prompts))
    return Means(*((torch.stack(sums).sum(0) / n_tokens).to(model.dtype) for sums in (z, mlp_output)))


def states_at_end(
    tokens: Tokens, states: Float[torch.Tensor, "run prompt pos width"]
) -> Float[torch.Tensor, "run prompt width"]:
    """The states at the last token of each prompt."""
    return states[:, torch.arange(len(tokens.ends), device=states.device), tokens.ends]


def _attend(block: Block, residual: States, layout: Layout) -> Z:
    normed = block.norm(residual)
    queries, keys = block.queries(normed, layout.rope), block.keys(normed, layout.rope)
    return block.attend(queries, keys, block.values(normed), layout.masks[block.view])


def _attend_at_end(tokens: Tokens, residual: States) -> Float[torch.Tensor, "run prompt 1 d_z"]:
    """The z of the last block at the last tokens."""
    block = tokens.blocks[-1]
    normed = block.norm(residual)
    queries = block.queries(states_at_end(tokens, normed)[:, :, None], tokens.at_end.rope)
    keys, mask = block.keys(normed, tokens.layout.rope), tokens.at_end.masks[block.view]
    return block.attend(queries, keys, block.values(normed), mask)


def _add_outputs(block: Block, residual: States, z: Z, ablation: Ablation | None = None, index: int = 0) -> BlockRun:
    """The block's output from its input and its z; `index` is that of the block, from 0."""
    if ablation is not None:
        heads = ablation.ablated[:, index, :-1].repeat_interleave(block.d_head, -1)
        z = torch.where(heads[None, :, None], ablation.means.z[index], z)
    attended = residual + block.output(z)
    mlp_output = block.mlp(block.mlp_norm(residual if block.parallel else attended))
    if ablation is not None:
        mlp = ablation.ablated[:, index, -1]
        mlp_output = torch.where(mlp[None, :, None, None], ablation.means.mlp_output[index], mlp_output)
    return BlockRun(residual, z, mlp_output, attended + mlp_output)
