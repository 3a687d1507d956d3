"""How likely a text is after one step of gradient ascent on its loss.

The less likely it has become, the more easily the model forgets it.
"""

import copy
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float

from mechaware.models.text_loss import text_loss

if TYPE_CHECKING:
    from transformers import PreTrainedModel

STEP = 0.001  # the distance that the weights move, relative to their norm ||w||


def log_probs_after_ascent(
    model: "PreTrainedModel",
    texts: Sequence[Sequence[int]],
    positions: Sequence[Sequence[int]],
) -> Float[np.ndarray, " text"]:
    """The mean log p(x_t | x_<t) of each text x, in nats per token, after a step that lowers it.

    L(x) is the mean of -log p(x_t | x_<t) over the tokens at `positions`. The weights w move to

        w + `STEP` ||w|| grad L(x) / ||grad L(x)||,

    the same distance for every text, and return to their original values before the next text. A
    weight with two uses, such as tied embeddings, has one gradient.

    The steps are taken by a copy of the model. The model, the copy and the gradient together need
    three times the memory of the model.

    Args:
        model: The model, which is not changed.
        texts: Token ids.
        positions: For each text, the positions of the tokens that are scored, none of them 0.
    """
    stepped = copy.deepcopy(model)
    weights = list(stepped.parameters())
    origins = list(model.parameters())
    distance = STEP * _norm(origins)
    for weight in weights:
        weight.requires_grad_()

    log_probs = []
    for ids, scored in zip(texts, positions, strict=True):
        with torch.enable_grad():
            loss = text_loss(stepped, ids, scored)
            # The gradient of a weight that the text does not use is None.
            gradients = torch.autograd.grad(loss, weights, allow_unused=True)
        gradient_norm = _norm(gradient for gradient in gradients if gradient is not None)

        with torch.no_grad():
            for weight, gradient in zip(weights, gradients, strict=True):
                if gradient is not None:
                    weight.add_(gradient, alpha=distance / gradient_norm)
            log_probs.append(-float(text_loss(stepped, ids, scored)))

            # Copied: subtracting the step again would let rounding errors add up from text to text.
            for weight, origin in zip(weights, origins, strict=True):
                weight.copy_(origin)
    return np.array(log_probs)


def _norm(tensors: Iterable[torch.Tensor]) -> float:
    """The L2 norm of all entries together, in float64."""
    return float(sum(float(tensor.detach().double().square().sum()) for tensor in tensors) ** 0.5)
