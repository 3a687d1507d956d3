"""Effects of components and of last-token states on the margin logit(answer) - logit(foil), prompt by prompt."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from jaxtyping import Float, Int
from torch import nn

from mechaware.models.capture import length_batches
from mechaware.models.families.supported import find_modules
from mechaware.models.interventions.ablation.components import (
    Ablation,
    Answers,
    CleanRun,
    Margin,
    Means,
    ablated_margin,
    embed_prompts,
    rerun,
    run_clean,
    states_at_end,
)

if TYPE_CHECKING:
    from transformers import PreTrainedModel

ByComponent = Float[torch.Tensor, "prompt component"]  # block by block: its heads, then its MLP


class CausalPrompt(NamedTuple):
    """A prompt that ends right before its answer, and another, of any length, whose answer is the foil.

    `answer_id` is the first token of the answer, `foil_id` that of the foil.
    """

    ids: Sequence[int]
    counterfactual_ids: Sequence[int]
    answer_id: int
    foil_id: int


class Effects(NamedTuple):
    """The margin of each prompt and what its components do to it, in the order given, on the CPU.

    `exact` is m(clean) - m(mean-ablated), `attributed` the same to first order. `direct` is the direct logit
    attribution of each component and `remainder` that of the embeddings and biases: together they sum to `margin`.
    """

    margin: Margin
    exact: ByComponent
    attributed: ByComponent
    direct: ByComponent
    remainder: Margin


class Transfer(NamedTuple):
    """The margins of the clean prompt, of its counterfactual prompt, and of the clean prompt with one state replaced.

    Column l of `patched` is the margin when the residual stream at the last token, after block l (before block 1 for
    l = 0), is the counterfactual prompt's at its last token. The last column equals `counterfactual`.
    """

    margin: Margin
    counterfactual: Margin
    patched: Float[torch.Tensor, "prompt layer"]


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
        run = run_clean(embed_prompts(model, [prompt.ids for prompt in chosen]), answers)
        other = run_clean(embed_prompts(model, [prompt.counterfactual_ids for prompt in chosen]), answers)
        patched = [_patched_margin(run, other, index) for index in range(len(run.blocks))]
        parts.append(Transfer(run.margin, other.margin, torch.stack([*patched, other.margin], -1)))
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
    """The margins with the first 1, 2, ... all components of each prompt's own order mean-ablated together.

    A row of `orders` lists the indices of all components. Raises as `measure_effects`.
    """
    check_causal_prompts(prompts)
    rank, parts = orders.argsort(-1), []
    batches = list(length_batches([len(prompt.ids) for prompt in prompts], tokens_per_batch))
    for batch in batches:
        run = _run(model, [prompts[i] for i in batch])
        own = rank[batch].to(model.device).view(len(batch), len(run.blocks), -1)
        steps = [ablated_margin(run, Ablation(own < n, means)) for n in range(1, orders.shape[1] + 1)]
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


def _run(model: "PreTrainedModel", prompts: Sequence[CausalPrompt]) -> CleanRun:
    return run_clean(embed_prompts(model, [prompt.ids for prompt in prompts]), _answers(prompts))


def _answers(prompts: Sequence[CausalPrompt]) -> Answers:
    return torch.tensor([[prompt.answer_id, prompt.foil_id] for prompt in prompts])


@torch.no_grad()
def _exact(run: CleanRun, means: Means) -> ByComponent:
    """m(clean) - m(ablated), one pass for each component."""
    n_blocks, n_components = len(run.blocks), means.z.shape[1] // run.tokens.blocks[0].d_head + 1
    effects = []
    for block in range(n_blocks):
        for component in range(n_components):
            ablated = torch.zeros(len(run.margin), n_blocks, n_components, dtype=torch.bool, device=run.margin.device)
            ablated[:, block, component] = True
            effects.append(run.margin - ablated_margin(run, Ablation(ablated, means)))
    return torch.stack(effects, -1)


def _attribute(model: "PreTrainedModel", prompts: Sequence[CausalPrompt], means: Means) -> tuple[CleanRun, ByComponent]:
    """The clean run, and sum over positions of (component - mean) . dm / dcomponent, by one backward pass."""
    # Some families' MLPs overwrite intermediate results, which the backward pass needs.
    with torch.enable_grad(), torch.autograd.graph.allow_mutation_on_saved_tensors():
        run = _run(model, prompts)
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
def _direct_attribution(run: CleanRun) -> tuple[ByComponent, Margin]:
    """What each component, and all else, adds to the margin by way of the final norm at its clean scale."""
    reading, remainder = _reading(run)
    remainder = remainder + (states_at_end(run.tokens, run.tokens.embedded)[0] * reading).sum(-1)
    direct = []
    for block, kept in zip(run.tokens.blocks, run.blocks, strict=True):
        z = states_at_end(run.tokens, kept.z)
        of_head = torch.eye(z.shape[-1] // block.d_head, device=z.device).repeat_interleave(block.d_head, -1)
        bias = block.output(torch.zeros_like(z))
        heads = block.output(z * of_head[:, None]) - bias
        remainder = remainder + (bias[0] * reading).sum(-1)
        written = torch.cat([heads, states_at_end(run.tokens, kept.mlp_output)])
        direct.append((written * reading).sum(-1).T)
    return torch.cat(direct, -1), remainder


def _reading(run: CleanRun) -> tuple[Float[torch.Tensor, "prompt d_model"], Margin]:
    """The vector whose product with a part of the last residual state is that part's share of the margin; the bias.

    The final norm's scale is that of the whole state. A layer norm also subtracts the mean over dimensions, and the
    mean of the product is subtracted from the vector instead.
    """
    modules, state = find_modules(run.tokens.model), states_at_end(run.tokens, run.blocks[-1].output)[0]
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


def _patched_margin(run: CleanRun, other: CleanRun, index: int) -> Margin:
    """The margin of `run` with the last-token input of block `index` (from 0) taken from `other`."""
    residual = run.blocks[index].residual.clone()
    prompts = torch.arange(len(run.margin), device=residual.device)
    residual[0, prompts, run.tokens.ends] = states_at_end(other.tokens, other.blocks[index].residual)[0]
    return rerun(run, index, residual)


def _in_order(batches: list[list[int]], parts: list[torch.Tensor]) -> torch.Tensor:
    """The rows of all batches in the order of the prompts, on the CPU."""
    whole = torch.empty(sum(map(len, batches)), *parts[0].shape[1:], dtype=parts[0].dtype)
    for batch, part in zip(batches, parts, strict=True):
        whole[batch] = part.cpu()
    return whole
