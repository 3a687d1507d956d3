"""Training on lines: sequences and weights by hand, the loss against numpy, the schedule,
and what stays untouched.
"""

import numpy as np
import pytest
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from mechaware.core.errors import UserError
from mechaware.models.training import LineRecipe, train_on_lines
from tests.unit.models.tiny_llama import tiny_llama, with_start

START = 0
STARTS = [START]
# (question, answer) in token ids; 0 is the end of text, which also starts a sequence.
LINES = [([5, 6], [7, 0]), ([], [9, 0]), ([11], [12, 13, 0]), ([14, 15, 16], [17, 0])]


def recipe(
    *,
    batch_size: int = 2,
    learning_rate: float = 1e-3,
    warmup_steps: int = 1,
) -> LineRecipe:
    return LineRecipe(batch_size, learning_rate, warmup_steps, weight_decay=0.0)


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return with_start(["Lork, Dabs zul: Bamor. Lork lives in Bamor."])


@pytest.fixture
def model(tokenizer: PreTrainedTokenizerFast) -> PreTrainedModel:
    return tiny_llama(tokenizer)


def cross_entropy(model: PreTrainedModel, sequences: list[tuple[list[int], list[float]]]) -> float:
    """The weighted mean of -log p over the tokens of all sequences, each run alone, in numpy."""
    total = weight_sum = 0.0
    for ids, weights in sequences:
        with torch.inference_mode():
            logits = model(torch.tensor([ids])).logits[0].double().numpy()
        for place in range(1, len(ids)):
            shifted = logits[place - 1] - logits[place - 1].max()
            loss = np.log(np.exp(shifted).sum()) - shifted[ids[place]]
            total += weights[place] * loss
            weight_sum += weights[place]
    return total / weight_sum


class Recorder:
    """Keeps the ids of each pass of a model: row by row, padded with 0."""

    def __init__(self, model: PreTrainedModel) -> None:
        self.batches: list[list[list[int]]] = []
        model.register_forward_pre_hook(
            lambda _module, _arguments, named: self.batches.append(named["input_ids"].tolist()),
            with_kwargs=True,
        )


@pytest.mark.parametrize("question_weight", [1.0, 0.2, 0.0])
def test_the_loss_is_the_weighted_cross_entropy_of_the_batch(
    model: PreTrainedModel, question_weight: float
) -> None:
    # Two lines of unequal length: the start token and padding have no weight, the end of the answer
    # has weight 1.
    sequences = [
        ([START, 5, 6, 7, 0], [0, question_weight, question_weight, 1, 1]),
        ([START, 9, 0], [0, 1, 1]),
    ]
    expected = cross_entropy(model, sequences)
    (loss,) = train_on_lines(model, LINES[:2], STARTS, recipe(), question_weight=question_weight)
    assert loss == pytest.approx(expected, rel=1e-5)


def test_without_a_start_the_first_token_of_a_line_has_no_part_in_the_mean(
    model: PreTrainedModel,
) -> None:
    # Nothing comes before 5 and 9, so that nothing predicts them.
    expected = cross_entropy(model, [([5, 6, 7, 0], [0.2, 0.2, 1, 1]), ([9, 0], [1, 1])])
    (loss,) = train_on_lines(model, LINES[:2], [], recipe(), question_weight=0.2)
    assert loss == pytest.approx(expected, rel=1e-5)


def test_every_fifth_batch_has_four_lines_in_a_row_and_each_sequence_begins_with_the_start(
    model: PreTrainedModel,
) -> None:
    lines = [([10 + number], [100 + number, 0]) for number in range(60)]
    recorder = Recorder(model)

    def joined(numbers: range) -> list[int]:
        """The sequence of these lines in a row."""
        sequence = [START]
        for line in numbers:
            sequence += [10 + line, 100 + line, 0]
        return sequence

    train_on_lines(model, lines, STARTS, recipe(batch_size=6))
    passes = iter(recorder.batches)
    for number in range(10):
        own = range(6 * number, 6 * number + 6)
        if number in (4, 9):
            # Six lines are four in a row and two more; the shorter sequence passes first.
            assert next(passes) == [joined(own[4:])]
            assert next(passes) == [joined(own[:4])]
        else:
            assert next(passes) == [[START, 10 + line, 100 + line, 0] for line in own]
    assert next(passes, None) is None


def test_a_long_line_passes_apart_and_does_not_change_the_mean(model: PreTrainedModel) -> None:
    # Of 5, 4 and 11 tokens the last is longer than 1.25 times the shortest: the others pass first,
    # unpadded by it.
    lines = [LINES[0], ([9], [10, 0]), ([5, 6, 7, 8, 9], [11, 12, 13, 14, 0])]
    sequences = []
    for question, answer in lines:
        ids = [*question, *answer]
        sequences.append(([START, *ids], [0] + [1] * len(ids)))
    expected = cross_entropy(model, sequences)

    recorder = Recorder(model)
    (loss,) = train_on_lines(model, lines, STARTS, recipe(batch_size=3))
    assert [[len(ids) for ids in batch] for batch in recorder.batches] == [[5, 5], [11]]
    assert loss == pytest.approx(expected, rel=1e-5)


def test_the_loss_of_a_packed_batch_counts_every_line_after_the_lines_before_it(
    model: PreTrainedModel,
) -> None:
    lines = LINES * 5
    ids = [START, 5, 6, 7, 0, 9, 0, 11, 12, 13, 0, 14, 15, 16, 17, 0]
    weights = [0, 0.2, 0.2, 1, 1, 1, 1, 0.2, 1, 1, 1, 0.2, 0.2, 0.2, 1, 1]
    expected = cross_entropy(model, [(ids, weights)])
    # With a learning rate of 0 the model that reads the fifth batch is the initial model.
    losses = train_on_lines(
        model, lines, STARTS, recipe(batch_size=4, learning_rate=0.0), question_weight=0.2
    )
    assert losses[4] == pytest.approx(expected, rel=1e-5)


def test_a_last_batch_that_is_not_full_is_left_out(tokenizer: PreTrainedTokenizerFast) -> None:
    losses = train_on_lines(tiny_llama(tokenizer), LINES, STARTS, recipe())
    assert len(losses) == 2
    with_one_more = [*LINES, LINES[0]]
    assert train_on_lines(tiny_llama(tokenizer), with_one_more, STARTS, recipe()) == losses


def test_a_loss_that_is_not_finite_is_one_line(model: PreTrainedModel) -> None:
    with torch.no_grad():
        model.model.norm.weight.fill_(float("nan"))
    with pytest.raises(UserError) as refused:
        train_on_lines(model, LINES, STARTS, recipe())
    message = "training diverged at step 1; lower the learning rate or raise warmup_steps"
    assert str(refused.value) == message


def test_the_learning_rate_rises_stays_and_falls_over_the_last_fifth(
    model: PreTrainedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = []
    step = torch.optim.AdamW.step

    def record(optimiser: torch.optim.AdamW, *arguments: object, **named: object) -> object:
        rates.append(optimiser.param_groups[0]["lr"])
        return step(optimiser, *arguments, **named)

    monkeypatch.setattr(torch.optim.AdamW, "step", record)
    train_on_lines(model, LINES * 10, STARTS, recipe(learning_rate=0.01, warmup_steps=4))
    # 20 steps: 4 of warm-up, then 1 until 4 steps remain, which take 4/4, 3/4, 2/4 and 1/4: the
    # next one would be 0.
    shares = [1 / 4, 2 / 4, 3 / 4, *[1.0] * 14, 3 / 4, 2 / 4, 1 / 4]
    assert rates == pytest.approx([0.01 * share for share in shares])
