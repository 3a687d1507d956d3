"""Norms of gradients against one backward pass of autograd for each text, by architecture."""

from typing import Any

import pytest
import torch
from transformers import PreTrainedModel

from mechaware.models.gradients import gradient_norms, projection_gradient_norms
from tests.architectures import N_LAYERS, VOCABULARY, tiny_model

TEXTS = [[1, 7, 30, 8, 100, 9], [1, 210, 3], [1, 5, 5, 5, 60, 61, 62, 63, 64, 2]]
POSITIONS = [[1, 2, 3, 4, 5], [2], [1, 4, 5, 9]]
TIED = {"tie_word_embeddings": True}
UNTIED = {"tie_word_embeddings": False}
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "GPT-2, tied": ("gpt2", TIED),  # learned positions
    "Llama": ("llama", UNTIED),  # rotary positions, grouped queries
    "Llama, tied": ("llama", TIED),
    "GPT-NeoX": ("gpt_neox", {}),
    "Gemma 2, tied": ("gemma2", TIED),  # norms before and after attention and MLP
    "Starcoder 2": ("starcoder2", {}),  # biases
    "Mixtral": ("mixtral", {"num_local_experts": 4, "num_experts_per_tok": 2}),  # experts
}


def loss_of(model: PreTrainedModel, ids: list[int], positions: list[int]) -> torch.Tensor:
    """The mean of -log p(token | tokens before it) over the tokens at `positions`."""
    log_probs = model(torch.tensor([ids])).logits[0].log_softmax(-1)
    chosen = [log_probs[position - 1, ids[position]] for position in positions]
    return -torch.stack(chosen).mean()


def norm_by_autograd(model: PreTrainedModel, ids: list[int], positions: list[int]) -> float:
    """The L2 norm of the loss's gradient over all weights, which are all kept until the end."""
    model.zero_grad()
    loss_of(model, ids, positions).backward()
    gradients = [weight.grad for weight in model.parameters() if weight.grad is not None]
    squares = sum(float(gradient.double().square().sum()) for gradient in gradients)
    model.zero_grad()
    return squares**0.5


@pytest.mark.parametrize("name", MODELS)
def test_norms_are_those_of_a_backward_pass_of_autograd(name: str) -> None:
    model = tiny_model(*MODELS[name])
    assert max(map(max, TEXTS)) < VOCABULARY
    norms = gradient_norms(model, TEXTS, POSITIONS)
    expected = []
    for ids, positions in zip(TEXTS, POSITIONS, strict=True):
        expected.append(norm_by_autograd(model, ids, positions))
    assert norms is not None
    assert norms.tolist() == pytest.approx(expected, rel=1e-5)


def test_both_uses_of_a_tied_weight_are_in_one_gradient() -> None:
    """A tied weight with the gradients a and b of its uses has the norm ||a + b||.

    In an untied copy of the model its share is the root of ||a||^2 + ||b||^2, which differs.
    """
    tied = tiny_model("llama", TIED)
    untied = tiny_model("llama", UNTIED)
    untied.load_state_dict(tied.state_dict())
    tied_norms = gradient_norms(tied, TEXTS, POSITIONS)
    untied_norms = gradient_norms(untied, TEXTS, POSITIONS)
    assert tied_norms is not None
    assert untied_norms is not None
    assert (abs(tied_norms / untied_norms - 1) > 1e-4).all()


def test_a_frozen_weight_counts_and_the_model_is_left_as_it_was() -> None:
    model = tiny_model("llama", {})
    frozen, trained = list(model.parameters())[:2]
    frozen.requires_grad_(requires_grad=False)
    before = [weight.detach().clone() for weight in model.parameters()]

    norms = gradient_norms(model, TEXTS[:1], POSITIONS[:1])
    nothing_frozen = tiny_model("llama", {})
    expected = norm_by_autograd(nothing_frozen, TEXTS[0], POSITIONS[0])
    assert norms is not None
    assert norms[0] == pytest.approx(expected, rel=1e-5)

    assert (frozen.requires_grad, trained.requires_grad) == (False, True)
    for weight, old in zip(model.parameters(), before, strict=True):
        assert weight.grad is None
        assert not weight._post_accumulate_grad_hooks
        assert torch.equal(weight, old)


def test_weights_on_no_device_have_no_gradients() -> None:
    model = tiny_model("llama", {})
    assert gradient_norms(model.to("meta"), TEXTS, POSITIONS) is None


def test_a_pass_that_does_not_fit_the_memory_gives_none_and_removes_its_hooks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def too_large(*_arguments: object, **_named: object) -> None:
        raise torch.OutOfMemoryError

    model = tiny_model("llama", {})
    monkeypatch.setattr(model, "forward", too_large)
    assert gradient_norms(model, TEXTS, POSITIONS) is None
    assert "gradients are not measured" in capsys.readouterr().err
    assert all(not weight._post_accumulate_grad_hooks for weight in model.parameters())


# By hand: the projections in one block of each architecture, and where its blocks are.
PER_BLOCK = {
    "Llama": 7,  # queries, keys, values, output; gate, up, down
    "GPT-2, tied": 4,  # queries, keys and values in one, output; up, down
    "Mixtral": 7,  # queries, keys, values, output; router, gate and up in one, down
}
BLOCKS = {"Llama": "model.layers.", "GPT-2, tied": "transformer.h.", "Mixtral": "model.layers."}


@pytest.mark.parametrize("name", PER_BLOCK)
def test_norms_of_projections_are_those_of_a_backward_pass_for_each(name: str) -> None:
    model = tiny_model(*MODELS[name])
    norms = projection_gradient_norms(model, TEXTS, POSITIONS)
    assert norms.shape == (len(TEXTS), N_LAYERS * PER_BLOCK[name])

    for row, (ids, positions) in enumerate(zip(TEXTS, POSITIONS, strict=True)):
        column = 0
        for weight_name, weight in model.named_parameters():
            if not weight_name.startswith(BLOCKS[name]) or weight.ndim < 2:
                continue
            # The gradient of one weight alone, from a pass of its own.
            weight.requires_grad_()
            loss = loss_of(model, ids, positions)
            (gradient,) = torch.autograd.grad(loss, [weight])
            norm = float(gradient.double().square().sum()) ** 0.5
            assert norms[row, column] == pytest.approx(norm, rel=1e-5)
            column += 1
        assert column == norms.shape[1]


def test_the_squares_of_the_projections_norms_add_to_less_than_that_of_all_weights() -> None:
    """Embeddings and norms have the rest."""
    model = tiny_model("llama", {})
    norms = gradient_norms(model, TEXTS, POSITIONS)
    projection_norms = projection_gradient_norms(model, TEXTS, POSITIONS)
    assert norms is not None
    assert ((projection_norms**2).sum(axis=1) < norms**2).all()
