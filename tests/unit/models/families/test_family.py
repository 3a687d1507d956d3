"""The logits of a family against the logits that transformers' own models compute
from the same states.

The last three tests read a model with capped logits through the logit lens, final logits and
patching.
"""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from transformers import PreTrainedModel

from mechaware.models.activations import split_prompts
from mechaware.models.capture import capture
from mechaware.models.families.family import Family
from mechaware.models.families.supported import FAMILIES
from mechaware.models.final_logits import final_logits
from mechaware.models.patching.kv_cut import cut_pairs
from mechaware.models.patching.residual import patch_pairs
from tests.tiny_models import WIDTH
from tests.unit.models.conftest import load
from tests.unit.models.families.adjusted import ADJUSTED, BOUND, GEMMA2, support, tiny_adjusted
from tests.unit.models.patching.naive_patching import (
    ALL_LAYERS,
    LOOSE,
    NaiveCut,
    NaiveLoop,
    random_pairs,
)

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
N_STATES = 6


@torch.inference_mode()
def own_logits(model: PreTrainedModel, family: Family, states: torch.Tensor) -> torch.Tensor:
    """The logits of transformers' own forward pass if its final norm reads
    `states` (row, d_model).
    """
    hook = model.get_submodule(family.final_norm).register_forward_pre_hook(
        lambda _norm, _arguments: (states[None],)
    )
    ids = torch.ones(1, len(states), dtype=torch.long)
    logits: torch.Tensor = model(ids, use_cache=False).logits[0]
    hook.remove()
    return logits


def random_states() -> torch.Tensor:
    return torch.randn(N_STATES, WIDTH, generator=torch.Generator().manual_seed(4))


@pytest.fixture(scope="module", params=[*FAMILIES.values(), *ADJUSTED], ids=lambda f: f.model_type)
def family(request: pytest.FixtureRequest) -> Family:
    return request.param


@pytest.fixture(params=[False, True], ids=["no bias", "bias"])
def model(
    family: Family, folders: dict[str, Path], request: pytest.FixtureRequest
) -> PreTrainedModel:
    """A tiny model of the family, without and with a bias of its unembedding."""
    supported = family.model_type in FAMILIES
    tiny = load(folders[family.model_type]) if supported else tiny_adjusted(family)
    if request.param:
        bias = torch.linspace(-3, 5, tiny.config.vocab_size)
        tiny.get_output_embeddings().bias = nn.Parameter(bias)
    return tiny


@torch.inference_mode()
def test_logits_are_the_models_own(model: PreTrainedModel, family: Family) -> None:
    states = random_states()
    expected = own_logits(model, family, states)
    normed = model.get_submodule(family.final_norm)(states)
    torch.testing.assert_close(family.logits(model, states), expected, **CLOSE)
    torch.testing.assert_close(family.logits(model, normed, normed=True), expected, **CLOSE)
    memory = torch.full_like(expected, torch.nan)
    torch.testing.assert_close(family.logits(model, states, out=memory), expected, **CLOSE)
    assert memory.isfinite().all()  # overwritten
    # The leading axes of the states stay: here two runs of three prompts.
    by_run = family.logits(model, states.view(2, 3, WIDTH))
    torch.testing.assert_close(by_run, expected.view(2, 3, -1), **CLOSE)


@torch.inference_mode()
def test_the_logits_of_answers_are_the_models_own(model: PreTrainedModel, family: Family) -> None:
    runs = random_states().view(2, 3, WIDTH)
    answers = torch.tensor([[7, 200], [31, 7], [249, 0]])
    expected = own_logits(model, family, random_states()).view(2, 3, -1)
    logits = family.answer_logits(model, runs, answers)
    for run in range(2):
        for prompt, tokens in enumerate(answers):
            torch.testing.assert_close(logits[run, prompt], expected[run, prompt, tokens], **CLOSE)


@pytest.mark.parametrize("family", ADJUSTED, ids=lambda family: family.model_type)
@torch.inference_mode()
def test_the_unembedding_alone_is_not_the_models_logits(family: Family) -> None:
    """If it were, the comparisons above could not show that the logits are scaled or capped."""
    model = tiny_adjusted(family)
    unembedded = model.get_output_embeddings()(model.model.norm(random_states()))
    difference = unembedded - own_logits(model, family, random_states())
    assert difference.abs().amax(-1).min() > 1


@torch.inference_mode()
def test_a_setting_that_the_architecture_lacks_changes_nothing(
    folders: dict[str, Path],
) -> None:
    model = load(folders["llama"])
    llama = FAMILIES["llama"]
    expected = own_logits(model, llama, random_states())
    settings: dict[str, Any] = {
        "final_logit_softcapping": 0.1,
        "logit_scale": 0.1,
        "logits_scaling": 9.0,
    }
    model.config.update(settings)
    assert torch.equal(own_logits(model, llama, random_states()), expected)
    torch.testing.assert_close(llama.logits(model, random_states()), expected, **CLOSE)


# Readings of a model with capped logits

PROMPTS = [[3, 1, 4, 1, 5], [9, 2, 6], [5, 3, 5, 8, 9, 7, 9]]


@pytest.fixture
def capped(monkeypatch: pytest.MonkeyPatch) -> PreTrainedModel:
    support(GEMMA2, monkeypatch)
    return tiny_adjusted(GEMMA2)


def test_the_logit_lens_caps_logits_in_every_layer(capped: PreTrainedModel) -> None:
    captured = capture(capped, PROMPTS, tokens_per_batch=10)
    for prompt in split_prompts(captured):
        logits = own_logits(capped, GEMMA2, prompt.hidden_states[-1])
        log_probs = logits.double().log_softmax(-1)
        confidence = log_probs.exp().amax(-1)
        entropy = -(log_probs.exp() * log_probs).sum(-1)
        torch.testing.assert_close(prompt.confidence.double(), confidence, rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(prompt.entropy.double(), entropy, rtol=1e-5, atol=1e-5)


def test_final_logits_are_capped(capped: PreTrainedModel) -> None:
    logits = final_logits(capped, PROMPTS, tokens_per_batch=10)
    with torch.inference_mode():
        expected = [capped(torch.tensor([ids])).logits[0, -1] for ids in PROMPTS]
    torch.testing.assert_close(logits, torch.stack(expected), **CLOSE)
    # Without the cap the largest would be about 3.
    assert 0.9 * BOUND < logits.abs().max() < BOUND


def test_patched_differences_are_of_capped_logits(capped: PreTrainedModel) -> None:
    """Differences of the last layer's outputs and of keys and values,
    against hooks on transformers' own model.
    """
    pairs = random_pairs(capped.config.vocab_size)
    cut_blocks = [{1}, {2, 3}]
    patched = patch_pairs(capped, pairs, tokens_per_batch=LOOSE)
    cut = cut_pairs(capped, pairs, [cut_blocks] * len(pairs), tokens_per_batch=LOOSE)

    loop = NaiveLoop(capped)
    naive_cut = NaiveCut(capped)
    close = {"rtol": 0, "atol": 2e-5, "check_dtype": False}
    for index, pair in enumerate(pairs):
        clean_diff = loop.difference(pair.clean, pair)
        torch.testing.assert_close(patched.clean_diff[index], clean_diff, **close)

        states = loop.states(pair.clean, pair)
        by_layer = []
        for layer in ALL_LAYERS:
            by_layer.append(loop.patched(pair.corrupted, pair, layer, states[layer]))
        torch.testing.assert_close(patched.patched_diff[index], torch.stack(by_layer), **close)

        by_set = [naive_cut.patched(pair, "denoise", blocks) for blocks in cut_blocks]
        cut_diff = cut.cut_diff["denoise"][index]
        torch.testing.assert_close(cut_diff, torch.stack(by_set), **close)
