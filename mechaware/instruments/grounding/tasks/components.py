"""Which heads and MLPs carry the exchanged word to the answer: attribution, its check by patching, and faithfulness."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from jaxtyping import Bool, Float

from mechaware.instruments.grounding.rules import ROUNDING
from mechaware.instruments.grounding.tasks.tables import ComponentTables
from mechaware.models.patching.components import (
    PairRuns,
    attribute,
    components_of,
    has_components,
    patch_components,
    run_pair,
)
from mechaware.models.patching.runs import TokenPair

if TYPE_CHECKING:
    from transformers import PreTrainedModel

MAX_PAIRS = 12  # the first ones of equal length: each takes some seventy runs from the word on
_CHECKED = 10  # components of the largest attribution, which are patched


def measure_components(
    model: "PreTrainedModel", pairs: Sequence[TokenPair], *, tokens_per_batch: int
) -> ComponentTables | None:
    """The tables of the first twelve pairs of equal length.

    None if there are none, if they have no gap, or if the model's blocks are not known in parts.
    """
    pairs = [pair for pair in pairs if pair.equal_lengths][:MAX_PAIRS]
    if not pairs or not has_components(model):
        return None

    attributions = []
    clean_diffs = []
    corrupted_diffs = []
    for pair in pairs:
        runs = run_pair(model, pair)
        attributions.append(attribute(model, runs, tokens_per_batch))
        clean_diffs.append(runs.clean.difference)
        corrupted_diffs.append(runs.corrupted.difference)
    corrupted_diff = float(np.mean(corrupted_diffs))
    gap = float(np.mean(clean_diffs)) - corrupted_diff
    if abs(gap) <= ROUNDING:
        return None

    mean = torch.stack(attributions).mean(0)
    ranking = mean.abs().argsort(descending=True, stable=True)
    checked = ranking[:_CHECKED]
    sizes = _set_sizes(len(ranking))
    # Fixed: the same model and pairs have the same table under every seed of the config.
    draws = np.random.default_rng(0)
    changes = []
    set_diffs = []
    for pair in pairs:
        # Once more: the outputs of all pairs, held at once, would take gigabytes in a large model.
        runs = run_pair(model, pair)
        changes.append(_effects_alone(model, runs, checked, tokens_per_batch))
        random = torch.from_numpy(draws.permutation(len(ranking)))
        set_diffs.append(_set_diffs(model, runs, ranking, random, sizes, tokens_per_batch))

    exact = torch.stack(changes).mean(0)
    scores = pd.DataFrame(components_of(model)).astype({"head": "Int64"})
    scores = scores.assign(attribution=mean.double().numpy(), patched=np.nan)
    scores.loc[checked.numpy(), "patched"] = exact.numpy()
    correlation = _correlation(mean[checked].double(), exact)
    shares = (torch.stack(set_diffs).mean(0) - corrupted_diff) / gap
    faithfulness = _faithfulness(shares, sizes)
    return ComponentTables(len(pairs), gap, scores, correlation, faithfulness)


def _effects_alone(
    model: "PreTrainedModel", runs: PairRuns, checked: torch.Tensor, tokens_per_batch: int
) -> Float[torch.Tensor, " checked"]:
    """By how much each of the `checked` components changes the corrupted run, patched alone."""
    alone = torch.zeros(len(checked), len(components_of(model)), dtype=torch.bool)
    alone[torch.arange(len(checked)), checked] = True
    patched = patch_components(
        model, runs, alone, base="corrupted", tokens_per_batch=tokens_per_batch
    )
    return patched.double() - runs.corrupted.difference


def _set_sizes(n_components: int) -> list[int]:
    """The powers of two below the number of components."""
    powers_of_two = [2**power for power in range(n_components.bit_length())]
    return [size for size in powers_of_two if size < n_components]


def _set_diffs(
    model: "PreTrainedModel",
    runs: PairRuns,
    ranking: torch.Tensor,
    random: torch.Tensor,
    sizes: Sequence[int],
    tokens_per_batch: int,
) -> Float[torch.Tensor, "4 size"]:
    """The differences of clean runs in which sets of components, or all others, have their corrupted outputs.

    The sets are the first ones of `ranking` and of a `random` order. By row: the first ones of the ranking are left
    clean; they are corrupted; the same for the random order.
    """
    found = _first_ones(ranking, sizes)
    drawn = _first_ones(random, sizes)
    patched = torch.cat([~found, found, ~drawn, drawn])
    diffs = patch_components(model, runs, patched, base="clean", tokens_per_batch=tokens_per_batch)
    return diffs.double().view(4, len(sizes))


def _correlation(
    first: Float[torch.Tensor, " component"], second: Float[torch.Tensor, " component"]
) -> float | None:
    """Pearson's correlation; None if `first` or `second` does not vary."""
    if first.std(correction=0) == 0 or second.std(correction=0) == 0:
        return None
    return float(torch.corrcoef(torch.stack([first, second]))[0, 1])


def _faithfulness(shares: Float[torch.Tensor, "4 size"], sizes: Sequence[int]) -> pd.DataFrame:
    """The table `faithfulness` of `ComponentTables`, of shares of the gap in the rows of `_set_diffs`."""
    alone, without, random_alone, random_without = shares.tolist()
    return pd.DataFrame(
        {
            "size": list(sizes),
            "alone": alone,
            "without": without,
            "random_alone": random_alone,
            "random_without": random_without,
        }
    )


def _first_ones(order: torch.Tensor, sizes: Sequence[int]) -> Bool[torch.Tensor, "size component"]:
    """Which components are among the first ones of `order`, for each size.

    The order 2 0 3 1 and the sizes 1 and 2 give 0 0 1 0 and 1 0 1 0.
    """
    ranks = order.argsort()
    return ranks < torch.tensor(sizes)[:, None]
