"""Ablation of the heads and MLPs of a model: their effects on the margin logit(answer) - logit(foil), prompt by prompt.

A forward pass of whole prompts keeps its components, and is run again from any block with some of them replaced. The
components of a block are its heads, in order, and then its MLP. A head's output is its part of z, before the output
projection; an MLP's output is what it adds to the residual stream. States have a first axis of length 1, the `run` of
`families/family.py`. Prompts are padded on the right: attention is causal, so no real token sees the padding.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import nn

from mechaware.models.batching import length_batches, pad_right
from mechaware.models.families.family import Block, States, Z
from mechaware.models.families.supported import family_named, find_modules
from mechaware.models.patching.runs import Layout, Prefix, check_context, layout_of, logit_differences

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_Answers = Int[torch.Tensor, "prompt 2"]  # the answer's token and the foil's
_Margin = Float[torch.Tensor, " prompt"]  # logit(answer) - logit(foil) at the last token
_ByComponent = Float[torch.Tensor, "prompt component"]  # block by block: its heads, then its MLP


class CausalPrompt(NamedTuple):
    """A prompt that ends right before its answer, and another, of any length, whose answer is the foil.

    `answer_id` is the first token of the answer, `foil_id` that of the foil.
    """

    ids: Sequence[int]
    counterfactual_ids: Sequence[int]
    answer_id: int
    foil_id: int


class Means(NamedTuple):
    """The mean of every component over all positions of all prompts of a reference set."""

    z: Float[torch.Tensor, "block d_z"]
    mlp_output: Float[torch.Tensor, "block d_model"]


class Effects(NamedTuple):
    """The margin of each prompt and what its components do to it, in the order given, on the CPU.

    `exact` is m(clean) - m(mean-ablated), `attributed` the same to first order. `direct` is the direct logit
    attribution of each component, `remainder` of the embeddings and biases: together they sum to `margin`.
    """

    margin: _Margin
    exact: _ByComponent
    attributed: _ByComponent
    direct: _ByComponent
    remainder: _Margin


class Transfer(NamedTuple):
    """The margins of the clean prompt, of its counterfactual prompt, and of the clean prompt with one state replaced.

    Column l of `patched` is the margin when the residual stream at the last token, after block l (before block 1 for
    l = 0), is the counterfactual prompt's at its last token. The last column equals `counterfactual`.
    """

    margin: _Margin
    counterfactual: _Margin
    patched: Float[torch.Tensor, "prompt layer"]


class _Tokens(NamedTuple):
    """Whole prompts, the residual stream before block 1, and the blocks of the model that reads them.

    `layout` is the layout of all tokens, `at_end` of each prompt's last token, whose column is in `ends`.
    """

    model: "PreTrainedModel"
    blocks: list[Block]
    embedded: States
    layout: Layout
    at_end: Layout
    ends: Int[torch.Tensor, " prompt"]


class _BlockRun(NamedTuple):
    """What went through one block: its input, its components, and its output."""

    residual: States
    z: Z
    mlp_output: States
    output: States


class _CleanRun(NamedTuple):
    """A forward pass without any change."""

    tokens: _Tokens
    answers: _Answers
    blocks: list[_BlockRun]
    margin: _Margin


class _Ablation(NamedTuple):
    """The components of each prompt that are replaced by their means, at all of its positions."""

    ablated: Bool[torch.Tensor, "prompt block component"]
    means: Means


@torch.no_grad()
def mean_components(model: "PreTrainedModel", prompts: Sequence[Sequence[int]], *, tokens_per_batch: int) -> Means:
    """The means over all positions of token-id `prompts`, summed in float64.

    Raises `ValueError` without prompts or for one without tokens, and `UserError` as `measure_effects`.
    """
    if not prompts or not all(map(len, prompts)):
        raise ValueError("give prompts to average over, each with at least one token")
    z, mlp_output = [], []
    for batch in length_batches([len(prompt) for prompt in prompts], tokens_per_batch):
        tokens = _embed_prompts(model, [prompts[i] for i in batch])
        no_answers = torch.zeros(len(batch), 2, dtype=torch.long)  # the margin is not used
        run = _run_clean(tokens, no_answers)
        real = tokens.layout.columns <= tokens.ends[:, None]
        z.append(torch.stack([block.z[0, real].double().sum(0) for block in run.blocks]))
        mlp_output.append(torch.stack([block.mlp_output[0, real].double().sum(0) for block in run.blocks]))
    n_tokens = sum(map(len, prompts))
    return Means(*((torch.stack(sums).sum(0) / n_tokens).to(model.dtype) for sums in (z, mlp_output)))


def measure_effects(
    model: "PreTrainedModel", prompts: Sequence[CausalPrompt], means: Means, *, tokens_per_batch: int
) -> Effects:
    """The effects of all components, one at a time, in passes of at most `tokens_per_batch` tokens, or one prompt.

    Raises `ValueError` for prompts without tokens or a foil that is the answer, and `UserError` for an unsupported
    family of models or a prompt longer than the model's context.
    """
    check_causal_prompts(prompts)
    parts = []
    batches = list(length_batches([len(prompt.ids) for prompt in prompts], tokens_per_batch))
    for batch in batches:
        chosen = [prompts[i] for i in batch]
        run, attributed = _attribute(model, chosen, means)
        direct, remainder = _direct_attribution(run)
        parts.append(Effects(run.margin.detach(), _exact(run, means), attributed, direct, remainder))
    return Effects(*(_in_order(batches, list(part)) for part in zip(*parts, strict=True)))


@torch.no_grad()
def patch_last_token(model: "PreTrainedModel", prompts: Sequence[CausalPrompt], *, tokens_per_batch: int) -> Transfer:
    """Put the counterfactual prompt's last-token state into the clean run, layer by layer.

    Raises as `measure_effects`.
    """
    check_causal_prompts(prompts)
    parts = []
    longest = [max(len(prompt.ids), len(prompt.counterfactual_ids)) for prompt in prompts]
    batches = list(length_batches(longest, tokens_per_batch))
    for batch in batches:
        chosen, answers = [prompts[i] for i in batch], _answers([prompts[i] for i in batch])
        run = _run_clean(_embed_prompts(model, [prompt.ids for prompt in chosen]), answers)
        counterfactual = _run_clean(_embed_prompts(model, [prompt.counterfactual_ids for prompt in chosen]), answers)
        patched = [_patched_margin(run, counterfactual, index) for index in range(len(run.blocks))]
        parts.append(Transfer(run.margin, counterfactual.margin, torch.stack([*patched, counterfactual.margin], -1)))
    return Transfer(*(_in_order(batches, list(part)) for part in zip(*parts, strict=True)))


@torch.no_grad()
def ablate_in_order(
    model: "PreTrainedModel",
    prompts: Sequence[CausalPrompt],
    orders: Int[torch.Tensor, "prompt component"],
    means: Means,
    *,
    tokens_per_batch: int,
) -> Float[torch.Tensor, "prompt step"]:
    """The margins with the first k components of each prompt's own order mean-ablated together, k = 1 to all.

    A row of `orders` lists the indices of all components. Raises as `measure_effects`.
    """
    check_causal_prompts(prompts)
    rank, parts = orders.argsort(-1), []
    batches = list(length_batches([len(prompt.ids) for prompt in prompts], tokens_per_batch))
    for batch in batches:
        run = _run_prompts(model, [prompts[i] for i in batch])
        own_rank = rank[batch].to(model.device).view(len(batch), len(run.blocks), -1)
        steps = [_ablated_margin(run, _Ablation(own_rank < n, means)) for n in range(1, orders.shape[1] + 1)]
        parts.append(torch.stack(steps, -1))
    return _in_order(batches, parts)


def check_causal_prompts(prompts: Sequence[CausalPrompt]) -> None:
    """Raise the `ValueError`s of `measure_effects`."""
    if not prompts:
        raise ValueError("no prompts to measure")
    for index, prompt in enumerate(prompts):
        if not prompt.ids or not prompt.counterfactual_ids:
            raise ValueError(f"prompt {index}: no tokens in the prompt or in its counterfactual")
        if prompt.answer_id == prompt.foil_id:
            raise ValueError(f"prompt {index}: answer and foil are both token {prompt.answer_id}")


def _embed_prompts(model: "PreTrainedModel", prompts: Sequence[Sequence[int]]) -> _Tokens:
    """Token-id `prompts` of any lengths, none empty, as one batch.

    Raises `UserError` for an unsupported family of models or a prompt longer than the model's context.
    """
    family = family_named(model.config.model_type)
    check_context(model, max(map(len, prompts)))
    blocks, ids = family.split_blocks(model), pad_right(list(prompts)).to(model.device)
    ends = torch.tensor([len(prompt) - 1 for prompt in prompts], device=model.device)
    columns = torch.arange(ids.shape[1], device=model.device).expand(len(ids), -1)
    no_prefix = Prefix(model, blocks, torch.zeros_like(ends), 0, [], [])
    layout, at_end = (layout_of(no_prefix, part, ids.shape[1]) for part in (columns, ends[:, None]))
    embedded = family.embed(model, ids, layout.positions)[None]
    return _Tokens(model, blocks, embedded.detach(), layout, at_end, ends)


def _run_clean(tokens: _Tokens, answers: _Answers) -> _CleanRun:
    """The forward pass; where gradients are enabled, the margin has them with respect to every component."""
    # With frozen weights the components would have no graph.
    residual = tokens.embedded.requires_grad_(torch.is_grad_enabled())
    blocks = []
    for block in tokens.blocks:
        z = _attend(block, residual, tokens.layout)
        blocks.append(_add_outputs(block, residual, z))
        residual = blocks[-1].output
    margin = logit_differences(tokens.model, _states_at_end(tokens, residual), answers)[0]
    return _CleanRun(tokens, answers, blocks, margin)


def _rerun(run: _CleanRun, start: int, residual: States, ablation: _Ablation | None = None) -> _Margin:
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
            z = _attend_at_end(tokens, residual) if z is None else _states_at_end(tokens, z)[:, :, None]
            residual = _states_at_end(tokens, residual)[:, :, None]
        residual = _add_outputs(block, residual, z, ablation, index).output
    return logit_differences(tokens.model, residual[:, :, 0], run.answers)[0]


def _ablated_margin(run: _CleanRun, ablation: _Ablation) -> _Margin:
    """The margin with components ablated, at least one; nothing below the first ablated block is computed again."""
    start = ablation.ablated.any(-1).any(0).tolist().index(True)
    return _rerun(run, start, run.blocks[start].residual, ablation)


def _states_at_end(
    tokens: _Tokens, states: Float[torch.Tensor, "run prompt pos width"]
) -> Float[torch.Tensor, "run prompt width"]:
    """The states at the last token of each prompt."""
    return states[:, torch.arange(len(tokens.ends), device=states.device), tokens.ends]


def _attend(block: Block, residual: States, layout: Layout) -> Z:
    normed = block.norm(residual)
    queries, keys = block.queries(normed, layout.rope), block.keys(normed, layout.rope)
    return block.attend(queries, keys, block.values(normed), layout.masks[block.window])


def _attend_at_end(tokens: _Tokens, residual: States) -> Float[torch.Tensor, "run prompt 1 d_z"]:
    """The z of the last block at the last tokens."""
    block = tokens.blocks[-1]
    normed = block.norm(residual)
    queries = block.queries(_states_at_end(tokens, normed)[:, :, None], tokens.at_end.rope)
    keys, mask = block.keys(normed, tokens.layout.rope), tokens.at_end.masks[block.window]
    return block.attend(queries, keys, block.values(normed), mask)


def _add_outputs(block: Block, residual: States, z: Z, ablation: _Ablation | None = None, index: int = 0) -> _BlockRun:
    """The block's output from its input and its z; `index` is the block's, from 0."""
    if ablation is not None:
        heads = ablation.ablated[:, index, :-1].repeat_interleave(block.d_head, -1)
        z = torch.where(heads[None, :, None], ablation.means.z[index], z)
    attended = residual + block.output(z)
    mlp_output = block.mlp(block.mlp_norm(residual if block.parallel else attended))
    if ablation is not None:
        mlp = ablation.ablated[:, index, -1]
        mlp_output = torch.where(mlp[None, :, None, None], ablation.means.mlp_output[index], mlp_output)
    return _BlockRun(residual, z, mlp_output, attended + mlp_output)


def _run_prompts(model: "PreTrainedModel", prompts: Sequence[CausalPrompt]) -> _CleanRun:
    return _run_clean(_embed_prompts(model, [prompt.ids for prompt in prompts]), _answers(prompts))


def _answers(prompts: Sequence[CausalPrompt]) -> _Answers:
    return torch.tensor([[prompt.answer_id, prompt.foil_id] for prompt in prompts])


@torch.no_grad()
def _exact(run: _CleanRun, means: Means) -> _ByComponent:
    """m(clean) - m(ablated), one pass for each component."""
    n_blocks, n_components = len(run.blocks), means.z.shape[1] // run.tokens.blocks[0].d_head + 1
    effects = []
    for block in range(n_blocks):
        for component in range(n_components):
            ablated = torch.zeros(len(run.margin), n_blocks, n_components, dtype=torch.bool, device=run.margin.device)
            ablated[:, block, component] = True
            effects.append(run.margin - _ablated_margin(run, _Ablation(ablated, means)))
    return torch.stack(effects, -1)


def _attribute(
    model: "PreTrainedModel", prompts: Sequence[CausalPrompt], means: Means
) -> tuple[_CleanRun, _ByComponent]:
    """The clean run, and sum over positions of (component - mean) . dm / dcomponent, by one backward pass."""
    # Some families' MLPs overwrite intermediate results, which the backward pass needs.
    with torch.enable_grad(), torch.autograd.graph.allow_mutation_on_saved_tensors():
        run = _run_prompts(model, prompts)
        kept = [*(block.z for block in run.blocks), *(block.mlp_output for block in run.blocks)]
        gradients = torch.autograd.grad(run.margin.sum(), kept)
    with torch.no_grad():
        changes = [
            ((state - mean) * gradient)[0].sum(1)
            for state, mean, gradient in zip(kept, [*means.z, *means.mlp_output], gradients, strict=True)
        ]
        attributed = []
        for index, block in enumerate(run.tokens.blocks):
            z, mlp = changes[index], changes[len(run.blocks) + index]
            attributed += [z.unflatten(-1, (-1, block.d_head)).sum(-1), mlp.sum(-1, keepdim=True)]
    return run, torch.cat(attributed, -1)


@torch.no_grad()
def _direct_attribution(run: _CleanRun) -> tuple[_ByComponent, _Margin]:
    """What each component, and all else (`remainder`), adds to the margin through the final norm at its clean scale."""
    reading, remainder = _reading(run)
    remainder = remainder + (_states_at_end(run.tokens, run.tokens.embedded)[0] * reading).sum(-1)
    direct = []
    for block, kept in zip(run.tokens.blocks, run.blocks, strict=True):
        z = _states_at_end(run.tokens, kept.z)
        of_head = torch.eye(z.shape[-1] // block.d_head, device=z.device).repeat_interleave(block.d_head, -1)
        bias = block.output(torch.zeros_like(z))
        heads = block.output(z * of_head[:, None]) - bias
        remainder = remainder + (bias[0] * reading).sum(-1)
        written = torch.cat([heads, _states_at_end(run.tokens, kept.mlp_output)])
        direct.append((written * reading).sum(-1).T)
    return torch.cat(direct, -1), remainder


def _reading(run: _CleanRun) -> tuple[Float[torch.Tensor, "prompt d_model"], _Margin]:
    """The vector r and the bias b with margin = r . state + b, the state being the sum of all parts.

    The final norm's scale is fixed at that of the whole state, which makes the norm linear. A layer norm subtracts the
    mean of the state; here the mean of r is subtracted from r instead, which gives the same product.
    """
    modules, state = find_modules(run.tokens.model), _states_at_end(run.tokens, run.blocks[-1].output)[0]
    norm, unembedding = modules.final_norm, modules.unembedding
    answers = run.answers.to(state.device)
    difference = unembedding.weight[answers[:, 0]] - unembedding.weight[answers[:, 1]]
    reading, bias = difference * cast(torch.Tensor, norm.weight), torch.zeros_like(run.margin)
    if isinstance(norm, nn.LayerNorm):
        scale = (state.var(-1, correction=0, keepdim=True) + norm.eps).rsqrt()
        reading, bias = reading - reading.mean(-1, keepdim=True), bias + difference @ norm.bias
    else:
        scale = (state.square().mean(-1, keepdim=True) + cast(float, norm.variance_epsilon)).rsqrt()
    if unembedding.bias is not None:
        bias = bias + unembedding.bias[answers[:, 0]] - unembedding.bias[answers[:, 1]]
    return reading * scale, bias


def _patched_margin(run: _CleanRun, donor: _CleanRun, index: int) -> _Margin:
    """The margin of `run` with the last-token input of block `index` (from 0) taken from `donor`."""
    residual = run.blocks[index].residual.clone()
    prompts = torch.arange(len(run.margin), device=residual.device)
    residual[0, prompts, run.tokens.ends] = _states_at_end(donor.tokens, donor.blocks[index].residual)[0]
    return _rerun(run, index, residual)


def _in_order(batches: list[list[int]], parts: list[torch.Tensor]) -> torch.Tensor:
    """The rows of all batches in the order of the prompts, on the CPU."""
    ordered = torch.empty(sum(map(len, batches)), *parts[0].shape[1:], dtype=parts[0].dtype)
    for batch, part in zip(batches, parts, strict=True):
        ordered[batch] = part.cpu()
    return ordered
