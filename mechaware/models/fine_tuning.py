"""A copy of a model after a few steps of training on some texts."""

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from mechaware.models.text_loss import text_loss

if TYPE_CHECKING:
    from transformers import PreTrainedModel

EPOCHS = 3  # as in the paper of FSD, for which the copy is trained (`detectors.probes`)
TEXTS_PER_STEP = 8
LEARNING_RATE = 3e-4


def fine_tuned(
    model: "PreTrainedModel",
    texts: Sequence[Sequence[int]],
    positions: Sequence[Sequence[int]],
) -> "PreTrainedModel":
    """A frozen copy of the model, trained for `EPOCHS` epochs on the texts in their given order.

    Each step of AdamW (no weight decay, constant learning rate `LEARNING_RATE`, all weights)
    lowers the mean of L(x) over the next `TEXTS_PER_STEP` texts; the last step of an epoch takes
    the texts that are left. L(x) is the mean of -log p(x_t | x_<t), in nats, over the scored tokens
    of text x. The copy stays in evaluation mode, so dropout is off. The copy, its gradient and the
    two moments of AdamW need four times the memory of the model.

    Args:
        model: The model, in evaluation mode; it is not changed.
        texts: The token ids of each text.
        positions: For each text the positions of its scored tokens, none of them 0.
    """
    tuned = copy.deepcopy(model)
    tuned.requires_grad_()
    optimiser = torch.optim.AdamW(tuned.parameters(), lr=LEARNING_RATE, weight_decay=0.0)
    for _ in range(EPOCHS):
        for start in range(0, len(texts), TEXTS_PER_STEP):
            batch_texts = texts[start : start + TEXTS_PER_STEP]
            batch_positions = positions[start : start + TEXTS_PER_STEP]
            optimiser.zero_grad()
            with torch.enable_grad():
                for ids, scored in zip(batch_texts, batch_positions, strict=True):
                    loss = text_loss(tuned, ids, scored) / len(batch_texts)
                    loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
    return tuned.requires_grad_(requires_grad=False)
