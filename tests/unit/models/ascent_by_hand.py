"""Steps of gradient ascent, and the log-probability of a text, by hand."""

import copy
import math

import torch
from transformers import PreTrainedModel

from mechaware.models.ascent import STEP


def mean_log_prob(model: PreTrainedModel, ids: list[int], positions: list[int]) -> torch.Tensor:
    log_probs = model(torch.tensor([ids])).logits[0].log_softmax(-1)
    return sum(log_probs[position - 1, ids[position]] for position in positions) / len(positions)


def after_a_step(model: PreTrainedModel, ids: list[int], positions: list[int]) -> float:
    """Down the text's log-probability, in a copy."""
    moved = copy.deepcopy(model)
    mean_log_prob(moved, ids, positions).backward()
    squares = gradient_squares = 0.0
    for weight in moved.parameters():
        squares += float(weight.detach().double().square().sum())
        if weight.grad is not None:
            gradient_squares += float(weight.grad.double().square().sum())
    length = STEP * math.sqrt(squares)
    for weight in moved.parameters():
        if weight.grad is not None:
            weight.data = weight.data - length / math.sqrt(gradient_squares) * weight.grad
    return float(mean_log_prob(moved, ids, positions).detach())
