"""The causal quantities that RADAR's eight proxies are named after, measured by interventions.

H is attention entropy: by the printed formulas every proxy is a function of it. m = logit(answer) - logit(foil) at the
last token of the prompt. The n components are all heads and MLPs. The exact effect of a component is m - m(ablated);
ablated means that its output is replaced, at all positions, by its mean over all positions of a reference set of
prompts. P_l = (m - m_l) / (m - m'). m' is the margin of the counterfactual prompt. m_l is the margin of the prompt when
the residual stream at its last token, after block l (before block 1 for l = 0), is taken from the last token of the
counterfactual prompt. P_L = 1 by construction. RADAR defines the proxies only (D.2.3, D.2.5): the real quantities are our
definitions.

| column | proxy | real |
|---|---|---|
| direct_logit_attribution | mean H of a layer / 10, mean over layers | mean over components of direct logit attribution: the component's output at the last token, through the final norm at its clean scale, onto W_U[answer] - W_U[foil]; the same as (m - share of embeddings and biases) / n |
| indirect_effect_strength | standard deviation of the same over layers | population standard deviation of the exact effects over components |
| causal_mediation_score | product of the two above | the largest step P_l - P_(l-1) over l = 1..L: the share of the difference to the counterfactual prompt that a single block brings to the last token; with P_0 = 0, 1 / L if every block brings as much, above 1 if other blocks take some away |
| activation_patching_effect | direct_logit_attribution | mean of P_l over l = 1..L-1: the earlier the last token holds the answer, the higher; block L is left out |
| ablation_robustness | 1 - H / 5 | components are ablated one after the other, least absolute exact effect first: the share of them ablated before m <= 0; 1 if it stays above |
| critical_component_count | heads with H below a threshold, at least 1 | components are ablated one after the other, greatest absolute exact effect first: the number of them at which m <= 0 first holds; n + 1 if it never does |
| performance_degradation_slope | indirect_effect_strength | least-squares slope of m(ablated) / m on the share of components ablated, greatest absolute exact effect first, for 0, 1, ..., n of them |
| intervention_sensitivity | H / 5 | mean absolute exact effect / abs(m) |

The two scores of P_l are missing (NaN) where abs(m - m') is below `SMALLEST_GAP`; activation_patching_effect also in a
model of one block. The three of ablations in order are missing where the model answers wrongly (m <= 0): there is no
right answer to lose. intervention_sensitivity is missing at m = 0.
"""  # noqa: E501 - a table's row is one line

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int

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

if TYPE_CHECKING:
    from transformers import PreTrainedModel

PROXIES = (
    "direct_logit_attribution",
    "indirect_effect_strength",
    "causal_mediation_score",
    "activation_patching_effect",
    "ablation_robustness",
    "critical_component_count",
    "performance_degradation_slope",
    "intervention_sensitivity",
)
SMALLEST_GAP = 0.1  # in logits: a smaller difference to the counterfactual prompt would be divided by
_DECIMALS = 5  # of an effect, in logits: the rest is float32 noise, which must not order equal effects

_Column = Float[np.ndarray, " prompt"]
_Margins = Float[np.ndarray, "prompt step"]  # the margin with 1..n components ablated


def causal_table(
    model: "PreTrainedModel",
    prompts: Sequence[CausalPrompt],
    *,
    tokens_per_batch: int,
    reference: Sequence[Sequence[int]] | None = None,
) -> pd.DataFrame:
    """For each prompt the column `real_{proxy}` of each of `PROXIES`, the margin and two checks.

    `reference` holds the token-id prompts over which components are averaged for mean ablation, by default the prompts
    themselves. `answer_margin` is m, in logits; `answered_correctly` is whether m > 0. Where it is not, the columns of
    ablations in order are NaN. `attribution_rank_correlation` (Spearman's, over components) and
    `attribution_max_difference` (in logits) compare the first-order attribution of each component with its exact
    effect. A pass holds at most `tokens_per_batch` tokens, padding included, and at least one prompt. Raises
    `ValueError` for prompts or a reference without tokens or a foil that is the answer, and `UserError` for an
    unsupported family of models or a prompt longer than the model's context.
    """
    check_causal_prompts(prompts)
    averaged = [prompt.ids for prompt in prompts] if reference is None else reference  # without counterfactuals
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
        {f"real_{proxy}": columns[proxy] for proxy in PROXIES}
        | {"answer_margin": margin, "answered_correctly": margin > 0}
        | _attribution_columns(effects)
    )


def _component_columns(effects: Effects) -> dict[str, _Column]:
    """The columns that need single components alone."""
    margin, exact = effects.margin.double().numpy(), effects.exact.double().numpy()
    return {
        "direct_logit_attribution": effects.direct.double().numpy().mean(axis=1),
        "indirect_effect_strength": exact.std(axis=1),
        "intervention_sensitivity": np.abs(exact).mean(axis=1) / np.where(margin == 0, np.nan, np.abs(margin)),
    }


def _transfer_columns(transfer: Transfer) -> dict[str, _Column]:
    """The columns that patching the last token gives."""
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
) -> dict[str, _Column]:
    """The columns that need ablations in order."""
    margin = effects.margin.double().numpy()

    def margins(*, greatest_first: bool) -> Float[np.ndarray, "prompt step"]:
        orders = torch.from_numpy(_order_by_effect(effects.exact.numpy(), greatest_first=greatest_first))
        ablated = ablate_in_order(model, prompts, orders, means, tokens_per_batch=tokens_per_batch)
        return ablated.double().numpy()

    greatest_first = margins(greatest_first=True)
    return {
        "ablation_robustness": _ablation_robustness(margin, margins(greatest_first=False)),
        "critical_component_count": _critical_component_count(margin, greatest_first),
        "performance_degradation_slope": _performance_degradation_slope(margin, greatest_first),
    }


def _attribution_columns(effects: Effects) -> dict[str, _Column]:
    """How near first-order attributions are to exact effects; the correlation is NaN where either is constant."""
    exact, attributed = (pd.DataFrame(part.double().numpy()) for part in (effects.exact, effects.attributed))
    # Spearman's correlation of each row: Pearson's of the ranks.
    correlation = exact.rank(axis=1).corrwith(attributed.rank(axis=1), axis=1)
    return {
        "attribution_rank_correlation": correlation.to_numpy(float),
        "attribution_max_difference": (exact - attributed).abs().max(axis=1).to_numpy(float),
    }


# Ablation of components one after the other. `margins` has a row for each prompt and a column for each number 1..n of
# components ablated; `clean` is the margin with none. A margin flips where it is 0 or less. A wrong answer (clean <= 0)
# has nothing to lose, so all results of its prompt are NaN.


def _order_by_effect(
    exact: Float[np.ndarray, "prompt component"], *, greatest_first: bool
) -> Int[np.ndarray, "prompt component"]:
    """The indices of the components by absolute effect; components of equal effects keep their order."""
    size = np.abs(exact).round(_DECIMALS)
    order: np.ndarray = np.argsort(-size if greatest_first else size, axis=1, kind="stable")
    return order


def _ablation_robustness(clean: _Column, margins: _Margins) -> _Column:
    """The share of components ablated before the margin flips, 0 to 1; 1 if it never flips."""
    n_components = margins.shape[1]
    return _of_right_answers(clean, np.minimum(_first_flip(margins) - 1, n_components) / n_components)


def _critical_component_count(clean: _Column, margins: _Margins) -> _Column:
    """The number of components at which the margin flips; n + 1 if it never flips."""
    return _of_right_answers(clean, _first_flip(margins).astype(float))


def _performance_degradation_slope(clean: _Column, margins: _Margins) -> _Column:
    """The least-squares slope of margin / clean on the share of components ablated, from 0 to 1 in steps of 1 / n."""
    # A wrong answer divides by NaN, which makes its whole row missing.
    curve = np.column_stack([clean, margins]) / np.where(clean > 0, clean, np.nan)[:, None]
    share = np.linspace(0, 1, curve.shape[1])
    centred = share - share.mean()
    slope: np.ndarray = curve @ centred / (centred @ centred)
    return slope


def _first_flip(margins: _Margins) -> Int[np.ndarray, " prompt"]:
    """The number of components ablated when the margin is first 0 or less; n + 1 if it never is."""
    # A last column of True: `argmax` then finds n + 1 where no margin flips.
    flipped = np.column_stack([margins <= 0, np.ones(len(margins), bool)])
    first: np.ndarray = flipped.argmax(axis=1) + 1
    return first


def _of_right_answers(clean: _Column, values: _Column) -> _Column:
    return np.where(clean > 0, values, np.nan)
