"""The note on answers with a space too many or too few, from probabilities set by hand."""

import math
from collections.abc import Sequence

import pandas as pd
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from mechaware.instruments.grounding.data.pairs import Pair, read_pairs
from mechaware.instruments.grounding.tasks import spacing
from mechaware.instruments.grounding.tasks.spacing import spacing_notes
from tests.checkout import REPOSITORY

NAMES = ("Mary", "John", "Anna")
TEXT = "To"


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    """Byte pairs as in GPT-2: a name is one token with the space before it, and another without."""
    byte_pairs = Tokenizer(models.BPE())
    byte_pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    byte_pairs.decoder = decoders.ByteLevel()
    lines = []
    for name in NAMES:
        lines += [f"{TEXT} {name}", f"{name} {name}", f"({TEXT} {name}", f"({name} {name}"]
    trainer = trainers.BpeTrainer(vocab_size=400, show_progress=False)
    byte_pairs.train_from_iterator(lines * 9, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=byte_pairs)


def make_pairs(options_by_pair: Sequence[tuple[str, ...]]) -> list[Pair]:
    """A pair for each of these options, of which the first two are its answers."""
    rows = []
    for number, options in enumerate(options_by_pair):
        pair = f"p{number}"
        wanted, against = options[:2]
        rows += [
            (pair, "clean", TEXT, wanted, against, list(options)),
            (pair, "corrupted", f"{TEXT} {TEXT}", against, wanted, list(options)),
        ]
    columns = ["pair", "prompt", "text", "wanted", "against", "options"]
    return read_pairs(REPOSITORY / "mine", pd.DataFrame(rows, columns=columns))


def note(
    monkeypatch: pytest.MonkeyPatch,
    tokenizer: PreTrainedTokenizerFast,
    options_by_pair: Sequence[tuple[str, ...]],
    *probabilities_by_pair: dict[str, float],
) -> str:
    """The note on pairs with these options, "" without one.

    For each pair a dictionary has the probabilities of tokens after its clean prompt. The remainder
    goes to token 0, which begins no answer.
    """
    logits = torch.full((len(probabilities_by_pair), len(tokenizer)), -math.inf)
    for row, probabilities in enumerate(probabilities_by_pair):
        for word, probability in probabilities.items():
            (token,) = tokenizer(word).input_ids
            logits[row, token] = math.log(probability)
        logits[row, 0] = math.log(1 - sum(probabilities.values()))
    monkeypatch.setattr(spacing, "final_logits", lambda *_arguments, **_settings: logits)
    monkeypatch.setattr(spacing, "embedding_rows", lambda _model: len(tokenizer))

    model = torch.nn.Identity()
    pairs = make_pairs(options_by_pair)
    notes = spacing_notes(model, tokenizer, pairs, tokens_per_batch=10)  # type: ignore[arg-type]
    return " ".join(notes)


def test_answers_without_the_space_that_the_model_expects_have_a_note(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast
) -> None:
    options = ("Mary", "John", "Anna")
    # With a space 0.5 against 0.2 without, then 0.1 against 0.15: together 0.6 against 0.35.
    first = {" Mary": 0.3, " John": 0.2, "Mary": 0.2}
    second = {" John": 0.1, "Anna": 0.15}

    assert note(monkeypatch, tokenizer, [options, options], first, second) == (
        "the model expects one space before an answer: "
        "so spelled, the answers are likelier in 1 of 2 clean prompts; "
        "write ' Mary' instead of 'Mary', and so on"
    )


def test_answers_with_a_space_too_many_have_a_note(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast
) -> None:
    options = (" Mary", " John")
    without_space_likelier = {"Mary": 0.4, " Mary": 0.1}

    assert note(
        monkeypatch,
        tokenizer,
        [options, options],
        without_space_likelier,
        without_space_likelier,
    ) == (
        "the model expects no space before an answer: "
        "so spelled, the answers are likelier in 2 of 2 clean prompts; "
        "write 'Mary' instead of ' Mary', and so on"
    )


@pytest.mark.parametrize(
    ("first", "example"),
    [
        pytest.param(
            (" Mary", " John"),
            "write ' Mary' instead of 'Mary', and so on",
            id="the first pair has the space in all answers",
        ),
        pytest.param(
            (" Mary", "John"),
            "write ' John' instead of 'John', and so on",
            id="the first pair lacks the space in one answer",
        ),
        pytest.param(
            ("John", " John"),
            "write ' Mary' instead of 'Mary', and so on",
            id="with one space the options of the first pair would be the same",
        ),
    ],
)
def test_the_example_is_an_answer_that_is_not_written_as_the_model_expects(
    monkeypatch: pytest.MonkeyPatch,
    tokenizer: PreTrainedTokenizerFast,
    first: tuple[str, ...],
    example: str,
) -> None:
    without_space = ("Mary", "John")
    with_space_likelier = {" Mary": 0.4, " John": 0.3, "Mary": 0.1}

    text = note(
        monkeypatch,
        tokenizer,
        [first, without_space, without_space],
        with_space_likelier,
        with_space_likelier,
        with_space_likelier,
    )

    assert text.startswith("the model expects one space before an answer")
    assert text.endswith(example)


@pytest.mark.parametrize(
    ("options", "other_spelling"),
    [(("Mary", "John"), (" Mary", " John")), ((" Mary", " John"), ("Mary", "John"))],
    ids=["without a space", "with a space"],
)
def test_answers_as_the_model_expects_them_have_no_note(
    monkeypatch: pytest.MonkeyPatch,
    tokenizer: PreTrainedTokenizerFast,
    options: tuple[str, ...],
    other_spelling: tuple[str, ...],
) -> None:
    # As written 0.6 against 0, then 0 against 0.2: the second prompt alone prefers the other
    # spelling.
    first = dict.fromkeys(options, 0.3)
    second = dict.fromkeys(other_spelling, 0.1)

    assert note(monkeypatch, tokenizer, [options, options], first, second) == ""


def test_answers_that_are_equally_likely_in_both_spellings_are_not_likelier(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast
) -> None:
    options = ("Mary", "John")
    no_name: dict[str, float] = {}

    text = note(monkeypatch, tokenizer, [options, options], {" Mary": 0.4}, no_name)

    assert "the answers are likelier in 1 of 2 clean prompts" in text


def test_answers_that_are_written_as_expected_count_against_a_note(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast
) -> None:
    # As written 0.5 + 0.1. The spelling with one space changes only the second prompt, to 0.4.
    options = [(" Mary", " John"), ("Mary", "John")]
    first = {" Mary": 0.5}
    second = {" Mary": 0.4, "Mary": 0.1}

    assert note(monkeypatch, tokenizer, options, first, second) == ""
