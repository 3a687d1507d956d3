"""The record of a result holds the git commit of the code, or the reason why there is none."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mechaware.core import git_repository
from mechaware.core.git_repository import git_fault
from mechaware.core.provenance import sidecar, write_provenance


def git(folder: Path, *arguments: str) -> str:
    """The output of git in `folder`, without the GIT_ variables that a test may have set."""
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
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder that is taken for the repository, inside another folder."""
    folder = tmp_path / "outer/a checkout"
    folder.mkdir(parents=True)
    # Git does not look for a repository above the test's own folder.
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setattr(git_repository, "REPOSITORY", folder)
    yield folder
    forget_git_state()


def forget_git_state() -> None:
    """Empty the caches, so that the next record asks git again."""
    git_repository.git_fault.cache_clear()
    git_repository.git_state.cache_clear()


def recorded(folder: Path) -> dict[str, object]:
    """The entry `git` of a new record in the folder."""
    forget_git_state()
    output = folder / "out.csv"
    output.write_text("a\n")  # untracked, as results are: it does not count as a modified file
    write_provenance(output, step="x", parameters={}, inputs={})
    state: dict[str, object] = json.loads(sidecar(output).read_text())["git"]
    return state


NO_REPOSITORY = {"commit": None, "modified": None, "reason": "no git repository"}


def test_a_record_outside_a_repository_says_that_there_is_none(checkout: Path) -> None:
    assert recorded(checkout) == NO_REPOSITORY


def test_a_record_has_the_commit_and_whether_tracked_files_differ_from_it(checkout: Path) -> None:
    assert recorded(checkout) == NO_REPOSITORY
    commit = commit_code(checkout, "a = 1\n")
    assert recorded(checkout) == {"commit": commit, "modified": False}
    (checkout / "code.py").write_text("a = 2\n")
    assert recorded(checkout) == {"commit": commit, "modified": True}


def test_a_copy_without_git_in_another_checkout_has_no_commit(checkout: Path) -> None:
    commit_code(checkout.parent, "b = 1\n")
    assert recorded(checkout) == NO_REPOSITORY


def test_a_checkout_is_known_through_a_link_to_it(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = commit_code(checkout, "a = 1\n")
    link = tmp_path / "link"
    link.symlink_to(checkout)
    monkeypatch.setattr(git_repository, "REPOSITORY", link)
    assert recorded(link) == {"commit": commit, "modified": False}


@pytest.mark.parametrize(
    ("variable", "path"),
    [
        ("GIT_DIR", ".git"),
        ("GIT_WORK_TREE", "."),
        ("GIT_INDEX_FILE", ".git/index"),
        ("GIT_COMMON_DIR", ".git"),
        ("GIT_OBJECT_DIRECTORY", ".git/objects"),
    ],
)
def test_variables_of_another_repository_change_no_record(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, path: str
) -> None:
    commit = commit_code(checkout, "a = 1\n")
    other = tmp_path / "other"
    other.mkdir()
    commit_code(other, "b = 1\n")
    (other / "code.py").write_text("b = 2\n")
    git(other, "add", "code.py")
    monkeypatch.setenv(variable, str(other / path))
    assert recorded(checkout) == {"commit": commit, "modified": False}


def test_a_checkout_with_a_commit_has_no_git_fault(checkout: Path) -> None:
    commit = commit_code(checkout, "a = 1\n")
    assert recorded(checkout) == {"commit": commit, "modified": False}
    assert git_fault() is None


def test_a_checkout_of_another_user_is_refused_by_git_and_the_record_says_so(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit_code(checkout, "a = 1\n")
    # Git's own tests set this variable to make git refuse a repository as another user's.
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    # In German git would not write "dubious ownership", by which this fault is recognised.
    monkeypatch.setenv("LANGUAGE", "de")
    reason = "git refuses this checkout, which belongs to another user"
    assert recorded(checkout) == {"commit": None, "modified": None, "reason": reason}
    fault = git_fault()
    assert fault is not None
    assert fault.remedy == f"run: git config --global --add safe.directory '{checkout}'"


def test_a_record_without_git_says_that_git_is_not_installed(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(checkout))
    reason = "git is not installed"
    assert recorded(checkout) == {"commit": None, "modified": None, "reason": reason}


def test_a_record_in_a_repository_without_a_commit_says_so(checkout: Path) -> None:
    git(checkout, "init")
    reason = "the git repository has no commit yet"
    assert recorded(checkout) == {"commit": None, "modified": None, "reason": reason}
