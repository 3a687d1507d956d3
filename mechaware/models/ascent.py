"""How likely a text is after one step of gradient ascent on its loss: how easily a model can be made to forget it."""

import copy
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float

from mechaware.models.text_loss import text_loss

if TYPE_CHECKING:
    from transformers import PreTrainedModel

STEP = 0.001  # the length of the step, as a share of the norm of all weights


def log_probs_after_ascent(
    model: "PreTrainedModel",
    texts: Sequence[Sequence[int]],
    positions: Sequence[Sequence[int]],
) -> Float[np.ndarray, " text"]:
    """The mean log p(x_t | x_<t), in nats per token, of each text x after a step that makes the text less likely.

    L(x) is the mean of -log p(x_t | x_<t) over the tokens at `positions`. The weights w move to

        w + `STEP` ||w|| grad L(x) / ||grad L(x)||,

    the same distance for every text, and return to their original values before the next text. A weight with two uses,
    such as tied embeddings, has one gradient. A copy of the model takes the steps: with its gradient, this needs three
    times the memory of the model.

    Args:
        model: The model, which is not changed.
        texts: Token ids.
        positions: For each text, the positions of the tokens that count, none of them 0.
    """
    moving = copy.deepcopy(model)
    weights = list(moving.parameters())
    origins = list(model.parameters())
    length = STEP * _norm(origins)
    for weight in weights:
        weight.requires_grad_()

    after = []
    for ids, scored in zip(texts, positions, strict=True):
        with torch.enable_grad():
            gradients = torch.autograd.grad(
                text_loss(moving, ids, scored), weights, allow_unused=True
            )
        share = length / _norm(gradient for gradient in gradients if gradient is not None)
        with torch.no_grad():
            for weight, gradient in zip(weights, gradients, strict=True):
                if gradient is not None:
                    weight.add_(gradient, alpha=share)
            after.append(-float(text_loss(moving, ids, scored)))
            # Copied, because rounding errors of steps back would add up from text to text.
            for weight, origin in zip(weights, origins, strict=True):
                weight.copy_(origin)
    return np.array(after)


def _norm(tensors: Iterable[torch.Tensor]) -> float:
    """The L2 norm of all entries together, in float64."""
    return float(sum(float(tensor.detach().double().square().sum()) for tensor in tensors) ** 0.5)
