"""A benchmark under a small random model: its evidence, what is refused before any pass, and what users are told."""

import json
import re
import shutil
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
import torch

from mechaware.core.errors import UserError
from mechaware.instruments.radar.benchmark import Benchmark, TextPrefix, read_benchmark
from mechaware.instruments.radar.evidence.measuring import MeasurementSettings, measure_items
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.prompts import Prompt
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.instruments.radar.verdicts import suspected
from mechaware.instruments.radar.verdicts.scoring import score_benchmark
from mechaware.instruments.radar.verdicts.suspected import measure_benchmark
from mechaware.models.registry import load_model, load_tokenizer
from tests.architectures import tiny_model
from tests.tiny_models import CONTEXT_LENGTH, make_tiny_model

SETTINGS = MeasurementSettings(reduction="sum", specialised_head_entropy=1.5, samples=2, seed=3)
TRAINING = [
    Prompt("p0", "Rome is", "recall", "c", "", 0),
    Prompt("p1", "Oslo is", "recall", "c", "", 1),
    Prompt("p2", "2 + 3 is", "reasoning", "c", "", 2),
    Prompt("p3", "Twice 4 is", "reasoning", "c", "", 3),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model("gpt2", tmp_path_factory.mktemp("tiny") / "model", n_layers=2)


@pytest.fixture(scope="module")
def target(folder: Path) -> TokenisedModel:
    return tokenised(folder)


def tokenised(folder: Path) -> TokenisedModel:
    return TokenisedModel(load_model(folder, torch.device("cpu")), load_tokenizer(folder), 200)


def benchmark_of(folder: Path, *texts: tuple[str, str]) -> Benchmark:
    path = folder / "items.csv"
    rows = [f'i{number},"{text[0]}","{text[1]}"' for number, text in enumerate(texts)]
    path.write_text("\n".join(["id,question,answer", *rows]) + "\n")
    return read_benchmark(path)


def prefix(*texts: str) -> TextPrefix:
    return TextPrefix(Path("known.csv"), tuple(QuestionAnswer("", text) for text in texts))


def test_items_measured_a_few_at_a_time_have_the_numbers_of_one_pass(
    target: TokenisedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suspected, "ITEMS_AT_ONCE", 2)
    benchmark = benchmark_of(
        tmp_path, ("Who?", "Ann."), ("", "A longer text."), ("Where is it?", "There")
    )
    unseen = prefix("One, two.")
    seen = prefix("Three.")
    in_parts = measure_benchmark(
        target, benchmark, TRAINING, SETTINGS, reference=target, unseen=unseen, seen=seen
    )
    prompts = [QuestionAnswer(prompt.prompt, "") for prompt in TRAINING]
    labels = [prompt.label for prompt in TRAINING]
    whole = measure_items(
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
    assert list(whole.texts) == list(in_parts.texts)
    assert list(in_parts.groups) == ["i0", "i1", "i2"]

    for name in ("scores", "lowercase", "reference", "after_unseen", "after_seen"):
        for part, one_pass in zip(getattr(in_parts, name), getattr(whole, name), strict=True):
            np.testing.assert_allclose(part.log_probs, one_pass.log_probs, atol=1e-5)
    np.testing.assert_allclose(in_parts.states, whole.states, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(in_parts.features, whole.features, rtol=1e-3, atol=1e-4)
    for part, one_pass in zip(in_parts.samples, whole.samples, strict=True):
        assert part.greedy.tolist() == one_pass.greedy.tolist()
        assert len(part.drawn) == 2
    np.testing.assert_allclose(in_parts.p_recall, whole.p_recall, rtol=1e-3)


# The tiny models read one byte a token, and at most 64.
@pytest.mark.parametrize(
    ("text", "prefixes", "message"),
    [
        (
            ("Who?", "a" * 60),
            {},
            "items.csv, row 2: 65 tokens, but the model reads at most 64; shorten the it",
        ),
        (
            ("a" * 64, ""),
            {},
            "items.csv, row 2: 65 tokens, but the model reads at most 64; shorten the item, or",
        ),
        (
            ("", "A"),
            {},
            "items.csv, row 2: one token, which has no context to be scored in; write a longer tex",
        ),
        (
            ("Who?", "Ann."),  # nine bytes after 60 bytes and the end of text
            {"unseen": prefix("b" * 60)},
            "known.csv, with the longest item: 70 tokens, but the model reads at most 64; remove texts from it, or",
        ),
    ],
)
def test_a_text_that_the_model_cannot_read_is_refused_before_anything_is_measured(
    target: TokenisedModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: tuple[str, str],
    prefixes: dict[str, TextPrefix],
    message: str,
) -> None:
    assert CONTEXT_LENGTH == 64

    monkeypatch.setattr(suspected, "measure_items", None)
    with pytest.raises(UserError, match=re.escape(message)) as caught:
        measure_benchmark(target, benchmark_of(tmp_path, text), TRAINING, SETTINGS, **prefixes)
    assert "\n" not in str(caught.value)


def test_texts_that_just_fit_the_context_of_64_are_measured(
    target: TokenisedModel, tmp_path: Path
) -> None:
    # Question and answer with a space, 64 bytes; a question of 63 bytes and one sampled token; a statement of 64 bytes.
    benchmark = benchmark_of(tmp_path, ("a" * 48, "b" * 15), ("a" * 63, ""), ("", "c" * 64))
    measure_benchmark(target, benchmark, TRAINING, SETTINGS)
    # A prefix of 11 bytes, the end of text, and 52 bytes.
    benchmark = benchmark_of(tmp_path, ("", "c" * 52))
    evidence = measure_benchmark(target, benchmark, TRAINING, SETTINGS, unseen=prefix("d" * 11))

    assert len(evidence.after_unseen[0].ids) == 51


def test_a_model_that_cannot_read_radars_prompts_is_measured_without_radar(
    target: TokenisedModel, tmp_path: Path
) -> None:
    """A token is a byte: the last prompt has one more than the context of 64."""
    too_long = [*TRAINING, Prompt("p4", "e" * 65, "recall", "c", "", 4)]
    benchmark = benchmark_of(tmp_path, ("Who?", "Ann."), ("Where?", "There."))
    notes: list[str] = []
    evidence = measure_benchmark(target, benchmark, too_long, SETTINGS, report=notes.append)
    assert (evidence.p_recall, evidence.anomaly) == (None, None)
    assert evidence.features is not None
    assert notes[-1].startswith(
        "a prompt on which RADAR is fitted has 65 tokens, and the model's context 64; not measured: RADAR"
    )


def test_a_reference_model_with_other_tokens_is_compared_and_the_detectors_left_out_are_reported(
    folder: Path, target: TokenisedModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = shutil.copytree(folder, tmp_path / "other")
    tokenizer = json.loads((other / "tokenizer.json").read_text())
    ids = tokenizer["model"]["vocab"]
    ids["a"], ids["n"] = ids["n"], ids["a"]
    (other / "tokenizer.json").write_text(json.dumps(tokenizer))
    benchmark = benchmark_of(tmp_path, ("Who?", "It."), ("Who?", "Ann."))
    evidence = measure_benchmark(target, benchmark, TRAINING, SETTINGS, reference=tokenised(other))
    line = "the reference model reads other tokens: it is compared in bits per byte, without WBC, EZ-MIA\n"

    assert line in capsys.readouterr().out

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
    benchmark = benchmark_of(tmp_path, ("Who?", "It."), ("Who?", "Ann."))
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

    faults = ("row 3: 65 tokens, but the model", "row 4: one token, which has no context")
    for line, fault in zip(str(refused.value).splitlines(), faults, strict=True):
        assert line.startswith(f"{path}, {fault}")

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
        200,
    )
    benchmark = benchmark_of(tmp_path, ("Who?", "Ann."), ("", "A longer text."))
    notes: list[str] = []
    evidence = measure_benchmark(mamba, benchmark, TRAINING, SETTINGS, report=notes.append)
    columns = set(score_benchmark(evidence, benchmark, seed=1))

    assert {"loss", "min_k", "zlib"} <= columns
    assert not {"radar", "isolation", "max_confidence"} & columns

    (note,) = [note for note in notes if "not measured" in note]
    assert note.startswith(
        "model type 'mamba': its attention weights cannot be read (not every block has "
    )
    assert "not measured: " in note
    assert "RADAR, high confidence" in note
    assert "Min-K%" not in note


def test_how_a_benchmark_is_asked_in_a_chat_is_reported_with_the_tokens_of_one_item(
    target: TokenisedModel, folder: Path, tmp_path: Path
) -> None:
    chat = TokenisedModel(target.model, load_tokenizer(folder), 200, template="chat")
    chat.tokenizer.chat_template = (
        "{% for message in messages %}U{{ message.content }}{% endfor %}A"
    )
    benchmark = benchmark_of(tmp_path, ("Who?", "Ann"), ("Why?", "No"))
    notes: list[str] = []
    evidence = measure_benchmark(chat, benchmark, TRAINING, SETTINGS, report=notes.append)

    assert notes == [
        "the questions are messages of a user in the tokenizer's chat template, and the answers begin the replies; "
        "error rates are those of texts without a template",
        "the model reads i0, its scored tokens in brackets, as 'U' ['W'] ['h'] ['o'] ['?'] 'A' ['A'] ['n'] ['n']",
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
    half = TokenisedModel(deepcopy(target.model).bfloat16(), load_tokenizer(folder), 200)
    benchmark = benchmark_of(tmp_path, ("Who?", "Ann"), ("Why?", "No"))
    notes_on_half: list[str] = []
    notes_on_exact: list[str] = []
    rounded = measure_benchmark(half, benchmark, TRAINING, SETTINGS, report=notes_on_half.append)
    exact = measure_benchmark(target, benchmark, TRAINING, SETTINGS, report=notes_on_exact.append)
    note = "the model computes in bfloat16; error rates are those of float32"

    assert set(notes_on_half) - set(notes_on_exact) == {note}

    # bfloat16 has 8 bits: each rounding moves a log-probability of 5 by up to 1/64.
    for in_half, in_float in zip(rounded.scores, exact.scores, strict=True):
        np.testing.assert_allclose(in_half.log_probs, in_float.log_probs, atol=0.3)
        assert (in_half.log_probs != in_float.log_probs).any()
