"""Attribution and patching of single heads and MLPs, by the model's own forward pass.

A component is a head, whose output is its part of z (the input of the output projection), or an
MLP, whose output is what it adds to the residual stream. It is patched at all tokens: in the
corrupted run its output becomes its output in the clean run, or the reverse. Both prompts have
equally many tokens. The tokens before the word are the same in both, and no patch changes their
states: they are run once, and all runs of a pair begin at the word and read their keys and values.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import nn
from transformers import DynamicCache

from mechaware.models.families.own_forward import KeyValueCache, last_token_options
from mechaware.models.families.supported import family_of, find_modules
from mechaware.models.patching.runs import TokenPair, difference_dtype

if TYPE_CHECKING:
    from transformers import PreTrainedModel

STEPS = 5  # the number of points on the path from the corrupted to the clean embeddings
_Outputs = list[torch.Tensor]  # of all MLPs or of all heads' z, by block: row, pos, width
_Prefix = list[tuple[torch.Tensor, torch.Tensor]]  # keys and values by block: 1, head, pos, d_head


class Component(NamedTuple):
    """A head of a block, both counted from 1, or the block's MLP, whose `head` is None."""

    block: int
    head: int | None


class ComponentOutputs(NamedTuple):
    """The outputs of all components in some runs, by block, from the word on."""

    heads: _Outputs
    mlps: _Outputs


class Run(NamedTuple):
    """The run of a prompt: the outputs of its components,
    and logit(correct) - logit(incorrect) at its end.
    """

    outputs: ComponentOutputs
    difference: float


class PairRuns(NamedTuple):
    """Both runs of a pair, and the keys and values of the tokens before the word;
    none if the word is the first.
    """

    pair: TokenPair
    prefix: _Prefix
    clean: Run
    corrupted: Run


class _Parts(NamedTuple):
    """By block, the modules whose input is z (`projections`), and the MLPs."""

    projections: list[nn.Module]
    mlps: list[nn.Module]
    n_heads: int


def has_components(model: "PreTrainedModel") -> bool:
    """Whether heads and MLPs can be patched, which needs blocks that are known in parts."""
    return family_of(model).split_block is not None


def components_of(model: "PreTrainedModel") -> list[Component]:
    """The heads of block 1, its MLP, the heads of block 2, and so on:
    the order of all axes `component` here.
    """
    n_heads = model.config.num_attention_heads
    n_blocks = len(find_modules(model).blocks)
    components = []
    for block in range(1, n_blocks + 1):
        components += [Component(block, head) for head in range(1, n_heads + 1)]
        components.append(Component(block, None))
    return components


@torch.no_grad()
def run_pair(model: "PreTrainedModel", pair: TokenPair) -> PairRuns:
    """Run the tokens before the word, and both prompts from the word on."""
    parts = _parts(model)
    prefix = _run_prefix(model, pair.clean[: pair.position])

    def run(ids: list[int]) -> Run:
        suffix = torch.tensor([ids[pair.position :]], device=model.device)
        with _keeping_outputs(parts) as kept:
            difference = _differences(model, pair, prefix, {"input_ids": suffix})
        return Run(kept, float(difference))

    return PairRuns(pair, prefix, run(pair.clean), run(pair.corrupted))


def attribute(
    model: "PreTrainedModel", runs: PairRuns, tokens_per_batch: int
) -> Float[torch.Tensor, " component"]:
    """An estimate, by integrated gradients, of what each component's clean output would change in
    the corrupted run.

    It is the score of EAP-IG (Hanna, Pezzelle and Belinkov 2024, "Have Faith in Faithfulness",
    arXiv 2403.17806) for nodes instead of edges, in logits. Let a component's outputs be a in the
    clean run and a' in the corrupted run, the embeddings e and e', and m the difference of the
    logits of `correct` and `incorrect`. With K = 5 steps,

        score = (a - a') . 1/K sum_{k=1..K} dm/da at the embeddings e' + k/K (e - e'),

    summed over all tokens. With the single gradient of the corrupted run it would be attribution
    patching (Syed, Rager and Conmy 2023, arXiv 2310.10348), a first-order estimate of
    `patch_components`.
    """
    parts = _parts(model)
    pair = runs.pair
    with torch.no_grad():
        embeddings = model.get_input_embeddings()
        start = embeddings(torch.tensor([pair.corrupted[pair.position :]], device=model.device))
        end = embeddings(torch.tensor([pair.clean[pair.position :]], device=model.device))

    clean_outputs = [*runs.clean.outputs.heads, *runs.clean.outputs.mlps]
    corrupted_outputs = [*runs.corrupted.outputs.heads, *runs.corrupted.outputs.mlps]
    sums = [torch.zeros_like(output[0]) for output in clean_outputs]
    all_steps = torch.arange(1, STEPS + 1, device=model.device) / STEPS
    for steps in torch.split(all_steps, _runs_at_once(pair, tokens_per_batch)):
        path = (start + steps[:, None, None] * (end - start)).to(model.dtype).requires_grad_()
        with torch.enable_grad(), _keeping_outputs(parts) as kept:
            difference = _differences(model, pair, runs.prefix, {"inputs_embeds": path}).sum()
            gradients = torch.autograd.grad(difference, [*kept.heads, *kept.mlps])
        for total, gradient in zip(sums, gradients, strict=True):
            total += gradient.sum(0)

    # Summed over tokens: for each block the scores of the entries of z, then for each block of the
    # MLP's output.
    by_entry = []
    for total, clean, corrupted in zip(sums, clean_outputs, corrupted_outputs, strict=True):
        scores = total / STEPS * (clean[0] - corrupted[0])
        by_entry.append(scores.to(difference_dtype(model)).sum(0))
    n_blocks = len(parts.mlps)
    head_scores = torch.stack(by_entry[:n_blocks]).view(n_blocks, parts.n_heads, -1).sum(-1)
    mlp_scores = torch.stack(by_entry[n_blocks:]).sum(-1, keepdim=True)
    return torch.cat([head_scores, mlp_scores], 1).flatten().cpu()


@torch.inference_mode()
def patch_components(
    model: "PreTrainedModel",
    runs: PairRuns,
    patched: Bool[torch.Tensor, "run component"],
    *,
    base: str,
    tokens_per_batch: int,
) -> Float[torch.Tensor, " run"]:
    """logit(correct) - logit(incorrect) in runs of one prompt with outputs of components from the
    other prompt's run.

    Args:
        model: A model with components (`has_components`).
        runs: Both runs of a pair (`run_pair`), whose prompts have equally many tokens.
        patched: By run, the components whose outputs are the other prompt's. With none of them a
            run is the base run. With all of them it is the other prompt's run, since both prompts
            end with the same token.
        base: The prompt that the runs read, `clean` or `corrupted`.
        tokens_per_batch: A pass holds as many runs as fit this many tokens, and at least one.
    """
    parts = _parts(model)
    pair = runs.pair
    if base == "clean":
        ids = pair.clean
        donor = runs.corrupted.outputs
    else:
        ids = pair.corrupted
        donor = runs.clean.outputs
    suffix = torch.tensor([ids[pair.position :]], device=model.device)
    differences = []
    for rows in torch.split(patched.to(model.device), _runs_at_once(pair, tokens_per_batch)):
        with _swapping_outputs(parts, donor, rows):
            tokens = suffix.expand(len(rows), -1)
            row_differences = _differences(model, pair, runs.prefix, {"input_ids": tokens})
            differences.append(row_differences.cpu())
    return torch.cat(differences)


def _runs_at_once(pair: TokenPair, tokens_per_batch: int) -> int:
    """How many runs are in a pass. Each counts with its whole prompt:
    it copies the keys and values before the word.
    """
    return max(1, tokens_per_batch // len(pair.clean))


def _run_prefix(model: "PreTrainedModel", ids: Sequence[int]) -> _Prefix:
    """The keys and values of these tokens by block; an empty list without tokens."""
    if not ids:
        return []
    cache = KeyValueCache()
    tokens = torch.tensor([ids], device=model.device)
    model(input_ids=tokens, past_key_values=cache, use_cache=True, **last_token_options(model))
    return [cache.kept[block] for block in range(len(find_modules(model).blocks))]


def _after(prefix: _Prefix, n_rows: int) -> dict[str, Any]:
    """The arguments of the model's forward pass by which each of `n_rows` rows continues the
    prefix.
    """
    if not prefix:
        return {"use_cache": False}
    cache = DynamicCache()
    for block, (keys, values) in enumerate(prefix):
        shape = (n_rows, -1, -1, -1)
        cache.update(keys.expand(shape), values.expand(shape), block)
    return {"past_key_values": cache, "use_cache": True}


def _parts(model: "PreTrainedModel") -> _Parts:
    """The projections and MLPs of a model with components.

    Raises `TypeError` if an output projection is no module.
    """
    family = family_of(model)
    projections = []
    for block in family.split_blocks(model):
        if not isinstance(block.output, nn.Module):
            raise TypeError(f"{family.model_type}: the output projection is no module")
        projections.append(block.output)
    mlps = [block.get_submodule(family.mlp) for block in find_modules(model).blocks]
    return _Parts(projections, mlps, model.config.num_attention_heads)


def _differences(
    model: "PreTrainedModel", pair: TokenPair, prefix: _Prefix, suffixes: dict[str, torch.Tensor]
) -> Float[torch.Tensor, " row"]:
    """logit(correct) - logit(incorrect) at the last token of each row, in at least float32.

    `suffixes`: the tokens from the word on, as `input_ids` or as `inputs_embeds`.
    """
    (rows,) = suffixes.values()
    output = model(**suffixes, **_after(prefix, len(rows)), **last_token_options(model))
    logits: torch.Tensor = output.logits[:, -1].to(difference_dtype(model))
    return logits[:, pair.correct] - logits[:, pair.incorrect]


@contextmanager
def _keeping_outputs(parts: _Parts) -> Iterator[ComponentOutputs]:
    """Keep the outputs of all components in the pass within."""
    kept = ComponentOutputs([], [])

    def keep_z(_projection: nn.Module, arguments: tuple[torch.Tensor, ...]) -> None:
        kept.heads.append(arguments[0])

    def keep_output(_mlp: nn.Module, _arguments: Any, output: torch.Tensor) -> None:
        kept.mlps.append(output)

    with ExitStack() as stack:
        for projection, mlp in zip(parts.projections, parts.mlps, strict=True):
            stack.callback(projection.register_forward_pre_hook(keep_z).remove)
            stack.callback(mlp.register_forward_hook(keep_output).remove)
        yield kept


@contextmanager
def _swapping_outputs(
    parts: _Parts, donor: ComponentOutputs, patched: Bool[torch.Tensor, "row component"]
) -> Iterator[None]:
    """Replace, in the passes within, the outputs of the components that are
    `patched` in each row.
    """
    by_block = patched.view(len(patched), len(parts.mlps), parts.n_heads + 1)

    def by_head(z: torch.Tensor) -> torch.Tensor:
        """A view of z, whose heads are side by side, with the axes row, pos, head and entry."""
        return z.reshape(*z.shape[:-1], parts.n_heads, -1)

    def swap_z(block: int) -> Any:
        def hook(_projection: nn.Module, arguments: tuple[torch.Tensor, ...]) -> Any:
            z, *others = arguments
            is_patched = by_block[:, block, :-1][:, None, :, None]
            swapped = torch.where(is_patched, by_head(donor.heads[block]), by_head(z))
            return (swapped.flatten(-2), *others)

        return hook

    def swap_output(block: int) -> Any:
        def hook(_mlp: nn.Module, _arguments: Any, output: torch.Tensor) -> torch.Tensor:
            is_patched = by_block[:, block, -1][:, None, None]
            return torch.where(is_patched, donor.mlps[block], output)

        return hook

    with ExitStack() as stack:
        for block, (projection, mlp) in enumerate(zip(parts.projections, parts.mlps, strict=True)):
            stack.callback(projection.register_forward_pre_hook(swap_z(block)).remove)
            stack.callback(mlp.register_forward_hook(swap_output(block)).remove)
        yield
