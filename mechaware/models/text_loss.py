"""The mean loss of one text, of which gradients are taken."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import nn

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def text_loss(
    model: "PreTrainedModel", ids: Sequence[int], positions: Sequence[int]
) -> Float[torch.Tensor, ""]:
    """L(x), the mean of -log p(x_t | x_<t) in nats over the tokens at the `positions` of the
    text x, none of them 0.
    """
    text = torch.tensor(ids, device=model.device)
    scored = torch.tensor(positions, device=model.device)
    logits = model(input_ids=text[None], use_cache=False).logits[0]
    return nn.functional.cross_entropy(logits[scored - 1].float(), text[scored])
