"""The norm of a text's gradient: how far one step of training on the text would move a model's
weights.

It is measured over all weights, and for each weight matrix of the blocks.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float

from mechaware.models.families.supported import find_modules
from mechaware.models.text_loss import text_loss

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def gradient_norms(
    model: "PreTrainedModel",
    texts: Sequence[Sequence[int]],
    positions: Sequence[Sequence[int]],
) -> Float[np.ndarray, " text"] | None:
    """||grad L(x)||, the L2 norm over all weights, of each text x.

    L(x) is the mean of -log p(x_t | x_<t), in nats, over the tokens at `positions`. A weight with
    two uses, such as tied embeddings, has one gradient.

    Each text has a forward and a backward pass of its own. This works for every architecture, and
    larger batches would save no time, since each text needs its own gradient. The gradient of a
    weight is freed as soon as it is complete, so this needs the memory of one pass and of the
    largest weight, instead of a second model.

    Args:
        model: The model, which is not changed.
        texts: Token ids.
        positions: For each text, the positions of the tokens that count, none of them 0.

    Returns:
        A norm for each text. None where no gradient can be computed: some weights are on no device
        (`device_map: auto`), or a backward pass does not fit the GPU's memory, which the
        log records.
    """
    if any(weight.is_meta for weight in model.parameters()):
        return None

    try:
        squares_by_text = _squares_by_text(model, texts, positions)
    except torch.OutOfMemoryError:
        print(
            "a backward pass does not fit the GPU's memory; gradients are not measured",
            file=sys.stderr,
        )
        return None
    return np.array([sqrt(sum(squares.values())) for squares in squares_by_text])


def projection_gradient_norms(
    model: "PreTrainedModel",
    texts: Sequence[Sequence[int]],
    positions: Sequence[Sequence[int]],
) -> Float[np.ndarray, "text projection"]:
    """||dL(x) / dW||, the Frobenius norm, of each text x of token ids and each projection W of the
    blocks.

    L(x) is as in `gradient_norms`. A projection is a weight of a block with two axes or more: of
    queries, keys, values and the output of attention, and of the MLP; norms and biases are not
    projections. The columns are in the order of the blocks, within a block in the order of the
    model. Raises `NoInternalsError` for a model whose blocks are unknown.
    """
    projections = []
    for block in find_modules(model).blocks:
        projections += [weight for weight in block.parameters() if weight.ndim > 1]

    norms = []
    for squares in _squares_by_text(model, texts, positions):
        norms.append([sqrt(squares[weight]) for weight in projections])
    return np.array(norms)


def _squares_by_text(
    model: "PreTrainedModel",
    texts: Sequence[Sequence[int]],
    positions: Sequence[Sequence[int]],
) -> list[dict[torch.Tensor, float]]:
    """For each text the square of the norm of each weight's gradient."""
    by_text = []
    with _squares_of_gradients(model) as squares:
        for ids, scored in zip(texts, positions, strict=True):
            squares.clear()
            text_loss(model, ids, scored).backward()  # type: ignore[no-untyped-call]
            by_text.append(dict(squares))
    return by_text


@contextmanager
def _squares_of_gradients(model: "PreTrainedModel") -> Iterator[dict[torch.Tensor, float]]:
    """A mapping in which a backward pass enters the squared norm of each weight's gradient; the
    gradient is then freed.

    Inside the context all weights require a gradient; afterwards, the same weights as before.
    """
    squares: dict[torch.Tensor, float] = {}

    def add_square(weight: torch.Tensor) -> None:
        assert weight.grad is not None  # noqa: S101 - the hook fires when the gradient is complete
        # By row first: one sum of 28 million squares is off by 0.2% in float32, and takes 20 times
        # as long in float64.
        rows = torch.linalg.vector_norm(weight.grad, dim=-1, dtype=torch.float32)
        squares[weight] = float(rows.double().square().sum())
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
