"""Entries of the lists and of the config: both can be named,
and a fault names where the entry is.
"""

import shutil
from pathlib import Path

import pytest

from tests.unit.doors.checks.checked_configs import add_line, checked, refusal


def test_models_and_judges_of_the_config_are_added_to_those_of_the_files(folder: Path) -> None:
    hub = (
        "{kind: hub, label: Own, repo: me/own, revision: 0123456789012345678901234567890123456789}"
    )
    catalog = checked(
        folder,
        f"models: {{own: {hub}}}\njudges: {{strict: {{kind: lexical, label: Strict}}}}\n"
        "claims: {judges: [lexical, strict]}\nradar: {models: [own]}",
    )
    assert catalog.models["own"]["repo"] == "me/own"
    assert catalog.models["gpt2"]["repo"] == "openai-community/gpt2"
    assert catalog.judges["strict"] == {"kind": "lexical", "label": "Strict"}
    assert catalog.judges["gpt-5.5"]["kind"] == "provider"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            "models: {mine: {kind: local, label: Mine, folder: nowhere}}\nradar: {models: [mine]}",
            "config, models/mine/folder: no folder nowhere (from ",
        ),
        (
            "models: {mine: {kind: local, label: Mine}}",
            "config, models/mine: key 'folder' is missing; add it",
        ),
        (
            "models: {gpt2: {kind: local, label: Mine, folder: .}}",
            "config, models/gpt2: config/models.yaml has an entry of this name; rename yours",
        ),
        (
            "models: {GPT2: {kind: local, label: Mine, folder: .}}",
            "config/models.yaml or under models of the config: 'gpt2' and 'GPT2' are one folder of results",
        ),
        (
            "models: {mine: {kind: local, label: Mine, folder: .}}\nradar: {models: [mime]}",
            "config, radar/models: 'mime' is not in config/models.yaml or under models of the config; did you mean "
            "'mine'?",
        ),
        (
            "judges: {mine: {kind: embedded, label: Mine, model: gpt2}}\nclaims: {judges: [mine]}",
            "config, judges/mine: 'gpt2' has no GGUF file; name a model of kind wheel",
        ),
        (
            "judges: {mine: {kind: lexical, label: Lexical rules}}\nclaims: {judges: [lexical, mine]}",
            "config, judges/mine/label: 'Lexical rules' is also the label of 'lexical'; change one of the two",
        ),
    ],
)
def test_a_fault_of_an_entry_in_the_config_names_the_config(
    folder: Path, config: str, message: str
) -> None:
    assert refusal(folder, config).startswith(message)


def test_ones_own_list_in_the_working_directory_is_said_not_to_be_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = folder / "elsewhere"
    (elsewhere / "config").mkdir(parents=True)
    monkeypatch.chdir(elsewhere)
    config = "radar: {models: [mine]}"
    assert refusal(folder, config).startswith(
        "config, radar/models: 'mine' is not in ../config/models.yaml; known: smollm2-135m-instruct, "
    )
    assert "is not read" not in refusal(folder, config)
    shutil.copy(folder / "config/models.yaml", elsewhere / "config")
    add_line(elsewhere, "models.yaml", "mine: {kind: local, label: Mine, folder: .}")
    assert refusal(folder, config).endswith(
        "; config/models.yaml of your folder is not read: put its entries under models of your config"
    )
