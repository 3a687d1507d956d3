"""The features against a plain reference (`reference.py`), and against sums worked by hand."""

import math
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mechaware.core.errors import UserError
from mechaware.instruments.radar.feature_extraction.features import (
    FEATURE_KIND,
    FEATURES,
    MECHANISTIC,
    SURFACE,
    summary_table,
)
from mechaware.instruments.radar.feature_extraction.measurements import REDUCTIONS
from mechaware.models.activations import PromptActivations, summarise
from tests.unit.instruments.radar.feature_extraction.reference import (
    reference_features,
    reference_mechanistic,
    reference_surface,
)

# Whole numbers, which must be equal; other features agree up to rounding.
COUNTS = {
    "convergence_layer",
    "oscillation_count",
    "num_specialized_heads",
    "critical_component_count",
}


class Raw(NamedTuple):
    """The quantities of one prompt that features are made of, as the reference reads them."""

    confidence: np.ndarray  # layer
    entropy: np.ndarray  # layer
    hidden_states: np.ndarray  # token, layer, d_model
    attentions: np.ndarray  # layer, head, query, key

    def activations(self) -> PromptActivations:
        """The same quantities as the library reads them."""
        row_entropy = np.zeros(self.attentions.shape[:3])
        for layer, head, query in np.ndindex(row_entropy.shape):
            weights = self.attentions[layer, head, query].tolist()
            row_entropy[layer, head, query] = -sum(p * math.log(p) for p in weights if p > 0)
        # [layer, head, query] -> [query, layer, head]
        by_token = row_entropy.transpose(2, 0, 1).copy()
        return PromptActivations(
            hidden_states=torch.from_numpy(self.hidden_states),
            attention_row_entropy=torch.from_numpy(by_token),
            confidence=torch.from_numpy(self.confidence),
            entropy=torch.from_numpy(self.entropy),
        )


def causal_attention(kind, layers, heads, tokens, random):
    """Rows that sum to 1 over the keys up to the query's own, as [layer, head, query, key]."""
    shape = (layers, heads, tokens, tokens)
    scores = np.zeros(shape)  # uniform
    if kind == "random":
        scores = random.normal(size=shape)
    elif kind == "peaked":
        scores = 30 * random.normal(size=shape)
    elif kind == "to the first token":
        scores[..., 1:] = -1e4
    # Scores are relative to the first key, whose weight is then 1: no row sums to 0. A query sees
    # the keys up to its own.
    weights = np.exp(scores - scores[..., :1]) * np.tri(tokens)
    return weights / weights.sum(-1, keepdims=True)


def residual_stream(kind, tokens, layers, d_model, random):
    """States as [token, layer, d_model] in float32, as a model gives them."""
    states = random.normal(size=(tokens, layers, d_model))
    if kind == "rank one":
        states = states[:, :, :1] * random.normal(size=(1, layers, d_model))
    elif kind == "repeated tokens":
        # Every token has the states of a random token of the first half.
        n_distinct = max(1, tokens // 2)
        states = states[random.integers(n_distinct, size=tokens)]
    elif kind == "massive first token":
        states[0] *= 1e3
    elif kind == "equal layers":
        states = np.repeat(states[:, :1], layers, axis=1)
    return states.astype(np.float32)


def trajectories(layers, highest):
    """A float32 from 0 to `highest` for each layer.

    The values are free, or from only three values, so that ties are common, or all equal.
    """
    value = st.floats(0, highest, width=32)
    free = st.lists(value, min_size=layers, max_size=layers)
    three_values = [np.float32(highest * share).item() for share in (0.125, 0.25, 0.75)]
    tied = st.lists(st.sampled_from(three_values), min_size=layers, max_size=layers)
    constant = value.map(lambda repeated: [repeated] * layers)
    return st.one_of(free, tied, constant).map(lambda values: np.array(values, np.float32))


@st.composite
def raw_prompts(draw):
    """Small prompts with all kinds of `causal_attention` and of `residual_stream`."""
    layers = draw(st.integers(2, 7))
    tokens = draw(st.integers(1, 9))
    heads = draw(st.integers(1, 3))
    d_model = draw(st.integers(2, 6))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    attention_kind = draw(st.sampled_from(["random", "peaked", "uniform", "to the first token"]))
    states_kind = draw(
        st.sampled_from(
            ["full rank", "rank one", "repeated tokens", "massive first token", "equal layers"]
        )
    )
    return Raw(
        confidence=draw(trajectories(layers, 1.0)),
        # In nats: a uniform choice among 160,000 tokens, a large vocabulary, has about 12.
        entropy=draw(trajectories(layers, 12.0)),
        hidden_states=residual_stream(states_kind, tokens, layers, d_model, random),
        attentions=causal_attention(attention_kind, layers, heads, tokens, random),
    )


def features_of(activations, reduction, tau):
    """The features of one prompt by name; a head whose entropy is below `tau` is specialised."""
    table = summary_table(
        [summarise(activations)], reduction=reduction, specialised_head_entropy=tau
    )
    return table.drop(columns="n_tokens").iloc[0].to_dict()


# No entropy of a uniform or one-hot head equals one of these thresholds: rounding never decides
# whether a head is below.
thresholds = st.sampled_from([0.01, 0.5, 1.5, 4.0])


@given(raw=raw_prompts(), tau=thresholds)
@settings(deadline=None, max_examples=120)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_every_feature_is_the_printed_formula(reduction, raw, tau):
    ours = features_of(raw.activations(), reduction, tau)
    expected = reference_features(
        raw.confidence,
        raw.entropy,
        raw.hidden_states,
        raw.attentions,
        reduction=reduction,
        tau=tau,
    )
    assert ours.keys() == expected.keys()
    for name, value in expected.items():
        assert math.isclose(ours[name], value, rel_tol=1e-6, abs_tol=1e-6), name
    for name in COUNTS:
        assert ours[name] == expected[name]


# Names and order


def test_names_kinds_and_order_are_those_of_the_appendix():
    random = np.random.default_rng(0)
    attentions = causal_attention("random", layers=2, heads=2, tokens=3, random=random)
    surface = reference_surface(random.random(2), random.random(2))
    mechanistic = reference_mechanistic(
        random.normal(size=(3, 2, 4)), attentions, reduction="sum", tau=1.5
    )
    assert list(SURFACE) == list(surface)
    assert list(MECHANISTIC) == list(mechanistic)
    assert list(FEATURES) == [*surface, *mechanistic]
    assert {FEATURE_KIND[name] for name in surface} == {"surface"}
    assert {FEATURE_KIND[name] for name in mechanistic} == {"mechanistic"}


# Worked by hand


def prompt_of(row_entropy) -> PromptActivations:
    """A prompt of one token with these entropies of attention rows, as [layer][head][query].

    The other quantities are the same in every layer: no test here reads them.
    """
    # [layer, head, query] -> [query, layer, head]
    entropies = torch.tensor(row_entropy, dtype=torch.float64).permute(2, 0, 1)
    n_layers = entropies.shape[1]
    ones = torch.ones(n_layers, dtype=torch.float64)
    # Two different entries, because `circuit_complexity` divides by the mean variance of a state's
    # entries.
    states = torch.tensor([1.0, 2.0], dtype=torch.float64).expand(1, n_layers, 2)
    return PromptActivations(
        hidden_states=states, attention_row_entropy=entropies, confidence=ones, entropy=ones
    )


def test_a_head_at_the_threshold_is_not_below_it():
    # Of four heads, 1.4375 and 1.25 are below 1.5.
    features = features_of(prompt_of([[[1.5], [1.4375]], [[1.25], [1.5]]]), "sum", 1.5)
    assert features["num_specialized_heads"] == 2
    assert features["critical_component_count"] == 2


def test_no_head_below_the_threshold_is_one_critical_component():
    features = features_of(prompt_of([[[1.5]], [[1.5]]]), "sum", 1.5)
    assert features["num_specialized_heads"] == 0
    assert features["critical_component_count"] == 1


def test_a_model_of_one_layer_is_refused():
    with pytest.raises(UserError, match="at least 2 layers"):
        features_of(prompt_of([[[1.0]]]), "sum", 1.5)


def test_uniform_attention_over_six_tokens_sums_to_the_logarithm_of_720_per_head():
    # The query at position i attends to i keys alike, so its row has entropy ln i:
    # ln 1 + ... + ln 6 = ln 720 = 6.579.
    raw = Raw(
        confidence=np.array([0.1, 0.2]),
        entropy=np.array([2.0, 1.0]),
        hidden_states=np.random.default_rng(0).normal(size=(6, 2, 4)),
        attentions=causal_attention(
            "uniform", layers=2, heads=3, tokens=6, random=np.random.default_rng(0)
        ),
    )
    summed = features_of(raw.activations(), "sum", 1.5)
    per_query = features_of(raw.activations(), "mean", 1.5)
    assert summed["attention_entropy"] == pytest.approx(math.log(720))
    assert per_query["attention_entropy"] == pytest.approx(math.log(720) / 6)  # 1.097
    # So the reduction decides whether none or all of the 2 x 3 heads fall below 1.5.
    assert (summed["num_specialized_heads"], per_query["num_specialized_heads"]) == (0, 6)
    # D.2.5: a tenth of the mean attention entropy.
    assert summed["direct_logit_attribution"] == pytest.approx(math.log(720) / 10)


# numpy warns of the infinite state before it is refused.
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_states_that_overflow_are_summarised_and_refused_by_the_table_of_features():
    """A layer with an infinite state has no rank; the refusal names the features not finite."""
    states = torch.ones(3, 2, 4)
    states[1, 0, 2] = torch.inf
    ones = torch.ones(2)
    prompt = PromptActivations(
        hidden_states=states,
        attention_row_entropy=torch.ones(3, 2, 1),
        confidence=ones,
        entropy=ones,
    )
    summary = summarise(prompt)
    assert np.isnan(summary.states.rank[0])
    assert summary.states.rank[1] == pytest.approx(1)  # equal rows
    with pytest.raises(
        UserError, match=r"state_rank_evolution .*overflow in float32; remove it from radar/models"
    ):
        summary_table([summary], reduction="mean", specialised_head_entropy=1.5)


# Features that the printed formulas make equal


@given(raw=raw_prompts(), tau=thresholds)
@settings(deadline=None, max_examples=40)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_features_that_the_appendix_makes_equal_are_equal(reduction, raw, tau):
    features = features_of(raw.activations(), reduction, tau)
    assert features["performance_degradation_slope"] == features["indirect_effect_strength"]
    assert (
        features["causal_path_length"] == features["effective_circuit_depth"] == len(raw.confidence)
    )
    assert features["working_memory_complexity"] == features["state_rank_evolution"]
    assert features["activation_patching_effect"] == features["direct_logit_attribution"]
    assert features["information_gain"] == -features["entropy_change"]
    assert features["prediction_stability"] == 1 - features["std_confidence"]
    assert features["critical_component_count"] == max(1, features["num_specialized_heads"])
