"""A benchmark under a small random model: its evidence, what is refused, and what is reported."""

import json
import re
import shutil
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import torch

from mechaware.core.errors import UserError
from mechaware.instruments.radar.benchmark import Benchmark, read_benchmark
from mechaware.instruments.radar.evidence.measuring import MeasurementSettings, measure_items
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.prefix import TextPrefix
from mechaware.instruments.radar.prompts import Prompt
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.instruments.radar.verdicts import suspected
from mechaware.instruments.radar.verdicts.scoring import score_benchmark
from mechaware.instruments.radar.verdicts.suspected import measure_benchmark
from mechaware.models.registry import load_model, load_tokenizer
from tests.architectures import tiny_model
from tests.tiny_models import CONTEXT_LENGTH, make_tiny_model

SETTINGS = MeasurementSettings(reduction="sum", specialised_head_entropy=1.5, samples=2, seed=3)
TOKENS_PER_BATCH = 200


def training_prompt(row: int, text: str, label: str) -> Prompt:
    return Prompt(f"p{row}", text, label, category="c", source="", row=row)


TRAINING = [
    training_prompt(0, "Rome is", "recall"),
    training_prompt(1, "Oslo is", "recall"),
    training_prompt(2, "2 + 3 is", "reasoning"),
    training_prompt(3, "Twice 4 is", "reasoning"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that reads one byte a token, and at most 64."""
    return make_tiny_model("gpt2", tmp_path_factory.mktemp("tiny") / "model", n_layers=2)


@pytest.fixture(scope="module")
def target(folder: Path) -> TokenisedModel:
    return load_target(folder)


def load_target(folder: Path) -> TokenisedModel:
    model = load_model(folder, torch.device("cpu"))
    return TokenisedModel(model, load_tokenizer(folder), TOKENS_PER_BATCH)


def make_benchmark(folder: Path, *texts: tuple[str, str]) -> Benchmark:
    """A benchmark of these questions and answers, with the ids i0, i1, ..."""
    path = folder / "items.csv"
    rows = []
    for number, (question, answer) in enumerate(texts):
        rows.append(f'i{number},"{question}","{answer}"')
    path.write_text("\n".join(["id,question,answer", *rows]) + "\n")
    return read_benchmark(path)


def prefix(*texts: str) -> TextPrefix:
    """A prefix of statements."""
    return TextPrefix(Path("known.csv"), tuple(QuestionAnswer("", text) for text in texts))


def test_items_measured_a_few_at_a_time_have_the_numbers_of_one_pass(
    target: TokenisedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suspected, "ITEMS_AT_ONCE", 2)
    benchmark = make_benchmark(
        tmp_path, ("Who?", "Ann."), ("", "A longer text."), ("Where is it?", "There")
    )
    unseen = prefix("One, two.")
    seen = prefix("Three.")
    in_parts = measure_benchmark(
        target, benchmark, TRAINING, SETTINGS, reference=target, unseen=unseen, seen=seen
    )
    prompts = [QuestionAnswer(prompt.prompt, "") for prompt in TRAINING]
    labels = [prompt.label for prompt in TRAINING]
    in_one_pass = measure_items(
        target,
        benchmark.lines,
        ["i0", "i1", "i2"],
        SETTINGS,
        reference=target,
        unseen=unseen.lines,
        seen=seen.lines,
        kinds=(prompts, labels),
    )

    assert list(in_parts.texts) == ["Who? Ann.", "A longer text.", "Where is it? There"]
    assert list(in_one_pass.texts) == list(in_parts.texts)
    assert list(in_parts.groups) == ["i0", "i1", "i2"]

    for field in ("scores", "lowercase", "reference", "after_unseen", "after_seen"):
        texts_in_parts = getattr(in_parts, field)
        texts_in_one_pass = getattr(in_one_pass, field)
        for text, expected in zip(texts_in_parts, texts_in_one_pass, strict=True):
            np.testing.assert_allclose(text.log_probs, expected.log_probs, atol=1e-5)
    np.testing.assert_allclose(in_parts.states, in_one_pass.states, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(in_parts.features, in_one_pass.features, rtol=1e-3, atol=1e-4)
    for samples, expected_samples in zip(in_parts.samples, in_one_pass.samples, strict=True):
        assert samples.greedy.tolist() == expected_samples.greedy.tolist()
        assert len(samples.drawn) == SETTINGS.samples
    np.testing.assert_allclose(in_parts.p_recall, in_one_pass.p_recall, rtol=1e-3)


class UnreadableText(NamedTuple):
    """A question and its answer, what they are measured after, and how their refusal begins."""

    question: str
    answer: str
    message: str
    unseen: TextPrefix | None = None


# A token is a byte, and the model reads at most 64.
UNREADABLE_TEXTS = {
    "question, space and answer": UnreadableText(
        "Who?",
        "a" * 60,
        "items.csv, row 2: 65 tokens, but the model reads at most 64; shorten the item, or",
    ),
    "a question and a continuation of one token": UnreadableText(
        "a" * 64,
        "",
        "items.csv, row 2: 65 tokens, but the model reads at most 64; shorten the item, or",
    ),
    "one token": UnreadableText(
        "",
        "A",
        "items.csv, row 2: one token, which has no context to be scored in; write a longer text",
    ),
    # A prefix of 60 bytes, the end of text, and an item of 9 bytes.
    "a prefix and an item": UnreadableText(
        "Who?",
        "Ann.",
        "known.csv, with the longest item: 70 tokens, but the model reads at most 64; "
        "remove texts from it, or",
        unseen=prefix("b" * 60),
    ),
}


@pytest.mark.parametrize("case", UNREADABLE_TEXTS.values(), ids=UNREADABLE_TEXTS)
def test_a_text_that_the_model_cannot_read_is_refused_before_anything_is_measured(
    target: TokenisedModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    case: UnreadableText,
) -> None:
    assert CONTEXT_LENGTH == 64

    monkeypatch.setattr(suspected, "measure_items", None)
    benchmark = make_benchmark(tmp_path, (case.question, case.answer))
    with pytest.raises(UserError, match=re.escape(case.message)) as caught:
        measure_benchmark(target, benchmark, TRAINING, SETTINGS, unseen=case.unseen)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("question", "answer"),
    [("a" * 48, "b" * 15), ("a" * 63, ""), ("", "c" * 64)],
    ids=["question, space and answer", "a question and one sampled token", "a statement"],
)
def test_a_text_that_just_fits_the_context_of_64_is_measured(
    target: TokenisedModel, tmp_path: Path, question: str, answer: str
) -> None:
    benchmark = make_benchmark(tmp_path, (question, answer))
    evidence = measure_benchmark(target, benchmark, TRAINING, SETTINGS)

    # Every token but the first.
    assert len(evidence.scores[0].ids) == len(benchmark.lines[0].text) - 1


def test_a_prefix_and_a_text_that_just_fit_the_context_of_64_are_measured(
    target: TokenisedModel, tmp_path: Path
) -> None:
    """The prefix has 11 bytes, then come the end of text and an item of 52 bytes."""
    benchmark = make_benchmark(tmp_path, ("", "c" * 52))
    evidence = measure_benchmark(target, benchmark, TRAINING, SETTINGS, unseen=prefix("d" * 11))

    # Every token of the item but its first.
    assert len(evidence.after_unseen[0].ids) == 51


def test_a_model_that_cannot_read_radars_prompts_is_measured_without_radar(
    target: TokenisedModel, tmp_path: Path
) -> None:
    """A token is a byte: the last prompt has one more than the context of 64."""
    too_long = [*TRAINING, training_prompt(4, "e" * 65, "recall")]
    benchmark = make_benchmark(tmp_path, ("Who?", "Ann."), ("Where?", "There."))
    notes: list[str] = []
    evidence = measure_benchmark(target, benchmark, too_long, SETTINGS, report=notes.append)
    assert evidence.p_recall is None
    assert evidence.anomaly is None
    assert evidence.features is not None
    assert notes[-1].startswith(
        "a prompt on which RADAR is fitted has 65 tokens, and the model's context 64; "
        "not measured: RADAR"
    )


def test_a_reference_model_with_other_tokens_is_compared_and_the_detectors_left_out_are_reported(
    folder: Path, target: TokenisedModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The reference's tokenizer has the ids of the letters a and n exchanged."""
    other_folder = shutil.copytree(folder, tmp_path / "other")
    tokenizer = json.loads((other_folder / "tokenizer.json").read_text())
    ids = tokenizer["model"]["vocab"]
    ids["a"], ids["n"] = ids["n"], ids["a"]
    (other_folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    reference = load_target(other_folder)

    benchmark = make_benchmark(tmp_path, ("Who?", "It."), ("Who?", "Ann."))
    evidence = measure_benchmark(target, benchmark, TRAINING, SETTINGS, reference=reference)
    note = (
        "the reference model reads other tokens: "
        "it is compared in bits per byte, without WBC, EZ-MIA\n"
    )

    assert note in capsys.readouterr().out

    scores = score_benchmark(evidence, benchmark, seed=0)
    assert "reference" in scores
    assert not {"window_comparison", "error_zone"} & set(scores)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"question"}, "'question'"),
        ({"arguments", "goal"}, "'arguments' (the whole prompt) and 'goal'"),
    ],
)
def test_the_fields_from_which_a_logs_questions_are_read_are_reported(
    target: TokenisedModel,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    fields: set[str],
    named: str,
) -> None:
    benchmark = make_benchmark(tmp_path, ("Who?", "It."), ("Who?", "Ann."))
    measure_benchmark(target, benchmark, TRAINING, SETTINGS)

    assert "questions are read" not in capsys.readouterr().out

    log = benchmark._replace(question_from=frozenset(fields))
    measure_benchmark(target, log, TRAINING, SETTINGS)
    assert f"{benchmark.path}: the questions are read from {named}\n" in capsys.readouterr().out


def test_ids_that_are_the_numbers_of_rows_are_reported(
    target: TokenisedModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "items.csv"
    path.write_text("question,answer\nWho?,It.\nWho?,Ann.\n")

    evidence = measure_benchmark(target, read_benchmark(path), TRAINING, SETTINGS)

    assert evidence.groups == ["2", "3"]

    note = f"{path}: no column 'id': an item's id is the number of its row\n"
    assert note in capsys.readouterr().out


def test_faulty_items_are_listed_together_or_skipped_and_counted(
    target: TokenisedModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "items.csv"
    path.write_text(
        f"id,question,answer\ni0,Who?,Ann.\ni1,Why?,{'a' * 60}\ni2,,A\ni3,Where is it?,There\n"
    )

    with pytest.raises(UserError) as refused:
        measure_benchmark(target, read_benchmark(path), TRAINING, SETTINGS)

    too_long, one_token = str(refused.value).splitlines()
    assert too_long.startswith(f"{path}, row 3: 65 tokens, but the model")
    assert one_token.startswith(f"{path}, row 4: one token, which has no context")

    benchmark = read_benchmark(path, skip_faulty=True)
    evidence = measure_benchmark(target, benchmark, TRAINING, SETTINGS)
    printed = capsys.readouterr().out
    assert f"{path}: 2 faulty items skipped:\n{refused.value}\n" in printed
    assert score_benchmark(evidence, benchmark, seed=0)["id"].tolist() == ["i0", "i3"]


def test_a_model_without_internals_is_scored_by_likelihoods_and_the_detectors_left_out_are_reported(
    folder: Path, tmp_path: Path
) -> None:
    mamba = TokenisedModel(
        tiny_model("mamba", {"vocab_size": 257, "state_size": 8, "num_hidden_layers": 1}),
        load_tokenizer(folder),
        TOKENS_PER_BATCH,
    )
    benchmark = make_benchmark(tmp_path, ("Who?", "Ann."), ("", "A longer text."))
    notes: list[str] = []
    evidence = measure_benchmark(mamba, benchmark, TRAINING, SETTINGS, report=notes.append)
    columns = set(score_benchmark(evidence, benchmark, seed=1))

    assert {"loss", "min_k", "zlib"} <= columns
    assert not {"radar", "isolation", "max_confidence"} & columns

    (note,) = (note for note in notes if "not measured" in note)
    assert note.startswith(
        "model type 'mamba': its attention weights cannot be read (not every block has "
    )
    assert "not measured: " in note
    assert "RADAR, high confidence" in note
    assert "Min-K%" not in note


def test_how_a_benchmark_is_asked_in_a_chat_is_reported_with_the_tokens_of_one_item(
    target: TokenisedModel, folder: Path, tmp_path: Path
) -> None:
    """The template writes U before the user's message, and A before the reply."""
    tokenizer = load_tokenizer(folder)
    tokenizer.chat_template = "{% for message in messages %}U{{ message.content }}{% endfor %}A"
    chat = TokenisedModel(target.model, tokenizer, TOKENS_PER_BATCH, template="chat")
    benchmark = make_benchmark(tmp_path, ("Who?", "Ann"), ("Why?", "No"))
    notes: list[str] = []
    evidence = measure_benchmark(chat, benchmark, TRAINING, SETTINGS, report=notes.append)

    assert notes == [
        "the questions are messages of a user in the tokenizer's chat template, "
        "and the answers begin the replies; error rates are those of texts without a template",
        "the model reads i0, its scored tokens in brackets, as "
        "'U' ['W'] ['h'] ['o'] ['?'] 'A' ['A'] ['n'] ['n']",
    ]

    tokens = chat.tokenizer.convert_ids_to_tokens(evidence.scores[1].ids)
    assert "".join(tokens) == "Why?No"

    # In a chat the model replies; it does not continue the user's message.
    reply = chat.continue_greedily([chat.tokenizer("UWho?A").input_ids], 100)[0]
    assert evidence.samples is not None
    assert evidence.samples[0].greedy.tolist() == reply.tolist()


def test_for_a_model_in_half_precision_it_is_reported_that_error_rates_are_of_float32(
    target: TokenisedModel, folder: Path, tmp_path: Path
) -> None:
    half = TokenisedModel(
        deepcopy(target.model).bfloat16(), load_tokenizer(folder), TOKENS_PER_BATCH
    )
    benchmark = make_benchmark(tmp_path, ("Who?", "Ann"), ("Why?", "No"))
    notes_on_half: list[str] = []
    notes_on_float: list[str] = []
    rounded = measure_benchmark(half, benchmark, TRAINING, SETTINGS, report=notes_on_half.append)
    exact = measure_benchmark(target, benchmark, TRAINING, SETTINGS, report=notes_on_float.append)
    note = "the model computes in bfloat16; error rates are those of float32"

    assert set(notes_on_half) - set(notes_on_float) == {note}

    # bfloat16 has 8 significant bits: between 4 and 8 a rounding moves a number by up to 1/64.
    for in_half, in_float in zip(rounded.scores, exact.scores, strict=True):
        np.testing.assert_allclose(in_half.log_probs, in_float.log_probs, atol=0.3)
        assert (in_half.log_probs != in_float.log_probs).any()
