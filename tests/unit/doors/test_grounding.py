"""Verdicts on tasks: `mechaware.patch` gives the same verdict as the workflow's command.

The tasks are those of `task_pairs`: three pairs whose prompts ask for the value of x.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pandas as pd
import pytest

import mechaware as ma
from mechaware.core.seeds import derive_seed
from mechaware.instruments.grounding.rules import ConfiguredThresholds
from mechaware.models.opening import LoadedModel
from mechaware.models.settings import DEFAULTS, ModelSettings
from scripts.grounding import patch_task
from tests.tiny_models import HEADS
from tests.unit.doors.task_pairs import (
    Row,
    clean_texts,
    letter_rows,
    make_answering_model,
    unequal_rows,
)
from tests.unit.models.patching.naive_patching import N_LAYERS

REPOSITORY = Path(__file__).resolve().parents[3]
RATES = REPOSITORY / "config/calibration/rules.csv"
SCHEMA_OF_VERDICTS = json.loads((REPOSITORY / "mechaware/verdicts/schema.json").read_text())
# Writes a message of a user as U, its text and A.
CHAT_TEMPLATE = "{% for message in messages %}U{{ message.content }}{% endfor %}A"
# As in config/config.yaml.
CONFIGURED = ConfiguredThresholds(tau=0.4, alpha=0.9, null_quantile=0.95, unasked_share=0.5)


def judge_by_command(
    model: Path, table: Path, out: Path, *, label: str = "Tiny", settings: ModelSettings = DEFAULTS
) -> dict[str, Any]:
    """Run the workflow's command on the pairs in `table` with the values of config/config.yaml.

    Writes verdict.json, index.html and summary.txt to the folder `out`, and returns the content of
    verdict.json. `label` is what the page calls the model.
    """
    patch_task.main(
        name="mine",
        label=label,
        table=table,
        model=model,
        calibration=RATES,
        options=[],
        skip_faulty=False,
        own_rules=[],
        configured=CONFIGURED,
        verdict_share=0.5,
        confidence_level=0.95,
        bootstrap_resamples=5000,
        tokens_per_batch=32768,
        settings=settings,
        seed=derive_seed(20260, "patch_task", "mine"),
        verdict=out / "verdict.json",
        page=out / "index.html",
        lines=out / "summary.txt",
    )
    record: dict[str, Any] = json.loads((out / "verdict.json").read_text())
    return record


def through_json(record: object) -> Any:
    """A record as it is read from a JSON file: with lists in place of tuples, for instance."""
    return json.loads(json.dumps(record))


class Judged(NamedTuple):
    """A verdict of the command.

    - `folder`: where the command wrote its files.
    - `table`: the file of the task's pairs, `letter_rows`.
    - `model`: the model that was patched.
    - `record`: the verdict as JSON.
    """

    folder: Path
    table: Path
    model: LoadedModel
    record: dict[str, Any]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """The command's verdict on a model that answers r, the value of y, where x is asked for.

    The label has characters that HTML escapes.
    """
    folder = tmp_path_factory.mktemp("judged")
    table = folder / "mine.csv"
    pd.DataFrame(letter_rows()).to_csv(table, index=False)
    model = folder / "tiny"
    make_answering_model(model, clean_texts(letter_rows()))
    record = judge_by_command(model, table, folder, label="Tiny <model>")
    return Judged(folder, table, ma.load(model), record)


def test_the_library_gives_the_commands_verdict_from_a_file_and_from_rows(judged: Judged) -> None:
    from_file = ma.patch(judged.model, judged.table, name="mine")
    from_rows = ma.patch(judged.model, letter_rows(), name="mine")

    assert through_json(from_file.record()) == judged.record
    assert through_json(from_rows.record()) == judged.record
    jsonschema.validate(judged.record, SCHEMA_OF_VERDICTS)

    assert from_file.evidence.self_test.unpatched < 1e-5
    assert from_file.evidence.self_test.patched < 1e-5
    assert from_file.evidence.self_test.sentence in (judged.folder / "index.html").read_text()
    # Sets of 1, 2, 4 and 8 of the 15 components: in each of 3 blocks 4 heads and an MLP.
    assert len(from_file.evidence.faithfulness) == 4


def test_the_command_writes_a_line_and_a_page_of_the_verdict(judged: Judged) -> None:
    page = (judged.folder / "index.html").read_text()

    # The model answers r to every prompt. The right answer is always in place 1, so that the
    # shortcut of answering with the first value is always right.
    reason = (
        "the answer follows the exchanged word in 0 of 3 pairs (0%, 0% to 71%); a shortcut (first) answers every pair; "
        "add pairs that it answers wrongly"
    )
    lines = f"mine: not shown: {reason}\nopen {judged.folder}/index.html\n"
    assert (judged.folder / "summary.txt").read_text() == lines

    assert "Tiny &lt;model&gt;" in page
    assert "<h1>Not shown.</h1>" in page
    # Rule G5 needs prompts named "other", which the pairs lack.
    missing = (
        "G1 to G5: not measured with this procedure: g5, part of the measured one, was not asked"
    )
    assert missing in judged.record["error_rates"]["missing"]
    assert f"{missing}." in page
    # Each block has two bars, what it recovers and what it removes. Each head and each MLP has a
    # cell.
    n_cells = N_LAYERS * (HEADS + 1)
    n_bars_and_cells = page.count('class="items"') + page.count('class="control"')
    assert n_bars_and_cells == 2 * N_LAYERS + n_cells
    assert page.count("<title>MLP of block ") == N_LAYERS


def test_a_chat_template_gives_the_measurements_of_texts_written_in_its_format(
    tmp_path: Path,
) -> None:
    """The template turns the text x=d into Ux=dA.

    The answers in the table of the chat begin with a space, which is left out after the template:
    the model's first letter there follows A directly.
    """
    chat_rows: list[Row] = []
    written_rows: list[Row] = []
    for row in letter_rows():
        spaced_options = [f" {option}" for option in str(row["options"]).split("|")]
        chat_rows.append(
            row
            | {
                "wanted": f" {row['wanted']}",
                "against": f" {row['against']}",
                "options": "|".join(spaced_options),
            }
        )
        written_rows.append(row | {"text": f"U{row['text']}A"})
    table = tmp_path / "mine.csv"
    pd.DataFrame(chat_rows).to_csv(table, index=False)
    folder = tmp_path / "tiny"
    make_answering_model(folder, clean_texts(written_rows))
    (folder / "chat_template.jinja").write_text(CHAT_TEMPLATE)

    record = judge_by_command(folder, table, tmp_path, settings=ModelSettings(template="chat"))
    in_memory = ma.patch(ma.load(folder, template="chat"), table, name="mine")
    written = ma.patch(ma.load(folder), written_rows, name="mine").record()["evidence"]

    assert through_json(in_memory.record()) == record
    assert written["sets"]
    for key in ("rules", "sets", "behaviour", "predicted", "blocks", "residual_map"):
        assert record["evidence"][key] == through_json(written[key]), key

    # Every byte is a token: 'U' 'x' '=' 'd' ' ' 'y' ...
    tokens = " ".join(f"'{letter}'" for letter in "Ux=d y=r x:A")
    assert record["notes"][1] == f"the model reads the clean prompt of a as {tokens}"
    assert record["notes"][0] in (tmp_path / "index.html").read_text().replace("&#39;", "'")


def test_the_self_test_of_patching_needs_a_pair_whose_words_have_the_same_length(
    tmp_path: Path,
) -> None:
    """With all of a word patched, a prompt should give the logits of the other prompt.

    The words of pair a have the same length. Those of the pairs d and e differ in length, so that
    no patch gives the other prompt there; a note of the verdict counts such pairs.
    """
    mixed_rows = [row for row in unequal_rows() if row["prompt"] in ("clean", "corrupted")]
    unequal_only = [row for row in mixed_rows if row["pair"] != "a"]
    folder = tmp_path / "tiny"
    make_answering_model(folder, clean_texts(mixed_rows))

    mixed = ma.patch(ma.load(folder), mixed_rows, name="mine")
    unequal = ma.patch(ma.load(folder), unequal_only, name="mine")

    assert mixed.notes[0].startswith(
        "in 2 of 3 pairs the words differ in length: states are patched at their last tokens; "
    )
    assert mixed.evidence.self_test.unpatched < 1e-4
    assert mixed.evidence.self_test.patched is not None
    assert mixed.evidence.self_test.patched < 1e-4
    assert "the other prompt" in mixed.evidence.self_test.sentence

    assert unequal.evidence.self_test.patched is None
    assert "the other prompt" not in unequal.evidence.self_test.sentence
    jsonschema.validate(through_json(unequal.record()), SCHEMA_OF_VERDICTS)
