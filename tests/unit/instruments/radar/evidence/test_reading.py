"""Lines are scored, with and without a prefix, and continued as plain loops over the model do."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from mechaware.core.errors import UserError
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.training import LineRecipe, train_on_lines
from tests.unit.instruments.radar.evidence.tiny_reader import (
    CONTEXT,
    LINES,
    PREFIX,
    TOKENS_PER_BATCH,
    continuation_in_a_loop,
    ids_alone,
    log_probs_in_a_loop,
    make_reader,
)
from tests.unit.models.tiny_llama import with_start, without_start


@pytest.fixture(
    scope="module", params=[with_start, without_start], ids=["start token", "no start token"]
)
def either_reader(request: pytest.FixtureRequest) -> TokenisedModel:
    """A model whose tokenizer writes a start token before every text, and one without."""
    return make_reader(request.param)


@pytest.fixture(scope="module")
def reader() -> TokenisedModel:
    """A model whose tokenizer writes a start token before every text."""
    return make_reader()


def test_every_token_but_the_first_is_scored(either_reader: TokenisedModel) -> None:
    texts = either_reader.text_ids(LINES)
    for ids, scores in zip(texts, either_reader.score(LINES), strict=True):
        assert scores.ids.tolist() == ids[1:]
        expected = log_probs_in_a_loop(either_reader, ids[:1], ids[1:])
        np.testing.assert_allclose(scores.log_probs, expected, rtol=0, atol=1e-5)


def test_gradients_are_of_the_mean_loss_of_the_scored_tokens(
    either_reader: TokenisedModel,
) -> None:
    norms = either_reader.gradient_norms(LINES)

    assert norms is not None

    for norm, ids in zip(norms, either_reader.text_ids(LINES), strict=True):
        # Every token but the first is scored; the logits at a token are logits of the next token.
        logits = either_reader.model(torch.tensor([ids])).logits[0]
        log_probs = logits[:-1].log_softmax(-1)
        next_ids = torch.tensor(ids[1:])[:, None]
        mean = log_probs.gather(-1, next_ids).mean()
        gradients = torch.autograd.grad(mean, list(either_reader.model.parameters()))
        whole_gradient = torch.cat([gradient.flatten().double() for gradient in gradients])
        assert norm == pytest.approx(float(whole_gradient.norm()), rel=1e-5)


def test_after_a_prefix_tokens_are_scored_in_the_format_of_training(
    either_reader: TokenisedModel,
) -> None:
    """The start token, the lines of the prefix with an end of text after each, and the line."""
    tokenizer = either_reader.tokenizer
    start = tokenizer("").input_ids
    prefix_ids = list(start)
    for line in PREFIX:
        prefix_ids += [*ids_alone(either_reader, line.text), tokenizer.eos_token_id]

    for line, scores in zip(LINES, either_reader.score(LINES, PREFIX), strict=True):
        question_ids = ids_alone(either_reader, line.question)
        ids = [*question_ids, *ids_alone(either_reader, line.answer)]
        n_unscored = 0 if start else 1  # without a start token the line's first token is context
        expected = log_probs_in_a_loop(
            either_reader, [*prefix_ids, *ids[:n_unscored]], ids[n_unscored:]
        )
        np.testing.assert_allclose(scores.log_probs, expected, rtol=0, atol=1e-5)


def test_an_answer_that_is_the_greedy_continuation_counts_as_answered() -> None:
    """The model learns the first line, but neither another answer to it nor the second line."""
    reader = make_reader()
    learned = reader.lines_with_end(LINES[:1])
    recipe = LineRecipe(batch_size=1, learning_rate=1e-2, warmup_steps=1, weight_decay=0.0)
    train_on_lines(reader.model, learned * 20, [reader.tokenizer.bos_token_id], recipe)

    asked = [LINES[0], LINES[0]._replace(answer=" Bamorak."), LINES[1]]
    is_continuation = []
    for prompt, answer in zip(reader.prompt_ids(asked), reader.answer_ids(asked), strict=True):
        is_continuation.append(continuation_in_a_loop(reader, prompt, len(answer)) == answer)

    assert is_continuation == [True, False, False]
    assert reader.answered(asked, reader.score(asked)) == is_continuation


@pytest.mark.parametrize("tokens_per_batch", [1, 40, TOKENS_PER_BATCH])
def test_greedy_continuations_equal_a_loop_without_a_cache(tokens_per_batch: int) -> None:
    reader = make_reader(tokens_per_batch=tokens_per_batch)
    prompts = [*reader.prompt_ids(LINES), *reader.prompt_ids(LINES[::-1]), [0, 5, 6]]
    continuations = reader.continue_greedily(prompts, 6)

    for prompt, ids in zip(prompts, continuations, strict=True):
        assert ids.tolist() == continuation_in_a_loop(reader, prompt, 6)


def draw_continuations(reader: TokenisedModel, *, seed: int) -> list[list[list[int]]]:
    """The tokens of three drawn continuations of each line."""
    samples_of_lines = reader.sample(
        reader.prompt_ids(LINES), samples=3, tokens=5, temperature=1.0, seed=seed
    )
    drawn_of_lines = []
    for samples in samples_of_lines:
        drawn_of_lines.append([ids.tolist() for ids in samples.drawn])
    return drawn_of_lines


def test_draws_with_a_seed_are_reproducible_and_another_seed_gives_others(
    reader: TokenisedModel,
) -> None:
    drawn_of_lines = draw_continuations(reader, seed=4)

    assert draw_continuations(reader, seed=4) == drawn_of_lines
    assert draw_continuations(reader, seed=5) != drawn_of_lines
    assert all(drawn[0] != drawn[1] for drawn in drawn_of_lines)


def test_first_draws_have_the_probabilities_of_the_model_at_that_temperature(
    reader: TokenisedModel,
) -> None:
    prompt = [0, 5, 6]
    n_draws = 3000
    with torch.inference_mode():
        logits = reader.model(torch.tensor([prompt])).logits[0, -1].double()
    expected = (logits / 0.3).softmax(-1).numpy()
    (samples,) = reader.sample([prompt], samples=n_draws, tokens=1, temperature=0.3, seed=0)
    first_tokens = [int(drawn[0]) for drawn in samples.drawn]
    shares = np.bincount(first_tokens, minlength=len(expected)) / n_draws

    assert expected.max() < 0.9
    # Five standard deviations of a share of 3,000 draws, and one draw more for the rarest tokens.
    deviations = np.sqrt(expected * (1 - expected) / n_draws)
    assert np.all(np.abs(shares - expected) <= 5 * deviations + 1 / n_draws)


LONG = QuestionAnswer("Lorak " * CONTEXT, " Bamor.")
READ_LONG: dict[str, Callable[[TokenisedModel], object]] = {
    "scored": lambda reader: reader.score([LINES[0], LONG]),
    "prefix": lambda reader: reader.score([LINES[0]], [LONG]),
    "continued": lambda reader: reader.continue_greedily(reader.prompt_ids([LONG]), 1),
}


@pytest.mark.parametrize("read_long", READ_LONG.values(), ids=READ_LONG)
def test_a_text_longer_than_the_context_is_refused_in_one_line(
    either_reader: TokenisedModel, read_long: Callable[[TokenisedModel], object]
) -> None:
    with pytest.raises(
        UserError, match=r"^a text of \d+ tokens exceeds the model's context of 128; shorten it$"
    ):
        read_long(either_reader)


def test_a_continuation_ends_with_the_context(reader: TokenisedModel) -> None:
    """After a prompt of 122 tokens a context of 128 has room for 6."""
    long_prompt = [0, *[5] * 121]
    short_prompt = [0, 5]
    continuations = reader.continue_greedily([long_prompt, short_prompt], 9)

    assert [len(ids) for ids in continuations] == [CONTEXT - 122, 9]


def test_a_prompt_that_fills_the_context_cannot_be_continued(reader: TokenisedModel) -> None:
    with pytest.raises(UserError, match="a text of 129 tokens"):
        reader.continue_greedily([[0] * CONTEXT], 1)


def test_a_text_may_be_cut_at_the_end_of_the_context(reader: TokenisedModel) -> None:
    (scores,) = reader.score([LONG], cut=True)
    assert scores.ids.tolist() == reader.text_ids([LONG])[0][1:CONTEXT]
