"""Evaluation logs as the items and the control of a suspected benchmark."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

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
RIVER_TEXT = f"{RIVER}\nA. Niger\nB. Nile\nC. Congo\nAnswer: B"
# The prompt shows the choices. The right one is Nile, number 1 from 0.
LETTERED = lm_eval(
    doc_id=0,
    doc={"question": RIVER, "choices": RIVERS, "answer": 1},
    target=1,
    requests=options(RIVER_PROMPT, " A", " B", " C"),
)
# The prompt does not show the choices, which are the continuations. The right one is 3, number 1.
CLOZE = lm_eval(
    doc_id=1,
    doc={
        "question": "Nine minus six is",
        "choices": {"text": ["2", "3"], "label": ["A", "B"]},
        "answerKey": "B",
    },
    target=1,
    requests=options("Question: Nine minus six is\nAnswer:", " 2", " 3"),
)


def test_lines_of_lm_eval_are_items(tmp_path: Path) -> None:
    """The text is the document's question and the right option.

    The question has the choices only if the prompt shows them. A sample is one item, even if the
    log has it twice, or once for each of several filters.
    """
    loose = CLOZE | {"filter": "loose"}
    benchmark = read_benchmark(
        write_lines(tmp_path / "samples_mixed_2026.jsonl", LETTERED, CLOZE, LETTERED, loose)
    )
    assert [(item.id, item.line.text) for item in benchmark.items] == [
        ("0", RIVER_TEXT),
        ("1", "Nine minus six is 3"),
    ]
    assert not benchmark.has_truth
    assert benchmark.question_from == {"question"}


def test_lines_of_an_older_version_are_items(tmp_path: Path) -> None:
    benchmark = read_benchmark(write_lines(tmp_path / "samples.JSONL", older(LETTERED, target=1)))
    assert [line.text for line in benchmark.lines] == [RIVER_TEXT]


@pytest.mark.parametrize("suffix", [".json", ".eval"])
def test_samples_of_inspect_are_items(tmp_path: Path, suffix: str) -> None:
    """An item of two epochs, and one whose sample ended with an error.

    The choices of the first item are letters, too: C, A and B. As in Inspect, the target A is the
    place of a choice, the first, and not the choice with the text A.
    """
    chosen = {"input": "Which vitamin is ascorbic acid?", "choices": ["C", "A", "B"], "target": "A"}
    samples = [
        # The scorer `choice` marks answers C (correct) or I (incorrect).
        inspect_sample("v", **chosen, scores=scored("C", "choice")),
        inspect_sample("v", **chosen, scores=scored("I", "choice"), epoch=2),
        inspect_sample("w", input="Capital of Peru?", target="Lima", error={"message": "time"}),
    ]
    benchmark = read_benchmark(write_inspect(tmp_path / f"log{suffix}", *samples))
    assert [(item.id, item.line.text) for item in benchmark.items] == [
        ("v", "Which vitamin is ascorbic acid?\nA. C\nB. A\nC. B\nAnswer: A"),
        ("w", "Capital of Peru? Lima"),
    ]


def test_the_question_of_a_log_without_a_field_for_it_is_the_whole_prompt(tmp_path: Path) -> None:
    """`question` is not such a field: the second prompt has other words than its document."""
    lines = [
        lm_eval(
            doc_id=0,
            doc={"question": "Is 7 odd?"},
            target="yes",
            requests=[("Is 7 odd?", GENERATION)],
        ),
        lm_eval(
            doc_id=1,
            doc={"question": "Is 8 odd?"},
            target="yes",
            requests=[("Is eight odd?", GENERATION)],
        ),
    ]
    benchmark = read_benchmark(write_lines(tmp_path / "samples.jsonl", *lines))
    assert [item.line.question for item in benchmark.items] == ["Is 7 odd?", "Is eight odd?"]
    assert benchmark.question_from == {"arguments"}


def test_json_lines_with_the_columns_of_a_table_are_no_log(tmp_path: Path) -> None:
    """The row has the columns of a table, and three fields of a log besides."""
    row = {"id": "x", "question": "Who?", "answer": "Ann"}
    for field in ("doc_id", "target", "arguments"):
        row[field] = LETTERED[field]
    benchmark = read_benchmark(write_lines(tmp_path / "items.jsonl", row))
    (item,) = benchmark.items
    assert (item.id, item.line.text) == ("x", "Who? Ann")
    assert not benchmark.question_from


class FaultyLog(NamedTuple):
    """A log of two samples, of which one is usable, and the fault of the other."""

    name: str
    samples: list[dict[str, Any]]
    message: str


FAULTY_LOGS = {
    "a target beyond the options": FaultyLog(
        name="samples.jsonl",
        samples=[CLOZE, LETTERED | {"target": "3"}],
        message="sample 0: target 3, but 3 options, counted from 0; correct the target",
    ),
    "a target that is no choice": FaultyLog(
        name="log.json",
        samples=[
            inspect_sample("a"),
            inspect_sample("b", target="zinc", choices=["gold", "tin"]),
        ],
        message="sample b: target 'zinc' is none of the choices 'gold', 'tin'; correct the target",
    ),
    "a text twice": FaultyLog(
        name="log.eval",
        samples=[
            inspect_sample("a", input="Capital of Peru?", target="Lima"),
            inspect_sample("b", input="Capital of Peru?", target="Lima"),
        ],
        message="sample b: the same text as sample a; remove or change one of them",
    ),
    "a choice twice": FaultyLog(
        name="log.json",
        samples=[
            inspect_sample("a"),
            inspect_sample("b", target="B", choices=["tin", "tin"]),
        ],
        message="sample b: choice 'tin' twice; change or remove one of them",
    ),
}


@pytest.mark.parametrize("log", FAULTY_LOGS.values(), ids=FAULTY_LOGS)
def test_a_faulty_sample_is_named_by_file_and_id_or_left_out(
    tmp_path: Path, log: FaultyLog
) -> None:
    write = write_lines if log.name.endswith("jsonl") else write_inspect
    path = write(tmp_path / log.name, *log.samples)
    with pytest.raises(UserError) as raised:
        read_benchmark(path)
    assert str(raised.value) == f"{path}, {log.message}"

    benchmark = read_benchmark(path, skip_faulty=True)
    assert len(benchmark.items) == 1
    assert benchmark.skipped == (f"{path}, {log.message}",)


def test_a_json_file_that_is_no_log_is_refused_like_a_table_of_another_format(
    tmp_path: Path,
) -> None:
    path = tmp_path / "items.json"
    path.write_text(json.dumps([{"id": "a", "question": "Who?", "answer": "Ann"}]))
    with pytest.raises(UserError, match=r"items\.json: \.json is not read; save it as \.csv"):
        read_benchmark(path)


# Checks the config of `sys.argv[1]`, and prints the number of items and which of two slow packages
# were imported. `check_config` is what the start of Snakemake calls.
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
    run = check_logs(tmp_path, inspect_sample(259, input="Is 259 odd?", target="no"))
    assert run.stdout == "60 set()\n", run.stderr


def test_a_dry_run_refuses_a_control_with_an_item_of_the_benchmark(tmp_path: Path) -> None:
    run = check_logs(tmp_path, inspect_sample(7, input="Is 100 odd?", target="no"))
    message = f"{tmp_path}/log.eval, sample 7: also an item of {tmp_path}/samples_odd.jsonl"
    assert message in run.stderr


def check_logs(
    folder: Path, last_of_control: dict[str, object]
) -> subprocess.CompletedProcess[str]:
    """Run `CHECK` on 60 items of lm-eval, from "Is 100 odd?" on, and a control of 60 of Inspect.

    The control is "Is 200 odd?" to "Is 258 odd?", and then the sample `last_of_control`.
    """
    items = []
    for number in range(100, 160):
        question = f"Is {number} odd?"
        item = lm_eval(
            doc_id=number,
            doc={"question": question},
            target="no",
            requests=[(question, GENERATION)],
        )
        items.append(item)
    control = []
    for number in range(200, 259):
        control.append(inspect_sample(number, input=f"Is {number} odd?", target="no"))
    entry = {
        "items": str(write_lines(folder / "samples_odd.jsonl", *items)),
        "control": str(write_inspect(folder / "log.eval", *control, last_of_control)),
        "model": "gpt2",
    }
    config = folder / "more.yaml"
    config.write_text(yaml.safe_dump({"radar": {"suspected": {"mine": entry}}}))
    return subprocess.run(
        [sys.executable, "-c", CHECK, config], cwd=REPOSITORY, capture_output=True, text=True
    )
