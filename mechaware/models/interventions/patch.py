"""Activation patching of clean and corrupted prompts that differ in one word, in four modes.

Layer 0 is the embedding, layer l the output of block l = 1..L, before the final norm.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from jaxtyping import Bool, Float, Int

from mechaware.models.families.supported import find_modules
from mechaware.models.interventions.runs import Prefix, check_context, prefill
from mechaware.models.interventions.sweep import Offsets, sweep

if TYPE_CHECKING:
    from transformers import PreTrainedModel

MODES = ("denoise", "noise", "mean_ablation", "zero_ablation")


class TokenPair(NamedTuple):
    """Two prompts that differ in one word, and the two answers whose logits are compared; all are token ids.

    The word has `n_tokens` tokens in both prompts, the first of them at `position`, from 0. `correct` answers the clean
    prompt, `incorrect` the corrupted one.
    """

    clean: list[int]
    corrupted: list[int]
    position: int
    correct: int
    incorrect: int
    n_tokens: int = 1


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
    after_batch: Callable[[int], object] = lambda _n_pairs: None,
) -> PairSweep:
    """Patch all tokens of every pair's word in the given modes and layers (all, 0..L, by default).

    `denoise` puts clean states into the corrupted run; `noise`, `mean_ablation` and `zero_ablation` put corrupted
    states, the mean of the clean states over the tokens of all words, and zeros into the clean run. A batch holds as
    many pairs as fit `tokens_per_batch` tokens, prefixes and all runs counted at their widest, and at least one;
    `after_batch` is called with their number. Raises `ValueError` for a pair whose prompts differ in anything but their
    word or end with it, and `UserError` for an unsupported family of models or a prompt longer than the model's
    context.
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
        after_batch(len(batch))
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
    offsets = word_offsets(pairs).to(model.device)
    clean = sweep(prefix, clean_suffixes, answers, offsets=offsets)
    corrupted_suffixes = [pair.corrupted[pair.position :] for pair in pairs]
    replacements = clean.states if "denoise" in modes else None
    corrupted = sweep(prefix, corrupted_suffixes, answers, replacements=replacements, layers=layers, offsets=offsets)
    patched_diff = dict(zip(["denoise"], corrupted.patched_diff, strict=False))
    if clean_modes := [mode for mode in modes if mode != "denoise"]:
        states = {"noise": corrupted.states[0], "zero_ablation": torch.zeros_like(clean.states[0])}
        if mean is not None:
            states["mean_ablation"] = mean[:, None].expand_as(clean.states[0])
        replacements = torch.stack([states[mode] for mode in clean_modes])
        # The base run again, in one pass with the patched runs: no effect is then a difference of exactly 0.
        clean = sweep(prefix, clean_suffixes, answers, replacements=replacements, layers=layers, offsets=offsets)
        patched_diff |= zip(clean_modes, clean.patched_diff, strict=True)
    return PairSweep(clean.base_diff, corrupted.base_diff, patched_diff)


def prefill_clean(
    model: "PreTrainedModel", pairs: list[TokenPair]
) -> tuple[Prefix, list[list[int]], Int[torch.Tensor, "pair 2"]]:
    """The prefix that the prompts of each pair share, the rest of its clean prompt, and its answers."""
    prefix = prefill(model, [pair.clean[: pair.position] for pair in pairs])
    answers = torch.tensor([[pair.correct, pair.incorrect] for pair in pairs])
    return prefix, [pair.clean[pair.position :] for pair in pairs], answers


def tokens_in_words(pairs: Sequence[TokenPair]) -> Bool[torch.Tensor, "pair token"]:
    """Which of the tokens from p on are of the pair's word, as many as the longest word has."""
    counts = torch.tensor([pair.n_tokens for pair in pairs])
    return torch.arange(int(counts.max())) < counts[:, None]


def word_offsets(pairs: Sequence[TokenPair]) -> Offsets:
    """The tokens of each pair's word, counted from p, as one place; shorter words repeat their last token."""
    in_word = tokens_in_words(pairs)
    return (in_word.cumsum(1) - 1)[None]


def _mean_clean_state(model: "PreTrainedModel", batches: list[list[TokenPair]]) -> Float[torch.Tensor, "layer d_model"]:
    """The mean over the tokens of all words of the clean run's states there, summed in float64."""
    totals = []
    for pairs in batches:
        states = sweep(*prefill_clean(model, pairs), offsets=word_offsets(pairs).to(model.device)).states[0].double()
        in_word = tokens_in_words(pairs).to(model.device)
        totals.append((states * in_word[:, None, :, None]).sum(2).sum(0))
    n_tokens = sum(pair.n_tokens for pairs in batches for pair in pairs)
    return cast(torch.Tensor, sum(totals) / n_tokens).to(model.dtype)


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
    for index, (clean, corrupted, position, *_, n_tokens) in enumerate(pairs):
        if len(clean) != len(corrupted):
            raise ValueError(f"pair {index}: {len(clean)} clean tokens and {len(corrupted)} corrupted ones")
        if not 0 <= position < position + n_tokens < len(clean):
            raise ValueError(
                f"pair {index}: a word of {n_tokens} tokens at position {position} of {len(clean)}: expected one "
                "before the last token"
            )
        differ = [at for at, tokens in enumerate(zip(clean, corrupted, strict=True)) if len(set(tokens)) > 1]
        if not set(differ) <= set(range(position, position + n_tokens)):
            raise ValueError(
                f"pair {index}: the prompts differ at {differ}, expected at {n_tokens} tokens from {position} on"
            )
    check_context(model, max(len(pair.clean) for pair in pairs))
