"""Relative paths in a config and packages of the user are looked up in the user's folder,
while Snakemake works in a folder of its own.
"""

import sys
from pathlib import Path

import pytest

from mechaware.core.own_folder import VARIABLE, name_own_files, read_from_own_folder
from mechaware.core.own_package import check_object, load_object


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of Snakemake, in the folder of a user who typed `mechaware` there."""
    folder = tmp_path / "mechaware-results"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    return folder


def test_paths_of_the_users_folder_are_seen_from_the_working_directory(
    results: Path, tmp_path: Path
) -> None:
    for name in ("items.csv", "table.jsonl", "my.pdf", "measured.csv"):
        (tmp_path / name).touch()
    for name in ("my-model", "my-adapter"):
        (tmp_path / name).mkdir()
    config = {
        "seed": 1,
        "radar": {
            "suspected": {
                "mine": {
                    "items": "items.csv",
                    "control": str(tmp_path / "items.csv"),
                    "unseen": "missing.csv",
                    "calibration": "results/radar/calibration.csv",
                    "model": "my-model",
                }
            }
        },
        "grounding": {
            "pairs": {"task": {"table": "./table.jsonl", "model": "gpt2"}},
            "passages": {"log": {"log": "table.jsonl", "model": "gpt2"}},
        },
        "claims": {"own_paper": "my.pdf", "measured": ["measured.csv", "results/a.csv"]},
        "models": {"my-model": {"kind": "local", "folder": "my-model", "adapter": "./my-adapter"}},
    }
    read = read_from_own_folder(config)
    assert read["radar"]["suspected"]["mine"] == {
        "items": "../items.csv",
        "control": str(tmp_path / "items.csv"),
        "unseen": "missing.csv",
        "calibration": "results/radar/calibration.csv",
        "model": "my-model",  # the name of a model, not a path, although a folder has this name
    }
    assert read["grounding"]["pairs"]["task"] == {"table": "../table.jsonl", "model": "gpt2"}
    assert read["grounding"]["passages"]["log"] == {"log": "../table.jsonl", "model": "gpt2"}
    assert read["claims"] == {
        "own_paper": "../my.pdf",
        "measured": ["../measured.csv", "results/a.csv"],
    }
    assert read["models"]["my-model"]["folder"] == "../my-model"
    assert read["models"]["my-model"]["adapter"] == "../my-adapter"
    assert read["seed"] == 1


def test_without_the_command_a_config_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.pdf").touch()
    config = {"claims": {"own_paper": "./my.pdf", "measured": []}}
    assert read_from_own_folder(config) == config


def test_a_package_of_the_users_folder_is_found(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "package_of_the_users_folder"
    package.mkdir()
    (package / "__init__.py").write_text("ANSWER = 42\n")
    # Loading adds the user's folder to sys.path: to a copy here, which is dropped after the test.
    monkeypatch.setattr(sys, "path", [*sys.path])
    check_object(f"{package.name}.ANSWER", "config, radar/detectors")
    assert load_object(f"{package.name}.ANSWER", int) == 42


def test_a_message_about_a_renamed_copy_names_the_users_file() -> None:
    faults = "renamed/items/my items.csv, row 3: the id of row 2\nrenamed/control/new.csv: no items"
    assert name_own_files(faults) == "my items.csv, row 3: the id of row 2\nnew.csv: no items"
    # A folder of the user's that is itself called `renamed`.
    in_own_folder = "items/renamed/my items.csv, row 3: empty text"
    assert name_own_files(in_own_folder) == in_own_folder


def test_a_message_names_paths_as_they_were_typed_in_the_users_folder(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = "../my log.json: no samples in it\n../../logs/a.json, sample 1: as ../my log.json"
    assert name_own_files(faults) == (
        "my log.json: no samples in it\n../logs/a.json, sample 1: as my log.json"
    )
    monkeypatch.delenv(VARIABLE)  # in a clone Snakemake works in the user's folder
    assert name_own_files(faults) == faults
