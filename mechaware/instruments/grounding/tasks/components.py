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
    attribute,
    components_of,
    has_components,
    patch_components,
)
from mechaware.models.patching.runs import TokenPair

if TYPE_CHECKING:
    from transformers import PreTrainedModel

MOST_PAIRS = 12  # the first ones of equal length: each takes some seventy whole runs
_CHECKED = 10  # components of the largest attribution, which are patched


def measure_components(
    model: "PreTrainedModel", pairs: Sequence[TokenPair], *, tokens_per_batch: int
) -> ComponentTables | None:
    """The tables of the first twelve pairs of equal length.

    None if there are none, if they have no gap, or if the model's blocks are not known in parts.
    """
    pairs = [pair for pair in pairs if pair.equal_lengths][:MOST_PAIRS]
    if not pairs or not has_components(model):
        return None

    components = components_of(model)
    nothing = torch.zeros(1, len(components), dtype=torch.bool)

    def base_diff(pair: TokenPair, base: str) -> float:
        """The logit difference of a run without a patch."""
        run = patch_components(model, pair, nothing, base=base, tokens_per_batch=len(pair.clean))
        return float(run[0])

    attributions = []
    clean_diffs = []
    corrupted_diffs = []
    for pair in pairs:
        attributions.append(attribute(model, pair, tokens_per_batch))
        clean_diffs.append(base_diff(pair, "clean"))
        corrupted_diffs.append(base_diff(pair, "corrupted"))
    gap = float(np.mean(clean_diffs) - np.mean(corrupted_diffs))
    if abs(gap) <= ROUNDING:
        return None

    mean = torch.stack(attributions).mean(0)
    ranking = mean.abs().argsort(descending=True, stable=True)
    checked = ranking[:_CHECKED]

    # One run for each checked component, in which only that component is patched.
    alone = torch.zeros(len(checked), len(components), dtype=torch.bool)
    alone[torch.arange(len(checked)), checked] = True
    changes = []
    for pair, corrupted_diff in zip(pairs, corrupted_diffs, strict=True):
        runs = patch_components(
            model, pair, alone, base="corrupted", tokens_per_batch=tokens_per_batch
        )
        changes.append(runs.double() - corrupted_diff)
    exact = torch.stack(changes).mean(0)

    scores = pd.DataFrame(components).astype({"head": "Int64"})
    scores = scores.assign(attribution=mean.double().numpy(), patched=np.nan)
    scores.loc[checked.numpy(), "patched"] = exact.numpy()
    correlation = _correlation(mean[checked].double(), exact)
    corrupted_diff = float(np.mean(corrupted_diffs))
    faithfulness = _faithfulness(model, pairs, ranking, gap, corrupted_diff, tokens_per_batch)
    return ComponentTables(len(pairs), gap, scores, correlation, faithfulness)


def _correlation(
    first: Float[torch.Tensor, " component"], second: Float[torch.Tensor, " component"]
) -> float | None:
    """Pearson's correlation; None if `first` or `second` does not vary."""
    if first.std(correction=0) == 0 or second.std(correction=0) == 0:
        return None
    return float(torch.corrcoef(torch.stack([first, second]))[0, 1])


def _faithfulness(
    model: "PreTrainedModel",
    pairs: Sequence[TokenPair],
    ranking: torch.Tensor,
    gap: float,
    corrupted_diff: float,
    tokens_per_batch: int,
) -> pd.DataFrame:
    """The table `faithfulness` of `ComponentTables`, for sets that are the first ones of `ranking`."""
    n_components = len(ranking)
    powers_of_two = [2**power for power in range(n_components.bit_length())]
    sizes = [size for size in powers_of_two if size < n_components]
    # Fixed: the same model and pairs have the same table under every seed of the config.
    draws = np.random.default_rng(0)
    by_pair = []
    found = _first_ones(ranking, sizes)
    for pair in pairs:
        random = _first_ones(torch.from_numpy(draws.permutation(n_components)), sizes)
        # Patched into the clean run are the components outside of a set, or the set itself.
        patched = torch.cat([~found, found, ~random, random])
        runs = patch_components(
            model, pair, patched, base="clean", tokens_per_batch=tokens_per_batch
        )
        by_pair.append(runs.double())
    shares = (torch.stack(by_pair).mean(0) - corrupted_diff) / gap
    alone, without, random_alone, random_without = shares.view(4, len(sizes)).tolist()
    return pd.DataFrame(
        {
            "size": sizes,
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
