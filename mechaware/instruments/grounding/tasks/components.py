"""Which heads and MLPs carry the exchanged word to the answer.

Attribution ranks them (EAP-IG), patching checks the first ones of the ranking, and faithfulness is
what sets of the first ones recover together. A component is a head or an MLP; the axis `component`
has the order of `components_of`.
"""

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

# A pair takes some seventy runs, which begin at its exchanged word.
MAX_PAIRS = 12
# The number of components that are patched alone, those of the largest attribution by size.
_CHECKED = 10


def measure_components(
    model: "PreTrainedModel", pairs: Sequence[TokenPair], *, tokens_per_batch: int
) -> ComponentTables | None:
    """The tables of the first `MAX_PAIRS` pairs whose prompts have equally many tokens.

    The pairs are run twice. The first time ranks the components by the size of their mean
    attribution. The second time patches the first ones of this ranking alone, and sets of them. The
    gap is the mean logit difference of the clean runs minus that of the corrupted runs.

    None if there are no such pairs, if they have no gap, or if the model's heads and MLPs cannot be
    patched (`has_components`).
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

    attribution = torch.stack(attributions).mean(0)
    ranking = attribution.abs().argsort(descending=True, stable=True)
    checked = ranking[:_CHECKED]
    sizes = _set_sizes(len(ranking))
    # The seed is fixed: the same model and pairs have the same table under every seed of the
    # config.
    generator = np.random.default_rng(0)
    effects = []
    set_diffs = []
    for pair in pairs:
        # Run again: the outputs of all pairs, held at once, would take gigabytes in a large model.
        runs = run_pair(model, pair)
        effects.append(_effects_alone(model, runs, checked, tokens_per_batch))
        random_order = torch.from_numpy(generator.permutation(len(ranking)))
        set_diffs.append(_set_diffs(model, runs, ranking, random_order, sizes, tokens_per_batch))

    mean_effects = torch.stack(effects).mean(0)
    scores = pd.DataFrame(components_of(model)).astype({"head": "Int64"})
    scores = scores.assign(attribution=attribution.double().numpy(), patched=np.nan)
    scores.loc[checked.numpy(), "patched"] = mean_effects.numpy()

    shares = (torch.stack(set_diffs).mean(0) - corrupted_diff) / gap
    return ComponentTables(
        n=len(pairs),
        gap=gap,
        scores=scores,
        correlation=_correlation(attribution[checked].double(), mean_effects),
        faithfulness=_faithfulness(shares, sizes),
    )


def _effects_alone(
    model: "PreTrainedModel", runs: PairRuns, checked: torch.Tensor, tokens_per_batch: int
) -> Float[torch.Tensor, " checked"]:
    """The change of the corrupted run's difference by each of the `checked` components alone.

    In logits; the component has its output of the clean run. Of four components, 2 and 0 are
    checked by two runs that patch 0 0 1 0 and 1 0 0 0.
    """
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
    random_order: torch.Tensor,
    sizes: Sequence[int],
    tokens_per_batch: int,
) -> Float[torch.Tensor, "4 size"]:
    """The logit differences of clean runs in which a set of components, or all others, are patched.

    A patched component has its output of the corrupted run. A set has the first components of an
    order, as many as its size. The rows:

    0. all components but the set of the ranking are patched;
    1. the set of the ranking is patched;
    2. all components but the set of the random order are patched;
    3. the set of the random order is patched.
    """
    ranked = _first_components(ranking, sizes)
    random = _first_components(random_order, sizes)
    patched = torch.cat([~ranked, ranked, ~random, random])
    diffs = patch_components(model, runs, patched, base="clean", tokens_per_batch=tokens_per_batch)
    return diffs.double().view(4, len(sizes))


def _correlation(
    first: Float[torch.Tensor, " checked"], second: Float[torch.Tensor, " checked"]
) -> float | None:
    """Pearson's correlation; None if `first` or `second` does not vary."""
    if first.std(correction=0) == 0 or second.std(correction=0) == 0:
        return None
    return float(torch.corrcoef(torch.stack([first, second]))[0, 1])


def _faithfulness(shares: Float[torch.Tensor, "4 size"], sizes: Sequence[int]) -> pd.DataFrame:
    """`ComponentTables.faithfulness`, from shares of the gap with the rows of `_set_diffs`."""
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


def _first_components(
    order: torch.Tensor, sizes: Sequence[int]
) -> Bool[torch.Tensor, "size component"]:
    """Whether each component is among the first `size` of `order`, for each size.

    The order 2 0 3 1 has the ranks 1 3 0 2. The sizes 1 and 2 give 0 0 1 0 and 1 0 1 0.
    """
    ranks = order.argsort()
    return ranks < torch.tensor(sizes)[:, None]
