"""Norms of gradients against a plain backward pass for each text, in several architectures."""

import pytest
import torch
from transformers import PreTrainedModel

from mechaware.models.gradients import gradient_norms, projection_gradient_norms
from tests.architectures import N_LAYERS, VOCABULARY, tiny_model

TEXTS = [[1, 7, 30, 8, 100, 9], [1, 210, 3], [1, 5, 5, 5, 60, 61, 62, 63, 64, 2]]
POSITIONS = [[1, 2, 3, 4, 5], [2], [1, 4, 5, 9]]
TIED = {"tie_word_embeddings": True}
# Positions that are learned, rotary positions with grouped queries, norms on both sides, biases, experts.
MODELS = {
    "GPT-2, tied": ("gpt2", TIED),
    "Llama": ("llama", {"tie_word_embeddings": False}),
    "Llama, tied": ("llama", TIED),
    "GPT-NeoX": ("gpt_neox", {}),
    "Gemma 2, tied": ("gemma2", TIED),
    "Starcoder 2": ("starcoder2", {}),
    "Mixtral": ("mixtral", {"num_local_experts": 4, "num_experts_per_tok": 2}),
}


def by_a_plain_backward_pass(model: PreTrainedModel, ids: list[int], positions: list[int]) -> float:
    model.zero_grad()
    log_probs = model(torch.tensor([ids])).logits[0].log_softmax(-1)
    loss = -sum(log_probs[position - 1, ids[position]] for position in positions) / len(positions)
    loss.backward()
    gradients = [weight.grad for weight in model.parameters() if weight.grad is not None]
    squares = sum(float(gradient.double().square().sum()) for gradient in gradients)
    model.zero_grad()
    return squares**0.5


@pytest.mark.parametrize("name", MODELS)
def test_norms_are_those_of_a_plain_backward_pass(name: str) -> None:
    model = tiny_model(*MODELS[name])
    assert max(map(max, TEXTS)) < VOCABULARY
    norms = gradient_norms(model, TEXTS, POSITIONS)
    plain = []
    for ids, positions in zip(TEXTS, POSITIONS, strict=True):
        plain.append(by_a_plain_backward_pass(model, ids, positions))
    assert norms is not None
    assert norms.tolist() == pytest.approx(plain, rel=1e-5)


def test_both_uses_of_a_tied_weight_are_in_one_gradient() -> None:
    """||a + b||, not the root of ||a||^2 + ||b||^2, which an untied copy of the model has."""
    tied = tiny_model("llama", TIED)
    untied = tiny_model("llama", {"tie_word_embeddings": False})
    weights = tied.state_dict()
    untied.load_state_dict(weights)
    of_tied = gradient_norms(tied, TEXTS, POSITIONS)
    of_untied = gradient_norms(untied, TEXTS, POSITIONS)
    assert of_tied is not None
    assert of_untied is not None
    assert (abs(of_tied / of_untied - 1) > 1e-4).all()


def test_the_model_is_left_as_it_was() -> None:
    model = tiny_model("llama", {})
    frozen, trained = list(model.parameters())[:2]
    frozen.requires_grad_(requires_grad=False)
    before = [weight.detach().clone() for weight in model.parameters()]

    norms = gradient_norms(model, TEXTS[:1], POSITIONS[:1])
    with_all = by_a_plain_backward_pass(tiny_model("llama", {}), TEXTS[0], POSITIONS[0])
    assert norms is not None
    assert norms[0] == pytest.approx(with_all, rel=1e-5)

    assert (frozen.requires_grad, trained.requires_grad) == (False, True)
    for weight, old in zip(model.parameters(), before, strict=True):
        assert weight.grad is None
        assert not weight._post_accumulate_grad_hooks
        assert torch.equal(weight, old)


def test_weights_outside_the_devices_have_no_gradients() -> None:
    model = tiny_model("llama", {})
    assert gradient_norms(model.to("meta"), TEXTS, POSITIONS) is None


def test_memory_that_does_not_suffice_leaves_gradients_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def too_large(*_arguments: object, **_named: object) -> None:
        raise torch.OutOfMemoryError

    model = tiny_model("llama", {})
    monkeypatch.setattr(model, "forward", too_large)
    assert gradient_norms(model, TEXTS, POSITIONS) is None
    assert "gradients are not measured" in capsys.readouterr().err
    assert all(not weight._post_accumulate_grad_hooks for weight in model.parameters())


PROJECTIONS = {
    "Llama": ("llama", {"tie_word_embeddings": False}),
    "GPT-2, tied": ("gpt2", TIED),
    "Mixtral": ("mixtral", {"num_local_experts": 4, "num_experts_per_tok": 2}),
}
# By hand: the names of each architecture's blocks, and of what is projected in one of them.
BLOCKS = {"Llama": "model.layers.", "GPT-2, tied": "transformer.h.", "Mixtral": "model.layers."}
PER_BLOCK = {"Llama": 7, "GPT-2, tied": 4, "Mixtral": 7}


@pytest.mark.parametrize("name", PROJECTIONS)
def test_norms_of_projections_are_those_of_a_backward_pass_for_each(name: str) -> None:
    model = tiny_model(*PROJECTIONS[name])
    norms = projection_gradient_norms(model, TEXTS, POSITIONS)
    assert norms.shape == (len(TEXTS), N_LAYERS * PER_BLOCK[name])

    for row, (ids, positions) in enumerate(zip(TEXTS, POSITIONS, strict=True)):
        column = 0
        for weight_name, weight in model.named_parameters():
            if not weight_name.startswith(BLOCKS[name]) or weight.ndim < 2:
                continue
            # The gradient of one weight alone, from a pass of its own.
            weight.requires_grad_()
            log_probs = model(torch.tensor([ids])).logits[0].log_softmax(-1)
            chosen = [log_probs[position - 1, ids[position]] for position in positions]
            loss = -sum(chosen) / len(positions)
            (gradient,) = torch.autograd.grad(loss, [weight])
            norm = float(gradient.double().square().sum()) ** 0.5
            assert norms[row, column] == pytest.approx(norm, rel=1e-5)
            column += 1
        assert column == norms.shape[1]


def test_the_norms_of_projections_are_a_part_of_the_norm_of_all_weights() -> None:
    model = tiny_model("llama", {})
    of_all = gradient_norms(model, TEXTS, POSITIONS)
    of_projections = projection_gradient_norms(model, TEXTS, POSITIONS)
    assert of_all is not None
    assert ((of_projections**2).sum(axis=1) < of_all**2).all()
