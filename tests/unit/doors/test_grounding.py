"""Verdicts on tasks: the library's function gives that of the workflow's command;
pairs that are refused.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pandas as pd
import pytest

import mechaware as ma
from mechaware.core.errors import UserError
from mechaware.core.seeds import derive_seed
from mechaware.doors.check_pairs import __main__ as check_pairs
from mechaware.doors.grounding import _table
from mechaware.instruments.grounding.data.pairs import read_pairs
from mechaware.instruments.grounding.measuring import measure_pairs
from mechaware.instruments.grounding.rules import ConfiguredThresholds
from mechaware.models.opening import LoadedModel
from mechaware.models.settings import DEFAULTS, ModelSettings
from scripts.grounding import patch_task
from tests.tiny_models import HEADS, make_tiny_model
from tests.unit.doors.task_pairs import (
    Row,
    clean_texts,
    letter_rows,
    make_answering_model,
    unequal_rows,
    word_rows,
    year_rows,
)
from tests.unit.models.patching.naive_patching import N_LAYERS

REPOSITORY = Path(__file__).resolve().parents[3]
RATES = REPOSITORY / "config/calibration/rules.csv"
SCHEMA_OF_VERDICTS = json.loads((REPOSITORY / "mechaware/verdicts/schema.json").read_text())
# Writes a message of a user as U, its text and A.
CHAT_TEMPLATE = "{% for message in messages %}U{{ message.content }}{% endfor %}A"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    """A random model of three blocks."""
    folder = tmp_path_factory.mktemp("task") / "tiny"
    return ma.load(make_tiny_model("llama", folder, n_layers=N_LAYERS))


# The values of config/config.yaml.
CONFIGURED = ConfiguredThresholds(tau=0.4, alpha=0.9, null_quantile=0.95, unasked_share=0.5)


def judge_by_command(
    model: Path, table: Path, out: Path, *, label: str = "Tiny", settings: ModelSettings = DEFAULTS
) -> dict[str, Any]:
    """Run the workflow's command with the config's values, and return the verdict that it writes.

    In `out` it writes verdict.json, index.html and summary.txt.
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
    """A record as it is after it was written as JSON: lists for tuples, for instance."""
    return json.loads(json.dumps(record))


class Judged(NamedTuple):
    """A task of `letter_rows`, its model, and what the command wrote of it in `folder`."""

    folder: Path
    table: Path
    model: LoadedModel
    record: dict[str, Any]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """The command's verdict on a model that always answers r, the other option;
    its label has characters of HTML.
    """
    folder = tmp_path_factory.mktemp("judged")
    table = folder / "mine.csv"
    pd.DataFrame(letter_rows()).to_csv(table, index=False)
    model = folder / "tiny"
    make_answering_model(model, clean_texts(letter_rows()))
    record = judge_by_command(model, table, folder, label="Tiny <model>")
    return Judged(folder, table, ma.load(model), record)


def test_the_library_gives_the_verdict_of_the_workflows_command(judged: Judged) -> None:
    """From a file and from rows in memory."""
    from_file = ma.patch(judged.model, judged.table, name="mine")
    from_rows = ma.patch(judged.model, letter_rows(), name="mine")

    assert through_json(from_file.record()) == judged.record
    assert through_json(from_rows.record()) == judged.record
    jsonschema.validate(judged.record, SCHEMA_OF_VERDICTS)

    assert from_file.evidence.self_test.unpatched < 1e-5
    assert from_file.evidence.self_test.patched < 1e-5
    assert from_file.evidence.self_test.sentence in (judged.folder / "index.html").read_text()
    assert len(from_file.evidence.faithfulness) == 4  # sets of 1, 2, 4 and 8 of the 15 components


def test_the_command_writes_a_line_and_a_page_of_the_verdict(judged: Judged) -> None:
    page = (judged.folder / "index.html").read_text()

    # The model always says r; the right answer is always in place 1.
    reason = (
        "the answer follows the exchanged word in 0 of 3 pairs (0%, 0% to 71%); a shortcut (first) answers every pair; "
        "add pairs that it answers wrongly"
    )
    lines = f"mine: not shown: {reason}\nopen {judged.folder}/index.html\n"
    assert (judged.folder / "summary.txt").read_text() == lines

    assert "Tiny &lt;model&gt;" in page
    assert "<h1>Not shown.</h1>" in page
    # The pairs have no prompt with another request, of which G5 asks.
    missing = (
        "G1 to G5: not measured with this procedure: g5, part of the measured one, was not asked"
    )
    assert missing in judged.record["error_rates"]["missing"]
    assert f"{missing}." in page
    # Two bars for each block, what it recovers and what it removes, and a cell for each head and
    # MLP.
    n_cells = N_LAYERS * (HEADS + 1)
    n_bars_and_cells = page.count('class="items"') + page.count('class="control"')
    assert n_bars_and_cells == 2 * N_LAYERS + n_cells
    assert page.count("<title>MLP of block ") == N_LAYERS


def test_pairs_in_a_chat_are_the_pairs_whose_texts_are_written_as_the_template_writes_them(
    tmp_path: Path,
) -> None:
    """In a chat the answers of the table begin with a blank,
    which is left out behind the template.
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
    by_hand = ma.patch(ma.load(folder), written_rows, name="mine").record()["evidence"]

    assert through_json(in_memory.record()) == record
    assert by_hand["sets"]
    for key in ("rules", "sets", "behaviour", "predicted", "blocks", "residual_map"):
        assert record["evidence"][key] == through_json(by_hand[key]), key

    shown = " ".join(f"'{letter}'" for letter in "Ux=d y=r x:A")
    assert record["notes"][1] == f"the model reads the clean prompt of a as {shown}"
    assert record["notes"][0] in (tmp_path / "index.html").read_text().replace("&#39;", "'")


def test_a_verdict_on_pairs_of_different_length_says_what_a_patch_restores_at_most(
    tmp_path: Path,
) -> None:
    """Two of three pairs have words of different length;
    with those alone no patch restores a whole prompt.
    """
    mixed_rows = [row for row in unequal_rows() if row["prompt"] in ("clean", "corrupted")]
    unequal_alone = [row for row in mixed_rows if row["pair"] != "a"]
    folder = tmp_path / "tiny"
    make_answering_model(folder, clean_texts(mixed_rows))

    mixed = ma.patch(ma.load(folder), mixed_rows, name="mine")
    unequal = ma.patch(ma.load(folder), unequal_alone, name="mine")

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


# Pairs that are refused


@pytest.mark.parametrize(
    ("prompt", "changed", "message"),
    [
        (
            "corrupted",
            {"text": "x=horse y=red x:"},
            "mine, row 2, corrupted prompt of pair 'a': 16 tokens, but its clean prompt has 14",
        ),
        (
            "corrupted",
            {"text": "x=cat y=red x;"},
            "mine, row 2, corrupted prompt of pair 'a': differs from its clean prompt in the last token",
        ),
        (
            "third",
            {"text": "x=fox y=red x;"},
            "mine, row 3, third prompt of pair 'a': differs from its clean prompt in the last token",
        ),
        (
            "clean",
            {"text": "x=dog y=red x:" * 5},
            "mine, row 1, clean prompt of pair 'a': 70 tokens, but the model reads at most 64",
        ),
        (
            "clean",
            {"options": "dog|red|rat"},
            "mine, row 1, clean prompt of pair 'a': answers 'red' and 'rat' begin with the same token",
        ),
    ],
)
def test_the_study_refuses_pairs_that_the_model_cannot_read_in_a_line(
    model: LoadedModel, prompt: str, changed: dict[str, object], message: str
) -> None:
    """`measure_pairs` with the study's settings: `ma.patch` also takes words of different length,
    and whole answers.

    One of the first three rows is changed: the clean, the corrupted and the third prompt of pair a.
    """
    rows = word_rows()[:3]
    for row in rows:
        if row["prompt"] == prompt:
            row |= changed
    pairs = read_pairs(Path("mine"), pd.DataFrame(rows))

    with pytest.raises(UserError) as refused:
        measure_pairs(model.network, model.tokenizer, pairs, Path("mine"), tokens_per_batch=10**5)

    assert message in str(refused.value)


LOST = (
    "pandas reads the texts NA, None and null as missing: read the file with pd.read_csv(..., keep_default_na=False), "
    "or write '' where there is no text"
)


@pytest.mark.parametrize(
    "column", ["pair", "text", "wanted", "against", "options", "category", "place", "shortcut_last"]
)
def test_a_cell_that_pandas_takes_for_missing_is_refused(
    model: LoadedModel, tmp_path: Path, column: str
) -> None:
    """The fourth row has the text NA, in a column of texts.

    The five rows of pair c, 11 to 15, have no category.
    """
    table = pd.DataFrame(word_rows()).assign(shortcut_last="red", place="last").astype(object)
    table.loc[3, column] = "NA"
    if column == "category":
        places = "rows 4, 11, 12, 13, 14 and 1 more"
    else:
        table["category"] = "animal"
        places = "row 4"
    table.to_csv(tmp_path / "mine.csv", index=False)
    read = pd.read_csv(tmp_path / "mine.csv")

    for lost in (read, read.to_dict("records")):
        with pytest.raises(ma.UserError) as refused:
            ma.patch(model, lost, name="mine")
        assert str(refused.value) == f"mine, {places}: {column} is missing; {LOST}"


def test_a_row_without_a_key_or_with_none_has_no_text_there() -> None:
    """No category: all rows as an empty text, all as None,
    and pairs b and c without the key (a has an empty text).
    """
    with_empty_text: list[Row] = []
    without_key: list[Row] = []
    with_none: list[Row] = []
    for row in word_rows():
        with_empty_text.append(row | {"category": ""})
        with_none.append(row | {"category": None})
        lacking = row | {"category": ""}
        if row["pair"] != "a":
            del lacking["category"]
        without_key.append(lacking)

    expected = read_pairs(Path("mine"), pd.DataFrame(with_empty_text))
    assert read_pairs(Path("mine"), _table(without_key, "mine")) == expected
    assert read_pairs(Path("mine"), _table(with_none, "mine")) == expected


def test_faulty_pairs_are_left_out_and_listed(model: LoadedModel) -> None:
    """The five prompts of pair b are made longer than the model's context."""
    longer: list[Row] = []
    kept: list[Row] = []
    for row in word_rows():
        if row["pair"] == "b":
            longer.append(row | {"text": str(row["text"]) + "=" * 60})
        else:
            kept.append(row)

    with pytest.raises(UserError, match="the model reads at most 64"):
        ma.patch(model, kept + longer, name="mine")
    verdict = ma.patch(model, kept + longer, name="mine", skip_faulty=True)

    assert verdict.n == 2
    lines = verdict.notes[0].splitlines()
    assert lines[0] == "2 of 3 pairs used; faults of the others:"
    assert lines[1].startswith(
        "mine, row 11, clean prompt of pair 'b': 76 tokens with its longest answer, but the model reads at most 64"
    )
    assert len(lines) == 1 + 5
    assert verdict.evidence.pairs == ma.patch(model, kept, name="mine").evidence.pairs


def test_pairs_are_checked_without_the_weights(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "mine.csv"
    folder = make_tiny_model("llama", tmp_path / "tiny")
    for weights in folder.glob("*.safetensors"):
        weights.unlink()
    pd.DataFrame(year_rows()).to_csv(table, index=False)
    arguments = [str(table), str(folder), "--options"]

    assert check_pairs.main([*arguments, "1984|1987|1935|1954"]) == 0
    assert capsys.readouterr().out == f"{table}: all 2 pairs can be measured\n"

    assert check_pairs.main([*arguments, "1984|1987|1935|1954|195"]) == 1
    faults = capsys.readouterr().err.splitlines()
    assert len(faults) == 4  # one for each prompt
    assert faults[0] == (
        f"error: {table}, row 2, clean prompt of pair 'a': the tokens of '195' are the beginning of '1954'; "
        "exchange one of them"
    )
