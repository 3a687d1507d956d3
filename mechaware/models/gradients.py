"""The norm of a text's gradient: how far one step of training on the text would move a model's weights."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float
from torch import nn

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def gradient_norms(
    model: "PreTrainedModel",
    texts: Sequence[Sequence[int]],
    positions: Sequence[Sequence[int]],
) -> Float[np.ndarray, " text"] | None:
    """||grad L(x)||, the L2 norm over all weights, of each text x of token ids.

    L(x) is the mean of -log p(x_t | x_<t) in nats over the tokens at the `positions` of the text, none of them 0. A
    weight with two uses, such as tied embeddings, has one gradient.

    Texts pass one by one, each with its own backward pass: that holds for every architecture, and no larger batch saves
    time, since each text needs a gradient of its own. A weight's gradient is freed as soon as it is complete, so that
    the memory is that of one pass and of the largest weight, and not of a second model.

    None where no gradient can be had: some weights lie outside the devices (`device_map: auto`), or a backward pass
    does not fit the GPU's memory, which the log says.
    """
    if any(weight.is_meta for weight in model.parameters()):
        return None

    norms = []
    try:
        with _squares_of_gradients(model) as squares:
            for ids, scored in zip(texts, positions, strict=True):
                squares.clear()
                _loss(model, ids, scored).backward()  # type: ignore[no-untyped-call]
                norms.append(sqrt(sum(squares)))
    except torch.OutOfMemoryError:
        print(
            "a backward pass does not fit the GPU's memory; gradients are not measured",
            file=sys.stderr,
        )
        return None
    return np.array(norms)


@contextmanager
def _squares_of_gradients(model: "PreTrainedModel") -> Iterator[list[float]]:
    """A list to which a backward pass adds the square of the norm of each weight's gradient, which it then frees.

    Inside, all weights have gradients; afterwards those that had them before.
    """
    squares: list[float] = []

    def add_square(weight: torch.Tensor) -> None:
        assert weight.grad is not None  # noqa: S101 - the hook fires when it is complete
        # Rows first: a sum of 28 million squares in float32 is off by 0.2%, and one in float64 takes 20 times as long.
        rows = torch.linalg.vector_norm(weight.grad, dim=-1, dtype=torch.float32)
        squares.append(float(rows.double().square().sum()))
        weight.grad = None

    weights = list(model.parameters())
    required = [weight.requires_grad for weight in weights]
    hooks = []
    try:
        for weight in weights:
            weight.requires_grad_()
            hook = weight.register_post_accumulate_grad_hook(add_square)  # type: ignore[no-untyped-call]
            hooks.append(hook)
        with torch.enable_grad():
            yield squares
    finally:
        for hook in hooks:
            hook.remove()
        for weight, was_required in zip(weights, required, strict=True):
            weight.grad = None
            weight.requires_grad_(was_required)


def _loss(
    model: "PreTrainedModel", ids: Sequence[int], positions: Sequence[int]
) -> Float[torch.Tensor, ""]:
    text = torch.tensor(ids, device=model.device)
    scored = torch.tensor(positions, device=model.device)
    logits = model(input_ids=text[None], use_cache=False).logits[0]
    return nn.functional.cross_entropy(logits[scored - 1].float(), text[scored])
