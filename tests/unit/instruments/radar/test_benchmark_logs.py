"""Evaluation logs as the items and the control of a suspected benchmark."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from mechaware.core.errors import UserError
from mechaware.instruments.radar.benchmark import read_benchmark
from tests.unit.core.evaluation_logs import (
    GENERATION,
    inspect_sample,
    lm_eval,
    older,
    options,
    scored,
    write_inspect,
    write_lines,
)

REPOSITORY = Path(__file__).resolve().parents[4]
RIVER = "Which river flows through Cairo?"
RIVERS = ["Niger", "Nile", "Congo"]
RIVER_PROMPT = f"Answer the question.\n\n{RIVER}\nA. Niger\nB. Nile\nC. Congo\nAnswer:"
MMLU = lm_eval(
    0,
    {"question": RIVER, "choices": RIVERS, "answer": 1},
    1,
    options(RIVER_PROMPT, " A", " B", " C"),
    right=0.0,
)
LETTERED = f"{RIVER}\nA. Niger\nB. Nile\nC. Congo\nAnswer: B"
SUM = {
    "question": "Nine minus six is",
    "choices": {"text": ["2", "3"], "label": ["A", "B"]},
    "answerKey": "B",
}
CLOZE = lm_eval(1, SUM, 1, options("Question: Nine minus six is\nAnswer:", " 2", " 3"))


def test_lines_of_lm_eval_are_items(tmp_path: Path) -> None:
    """The text is the document's question and the right option, with the choices where the prompt shows them."""
    loose = CLOZE | {"filter": "loose"}
    benchmark = read_benchmark(
        write_lines(tmp_path / "samples_mixed_2026.jsonl", MMLU, CLOZE, MMLU, loose)
    )
    assert [(item.id, item.line.text) for item in benchmark.items] == [
        ("0", LETTERED),
        ("1", "Nine minus six is 3"),
    ]
    assert not benchmark.has_truth
    assert benchmark.question_from == {"question"}


def test_lines_of_an_older_version_are_items(tmp_path: Path) -> None:
    benchmark = read_benchmark(write_lines(tmp_path / "samples.JSONL", older(MMLU, 1)))
    assert [line.text for line in benchmark.lines] == [LETTERED]


@pytest.mark.parametrize("suffix", [".json", ".eval"])
def test_samples_of_inspect_are_items(tmp_path: Path, suffix: str) -> None:
    """Choices whose texts are letters: the target's letter is a place, as in Inspect, not the choice of that text."""
    chosen = {"input": "Which vitamin is ascorbic acid?", "choices": ["C", "A", "B"], "target": "A"}
    samples = [
        inspect_sample("v", **chosen, scores=scored("C", "choice")),
        inspect_sample("v", **chosen, scores=scored("I", "choice"), epoch=2),
        inspect_sample("w", error={"message": "time"}),
    ]
    benchmark = read_benchmark(write_inspect(tmp_path / f"log{suffix}", *samples))
    assert [(item.id, item.line.text) for item in benchmark.items] == [
        ("v", "Which vitamin is ascorbic acid?\nA. C\nB. A\nC. B\nAnswer: A"),
        ("w", "Capital of Peru? Lima"),
    ]


def test_the_question_of_a_log_without_a_field_for_it_is_the_whole_prompt(tmp_path: Path) -> None:
    """The second prompt has other words than its document."""
    lines = [
        lm_eval(0, {"question": "Is 7 odd?"}, "yes", [("Is 7 odd?", GENERATION)]),
        lm_eval(1, {"question": "Is 8 odd?"}, "yes", [("Is eight odd?", GENERATION)]),
    ]
    benchmark = read_benchmark(write_lines(tmp_path / "samples.jsonl", *lines))
    assert benchmark.question_from == {"arguments"}


def test_items_with_fields_of_a_log_stay_items(tmp_path: Path) -> None:
    row = {"id": "x", "question": "Who?", "answer": "Ann"}
    for field in ("doc_id", "target", "arguments"):
        row[field] = MMLU[field]
    benchmark = read_benchmark(write_lines(tmp_path / "items.jsonl", row))
    (item,) = benchmark.items
    assert (item.id, item.line.text) == ("x", "Who? Ann")
    assert not benchmark.question_from


OTHER = inspect_sample("b", target="zinc", choices=["gold", "tin"])
FAULTS: dict[str, tuple[str, list[dict[str, Any]], str]] = {
    "an open option": (
        "samples.jsonl",
        [CLOZE, MMLU | {"target": "3"}],
        "sample 0: target 3, but 3 options, counted from 0; correct the target",
    ),
    "an open choice": (
        "log.json",
        [inspect_sample("a"), OTHER],
        "sample b: target 'zinc' is none of the choices 'gold', 'tin'; correct the target",
    ),
    "a text twice": (
        "log.eval",
        [inspect_sample("a"), inspect_sample("b")],
        "sample b: the same text as sample a; remove or change one of them",
    ),
    "equal choices": (
        "log.json",
        [inspect_sample("a"), inspect_sample("b", target="B", choices=["tin", "tin"])],
        "sample b: choice 'tin' twice; change or remove one of them",
    ),
}


@pytest.mark.parametrize(("name", "samples", "message"), FAULTS.values(), ids=FAULTS)
def test_a_faulty_sample_is_named_by_file_and_sample_or_left_out(
    tmp_path: Path, name: str, samples: list[dict[str, Any]], message: str
) -> None:
    write = write_lines if name.endswith("jsonl") else write_inspect
    path = write(tmp_path / name, *samples)
    with pytest.raises(UserError) as raised:
        read_benchmark(path)
    assert str(raised.value) == f"{path}, {message}"
    benchmark = read_benchmark(path, skip_faulty=True)
    assert len(benchmark.items) == 1
    assert benchmark.skipped == (f"{path}, {message}",)


def test_a_json_file_that_is_no_log_is_refused_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "items.json"
    path.write_text(json.dumps([{"id": "a", "question": "Who?", "answer": "Ann"}]))
    with pytest.raises(UserError, match=r"items\.json: \.json is not read; save it as \.csv"):
        read_benchmark(path)


CHECK = """
import sys, yaml
from pathlib import Path
from snakemake.utils import update_config
from exhibits.report.results import config_schema, find_results
from mechaware.doors.checks.config import check_config
from mechaware.instruments.radar.benchmark import read_benchmark
config = {}
for file in ("config/config.yaml", "config/test.yaml", sys.argv[1]):
    update_config(config, yaml.safe_load(Path(file).read_text()))
check_config(config, config_schema(Path.cwd(), find_results(Path.cwd())), Path.cwd())
items = read_benchmark(Path(config["radar"]["suspected"]["mine"]["items"])).items
print(len(items), {"pandas", "torch"} & sys.modules.keys())
"""


def test_a_dry_run_checks_logs_as_items_and_control_without_pandas(tmp_path: Path) -> None:
    """The control of 60 samples is an Inspect log; `check_config` is what the start of Snakemake calls."""
    items = [
        lm_eval(n, {"question": f"Is {n} odd?"}, "no", [(f"Is {n} odd?", GENERATION)])
        for n in range(100, 160)
    ]
    control = [inspect_sample(n, input=f"Is {n} odd?", target="no") for n in range(200, 260)]
    entry = {
        "items": str(write_lines(tmp_path / "samples_odd.jsonl", *items)),
        "control": str(write_inspect(tmp_path / "log.eval", *control)),
        "model": "gpt2",
    }
    config = tmp_path / "more.yaml"
    config.write_text(yaml.safe_dump({"radar": {"suspected": {"mine": entry}}}))
    run = subprocess.run(
        [sys.executable, "-c", CHECK, config], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert run.stdout.split(maxsplit=1) == ["60", "set()\n"], run.stderr

    repeated = inspect_sample(7, input="Is 100 odd?", target="no")
    write_inspect(tmp_path / "log.eval", *control[:-1], repeated)
    run = subprocess.run(
        [sys.executable, "-c", CHECK, config], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert (
        f"{tmp_path}/log.eval, sample 7: also an item of {tmp_path}/samples_odd.jsonl" in run.stderr
    )
