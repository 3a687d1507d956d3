"""The note on a task whose answers have a space too many or too few, by probabilities that are set by hand."""

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
from tests.conftest import REPOSITORY

NAMES = ("Mary", "John", "Anna")
TEXT = "To"


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    """Byte pairs as GPT-2 has them: a name is one token with the space before it, and another one without."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    lines = []
    for name in NAMES:
        lines += [f"{TEXT} {name}", f"{name} {name}", f"({TEXT} {name}", f"({name} {name}"]
    made.train_from_iterator(lines * 9, trainers.BpeTrainer(vocab_size=400, show_progress=False))
    return PreTrainedTokenizerFast(tokenizer_object=made)


def pairs(options_of_pairs: Sequence[tuple[str, ...]]) -> list[Pair]:
    """A pair for each of these spellings of the answers."""
    rows = []
    for number, options in enumerate(options_of_pairs):
        pair = f"p{number}"
        mary, john = options[:2]
        rows += [
            (pair, "clean", TEXT, mary, john, list(options)),
            (pair, "corrupted", f"{TEXT} {TEXT}", john, mary, list(options)),
        ]
    columns = ["pair", "prompt", "text", "wanted", "against", "options"]
    return read_pairs(REPOSITORY / "mine", pd.DataFrame(rows, columns=columns))


def note(
    monkeypatch: pytest.MonkeyPatch,
    tokenizer: PreTrainedTokenizerFast,
    options_of_pairs: Sequence[tuple[str, ...]],
    *given: dict[str, float],
) -> str:
    """The note on answers that each pair writes so, where its clean prompt gives these probabilities to tokens."""
    logits = torch.full((len(given), len(tokenizer)), -math.inf)
    for row, probabilities in enumerate(given):
        for word, probability in probabilities.items():
            (token,) = tokenizer(word).input_ids
            logits[row, token] = math.log(probability)
        logits[row, 0] = math.log(1 - sum(probabilities.values()))
    monkeypatch.setattr(spacing, "final_logits", lambda *_arguments, **_settings: logits)
    monkeypatch.setattr(spacing, "embedding_rows", lambda _model: len(tokenizer))
    network = torch.nn.Identity()
    found = pairs(options_of_pairs)
    notes = spacing_notes(network, tokenizer, found, tokens_per_batch=10)  # type: ignore[arg-type]
    return " ".join(notes)


def test_answers_without_the_space_that_the_model_expects_have_a_note(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast
) -> None:
    """0.5 + 0.1 with a space against 0.2 and 0.15 without: of two prompts the first alone prefers the space."""
    first = {" Mary": 0.3, " John": 0.2, "Mary": 0.2}
    second = {" John": 0.1, "Anna": 0.15}
    assert note(monkeypatch, tokenizer, [("Mary", "John", "Anna")] * 2, first, second) == (
        "the model expects one space before an answer: so spelled, the answers are likelier in 1 of 2 clean prompts; "
        "write ' Mary' instead of 'Mary', and so on"
    )


def test_answers_with_a_space_too_many_have_a_note(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast
) -> None:
    likely = {"Mary": 0.4, " Mary": 0.1}
    assert note(monkeypatch, tokenizer, [(" Mary", " John")] * 2, likely, likely) == (
        "the model expects no space before an answer: so spelled, the answers are likelier in 2 of 2 clean prompts; "
        "write 'Mary' instead of ' Mary', and so on"
    )


@pytest.mark.parametrize(
    ("first", "example"),
    [
        ((" Mary", " John"), "write ' Mary' instead of 'Mary', and so on"),
        ((" Mary", "John"), "write ' John' instead of 'John', and so on"),
        # With one space before them the options of the first pair would be one.
        (("John", " John"), "write ' Mary' instead of 'Mary', and so on"),
    ],
)
def test_the_example_is_an_answer_that_is_not_written_as_the_model_expects(
    monkeypatch: pytest.MonkeyPatch,
    tokenizer: PreTrainedTokenizerFast,
    first: tuple[str, ...],
    example: str,
) -> None:
    """Two of three pairs lack the space in all answers. The first lacks it in none, in one, or cannot be respelled."""
    likely = {" Mary": 0.4, " John": 0.3, "Mary": 0.1}
    options_of_pairs = [first, ("Mary", "John"), ("Mary", "John")]
    found = note(monkeypatch, tokenizer, options_of_pairs, likely, likely, likely)
    assert found.startswith("the model expects one space before an answer")
    assert found.endswith(example)


@pytest.mark.parametrize("options", [("Mary", "John"), (" Mary", " John")])
def test_answers_as_the_model_expects_them_have_none(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast, options: tuple[str, ...]
) -> None:
    """One prompt prefers the other spelling by less than the other prompt prefers this one."""
    spaced = dict.fromkeys(options, 0.3)
    other = {option.strip() if option[0] == " " else f" {option}": 0.1 for option in options}
    assert note(monkeypatch, tokenizer, [options] * 2, spaced, other) == ""
