"""What a verb writes into its config, from what the user typed."""

import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from mechaware.core.errors import UserError
from mechaware.core.schema import read_yaml
from mechaware.doors.command.models import find_model
from mechaware.doors.command.questions import (
    ask_card,
    ask_demo,
    ask_judge,
    ask_paper,
    ask_reads,
    ask_seen,
    result_name,
)
from mechaware.doors.command.running import write_config
from tests.checkout import REPOSITORY

EXAMPLES = REPOSITORY / "examples"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder with a model of her own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my models/GPT2").mkdir(parents=True)
    return tmp_path


def test_a_folder_of_a_model_gets_an_entry_of_its_name() -> None:
    """gpt2 is listed, and on some file systems GPT2 is the same folder of results: `-own` is added."""
    entry = {"kind": "local", "label": "GPT2", "folder": "my models/GPT2"}

    assert find_model("my models/GPT2") == ("GPT2-own", {"GPT2-own": entry})


def test_a_listed_model_needs_no_entry() -> None:
    assert find_model("gpt2") == ("gpt2", {})


def test_a_model_of_the_hub_gets_an_entry_with_its_commit() -> None:
    entry = {"kind": "hub", "label": "new-model", "repo": "me/new-model", "revision": COMMIT}

    assert find_model(f"me/new-model@{COMMIT}") == ("new-model", {"new-model": entry})


def test_a_model_that_is_none_of_these_is_refused_with_the_listed_ones() -> None:
    with pytest.raises(UserError, match=r"model nowhere: no such folder .* or one of smollm2-135m"):
        find_model("nowhere")


def test_a_model_of_ones_own_config_keeps_its_entry(folder: Path) -> None:
    """Its template, precision or adapter stand there and nowhere on the command line."""
    config = folder / "mine.yaml"
    config.write_text("models: {chatty: {kind: local, folder: chatty, template: chat}}\n")

    assert find_model("chatty", [config]) == ("chatty", {})

    Path("pairs.csv").write_text("pair,prompt,text,wanted,against,options\n")
    question = ask_reads(Path("pairs.csv"), "chatty", [config])

    assert question.config == {
        "grounding": {"pairs": {"pairs": {"table": "pairs.csv", "model": "chatty"}}},
        "models": {},
    }

    with pytest.raises(UserError, match=r"no such folder .*, or one of .*, chatty$"):
        find_model("nowhere", [config])
    config.write_text("")
    with pytest.raises(UserError, match="no such folder"):
        find_model("chatty", [config])


def test_a_path_is_no_name_on_the_hub() -> None:
    with pytest.raises(
        UserError, match=r"^model \./my-model: no such folder .*, and no name on the hub"
    ):
        find_model("./my-model")


def test_a_benchmark_and_its_model_are_entered_as_in_a_config_of_ones_own(folder: Path) -> None:
    Path("my items.csv").write_text("id,question,answer\n1,Who?,Ann\n")
    Path("control.csv").write_text("id,question,answer\n2,Where?,Here\n")
    question = ask_seen(Path("my items.csv"), Path("control.csv"), "gpt2", {})

    assert question.config["radar"]["suspected"] == {
        "my-items": {"items": "my items.csv", "model": "gpt2", "control": "control.csv"}
    }
    assert question.page == "results/radar/suspected/my-items/index.html"
    assert question.page in question.targets


def test_a_benchmark_without_the_named_column_or_that_is_not_there_is_refused() -> None:
    Path("my items.csv").write_text("id,question,answer\n1,Who?,Ann\n")

    message = r"my items.csv: no column 'q'; it has id, question, answer; name one of them"
    with pytest.raises(UserError, match=message):
        ask_seen(Path("my items.csv"), None, "gpt2", {"question": "q"})
    with pytest.raises(UserError, match=r"^none.csv: no such file \(from "):
        ask_seen(Path("none.csv"), None, "gpt2", {})


def test_items_and_a_control_of_one_name_are_renamed_into_different_files() -> None:
    """Their copies with our names of the columns have a folder each."""
    Path("items").mkdir()
    Path("items/control.csv").write_text("id,q,answer\n3,When?,Now\n")
    Path("control.csv").write_text("id,q,answer\n2,Where?,Here\n")

    question = ask_seen(Path("items/control.csv"), Path("control.csv"), "gpt2", {"question": "q"})

    (entry,) = question.config["radar"]["suspected"].values()
    assert Path(entry["items"]).read_text() == "id,question,answer\n3,When?,Now\n"
    assert Path(entry["control"]).read_text() == "id,question,answer\n2,Where?,Here\n"


def test_a_benchmark_without_a_control_may_have_a_random_order_or_scores_alone() -> None:
    Path("items.csv").write_text("id,question,answer\n1,Who?,Ann\n")
    bare = {"items": "items.csv", "model": "gpt2"}
    ordered = ask_seen(Path("items.csv"), None, "gpt2", {}, random_order=["options", "options"])

    assert ordered.config["radar"]["suspected"]["items"] == bare | {"random_order": ["options"]}

    scored = ask_seen(Path("items.csv"), None, "gpt2", {}, scores_only=True)
    assert scored.config["radar"]["suspected"]["items"] == bare | {"scores_only": True}


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
        ask_seen(Path(name), None, "gpt2", {})
    assert str(caught.value).startswith(f"{name}: no control, so that no verdict can follow; add ")

    for option in ("--control FILE", "--random-order items", "--scores-only"):
        assert option in str(caught.value)


def test_known_truth_or_a_config_of_ones_own_takes_the_place_of_a_control() -> None:
    Path("known.csv").write_text("question,answer,seen\nWho?,Ann,1\nWhere?,Here,0\n")
    assert ask_seen(Path("known.csv"), None, "gpt2", {}).page

    Path("items.csv").write_text("question,answer\nWho?,Ann\n")
    Path("my.yaml").write_text("radar: {suspected: {items: {control: control.csv}}}\n")

    assert ask_seen(Path("items.csv"), None, "gpt2", {}, configs=[Path("my.yaml")]).page


def test_a_table_of_another_encoding_is_refused_with_our_names_and_commas_too() -> None:
    Path("items.csv").write_bytes("question,answer\nWho?,Jörg\n".encode("cp1252"))
    with pytest.raises(UserError, match=r"^items\.csv, row 2: not UTF-8 \(byte 0xF6\); save it"):
        ask_seen(Path("items.csv"), None, "gpt2", {})


def test_the_config_that_is_written_is_read_as_it_was_meant() -> None:
    Path("pairs.jsonl").touch()
    question = ask_reads(Path("pairs.jsonl"), f"me/m@{'1' * 40}")
    path = write_config(question.name, question.config)

    assert path == Path("mechaware-results/reads-pairs.yaml")

    read = read_yaml(path, path.name)
    assert read == question.config
    assert read["models"]["m"]["revision"] == "1" * 40  # text, though it looks like a number


@pytest.mark.parametrize(
    ("judge", "own_judges"),
    [("", []), ("smollm2", ["smollm2"]), ("ollama/llama3.2", ["ollama/llama3.2"])],
)
def test_a_paper_has_the_judge_that_is_named_or_none(judge: str, own_judges: list[str]) -> None:
    config = ask_paper("2211.00593", judge).config
    assert config == {"claims": {"own_paper": "2211.00593", "own_judges": own_judges}}


def test_a_paper_is_read_by_a_rubric_of_ones_own() -> None:
    Path("my.yaml").touch()
    Path("my.pdf").touch()
    config = ask_paper("my.pdf", "", Path("my.yaml")).config

    assert config == {"claims": {"own_paper": "my.pdf", "own_judges": [], "own_rubric": "my.yaml"}}

    with pytest.raises(UserError, match=r"^none.yaml: no such file \(from "):
        ask_paper("my.pdf", "", Path("none.yaml"))


def test_a_judge_judges_a_claim_by_a_rubric_of_ones_own_and_has_cards() -> None:
    for name in ("my.pdf", "my.yaml", "verdict.json"):
        Path(name).touch()
    asked = ask_paper(
        "my.pdf", "smollm2", Path("my.yaml"), claim="It copies.", cards=[Path("verdict.json")]
    )

    assert asked.config["claims"] == {
        "own_paper": "my.pdf",
        "own_judges": ["smollm2"],
        "own_rubric": "my.yaml",
        "own_claim": "It copies.",
        "measured": ["verdict.json"],
    }

    with pytest.raises(UserError, match="--claim and --card go with a rubric of yours"):
        ask_paper("my.pdf", "smollm2", claim="It copies.")


@pytest.mark.parametrize(
    ("paper", "name"),
    [
        ("2211.00593", "paper-2211.00593"),
        ("https://arxiv.org/abs/2211.00594v2", "paper-2211.00594v2"),
        ("papers/my draft 1.2.PDF", "paper-my-draft-1.2"),
        ("notes.html", "paper-notes"),
    ],
)
def test_each_paper_has_a_config_of_its_own(paper: str, name: str) -> None:
    if "://" not in paper:
        Path(paper).parent.mkdir(exist_ok=True)
        Path(paper).touch()
    assert ask_paper(paper, "").name == name


def test_a_judges_card_has_a_judge_or_a_file_of_replies() -> None:
    for name in ("items.csv", "rubric.yaml", "replies.csv"):
        Path(f"my.{name}").write_text((EXAMPLES / f"review_{name}").read_text())
    items = Path("my.items.csv")
    rubric = Path("my.rubric.yaml")

    by_judge = ask_judge(items, rubric, "ollama/llama3.2", None)
    by_replies = ask_judge(items, rubric, "", Path("my.replies.csv"))

    own = {"items": "my.items.csv", "rubric": "my.rubric.yaml"}
    judge = own | {"judge": "ollama/llama3.2"}
    assert by_judge.config == {"claims": {"judge_cards": {"my-items": judge}}}
    assert by_judge.page == "results/claims/judge_cards/my-items/index.html"
    assert by_judge.page in by_judge.targets
    replies = own | {"replies": "my.replies.csv"}
    assert by_replies.config["claims"]["judge_cards"] == {"my-items": replies}


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    # Rows are counted as lines, the header's being the first.
    [
        (
            "rubric.yaml",
            "statuses: [bad,",
            "stati: [bad,",
            "rubric.yaml: key 'statuses' is missing; add it",
        ),
        (
            "items.csv",
            "change 1,names,",
            "change 1,name,",
            "items.csv, row 2: criterion 'name' is not in the rubric; it has names, tests, scope",
        ),
        (
            "replies.csv",
            "1-names,",
            "99-names,",
            "replies.csv, row 2: no item '99-names'; remove the reply, or correct its id",
        ),
    ],
)
def test_labels_a_rubric_and_replies_that_cannot_be_used_are_refused_in_one_line(
    file: str, old: str, new: str, message: str
) -> None:
    for name in ("items.csv", "rubric.yaml", "replies.csv"):
        text = (EXAMPLES / f"review_{name}").read_text()
        Path(name).write_text(text.replace(old, new, 1) if name == file else text)
    with pytest.raises(UserError) as caught:
        ask_judge(Path("items.csv"), Path("rubric.yaml"), "", Path("replies.csv"))
    assert str(caught.value) == message


def test_results_of_a_file_lie_under_a_name_without_dots() -> None:
    assert result_name(Path("a/my items v1.2.csv")) == "my-items-v1-2"
    assert result_name(Path("….csv")) == "own"


@pytest.mark.parametrize(
    ("code", "config", "page"),
    [
        (
            "from mechaware.instruments.radar.detectors.detector import Detector\n"
            "MINE = Detector('sure', 'sure', 'ours', (), len)\n",
            {"studies": ["radar"], "radar": {"detectors": ["package_of_cards.MINE"]}},
            "results/cards/detector/sure.html",
        ),
        (
            "from mechaware.instruments.grounding.rules import Rule\nMINE = Rule('right', len)\n",
            {"studies": ["grounding"], "grounding": {"rules": ["package_of_cards.MINE"]}},
            "results/cards/rule/right.html",
        ),
        (
            "from mechaware.instruments.claims.judges.kinds import Kind\nMINE = Kind(len)\n",
            {
                "studies": ["claims"],
                "judges": {
                    "mine": {"kind": "package_of_cards.MINE", "label": "package_of_cards.MINE"}
                },
                "claims": {"judges": ["mine"], "papers": []},
            },
            "results/cards/judge/mine.html",
        ),
    ],
    ids=["detector", "rule", "kind of judge"],
)
def test_a_card_is_of_a_detector_a_rule_or_a_kind_of_judge(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, config: object, page: str
) -> None:
    monkeypatch.delitem(sys.modules, "package_of_cards", raising=False)
    monkeypatch.syspath_prepend(folder)
    Path("package_of_cards.py").write_text(code)
    question = ask_card("package_of_cards.MINE")

    assert question.config == config
    assert question.page == page

    with pytest.raises(
        UserError, match="card: 'package_of_cards' has no 'MINA'; did you mean 'MINE'"
    ):
        ask_card("package_of_cards.MINA")


def test_the_demo_asks_of_the_examples_wherever_the_user_is() -> None:
    config = ask_demo().config
    tables = [task["table"] for task in config["grounding"]["pairs"].values()]
    for benchmark in config["radar"]["suspected"].values():
        tables += [benchmark["items"], benchmark["control"]]

    assert len(tables) == 5
    assert all(Path(table).is_file() for table in tables)
    assert yaml.safe_load(yaml.safe_dump(config)) == config


def test_a_spreadsheets_table_is_read_where_it_is() -> None:
    """A message about one of its rows then names the file that the user has to mend."""
    Path("items.csv").write_text("id;question;answer\n1;Who?;Ann\n", encoding="utf-8-sig")
    Path("control.csv").write_text("id\tquestion\tanswer\n3\tWhere?\tHere\n")
    question = ask_seen(Path("items.csv"), Path("control.csv"), "gpt2", {})
    (entry,) = question.config["radar"]["suspected"].values()

    assert (entry["items"], entry["control"]) == ("items.csv", "control.csv")


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
        ask_seen(Path(name), None, "gpt2", {})
    has = f"{name}: no column 'answer'; it has Nr, question, gold"

    assert str(caught.value) == f"{has}; name yours by --answer NAME"


def test_a_control_with_other_names_of_columns_than_the_items_is_refused() -> None:
    Path("items.csv").write_text("id;Frage;answer\n1;Who?;Ann\n")
    Path("control.jsonl").write_text('{"id": 2, "prompt": "When?", "answer": "Now"}\n')
    with pytest.raises(UserError) as caught:
        ask_seen(Path("items.csv"), Path("control.jsonl"), "gpt2", {"question": "Frage"})
    assert str(caught.value) == (
        "control.jsonl: no column 'Frage'; it has id, prompt, answer; name its columns as those of the items"
    )


def test_a_table_that_is_none_of_pairs_is_refused_by_the_name_that_was_typed() -> None:
    Path("my items.csv").write_text("pair;text;answer\n1;Who?;Ann\n")
    with pytest.raises(UserError) as caught:
        ask_reads(Path("my items.csv"), "gpt2")
    assert str(caught.value) == (
        "my items.csv: no column 'prompt'; it has pair, text, answer; name the columns of a task's pairs pair, prompt, "
        "text, wanted, against, options"
    )


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_rows_without_ids_are_numbered_and_a_line_says_so(
    ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = pd.DataFrame({"question": ["Who?", "Where?"], "answer": ["Ann", "Here"]})
    rows.to_csv("items.csv", index=False)
    rows.to_json("items.jsonl", orient="records", lines=True)
    rows.to_parquet("items.parquet")
    items = f"items.{ending}"

    question = ask_seen(Path(items), None, "gpt2", {}, scores_only=True)
    (entry,) = question.config["radar"]["suspected"].values()

    assert entry["items"] == items
    assert capsys.readouterr().err == (
        f"{items}: no column 'id': an item's id is the number of its row; --id NAME names a column of yours\n"
    )


def test_other_names_of_the_columns_of_parquet_are_asked_for_too() -> None:
    pd.DataFrame({"id": [1], "q": ["Who?"], "answer": ["Ann"]}).to_parquet("items.parquet")
    with pytest.raises(UserError, match="no column 'question'; it has id, q, answer; name yours"):
        ask_seen(Path("items.parquet"), None, "gpt2", {})


def test_beside_a_log_names_of_columns_are_those_of_the_table() -> None:
    log = '{"doc_id": 0, "doc": {}, "target": "a", "arguments": [["q", "a"]], "resps": [[[0, true]]]}\n'
    Path("log.jsonl").write_text(log)
    Path("control.csv").write_text("id,q,answer\n3,When?,Now\n")
    question = ask_seen(Path("log.jsonl"), Path("control.csv"), "gpt2", {"question": "q"})
    (entry,) = question.config["radar"]["suspected"].values()

    assert entry["items"] == "log.jsonl"
    assert Path(entry["control"]).read_text() == "id,question,answer\n3,When?,Now\n"

    with pytest.raises(UserError, match=r"an evaluation log, .* leave --question out"):
        ask_seen(Path("log.jsonl"), Path("log.jsonl"), "gpt2", {"question": "q"})


@pytest.mark.parametrize("paper", ["my.pdf", "nothing", "papers/nothing"])
def test_a_paper_that_is_not_there_is_missed_in_the_users_folder(folder: Path, paper: str) -> None:
    with pytest.raises(UserError) as caught:
        ask_paper(paper, "")
    assert str(caught.value) == (
        f"{paper}: no such file (from {folder}); correct the path, or write an address or arXiv id"
    )


@pytest.mark.parametrize("paper", ["2211.00593", "arXiv:2211.00593v2", "https://a.example/my"])
def test_a_paper_that_lies_elsewhere_needs_no_file(paper: str) -> None:
    assert ask_paper(paper, "").config["claims"]["own_paper"] == paper
