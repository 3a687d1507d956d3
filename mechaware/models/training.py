"""Trains small models on lines of text, each a question and an answer.

Training is one pass over the lines, without checkpoints.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import nn
from tqdm import tqdm

from mechaware.core.errors import UserError

if TYPE_CHECKING:
    from transformers import PreTrainedModel

# Every 5th batch packs 4 lines into a sequence: detectors score items after other lines.
_PACKED_EVERY = 5
_PACKED_LINES = 4
# By device, the largest length of a sequence divided by the smallest in one forward pass. On a CPU
# a twin's step takes 86 ms so, and 205 ms in a single pass. A GPU computes the padding of a small
# batch in less time than it takes to start another pass.
_MAX_LENGTH_RATIO = {"cpu": 1.25, "cuda": 2.5}
_DECAY = 0.2  # the share of the steps at the end over which the learning rate falls
_BETAS = (0.9, 0.98)  # of AdamW
_MAX_GRADIENT_NORM = 1.0

_TokenisedLine = tuple[Sequence[int], Sequence[int]]  # question, answer


class _Sequence(NamedTuple):
    """The token ids that a model reads as one text, and the weight of each token in the loss."""

    ids: list[int]
    weights: list[float]


@dataclass(frozen=True)
class LineRecipe:
    """How a model is trained on lines: by AdamW, one step for each batch.

    Gradients are clipped to norm 1.

    - `batch_size`: lines in a batch.
    - `learning_rate`: the highest rate. The rate rises linearly for `warmup_steps`, stays, and
      falls linearly over the last fifth of the steps (`_share_of_rate`).
    - `weight_decay`: of AdamW.
    """

    batch_size: int
    learning_rate: float
    warmup_steps: int
    weight_decay: float


def train_on_lines(
    model: "PreTrainedModel",
    lines: Sequence[_TokenisedLine],
    start: Sequence[int],
    recipe: LineRecipe,
    *,
    question_weight: float = 1.0,
) -> list[float]:
    """Train `model` in place on `lines`, in their order.

    Args:
        model: Parameters that require no gradient are not changed. It is left in evaluation mode.
        lines: The tokens of at least `batch_size` lines. The last batch is left out if it is not
            full.
        start: The tokens with which each sequence begins, without weight in the loss; may be empty.
        recipe: The size of a batch and the settings of the optimiser.
        question_weight: The weight of a question's token in the loss; an answer's token has the
            weight 1.

    Returns:
        The loss of each step: the weighted mean over the batch's tokens, in nats per token.

    Raises:
        UserError: The loss is not finite.
    """
    n_steps = len(lines) // recipe.batch_size
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(
        trained, lr=recipe.learning_rate, weight_decay=recipe.weight_decay, betas=_BETAS
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: _share_of_rate(step, n_steps, recipe.warmup_steps)
    )
    model.train()  # switches dropout on in families that have it
    losses = []
    all_batches = _batches(lines, start, recipe.batch_size, question_weight)
    full_batches = itertools.islice(all_batches, n_steps)
    progress = tqdm(full_batches, total=n_steps, unit="step", mininterval=5)
    for number, batch in enumerate(progress, start=1):
        optimiser.zero_grad()
        loss = _accumulate_gradients(model, batch)
        if not math.isfinite(loss):
            raise UserError(
                f"training diverged at step {number}; lower the learning rate or raise warmup_steps"
            )
        losses.append(loss)
        nn.utils.clip_grad_norm_(trained, _MAX_GRADIENT_NORM)
        optimiser.step()
        schedule.step()
    model.eval()  # type: ignore[no-untyped-call]
    return losses


def _share_of_rate(step: int, n_steps: int, warmup_steps: int) -> float:
    """The learning rate at a step, from 0, divided by the recipe's rate.

    It is min(1, (step + 1) / warmup_steps, (n_steps - step) / (0.2 n_steps)), and would be 0 at the
    step after the last.
    """
    rising = (step + 1) / max(1, warmup_steps)
    falling = (n_steps - step) / (_DECAY * n_steps)
    return min(1.0, rising, falling)


def _batches(
    lines: Sequence[_TokenisedLine], start: Sequence[int], batch_size: int, question_weight: float
) -> Iterator[list[_Sequence]]:
    """The sequences of each batch: one for each line, or in every 5th batch one for every 4 lines.

    The last batch may have fewer lines than `batch_size`, and its last sequence fewer than 4.
    """
    for number, first in enumerate(range(0, len(lines), batch_size), start=1):
        batch = lines[first : first + batch_size]
        lines_per_sequence = 1
        if number % _PACKED_EVERY == 0:
            lines_per_sequence = _PACKED_LINES
        sequences = []
        for line in range(0, len(batch), lines_per_sequence):
            packed = batch[line : line + lines_per_sequence]
            sequences.append(_sequence(packed, start, question_weight))
        yield sequences


def _sequence(
    lines: Sequence[_TokenisedLine], start: Sequence[int], question_weight: float
) -> _Sequence:
    """The lines as one sequence after the tokens `start`, which have no weight in the loss."""
    ids = list(start)
    weights = [0.0] * len(start)
    for question, answer in lines:
        ids += [*question, *answer]
        weights += [question_weight] * len(question)
        weights += [1.0] * len(answer)
    return _Sequence(ids, weights)


def _accumulate_gradients(model: "PreTrainedModel", batch: list[_Sequence]) -> float:
    """Add the gradients of a batch's mean loss to the model's, and return that loss.

    The mean is sum_t w_t loss_t / sum_t w_t, in nats per token, over the tokens t of all sequences
    except the first token of each, which has no prediction. Only sequences of similar length share
    a forward pass: otherwise one long line would pad all others to its length.
    """
    total_weight = sum(sum(sequence.weights[1:]) for sequence in batch)
    mean_loss = 0.0
    for part in _split_by_length(batch, _MAX_LENGTH_RATIO[model.device.type]):
        ids, weights = _pad(part, model.device)
        share = _summed_loss(model, ids, weights) / total_weight  # of the mean
        share.backward()  # type: ignore[no-untyped-call]
        mean_loss += share.item()
    return mean_loss


def _split_by_length(batch: list[_Sequence], max_ratio: float) -> Iterator[list[_Sequence]]:
    """The sequences in parts, the shortest first.

    In each part no sequence is longer than `max_ratio` times the shortest.
    """
    part: list[_Sequence] = []
    for sequence in sorted(batch, key=lambda sequence: len(sequence.ids)):
        shortest = part[0] if part else sequence
        if len(sequence.ids) > max_ratio * len(shortest.ids):
            yield part
            part = []
        part.append(sequence)
    yield part


def _pad(
    sequences: list[_Sequence], device: torch.device
) -> tuple[Int[torch.Tensor, "sequence pos"], Float[torch.Tensor, "sequence pos"]]:
    """The ids and the weights of some sequences, padded on the right to the longest.

    Any token can be the padding: no real position attends to it, and its weight is 0.
    """
    all_ids = [torch.tensor(sequence.ids) for sequence in sequences]
    all_weights = [torch.tensor(sequence.weights) for sequence in sequences]
    padded_ids = nn.utils.rnn.pad_sequence(all_ids, batch_first=True)
    padded_weights = nn.utils.rnn.pad_sequence(all_weights, batch_first=True)
    return padded_ids.to(device), padded_weights.to(device)


def _summed_loss(
    model: "PreTrainedModel",
    ids: Int[torch.Tensor, "sequence pos"],
    weights: Float[torch.Tensor, "sequence pos"],
) -> Float[torch.Tensor, ""]:
    """The weighted sum, in nats, of the losses of all tokens except the first of each sequence."""
    logits = model(input_ids=ids, use_cache=False).logits[:, :-1]
    next_ids = ids[:, 1:]
    losses = nn.functional.cross_entropy(logits.flatten(0, 1), next_ids.flatten(), reduction="none")
    return losses @ weights[:, 1:].flatten()
