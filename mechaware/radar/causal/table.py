"""The measured counterparts of RADAR's causal proxies, one row per prompt (`definitions.py` has the definitions)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float

from mechaware.models.patching.ablation import (
    CausalPrompt,
    Effects,
    Means,
    Transfer,
    ablate_in_order,
    check_causal_prompts,
    mean_components,
    measure_effects,
    patch_last_token,
)
from mechaware.radar.causal.definitions import PROXIES, SMALLEST_GAP
from mechaware.radar.causal.robustness import (
    ablation_robustness,
    critical_component_count,
    order_by_effect,
    performance_degradation_slope,
)

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Column = Float[np.ndarray, " prompt"]


def causal_table(
    model: "PreTrainedModel",
    prompts: Sequence[CausalPrompt],
    *,
    tokens_per_batch: int,
    reference: Sequence[Sequence[int]] | None = None,
) -> pd.DataFrame:
    """The eight `real_` columns of `PROXIES` for each prompt, in the order given, with the margin and two checks.

    `reference` holds the token-id prompts over which components are averaged for mean ablation, by default the prompts
    themselves. `answer_margin` is m, in logits; `answered_correctly` is whether m > 0. Where it is not, the columns of
    ablations in order are NaN. `attribution_rank_correlation` (Spearman's, over components) and
    `attribution_max_difference` (in logits) compare the first-order attribution of each component with its exact
    effect. A pass holds at most `tokens_per_batch` tokens, padding included, and at least one prompt. Raises
    `ValueError` for prompts or a reference without tokens or a foil that is the answer, and `UserError` for an
    unsupported family of models or a prompt longer than the model's context.
    """
    check_causal_prompts(prompts)
    averaged = [prompt.ids for prompt in prompts] if reference is None else reference
    means = mean_components(model, averaged, tokens_per_batch=tokens_per_batch)
    effects = measure_effects(model, prompts, means, tokens_per_batch=tokens_per_batch)
    transfer = patch_last_token(model, prompts, tokens_per_batch=tokens_per_batch)
    columns = (
        _component_columns(effects)
        | _transfer_columns(transfer)
        | _order_columns(model, prompts, effects, means, tokens_per_batch)
    )
    margin = effects.margin.double().numpy()
    return pd.DataFrame(
        {real: columns[proxy] for proxy, real in PROXIES.items()}
        | {"answer_margin": margin, "answered_correctly": margin > 0}
        | _attribution_columns(effects)
    )


def _component_columns(effects: Effects) -> dict[str, Column]:
    """The columns of single components."""
    margin, exact = effects.margin.double().numpy(), effects.exact.double().numpy()
    return {
        "direct_logit_attribution": effects.direct.double().numpy().mean(axis=1),
        "indirect_effect_strength": exact.std(axis=1),
        "intervention_sensitivity": np.abs(exact).mean(axis=1) / np.where(margin == 0, np.nan, np.abs(margin)),
    }


def _transfer_columns(transfer: Transfer) -> dict[str, Column]:
    """The columns of the last token's states."""
    margin, counterfactual, patched = (part.double().numpy() for part in transfer)
    gap = margin - counterfactual
    share = (margin[:, None] - patched) / np.where(np.abs(gap) < SMALLEST_GAP, np.nan, gap)[:, None]
    between = share[:, 1:-1]
    return {
        "causal_mediation_score": np.diff(share, axis=1).max(axis=1),
        "activation_patching_effect": between.mean(axis=1) if between.size else np.full(len(gap), np.nan),
    }


def _order_columns(
    model: "PreTrainedModel", prompts: Sequence[CausalPrompt], effects: Effects, means: Means, tokens_per_batch: int
) -> dict[str, Column]:
    """The columns of ablations in order."""
    margin = effects.margin.double().numpy()

    def margins(*, greatest_first: bool) -> Float[np.ndarray, "prompt step"]:
        orders = torch.from_numpy(order_by_effect(effects.exact.numpy(), greatest_first=greatest_first))
        ablated = ablate_in_order(model, prompts, orders, means, tokens_per_batch=tokens_per_batch)
        return ablated.double().numpy()

    greatest_first = margins(greatest_first=True)
    return {
        "ablation_robustness": ablation_robustness(margin, margins(greatest_first=False)),
        "critical_component_count": critical_component_count(margin, greatest_first),
        "performance_degradation_slope": performance_degradation_slope(margin, greatest_first),
    }


def _attribution_columns(effects: Effects) -> dict[str, Column]:
    """How near first-order attributions are to exact effects; the correlation is NaN where either is constant."""
    exact, attributed = (pd.DataFrame(part.double().numpy()) for part in (effects.exact, effects.attributed))
    correlation = exact.rank(axis=1).corrwith(attributed.rank(axis=1), axis=1)
    return {
        "attribution_rank_correlation": correlation.to_numpy(float),
        "attribution_max_difference": (exact - attributed).abs().max(axis=1).to_numpy(float),
    }
