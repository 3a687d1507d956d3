"""What `mechaware` writes into its config for a question about pairs, papers, judges or cards."""

import sys
from pathlib import Path

import pytest
import yaml

from mechaware.core.errors import UserError
from mechaware.core.yaml_files import read_yaml
from mechaware.doors.command.questions import (
    ask_card,
    ask_demo,
    ask_judge,
    ask_paper,
    ask_reads,
    result_name,
)
from mechaware.doors.command.running import write_config
from tests.checkout import REPOSITORY

EXAMPLES = REPOSITORY / "examples"
pytestmark = pytest.mark.usefixtures("folder")


def test_results_of_a_file_lie_under_a_name_without_dots() -> None:
    assert result_name(Path("a/my items v1.2.csv")) == "my-items-v1-2"
    assert result_name(Path("….csv")) == "own"


def test_the_config_that_is_written_is_read_as_it_was_meant() -> None:
    Path("pairs.jsonl").touch()
    question = ask_reads(Path("pairs.jsonl"), f"me/m@{'1' * 40}")
    path = write_config(question.name, question.config)

    assert path == Path("mechaware-results/reads-pairs.yaml")

    read = read_yaml(path, path.name)
    assert read == question.config
    assert read["models"]["m"]["revision"] == "1" * 40  # text, though it looks like a number


def test_pairs_are_asked_of_a_model_that_the_users_config_lists() -> None:
    config = Path("mine.yaml")
    config.write_text("models: {chatty: {kind: local, folder: chatty, template: chat}}\n")
    Path("pairs.csv").write_text("pair,prompt,text,wanted,against,options\n")
    question = ask_reads(Path("pairs.csv"), "chatty", [config])

    assert question.config == {
        "grounding": {"pairs": {"pairs": {"table": "pairs.csv", "model": "chatty"}}},
        "models": {},
    }


def test_a_table_without_the_columns_of_pairs_is_refused_by_its_typed_name() -> None:
    Path("my items.csv").write_text("pair;text;answer\n1;Who?;Ann\n")
    with pytest.raises(UserError) as caught:
        ask_reads(Path("my items.csv"), "gpt2")
    assert str(caught.value) == (
        "my items.csv: no column 'prompt'; it has pair, text, answer; "
        "name the columns of a task's pairs pair, prompt, text, wanted, against, options"
    )


@pytest.mark.parametrize(
    ("judge", "own_judges"),
    [("", []), ("smollm2", ["smollm2"]), ("ollama/llama3.2", ["ollama/llama3.2"])],
)
def test_a_paper_has_the_judge_that_is_named_or_none(judge: str, own_judges: list[str]) -> None:
    config = ask_paper("2211.00593", judge).config
    assert config == {"claims": {"own_paper": "2211.00593", "own_judges": own_judges}}


def test_a_paper_is_read_by_the_users_rubric() -> None:
    Path("my.yaml").touch()
    Path("my.pdf").touch()
    config = ask_paper("my.pdf", "", Path("my.yaml")).config

    assert config == {"claims": {"own_paper": "my.pdf", "own_judges": [], "own_rubric": "my.yaml"}}


def test_a_rubric_that_is_not_there_is_refused() -> None:
    Path("my.pdf").touch()
    with pytest.raises(UserError, match=r"^none.yaml: no such file \(from "):
        ask_paper("my.pdf", "", Path("none.yaml"))


def test_a_judge_judges_a_claim_by_the_users_rubric_and_has_cards() -> None:
    for name in ("my.pdf", "my.yaml", "verdict.json"):
        Path(name).touch()
    question = ask_paper(
        "my.pdf", "smollm2", Path("my.yaml"), claim="It copies.", cards=[Path("verdict.json")]
    )

    assert question.config["claims"] == {
        "own_paper": "my.pdf",
        "own_judges": ["smollm2"],
        "own_rubric": "my.yaml",
        "own_claim": "It copies.",
        "measured": ["verdict.json"],
    }


def test_a_claim_without_a_rubric_is_refused() -> None:
    Path("my.pdf").touch()
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


@pytest.mark.parametrize("paper", ["my.pdf", "nothing", "papers/nothing"])
def test_a_paper_that_is_not_there_is_refused_with_the_users_folder(
    folder: Path, paper: str
) -> None:
    with pytest.raises(UserError) as caught:
        ask_paper(paper, "")
    assert str(caught.value) == (
        f"{paper}: no such file (from {folder}); correct the path, or write an address or arXiv id"
    )


@pytest.mark.parametrize("paper", ["2211.00593", "arXiv:2211.00593v2", "https://a.example/my"])
def test_a_paper_that_lies_elsewhere_needs_no_file(paper: str) -> None:
    assert ask_paper(paper, "").config["claims"]["own_paper"] == paper


def test_a_judges_card_has_a_judge_or_a_file_of_replies() -> None:
    for name in ("items.csv", "rubric.yaml", "replies.csv"):
        Path(f"my.{name}").write_text((EXAMPLES / f"review_{name}").read_text())
    items = Path("my.items.csv")
    rubric = Path("my.rubric.yaml")

    by_judge = ask_judge(items, rubric, "ollama/llama3.2", None)
    by_replies = ask_judge(items, rubric, "", Path("my.replies.csv"))

    files = {"items": "my.items.csv", "rubric": "my.rubric.yaml"}
    judge_card = files | {"judge": "ollama/llama3.2"}
    assert by_judge.config == {"claims": {"judge_cards": {"my-items": judge_card}}}
    assert by_judge.page == "results/claims/judge_cards/my-items/index.html"
    assert by_judge.page in by_judge.targets
    replies_card = files | {"replies": "my.replies.csv"}
    assert by_replies.config["claims"]["judge_cards"] == {"my-items": replies_card}


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    # The header is row 1.
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


def test_a_card_of_a_name_that_the_package_lacks_is_refused_with_the_nearest(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "package_of_cards", raising=False)
    monkeypatch.syspath_prepend(folder)
    Path("package_of_cards.py").write_text("MINE = 1\n")
    with pytest.raises(
        UserError, match="card: 'package_of_cards' has no 'MINA'; did you mean 'MINE'"
    ):
        ask_card("package_of_cards.MINA")


def test_the_demo_asks_of_the_examples_wherever_the_user_is() -> None:
    config = ask_demo().config
    tables = [task["table"] for task in config["grounding"]["pairs"].values()]
    for benchmark in config["radar"]["suspected"].values():
        tables += [benchmark["items"], benchmark["control"]]

    # One task, and two benchmarks with their items and their control.
    assert len(tables) == 1 + 2 * 2
    assert all(Path(table).is_file() for table in tables)
    assert yaml.safe_load(yaml.safe_dump(config)) == config
