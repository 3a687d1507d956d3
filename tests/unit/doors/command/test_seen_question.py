"""What `mechaware seen` writes into its config about the user's benchmark, and what it refuses."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mechaware.core.errors import UserError
from mechaware.doors.command.questions import Question, ask_seen

pytestmark = pytest.mark.usefixtures("folder")


def ask(
    items: str, control: str | None = None, columns: Mapping[str, str] | None = None, **options: Any
) -> Question:
    """`ask_seen` of the model gpt2. `columns`: by our name of a column, the user's."""
    control_path = None if control is None else Path(control)
    return ask_seen(Path(items), control_path, "gpt2", columns or {}, **options)


def entry_of(question: Question) -> dict[str, Any]:
    """The question's only benchmark in its config."""
    (entry,) = question.config["radar"]["suspected"].values()
    return entry


def test_a_benchmark_and_its_model_are_entered_as_in_a_config_of_ones_own() -> None:
    Path("my items.csv").write_text("id,question,answer\n1,Who?,Ann\n")
    Path("control.csv").write_text("id,question,answer\n2,Where?,Here\n")
    question = ask("my items.csv", "control.csv")

    assert question.config["radar"]["suspected"] == {
        "my-items": {"items": "my items.csv", "model": "gpt2", "control": "control.csv"}
    }
    assert question.page == "results/radar/suspected/my-items/index.html"
    assert question.page in question.targets


def test_a_benchmark_without_the_named_column_is_refused() -> None:
    Path("my items.csv").write_text("id,question,answer\n1,Who?,Ann\n")

    message = r"my items.csv: no column 'q'; it has id, question, answer; name one of them"
    with pytest.raises(UserError, match=message):
        ask("my items.csv", columns={"question": "q"})


def test_a_benchmark_that_is_not_there_is_refused() -> None:
    with pytest.raises(UserError, match=r"^none.csv: no such file \(from "):
        ask("none.csv")


def test_a_table_of_another_encoding_is_refused_even_if_it_needs_no_copy() -> None:
    Path("items.csv").write_bytes("question,answer\nWho?,Jörg\n".encode("cp1252"))
    with pytest.raises(UserError, match=r"^items\.csv, row 2: not UTF-8 \(byte 0xF6\); save it"):
        ask("items.csv")


# The basis of a verdict: a control, a random order, or the truth.


def test_a_random_order_takes_the_place_of_a_control_and_is_entered_once() -> None:
    Path("items.csv").write_text("id,question,answer\n1,Who?,Ann\n")
    question = ask("items.csv", random_order=["options", "options"])

    assert entry_of(question) == {
        "items": "items.csv",
        "model": "gpt2",
        "random_order": ["options"],
    }


def test_scores_alone_need_no_control() -> None:
    Path("items.csv").write_text("id,question,answer\n1,Who?,Ann\n")
    question = ask("items.csv", scores_only=True)

    assert entry_of(question) == {"items": "items.csv", "model": "gpt2", "scores_only": True}


def test_known_truth_takes_the_place_of_a_control() -> None:
    Path("known.csv").write_text("question,answer,seen\nWho?,Ann,1\nWhere?,Here,0\n")

    assert entry_of(ask("known.csv")) == {"items": "known.csv", "model": "gpt2"}


def test_a_control_may_be_in_the_users_config() -> None:
    Path("items.csv").write_text("question,answer\nWho?,Ann\n")
    Path("my.yaml").write_text("radar: {suspected: {items: {control: control.csv}}}\n")
    question = ask("items.csv", configs=[Path("my.yaml")])

    assert entry_of(question) == {"items": "items.csv", "model": "gpt2"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("items.csv", "question,answer\nWho?,Ann\n"),
        ("items.jsonl", '{"question": "Who?", "answer": "Ann"}\n'),
    ],
)
def test_a_table_without_a_control_is_refused_with_the_options_to_type(
    name: str, text: str
) -> None:
    Path(name).write_text(text)
    with pytest.raises(UserError) as caught:
        ask(name)
    assert str(caught.value).startswith(f"{name}: no control, so that no verdict can follow; add ")

    for option in ("--control FILE", "--random-order items", "--scores-only"):
        assert option in str(caught.value)


# The names of columns.


def test_a_table_with_semicolons_or_tabs_is_read_where_it_is() -> None:
    """A message about one of its rows then names the file that the user has to mend."""
    Path("items.csv").write_text("id;question;answer\n1;Who?;Ann\n", encoding="utf-8-sig")
    Path("control.csv").write_text("id\tquestion\tanswer\n3\tWhere?\tHere\n")
    question = ask("items.csv", "control.csv")
    entry = entry_of(question)

    assert (entry["items"], entry["control"]) == ("items.csv", "control.csv")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_rows_without_ids_are_numbered_and_a_line_says_so(
    ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = pd.DataFrame({"question": ["Who?", "Where?"], "answer": ["Ann", "Here"]})
    rows.to_csv("items.csv", index=False)
    rows.to_json("items.jsonl", orient="records", lines=True)
    rows.to_parquet("items.parquet")
    items = f"items.{ending}"

    question = ask(items, scores_only=True)

    assert entry_of(question)["items"] == items
    assert capsys.readouterr().err == (
        f"{items}: no column 'id': an item's id is the number of its row; "
        "--id NAME names a column of yours\n"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("items.csv", "Nr;question;gold\n1;Who?;Ann\n"),
        ("items.jsonl", '{"Nr": 1, "question": "Who?", "gold": "Ann"}\n'),
    ],
)
def test_columns_of_other_names_are_asked_for_by_the_options_that_name_them(
    name: str, text: str
) -> None:
    Path(name).write_text(text)
    with pytest.raises(UserError) as caught:
        ask(name)
    assert str(caught.value) == (
        f"{name}: no column 'answer'; it has Nr, question, gold; name yours by --answer NAME"
    )


def test_other_names_of_the_columns_of_parquet_are_asked_for_too() -> None:
    pd.DataFrame({"id": [1], "q": ["Who?"], "answer": ["Ann"]}).to_parquet("items.parquet")
    with pytest.raises(UserError, match="no column 'question'; it has id, q, answer; name yours"):
        ask("items.parquet")


def test_items_and_a_control_of_one_name_are_renamed_into_different_files() -> None:
    """Their copies with our names of the columns have a folder each."""
    Path("items").mkdir()
    Path("items/control.csv").write_text("id,q,answer\n3,When?,Now\n")
    Path("control.csv").write_text("id,q,answer\n2,Where?,Here\n")

    question = ask("items/control.csv", "control.csv", {"question": "q"})

    entry = entry_of(question)
    assert Path(entry["items"]).read_text() == "id,question,answer\n3,When?,Now\n"
    assert Path(entry["control"]).read_text() == "id,question,answer\n2,Where?,Here\n"


def test_a_control_with_other_names_of_columns_than_the_items_is_refused() -> None:
    Path("items.csv").write_text("id;Frage;answer\n1;Who?;Ann\n")
    Path("control.jsonl").write_text('{"id": 2, "prompt": "When?", "answer": "Now"}\n')
    with pytest.raises(UserError) as caught:
        ask("items.csv", "control.jsonl", {"question": "Frage"})
    assert str(caught.value) == (
        "control.jsonl: no column 'Frage'; it has id, prompt, answer; "
        "name its columns as those of the items"
    )


LOG_LINE = (
    '{"doc_id": 0, "doc": {}, "target": "a", "arguments": [["q", "a"]], "resps": [[[0, true]]]}\n'
)


def test_beside_a_log_names_of_columns_are_those_of_the_table() -> None:
    Path("log.jsonl").write_text(LOG_LINE)
    Path("control.csv").write_text("id,q,answer\n3,When?,Now\n")
    entry = entry_of(ask("log.jsonl", "control.csv", {"question": "q"}))

    assert entry["items"] == "log.jsonl"
    assert Path(entry["control"]).read_text() == "id,question,answer\n3,When?,Now\n"


def test_names_of_columns_are_refused_for_logs_alone() -> None:
    Path("log.jsonl").write_text(LOG_LINE)
    with pytest.raises(UserError, match=r"an evaluation log, .* leave --question out"):
        ask("log.jsonl", "log.jsonl", {"question": "q"})
