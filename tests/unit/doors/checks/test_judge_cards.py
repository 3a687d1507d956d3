"""Judge cards of a config."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.doors.checks.checked_configs import REPOSITORY, checked, refusal


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("", "config, claims/judge_cards/mine: name either a judge, or a file of replies"),
        (
            "judge: lexical, replies: replies.csv",
            "config, claims/judge_cards/mine: name either a judge, or a file of replies",
        ),
        (
            "judge: lexica",
            "config, claims/judge_cards/mine/judge: 'lexica' is not in config/judges.yaml; did you mean 'lexical'?",
        ),
        (
            "judge: openai/",
            "config, claims/judge_cards/mine/judge: 'openai/' is no address; write ollama/MODEL, vllm/MODEL, "
            "llamacpp/MODEL, openai/MODEL@URL or PROVIDER/MODEL",
        ),
        (
            "judge: lexical, items: none.csv",
            "config, claims/judge_cards/mine/items: no file none.csv (from FOLDER); correct the path",
        ),
        (
            "replies: wrong.csv",
            "wrong.csv, row 2: no item 'nobody'; remove the reply, or correct its id",
        ),
        (
            "judge: lexical, rubric: other.yaml",
            "items.csv, row 2: criterion 'names' is not in the rubric; it has speed",
        ),
    ],
)
def test_a_judge_card_that_cannot_be_drawn_is_refused(
    folder: Path, entry: str, message: str
) -> None:
    shutil.copy(REPOSITORY / "examples/review_items.csv", folder / "items.csv")
    shutil.copy(REPOSITORY / "examples/review_rubric.yaml", folder / "rubric.yaml")
    shutil.copy(REPOSITORY / "examples/review_replies.csv", folder / "replies.csv")
    (folder / "wrong.csv").write_text("id,status\nnobody,good\n")
    (folder / "other.yaml").write_text(
        "name: Speed\nstatuses: [bad, needs work, good]\n"
        "criteria: [{code: speed, name: Speed, definition: Is it fast?}]\n"
    )
    card: dict[str, Any] = {"items": "items.csv", "rubric": "rubric.yaml"}
    card |= yaml.safe_load(f"{{{entry}}}")
    refused = refusal(folder, yaml.safe_dump({"claims": {"judge_cards": {"mine": card}}}))
    assert refused.splitlines()[0] == message.replace("FOLDER", str(folder))


def test_the_judge_of_a_card_may_be_an_address_which_needs_no_entry(folder: Path) -> None:
    shutil.copy(REPOSITORY / "examples/review_items.csv", folder / "items.csv")
    shutil.copy(REPOSITORY / "examples/review_rubric.yaml", folder / "rubric.yaml")
    card = {"items": "items.csv", "rubric": "rubric.yaml", "judge": "ollama/llama3.2"}
    catalog = checked(folder, yaml.safe_dump({"claims": {"judge_cards": {"mine": card}}}))
    assert catalog.judges["ollama-llama3.2"]["model"] == "ollama_chat/llama3.2"


def test_two_addresses_with_one_name_and_different_servers_are_refused(folder: Path) -> None:
    shutil.copy(REPOSITORY / "examples/review_items.csv", folder / "items.csv")
    shutil.copy(REPOSITORY / "examples/review_rubric.yaml", folder / "rubric.yaml")
    plain = {"items": "items.csv", "rubric": "rubric.yaml", "judge": "openai/m@http://here:8000/v1"}
    encrypted = plain | {"judge": "openai/m@https://here:8000/v1"}

    same_judge_twice = {"claims": {"judge_cards": {"mine": plain, "other": plain}}}
    checked(folder, yaml.safe_dump(same_judge_twice))

    two_judges = {"claims": {"judge_cards": {"mine": plain, "other": encrypted}}}
    assert refusal(folder, yaml.safe_dump(two_judges)).startswith(
        "config, claims/judge_cards/other/judge: 'openai/m@https://here:8000/v1' has the name 'openai-m-here-8000-v1' "
        "of another judge; enter it in "
    )
