"""The measured quantities: orders of ablation by hand, and whole rows by a naive loop of hooks, for every family."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats
from transformers import PreTrainedModel

from mechaware.models.patching.ablation import CausalPrompt
from mechaware.models.registry import load_model
from mechaware.radar.causal import (
    PROXIES,
    _ablation_robustness,
    _critical_component_count,
    _order_by_effect,
    _performance_degradation_slope,
    causal_table,
)
from mechaware.radar.feature_extraction.features import MECHANISTIC
from tests.tiny_models import FAMILIES_IN_TURN, make_tiny_model
from tests.unit.models.patching.naive_ablation import NaiveComponents, random_causal_prompts

CLEAN = np.array([4.0, 4.0, 4.0, -1.0])
# Four components; the third prompt never flips, the last is answered wrongly.
MARGINS = np.array([[3.0, 1.0, -1.0, 2.0], [0.0, 1.0, 2.0, 3.0], [4.0, 3.0, 2.0, 1.0], [1.0, -1.0, 1.0, -1.0]])


def test_components_are_ordered_by_absolute_effect() -> None:
    effects = np.array([[0.5, -3.0, 0.1, 1.0]])
    assert _order_by_effect(effects, greatest_first=True).tolist() == [[1, 3, 0, 2]]
    assert _order_by_effect(effects, greatest_first=False).tolist() == [[2, 0, 3, 1]]


def test_components_of_equal_effects_keep_their_order() -> None:
    effects = np.array([[2.0, 1e-7, -2.0, -2e-7, 0.0]])
    assert _order_by_effect(effects, greatest_first=True).tolist() == [[0, 2, 1, 3, 4]]
    assert _order_by_effect(effects, greatest_first=False).tolist() == [[1, 3, 4, 0, 2]]


def test_robustness_is_the_share_ablated_before_the_flip() -> None:
    # Two of four before the third flips it; none before the first, where 0 counts as flipped; all four; no answer.
    np.testing.assert_array_equal(_ablation_robustness(CLEAN, MARGINS), [2 / 4, 0, 1, np.nan])


def test_the_critical_set_ends_with_the_component_that_flips() -> None:
    np.testing.assert_array_equal(_critical_component_count(CLEAN, MARGINS), [3, 1, 5, np.nan])


def test_the_slope_of_degradation_is_by_share_and_relative_to_the_clean_margin() -> None:
    # Shares 0, 1/4 ... 1 have the mean 1/2 and squares about it that sum to 5/8. The third prompt's curve is 1, 1, 3/4,
    # 1/2, 1/4: -1/2 * 1 - 1/4 * 1 + 1/4 * 1/2 + 1/2 * 1/4 = -1/2, and the slope is -1/2 over 5/8 = -4/5. The first's is
    # 1, 3/4, 1/4, -1/4, 1/2: -1/2 - 3/16 - 1/16 + 1/4 = -1/2 again. The second's is 1, 0, 1/4, 1/2, 3/4:
    # -1/2 + 1/8 + 3/8 = 0.
    slopes = _performance_degradation_slope(CLEAN, MARGINS)
    assert slopes[:3] == pytest.approx([-4 / 5, 0, -4 / 5])
    assert np.isnan(slopes[3])


LENGTHS = ((6, 6), (11, 4), (3, 9), (8, 8), (5, 7), (7, 2))


def tiny_model(family: str, folder: Path, **settings: Any) -> PreTrainedModel:
    return load_model(make_tiny_model(family, folder, **settings), torch.device("cpu"))


@pytest.fixture
def gpt2(tmp_path: Path) -> PreTrainedModel:
    return tiny_model("gpt2", tmp_path)


def naive_row(naive: NaiveComponents, prompt: CausalPrompt, means: list[torch.Tensor]) -> dict[str, float]:
    """A row of the table by its definitions, one pass and one component at a time."""
    n, clean = naive.n_components, float(naive.margin(list(prompt.ids), prompt).detach())
    exact = [clean - float(naive.ablated(prompt, [component], means)) for component in range(n)]
    order = sorted(range(n), key=lambda component: abs(exact[component]))
    least = [float(naive.ablated(prompt, order[: k + 1], means)) for k in range(n)]
    greatest = [float(naive.ablated(prompt, order[::-1][: k + 1], means)) for k in range(n)]
    other = list(prompt.counterfactual_ids)
    gap = clean - float(naive.margin(other, prompt).detach())
    states = enumerate(naive.layers_at_end(other, prompt))
    share = [(clean - float(naive.patched(prompt, layer, state))) / gap for layer, state in states]
    attributed = naive.attributed(prompt, means).detach().numpy()
    row = {
        "real_direct_logit_attribution": sum(naive.direct(prompt).tolist()) / n,
        "real_indirect_effect_strength": (sum((e - sum(exact) / n) ** 2 for e in exact) / n) ** 0.5,
        "real_causal_mediation_score": max(after - before for before, after in pairwise(share)),
        "real_activation_patching_effect": sum(share[1:-1]) / len(share[1:-1]),
        "real_ablation_robustness": next((k / n for k in range(n) if least[k] <= 0), 1.0),
        "real_critical_component_count": next((k + 1.0 for k in range(n) if greatest[k] <= 0), n + 1.0),
        "real_performance_degradation_slope": np.polyfit(np.arange(n + 1) / n, np.array([clean, *greatest]) / clean, 1)[
            0
        ],
        "real_intervention_sensitivity": sum(map(abs, exact)) / n / abs(clean),
        "answer_margin": clean,
        "answered_correctly": clean > 0,
        "attribution_rank_correlation": stats.spearmanr(exact, attributed).statistic,
        "attribution_max_difference": max(np.abs(attributed - exact)),
    }
    normalised = ("causal_mediation_score", "activation_patching_effect")
    in_order = ("ablation_robustness", "critical_component_count", "performance_degradation_slope")
    missing = [*(normalised if abs(gap) < 0.1 else ()), *(in_order if clean <= 0 else ())]
    return row | {f"real_{name}": np.nan for name in missing}


@pytest.mark.parametrize("family", FAMILIES_IN_TURN)
def test_the_table_equals_its_definitions_prompt_by_prompt(family: str, tmp_path: Path) -> None:
    model = tiny_model(family, tmp_path)
    prompts = random_causal_prompts(model.config.vocab_size, LENGTHS)
    naive = NaiveComponents(model)
    means = naive.means(prompts)
    expected = pd.DataFrame([naive_row(naive, prompt, means) for prompt in prompts])
    table = causal_table(model, prompts, tokens_per_batch=30)
    pd.testing.assert_frame_equal(table, expected, rtol=1e-4, atol=1e-4)
    assert 0 < table["answered_correctly"].sum() < len(prompts)  # both kinds of answers are among them


def test_the_means_are_those_of_the_reference(gpt2: PreTrainedModel) -> None:
    prompts = random_causal_prompts(gpt2.config.vocab_size, LENGTHS[:3])
    reference = random_causal_prompts(gpt2.config.vocab_size, ((4, 1), (10, 1)))
    naive = NaiveComponents(gpt2)
    means = naive.means(reference)
    expected = pd.DataFrame([naive_row(naive, prompt, means) for prompt in prompts])
    table = causal_table(gpt2, prompts, tokens_per_batch=30, reference=[prompt.ids for prompt in reference])
    pd.testing.assert_frame_equal(table, expected, rtol=1e-4, atol=1e-4)
    own = causal_table(gpt2, prompts, tokens_per_batch=30)
    # Another reference gives other effects, or the comparison would prove nothing.
    assert (own["real_indirect_effect_strength"] - table["real_indirect_effect_strength"]).abs().min() > 1e-3


@pytest.mark.parametrize("reference", [[], [[1, 2], []]])
def test_a_reference_without_tokens_is_refused(reference: list[list[int]], gpt2: PreTrainedModel) -> None:
    prompts = random_causal_prompts(gpt2.config.vocab_size, LENGTHS[:1])
    with pytest.raises(ValueError, match="give prompts to average over, each with at least one token"):
        causal_table(gpt2, prompts, tokens_per_batch=30, reference=reference)


def test_what_cannot_be_normalised_is_missing(gpt2: PreTrainedModel, tmp_path: Path) -> None:
    (prompt,) = random_causal_prompts(gpt2.config.vocab_size, LENGTHS[:1])
    same = prompt._replace(counterfactual_ids=prompt.ids)  # no difference to the counterfactual prompt
    normalised = ["real_causal_mediation_score", "real_activation_patching_effect"]
    assert causal_table(gpt2, [same], tokens_per_batch=30)[normalised].isna().all(axis=None)
    # One block has no state between the first and the last; a single step from P_0 to P_1 = 1 is the largest.
    one_block = tiny_model("gpt2", tmp_path / "one", n_layers=1)
    row = causal_table(one_block, [prompt], tokens_per_batch=30).iloc[0]
    assert np.isfinite(row["real_causal_mediation_score"])
    assert np.isnan(row["real_activation_patching_effect"])


def test_every_proxy_is_a_feature_and_has_its_measured_quantity(gpt2: PreTrainedModel) -> None:
    assert set(PROXIES) <= set(MECHANISTIC)
    prompts = random_causal_prompts(gpt2.config.vocab_size, LENGTHS[:1])
    assert {f"real_{proxy}" for proxy in PROXIES} <= set(causal_table(gpt2, prompts, tokens_per_batch=30).columns)
