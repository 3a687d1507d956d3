"""Denoising of the residual stream at the differing word and at later tokens, in every layer."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Float

from mechaware.models.families.supported import find_modules
from mechaware.models.interventions.patch import (
    TokenPair,
    check_pairs,
    pair_batches,
    prefill_clean,
    word_offsets,
)
from mechaware.models.interventions.sweep import Offsets, sweep

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class PairMap(NamedTuple):
    """logit(correct) - logit(incorrect) at the last token of each pair, in the order given, on the CPU.

    `patched_diff` holds one value for each patched position of the pair and each patched layer.
    """

    clean_diff: Float[torch.Tensor, " pair"]
    corrupted_diff: Float[torch.Tensor, " pair"]
    patched_diff: Float[torch.Tensor, "pair position layer"]


def map_pairs(
    model: "PreTrainedModel",
    pairs: Sequence[TokenPair],
    positions: Sequence[Sequence[int]],
    *,
    layers: Sequence[int] | None = None,
    tokens_per_batch: int,
    after_batch: Callable[[int], object] = lambda _n_pairs: None,
) -> PairMap:
    """Put the clean state at each position and layer (all, 0..L, by default) into the corrupted run, one at a time.

    `positions[i]` are positions of pair i, from 0, none before the differing word: no state before it differs. At the
    word's first position all its tokens are patched together. At the last position and layer L the result is the clean
    difference itself. A batch holds as many pairs as fit `tokens_per_batch` tokens, prefixes and all runs counted at
    their widest; a pair whose runs do not fit takes its positions in turns, one at least. `after_batch` is called with
    a batch's number of pairs. Raises `ValueError` for a position outside p..last or pairs with different numbers of
    positions, and the errors of `patch_pairs`.
    """
    check_pairs(model, pairs)
    _check_positions(pairs, positions)
    n_layers = len(find_modules(model).blocks)
    layers = range(n_layers + 1) if layers is None else layers
    n_runs = max(1, sum(layer != n_layers for layer in layers))  # for each position
    fit = min((tokens_per_batch - pair.position) // (len(pair.clean) - pair.position) - 1 for pair in pairs) // n_runs
    at_once = max(1, min(fit, len(positions[0])))
    patched_diff = torch.empty(len(pairs), len(positions[0]), len(layers))
    result = PairMap(torch.empty(len(pairs)), torch.empty(len(pairs)), patched_diff)
    for batch in pair_batches(pairs, 1 + at_once * n_runs, tokens_per_batch):
        mapped = _map_batch(model, [pairs[i] for i in batch], [positions[i] for i in batch], layers, at_once)
        for whole, part in zip(result, mapped, strict=True):
            whole[batch] = part.cpu()
        after_batch(len(batch))
    return result


def _map_batch(
    model: "PreTrainedModel",
    pairs: list[TokenPair],
    positions: list[Sequence[int]],
    layers: Sequence[int],
    at_once: int,
) -> PairMap:
    """One batch, `at_once` positions at a time; results as in `map_pairs`, on the model's device."""
    prefix, clean_suffixes, answers = prefill_clean(model, pairs)
    corrupted_suffixes = [pair.corrupted[pair.position :] for pair in pairs]
    ends = torch.tensor([[len(pair.clean) - 1] for pair in pairs])
    is_end = (torch.tensor(positions) == ends).to(model.device)
    offsets = _offsets(pairs, positions).to(model.device)
    clean = sweep(prefix, clean_suffixes, answers, offsets=offsets)
    # A state of layer L is read at the last token only: there the result is the clean run's.
    below_last = [layer != len(prefix.blocks) for layer in layers]
    run_layers = [layer for layer, below in zip(layers, below_last, strict=True) if below]
    by_position = []
    for some, states in zip(torch.split(offsets, at_once), torch.split(clean.states, at_once), strict=True):
        base = sweep(prefix, corrupted_suffixes, answers, replacements=states, layers=run_layers, offsets=some)
        by_position.append(base.patched_diff)
    corrupted_diff = base.base_diff
    at_last = torch.where(is_end, clean.base_diff[:, None], corrupted_diff[:, None])
    patched_diff = at_last[..., None].repeat(1, 1, len(layers))
    patched_diff[..., below_last] = torch.cat(by_position).transpose(0, 1)
    return PairMap(clean.base_diff, corrupted_diff, patched_diff)


def _offsets(pairs: Sequence[TokenPair], positions: Sequence[Sequence[int]]) -> Offsets:
    """The positions as places: the whole word at its first token, one token elsewhere."""
    starts = torch.tensor([[pair.position] for pair in pairs])
    offsets = (torch.tensor(positions) - starts).T[..., None]
    return torch.where(offsets == 0, word_offsets(pairs), offsets)


def _check_positions(pairs: Sequence[TokenPair], positions: Sequence[Sequence[int]]) -> None:
    if len(positions) != len(pairs):
        raise ValueError(f"positions of {len(positions)} pairs, and {len(pairs)} pairs")
    for index, (pair, own) in enumerate(zip(pairs, positions, strict=True)):
        if len(own) != len(positions[0]) or not own:
            raise ValueError(f"pair {index}: {len(own)} positions: expected at least one, and as many for every pair")
        last = len(pair.clean) - 1
        if outside := [at for at in own if not pair.position <= at <= last]:
            raise ValueError(
                f"pair {index}: positions {outside}: expected {pair.position}, where it differs, to {last}"
            )
