"""A copy of a model after a few steps of training on some texts."""

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from mechaware.models.text_loss import text_loss

if TYPE_CHECKING:
    from transformers import PreTrainedModel

EPOCHS = 3
TEXTS_PER_STEP = 8
LEARNING_RATE = 3e-4


def fine_tuned(
    model: "PreTrainedModel",
    texts: Sequence[Sequence[int]],
    positions: Sequence[Sequence[int]],
) -> "PreTrainedModel":
    """A copy of the model that has read each text of token ids `EPOCHS` times, in their order.

    A step of AdamW (no weight decay, constant learning rate `LEARNING_RATE`, all weights) lowers the mean of L(x) over
    the next `TEXTS_PER_STEP` texts; L(x) is the mean of -log p(x_t | x_<t) over the tokens at the `positions` of the
    text, none of them 0. Dropout is off. The copy, its gradient and the two moments of AdamW need four times the memory
    of the model.
    """
    tuned = copy.deepcopy(model)
    tuned.requires_grad_()
    optimiser = torch.optim.AdamW(tuned.parameters(), lr=LEARNING_RATE, weight_decay=0.0)
    for _ in range(EPOCHS):
        for start in range(0, len(texts), TEXTS_PER_STEP):
            batch = range(start, min(start + TEXTS_PER_STEP, len(texts)))
            optimiser.zero_grad()
            with torch.enable_grad():
                for text in batch:
                    share = text_loss(tuned, texts[text], positions[text]) / len(batch)
                    share.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
    return tuned.requires_grad_(requires_grad=False)
