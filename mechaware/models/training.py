"""Trains small models on lines of text, each a question and an answer, in one pass, without checkpoints."""

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

# Every 5th batch packs 4 lines into a sequence: detectors score items after a prefix of other lines.
_PACKED_EVERY = 5
_PACKED_LINES = 4
# By device, the longest sequence of a pass divided by its shortest. On a CPU a twin's step takes 86 ms, and 205 ms in a
# single pass. A GPU computes the padding of a small batch in less time than it takes to start another pass.
_MAX_LENGTH_RATIO = {"cpu": 1.25, "cuda": 2.5}
_DECAY = 0.2  # the last share of the steps, over which the learning rate falls to 0

_TokenisedLine = tuple[Sequence[int], Sequence[int]]  # question, answer


class _Sequence(NamedTuple):
    """What a model reads as one text: token ids, and the weight of each token in the loss."""

    ids: list[int]
    weights: list[float]


@dataclass(frozen=True)
class LineRecipe:
    """How a model is trained on lines: by AdamW, in one pass over them in their order.

    - `batch_size`: lines in a batch.
    - `learning_rate`: its highest value. It rises for `warmup_steps`, stays, and falls to 0 over the last fifth of the
      steps.
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
    """Train `model` in place on `lines`, in their order; returns the loss of each step, in nats per token.

    Args:
        model: Parameters that require no gradient are not changed.
        lines: The tokens of at least `batch_size` lines. The last batch is left out if it is not full.
        start: The tokens with which each sequence begins; may be empty.
        recipe: How it is trained.
        question_weight: The weight of a question's token in the loss; an answer's token has the weight 1.

    Raises:
        UserError: The loss is not finite.
    """
    steps = len(lines) // recipe.batch_size
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(
        trained, lr=recipe.learning_rate, weight_decay=recipe.weight_decay, betas=(0.9, 0.98)
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: _share_of_rate(step, steps, recipe.warmup_steps)
    )
    model.train()  # switches dropout on in families that have it
    losses = []
    all_batches = _batches(lines, start, recipe.batch_size, question_weight)
    batches = itertools.islice(all_batches, steps)
    for step, batch in enumerate(tqdm(batches, total=steps, unit="step", mininterval=5)):
        optimiser.zero_grad()
        losses.append(_accumulate(model, batch))
        if not math.isfinite(losses[-1]):
            raise UserError(
                f"training diverged at step {step + 1}; lower the learning rate or raise warmup_steps"
            )
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        schedule.step()
    model.eval()  # type: ignore[no-untyped-call]
    return losses


def _share_of_rate(step: int, steps: int, warmup_steps: int) -> float:
    """The learning rate at a step, from 0, as a share of the recipe's."""
    rising = (step + 1) / max(1, warmup_steps)
    falling = (steps - step) / (_DECAY * steps)
    return min(1.0, rising, falling)


def _batches(
    lines: Sequence[_TokenisedLine], start: Sequence[int], batch_size: int, question_weight: float
) -> Iterator[list[_Sequence]]:
    """The sequences of each batch: one per line, or in every 5th batch one per 4 lines."""
    for number, first in enumerate(range(0, len(lines), batch_size), start=1):
        batch = lines[first : first + batch_size]
        n_packed = 1
        if number % _PACKED_EVERY == 0:
            n_packed = _PACKED_LINES
        sequences = []
        for line in range(0, len(batch), n_packed):
            sequences.append(_sequence(batch[line : line + n_packed], start, question_weight))
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


def _accumulate(model: "PreTrainedModel", batch: list[_Sequence]) -> float:
    """Add the gradients of a batch's mean loss, and return the loss, in nats per token.

    Only sequences of similar length share a pass: otherwise one long line would pad all others to its length.
    """
    total_weight = sum(sum(sequence.weights[1:]) for sequence in batch)
    loss = 0.0
    for part in _split_by_length(batch, _MAX_LENGTH_RATIO[model.device.type]):
        share = _loss(model, *_padded(part, model.device)) / total_weight
        share.backward()  # type: ignore[no-untyped-call]
        loss += share.item()
    return loss


def _split_by_length(batch: list[_Sequence], max_ratio: float) -> Iterator[list[_Sequence]]:
    """The sequences in parts, shortest first; in a part, none is longer than `max_ratio` times the shortest."""
    part: list[_Sequence] = []
    for sequence in sorted(batch, key=lambda sequence: len(sequence.ids)):
        shortest = part[0] if part else sequence
        if len(sequence.ids) > max_ratio * len(shortest.ids):
            yield part
            part = []
        part.append(sequence)
    yield part


def _padded(
    batch: list[_Sequence], device: torch.device
) -> tuple[Int[torch.Tensor, "sequence pos"], Float[torch.Tensor, "sequence pos"]]:
    """The ids and weights of some sequences, each as one tensor as long as the longest."""
    # Any token can be the padding on the right: no real position attends to it, and its weight is 0.
    all_ids = [torch.tensor(sequence.ids) for sequence in batch]
    all_weights = [torch.tensor(sequence.weights) for sequence in batch]
    padded_ids = nn.utils.rnn.pad_sequence(all_ids, batch_first=True)
    padded_weights = nn.utils.rnn.pad_sequence(all_weights, batch_first=True)
    return padded_ids.to(device), padded_weights.to(device)


def _loss(
    model: "PreTrainedModel",
    ids: Int[torch.Tensor, "sequence pos"],
    weights: Float[torch.Tensor, "sequence pos"],
) -> torch.Tensor:
    """The weighted sum, in nats, of the losses of all tokens except the first of each sequence."""
    logits = model(input_ids=ids, use_cache=False).logits[:, :-1]
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), reduction="none")
    return loss @ weights[:, 1:].flatten()
