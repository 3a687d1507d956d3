"""The record beside a result takes in those of what it was made from, and tells what was changed since."""

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mechaware.core import provenance
from mechaware.core.errors import UserError
from mechaware.core.provenance import (
    check_inputs,
    git_fault,
    machines_of,
    sidecar,
    this_machine,
    write_provenance,
)


def steps(output: Path) -> list[str]:
    return [entry["step"] for entry in json.loads(sidecar(output).read_text())["steps"]]


def test_a_file_of_a_folder_has_the_folders_record_and_one_of_the_working_directory_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("data/rows.csv").write_text("a\n")
    Path("mine.yaml").write_text("a: 1\n")
    write_provenance(Path("data"), step="first", parameters={}, inputs={})
    inputs = check_inputs([Path("data/rows.csv"), Path("mine.yaml")])
    write_provenance(Path("table.csv"), step="second", parameters={}, inputs=inputs)
    assert steps(Path("table.csv")) == ["first", "second"]


def test_a_record_has_the_steps_and_models_of_all_that_led_to_it_each_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A base, two models trained on it, and a table of both."""
    monkeypatch.chdir(tmp_path)
    base, left, right = ({"name": name, "sha256": name * 2} for name in ("base", "left", "right"))
    Path("base").mkdir()
    Path("base/weights").write_text("weights")
    write_provenance(
        Path("base"), step="train_base", parameters={"seed": 1}, inputs={}, models=[base]
    )
    for trained in (left, right):
        made = Path(trained["name"])
        made.write_text("weights")
        parameters = {"twin": trained["name"]}
        inputs = check_inputs([Path("base")])
        write_provenance(
            made, step="train_twin", parameters=parameters, inputs=inputs, models=[trained]
        )
    table = Path("table.csv")
    table.write_text("a\n")
    records = []
    for order in (["left", "right"], ["right", "left"]):
        write_provenance(
            table, step="score", parameters={}, inputs=check_inputs(list(map(Path, order)))
        )
        records.append(sidecar(table).read_text())
    assert records[0] == records[1]
    record = json.loads(records[0])
    assert sorted(record["models"], key=lambda model: model["name"]) == [base, left, right]
    assert sorted(record["steps"], key=json.dumps) == [
        {"parameters": {"seed": 1}, "step": "train_base"},
        {"parameters": {"twin": "left"}, "step": "train_twin"},
        {"parameters": {"twin": "right"}, "step": "train_twin"},
        {"parameters": {}, "step": "score"},
    ]
    assert list(record["inputs"]) == ["left", "right"]
    # A folder has a record of its own.
    assert json.loads(sidecar(Path("left")).read_text())["inputs"] == {}


def test_a_record_has_the_fingerprints_of_its_files_and_the_versions_of_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    figure, preview = Path("figures/x.pdf"), Path("figures/x.png")
    figure.parent.mkdir()
    figure.write_bytes(b"pdf")
    preview.write_bytes(b"png")
    write_provenance(figure, preview, step="draw", parameters={"width": 4}, inputs={})
    record = json.loads(sidecar(figure).read_text())
    assert record["output"] == "figures/x.pdf"
    assert record["files"] == {
        "x.pdf": hashlib.sha256(b"pdf").hexdigest(),
        "x.png": hashlib.sha256(b"png").hexdigest(),
    }
    assert record["steps"] == [{"step": "draw", "parameters": {"width": 4}}]
    assert record["packages"]["numpy"] == np.__version__
    assert None not in record["packages"].values()


def test_a_record_names_the_machines_of_all_steps_that_led_to_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    features, scores = Path("features.csv"), Path("scores.csv")
    for result, machine in ((features, "16 CPU cores, NVIDIA H200"), (scores, "2 CPU cores")):
        monkeypatch.setattr(provenance, "this_machine", lambda machine=machine: machine)
        result.write_text("1\n")
        inputs = [features] if result == scores else []
        write_provenance(result, step="score", parameters={}, inputs=check_inputs(inputs))

    assert machines_of(features) == ["16 CPU cores, NVIDIA H200"]
    assert machines_of(scores) == ["16 CPU cores, NVIDIA H200", "2 CPU cores"]


def test_a_machine_is_described_by_its_processors_and_system_and_not_by_its_name() -> None:
    described = this_machine()
    assert described.startswith(f"{os.cpu_count()} CPU cores, {platform.machine()}, ")
    assert platform.node() not in described.split(", ")


def git(folder: Path, *arguments: str) -> str:
    """What git prints; in a repository of its own, whatever variables a test has set."""
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(
        ["git", "-C", folder, *identity, *arguments],
        check=True,
        capture_output=True,
        env=environment,
        text=True,
    ).stdout.strip()


def commit_code(folder: Path, code: str) -> str:
    """Make a repository with one file; returns its commit."""
    (folder / "code.py").write_text(code)
    git(folder, "init")
    git(folder, "add", "code.py")
    git(folder, "commit", "--message", "first")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the repository, in a folder of its own; git has nothing there yet."""
    folder = tmp_path / "outer/unpacked"
    folder.mkdir(parents=True)
    monkeypatch.setattr(provenance, "REPOSITORY", folder)
    yield folder
    provenance.git_fault.cache_clear()
    provenance.git_state.cache_clear()


def recorded(folder: Path) -> dict[str, object]:
    """What a record in the folder says of git."""
    provenance.git_fault.cache_clear()
    provenance.git_state.cache_clear()
    output = folder / "out.csv"
    output.write_text("a\n")  # untracked, as results are
    write_provenance(output, step="x", parameters={}, inputs={})
    state: dict[str, object] = json.loads(sidecar(output).read_text())["git"]
    return state


NO_REPOSITORY = {"commit": None, "modified": None, "reason": "no git repository"}


def test_a_record_has_the_commit_and_whether_tracked_files_differ_from_it(unpacked: Path) -> None:
    assert recorded(unpacked) == NO_REPOSITORY
    commit = commit_code(unpacked, "a = 1\n")
    assert recorded(unpacked) == {"commit": commit, "modified": False}
    (unpacked / "code.py").write_text("a = 2\n")
    assert recorded(unpacked) == {"commit": commit, "modified": True}


def test_a_copy_without_git_in_another_checkout_has_no_commit(unpacked: Path) -> None:
    commit_code(unpacked.parent, "b = 1\n")
    assert recorded(unpacked) == NO_REPOSITORY


def test_a_checkout_is_known_through_a_link_to_it(
    unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = commit_code(unpacked, "a = 1\n")
    link = tmp_path / "link"
    link.symlink_to(unpacked)
    monkeypatch.setattr(provenance, "REPOSITORY", link)
    assert recorded(link) == {"commit": commit, "modified": False}


@pytest.mark.parametrize(
    ("variable", "place"),
    [
        ("GIT_DIR", ".git"),
        ("GIT_WORK_TREE", "."),
        ("GIT_INDEX_FILE", ".git/index"),
        ("GIT_COMMON_DIR", ".git"),
        ("GIT_OBJECT_DIRECTORY", ".git/objects"),
    ],
)
def test_variables_of_another_repository_change_no_record(
    unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, place: str
) -> None:
    commit = commit_code(unpacked, "a = 1\n")
    other = tmp_path / "other"
    other.mkdir()
    commit_code(other, "b = 1\n")
    (other / "code.py").write_text("b = 2\n")
    git(other, "add", "code.py")
    monkeypatch.setenv(variable, str(other / place))
    assert recorded(unpacked) == {"commit": commit, "modified": False}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of results with a record."""
    monkeypatch.chdir(tmp_path)
    folder = Path("results/data")
    (folder / "deep").mkdir(parents=True)
    (folder / "rows.csv").write_text("a\n1\n")
    (folder / "deep/shard").write_bytes(bytes(9))
    write_provenance(folder, step="first", parameters={}, inputs={})
    return folder


def test_what_is_as_it_was_made_passes_and_so_does_what_has_no_record(data: Path) -> None:
    Path("mine.csv").write_text("a\n")
    (data / ".snakemake_timestamp").touch()  # Snakemake's own, put there afterwards
    check_inputs([data, data / "rows.csv", data.absolute() / "deep/shard", Path("mine.csv")])


@pytest.mark.parametrize("asked", ["results/data", "results/data/deep/shard"])
@pytest.mark.parametrize(
    "left", [None, bytes(8), b"\x00\x40" + bytes(7)], ids=["gone", "cut", "a bit"]
)
def test_a_damaged_file_is_named_with_what_to_delete(
    data: Path, asked: str, left: bytes | None
) -> None:
    (data / "deep/shard").unlink()
    if left is not None:
        (data / "deep/shard").write_bytes(left)
    with pytest.raises(UserError) as caught:
        check_inputs([Path(asked)])
    assert str(caught.value) == (
        "results/data/deep/shard: damaged, or changed since it was made; delete results/data and run again"
    )
    check_inputs([data / "rows.csv"])  # another file of the folder is not concerned


@pytest.mark.parametrize(
    "text", ['{"git": {"com', "[]", '{"steps": [], "models": [], "files": null}']
)
def test_what_is_no_record_is_named(data: Path, text: str) -> None:
    sidecar(data).write_text(text)
    for check in (
        check_inputs,
        lambda inputs: write_provenance(
            Path("x.csv"), step="x", parameters={}, inputs=dict.fromkeys(inputs)
        ),
    ):
        with pytest.raises(
            UserError,
            match=r"^results/data\.provenance\.json: damaged; delete it and the result that",
        ):
            check([data])


def test_a_users_own_folder_is_not_judged_by_a_record_that_came_with_it(data: Path) -> None:
    own = data.parent.parent / "my-model"
    own.mkdir()
    (own / "weights").write_bytes(bytes(3))
    write_provenance(own, step="trained", parameters={}, inputs={})
    (own / "weights").write_bytes(bytes(4))
    check_inputs([own])


def test_results_on_another_disk_are_named_as_they_are_reached(data: Path, tmp_path: Path) -> None:
    (tmp_path / "results").rename(tmp_path / "scratch")
    (tmp_path / "results").symlink_to(tmp_path / "scratch")
    (data / "rows.csv").write_text("b\n")
    with pytest.raises(
        UserError, match=r"^results/data/rows\.csv: .* delete results/data and run again$"
    ):
        check_inputs([data])


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in place of the repository, which no git repository holds."""
    folder = tmp_path / "a checkout"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setattr(provenance, "REPOSITORY", folder)
    caches = (provenance.git_fault, provenance.git_state)
    for cached in caches:
        cached.cache_clear()
    yield folder
    for cached in caches:
        cached.cache_clear()


def commit_in(folder: Path) -> str:
    """Make a git repository with one commit; the commit's hash."""
    for arguments in (
        ["init", "--quiet"],
        [
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@b.c",
            "commit",
            "--quiet",
            "--allow-empty",
            "-m",
            "First",
        ],
    ):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=folder, text=True).strip()


def recorded_git() -> dict[str, Any]:
    write_provenance(Path("table.csv"), step="step", parameters={}, inputs={})
    return dict(json.loads(sidecar(Path("table.csv")).read_text())["git"])


def test_a_checkout_with_a_commit_is_named_without_a_reason(checkout: Path) -> None:
    commit = commit_in(checkout)
    assert recorded_git() == {"commit": commit, "modified": False}
    assert git_fault() is None


def test_a_checkout_of_another_user_is_refused_by_git_and_the_record_says_so(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit_in(checkout)
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # git's own way to test this
    monkeypatch.setenv("LANGUAGE", "de")
    reason = "git refuses this checkout, which belongs to another user"
    assert recorded_git() == {"commit": None, "modified": None, "reason": reason}
    fault = git_fault()
    assert fault is not None
    assert fault.remedy == f"run: git config --global --add safe.directory '{checkout}'"


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("no repository", "no git repository"),
        ("no git", "git is not installed"),
        ("no commit", "the git repository has no commit yet"),
    ],
)
def test_a_record_without_a_commit_says_why(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, case: str, reason: str
) -> None:
    if case == "no git":
        monkeypatch.setenv("PATH", str(checkout))
    if case == "no commit":
        subprocess.run(["git", "init", "--quiet"], cwd=checkout, check=True)
    assert recorded_git() == {"commit": None, "modified": None, "reason": reason}
