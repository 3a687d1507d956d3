"""The check of `claims/judge_cards`: the cards of judges that a config asks for."""

import shutil
from pathlib import Path

import pytest
import yaml

from tests.unit.doors.checks.checked_configs import REPOSITORY, checked, refusal

EXAMPLES = REPOSITORY / "examples"


@pytest.fixture(autouse=True)
def card_files(folder: Path) -> None:
    """Labelled items, their rubric and replies; a reply to no item; another rubric."""
    for name in ("items.csv", "rubric.yaml", "replies.csv"):
        shutil.copy(EXAMPLES / f"review_{name}", folder / name)
    (folder / "stray_replies.csv").write_text("id,status\nnobody,good\n")
    (folder / "speed_rubric.yaml").write_text(
        "name: Speed\nstatuses: [bad, needs work, good]\n"
        "criteria: [{code: speed, name: Speed, definition: Is it fast?}]\n"
    )


def config_of(**cards: dict[str, str]) -> str:
    """A config with these cards, by the folder's items and rubric unless it names others."""
    files = {"items": "items.csv", "rubric": "rubric.yaml"}
    entries = {name: files | card for name, card in cards.items()}
    return yaml.safe_dump({"claims": {"judge_cards": entries}})


@pytest.mark.parametrize(
    ("card", "message"),
    [
        ({}, "config, claims/judge_cards/mine: name either a judge, or a file of replies"),
        (
            {"judge": "lexical", "replies": "replies.csv"},
            "config, claims/judge_cards/mine: name either a judge, or a file of replies",
        ),
        (
            {"judge": "lexica"},
            "config, claims/judge_cards/mine/judge: 'lexica' is not in config/judges.yaml; "
            "did you mean 'lexical'?",
        ),
        (
            {"judge": "openai/"},
            "config, claims/judge_cards/mine/judge: 'openai/' is no address; write ollama/MODEL, "
            "vllm/MODEL, llamacpp/MODEL, openai/MODEL@URL or PROVIDER/MODEL",
        ),
        (
            {"judge": "lexical", "items": "none.csv"},
            "config, claims/judge_cards/mine/items: no file none.csv (from FOLDER); "
            "correct the path",
        ),
        (
            {"replies": "stray_replies.csv"},
            "stray_replies.csv, row 2: no item 'nobody'; remove the reply, or correct its id",
        ),
        (
            {"judge": "lexical", "rubric": "speed_rubric.yaml"},
            "items.csv, row 2: criterion 'names' is not in the rubric; it has speed",
        ),
    ],
    ids=[
        "neither judge nor replies",
        "both judge and replies",
        "a judge with a typing error",
        "an address without a model",
        "a file that is not there",
        "a reply to no item",
        "a rubric of other criteria",
    ],
)
def test_a_judge_card_that_cannot_be_drawn_is_refused(
    folder: Path, card: dict[str, str], message: str
) -> None:
    refused = refusal(folder, config_of(mine=card))
    assert refused.splitlines()[0] == message.replace("FOLDER", str(folder))


def test_a_card_may_name_its_judge_by_an_address_that_no_list_has(folder: Path) -> None:
    catalog = checked(folder, config_of(mine={"judge": "ollama/llama3.2"}))
    assert catalog.judges["ollama-llama3.2"]["model"] == "ollama_chat/llama3.2"


def test_two_cards_may_have_the_same_address(folder: Path) -> None:
    judge = {"judge": "openai/m@http://here:8000/v1"}
    catalog = checked(folder, config_of(mine=judge, other=judge))
    assert "openai-m-here-8000-v1" in catalog.judges


def test_two_addresses_with_one_name_and_different_servers_are_refused(folder: Path) -> None:
    by_http = {"judge": "openai/m@http://here:8000/v1"}
    by_https = {"judge": "openai/m@https://here:8000/v1"}
    assert refusal(folder, config_of(mine=by_http, other=by_https)).startswith(
        "config, claims/judge_cards/other/judge: 'openai/m@https://here:8000/v1' has the name "
        "'openai-m-here-8000-v1' of another judge; enter it in "
    )
