"""The model that a user typed: a folder, a name in a list, or a name on the hub."""

from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.doors.command.models import find_model

COMMIT = "0123456789abcdef0123456789abcdef01234567"
pytestmark = pytest.mark.usefixtures("folder")


def test_a_folder_of_a_model_gets_an_entry_of_its_name() -> None:
    """`-own` is added: gpt2 is listed, and some file systems take GPT2 for the same folder."""
    Path("my models/GPT2").mkdir(parents=True)
    entry = {"kind": "local", "label": "GPT2", "folder": "my models/GPT2"}

    assert find_model("my models/GPT2") == ("GPT2-own", {"GPT2-own": entry})


def test_a_folder_gets_no_name_that_the_users_config_lists() -> None:
    """The user's gpt2-own would otherwise be judged in place of the model in the folder."""
    Path("gpt2").mkdir()
    config = Path("mine.yaml")
    config.write_text("models: {gpt2-own: {kind: local, folder: elsewhere}}\n")

    assert find_model("gpt2", [config]).name == "gpt2-own-own"


def test_a_listed_model_needs_no_entry() -> None:
    assert find_model("gpt2") == ("gpt2", {})


def test_a_model_of_the_hub_gets_an_entry_with_its_commit() -> None:
    entry = {"kind": "hub", "label": "new-model", "repo": "me/new-model", "revision": COMMIT}

    assert find_model(f"me/new-model@{COMMIT}") == ("new-model", {"new-model": entry})


def test_a_text_that_names_no_model_is_refused_with_the_listed_ones() -> None:
    with pytest.raises(UserError, match=r"model nowhere: no such folder .* or one of smollm2-135m"):
        find_model("nowhere")


def test_a_path_is_no_name_on_the_hub() -> None:
    with pytest.raises(
        UserError, match=r"^model \./my-model: no such folder .*, and no name on the hub"
    ):
        find_model("./my-model")


def test_a_model_that_the_users_config_lists_needs_no_entry() -> None:
    """Its template, precision or adapter are in that config and nowhere on the command line."""
    config = Path("mine.yaml")
    config.write_text("models: {chatty: {kind: local, folder: chatty, template: chat}}\n")

    assert find_model("chatty", [config]) == ("chatty", {})


def test_models_of_the_users_config_are_listed_in_the_refusal() -> None:
    config = Path("mine.yaml")
    config.write_text("models: {chatty: {kind: local, folder: chatty, template: chat}}\n")
    with pytest.raises(UserError, match=r"no such folder .*, or one of .*, chatty$"):
        find_model("nowhere", [config])


def test_a_users_config_may_be_empty() -> None:
    Path("mine.yaml").touch()
    with pytest.raises(UserError, match="no such folder"):
        find_model("chatty", [Path("mine.yaml")])
