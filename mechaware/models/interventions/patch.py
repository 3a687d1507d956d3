"""Activation patching of clean and corrupted prompts that differ in one token, in four modes.

Layer 0 is the embedding, layer l the output of block l = 1..L, before the final norm.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from jaxtyping import Float, Int

from mechaware.models.families.supported import find_modules
from mechaware.models.interventions.runs import Prefix, check_context, prefill
from mechaware.models.interventions.sweep import sweep

if TYPE_CHECKING:
    from transformers import PreTrainedModel

MODES = ("denoise", "noise", "mean_ablation", "zero_ablation")


class TokenPair(NamedTuple):
    """Two prompts that differ in one token, and the two answers whose logits are compared; all are token ids.

    `position`, from 0, is that of the differing token; `correct` answers the clean prompt, `incorrect` the corrupted.
    """

    clean: list[int]
    corrupted: list[int]
    position: int
    correct: int
    incorrect: int


class PairSweep(NamedTuple):
    """logit(correct) - logit(incorrect) at the last token of each pair, in the order given, on the CPU.

    `patched_diff` holds, by mode, one column for each patched layer.
    """

    clean_diff: Float[torch.Tensor, " pair"]
    corrupted_diff: Float[torch.Tensor, " pair"]
    patched_diff: dict[str, Float[torch.Tensor, "pair patched"]]


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
    if unknown := set(modes) - set(MODES):
        raise ValueError(f"modes {sorted(unknown)}: known are {', '.join(MODES)}")
    check_pairs(model, pairs)
    n_layers = len(find_modules(model).blocks)
    layers = range(n_layers + 1) if layers is None else layers
    n_runs = 1 + sum(layer < n_layers for layer in layers) * max(1, len(set(modes) - {"denoise"}))
    batches = list(pair_batches(pairs, n_runs, tokens_per_batch))
    mean = None
    if "mean_ablation" in modes:
        mean = _mean_clean_state(model, [[pairs[i] for i in batch] for batch in batches])
    clean_diff, corrupted_diff = torch.empty(len(pairs)), torch.empty(len(pairs))
    patched_diff = {mode: torch.empty(len(pairs), len(layers)) for mode in modes}
    for batch in batches:
        swept = _sweep_batch(model, [pairs[i] for i in batch], modes, layers, mean)
        clean_diff[batch], corrupted_diff[batch] = swept.clean_diff.cpu(), swept.corrupted_diff.cpu()
        for mode in modes:
            patched_diff[mode][batch] = swept.patched_diff[mode].cpu()
    return PairSweep(clean_diff, corrupted_diff, patched_diff)


def _sweep_batch(
    model: "PreTrainedModel",
    pairs: list[TokenPair],
    modes: Sequence[str],
    layers: Sequence[int],
    mean: Float[torch.Tensor, "layer d_model"] | None,
) -> PairSweep:
    """One batch in all modes; results as in `patch_pairs`, on the model's device."""
    prefix, clean_suffixes, answers = prefill_clean(model, pairs)
    clean = sweep(prefix, clean_suffixes, answers)
    corrupted_suffixes = [pair.corrupted[pair.position :] for pair in pairs]
    replacements = clean.states if "denoise" in modes else None
    corrupted = sweep(prefix, corrupted_suffixes, answers, replacements=replacements, layers=layers)
    patched_diff = dict(zip(["denoise"], corrupted.patched_diff, strict=False))
    if clean_modes := [mode for mode in modes if mode != "denoise"]:
        states = {"noise": corrupted.states[0], "zero_ablation": torch.zeros_like(clean.states[0])}
        if mean is not None:
            states["mean_ablation"] = mean.expand_as(clean.states[0])
        replacements = torch.stack([states[mode] for mode in clean_modes])
        # The base run again, in one pass with the patched runs: no effect is then a difference of exactly 0.
        clean = sweep(prefix, clean_suffixes, answers, replacements=replacements, layers=layers)
        patched_diff |= zip(clean_modes, clean.patched_diff, strict=True)
    return PairSweep(clean.base_diff, corrupted.base_diff, patched_diff)


def prefill_clean(
    model: "PreTrainedModel", pairs: list[TokenPair]
) -> tuple[Prefix, list[list[int]], Int[torch.Tensor, "pair 2"]]:
    """The prefix that the prompts of each pair share, the rest of its clean prompt, and its answers."""
    prefix = prefill(model, [pair.clean[: pair.position] for pair in pairs])
    answers = torch.tensor([[pair.correct, pair.incorrect] for pair in pairs])
    return prefix, [pair.clean[pair.position :] for pair in pairs], answers


def _mean_clean_state(model: "PreTrainedModel", batches: list[list[TokenPair]]) -> Float[torch.Tensor, "layer d_model"]:
    """The mean over all pairs of the clean run's states at their positions, summed in float64."""
    total = sum(sweep(*prefill_clean(model, pairs)).states[0].double().sum(0) for pairs in batches)
    return cast(torch.Tensor, total / sum(map(len, batches))).to(model.dtype)


def pair_batches(pairs: Sequence[TokenPair], n_runs: int, tokens_per_batch: int) -> Iterator[list[int]]:
    """Indices of pairs, shortest suffixes first, in batches of at most `tokens_per_batch` tokens when padded."""

    def lengths(index: int) -> tuple[int, int]:
        return len(pairs[index].clean) - pairs[index].position, pairs[index].position

    batch: list[int] = []
    suffix = prefix = 0
    for index in sorted(range(len(pairs)), key=lengths):
        suffix, prefix = max(suffix, lengths(index)[0]), max(prefix, lengths(index)[1])
        if batch and (len(batch) + 1) * (prefix + n_runs * suffix) > tokens_per_batch:
            yield batch
            batch = []
            suffix, prefix = lengths(index)
        batch.append(index)
    if batch:
        yield batch


def check_pairs(model: "PreTrainedModel", pairs: Sequence[TokenPair]) -> None:
    """Raise the errors of `patch_pairs` for pairs that cannot be patched."""
    if not pairs:
        raise ValueError("no pairs to patch")
    for index, (clean, corrupted, position, *_) in enumerate(pairs):
        if len(clean) != len(corrupted):
            raise ValueError(f"pair {index}: {len(clean)} clean tokens and {len(corrupted)} corrupted ones")
        if not 0 <= position < len(clean) - 1:
            raise ValueError(f"pair {index}: position {position} of {len(clean)} tokens: expected one before the last")
        differ = [at for at, tokens in enumerate(zip(clean, corrupted, strict=True)) if len(set(tokens)) > 1]
        if differ and differ != [position]:
            raise ValueError(f"pair {index}: the prompts differ at {differ}, expected at {position} only")
    check_context(model, max(len(pair.clean) for pair in pairs))
