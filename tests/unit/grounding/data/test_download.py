"""A dataset of the hub is fetched at the commit that its first digits name, whole or not at all."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from mechaware.errors import UserError
from mechaware.grounding.data.download import fetch_dataset
from tests.unit.models.test_sources import PICKLE, REPO, REPOSITORY, Hub, _commit, _send, _tree_entry, hub_at, serving

FULL = "98769e6" + "0" * 33
OTHER = "98769e7" + "0" * 33
FILES = {
    "README.md": b"a dataset",
    "data/train-00000-of-00001.parquet": b"PAR1 of train",
    "data/test-00000-of-00001.parquet": b"PAR1 of test",
    "valid.jsonl": b"{}\n",
    "data/cache.pkl": PICKLE,
    "load.py": b"raise SystemExit",
}
WANTED = {"data/train-00000-of-00001.parquet", "data/test-00000-of-00001.parquet", "valid.jsonl"}


@dataclass
class DatasetHub(Hub):
    """The hub of the model tests with what fetching a dataset asks for; the newest commit comes first."""

    commits: list[str] = field(default_factory=lambda: [OTHER, FULL])

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        match [unquote(part) for part in urlsplit(request.path).path.strip("/").split("/")]:
            case ["api", "datasets", owner, name, "commits", "main"] if self._holds(request, f"{owner}/{name}"):
                self._send_json(request, [_commit(commit) for commit in self.commits])
            case ["api", "datasets", owner, name, "tree", revision] if self._holds(
                request, f"{owner}/{name}", revision
            ):
                self._send_json(request, [_tree_entry(*file) for file in self.revisions[revision].items()])
            case ["datasets", owner, name, "resolve", revision, *path] if self._holds(
                request, f"{owner}/{name}", revision
            ):
                self._send_file(request, revision, "/".join(path))
            case ["api", "agent-harnesses"]:
                _send(request, 404, {}, b"")


class LoginPage(DatasetHub):
    """A network that answers everything with a page of its own."""

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        _send(request, 200, {"Content-Type": "text/html"}, b"<html>Please log in</html>")


class LostHub(DatasetHub):
    """A hub that breaks off after it has listed the commits."""

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        if "commits" in request.path:
            super().answer(request)


def fetch_by_command(url: str, out: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as the rule does, in an environment in which the hub stands at `url`."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    local = {"HF_ENDPOINT": url, "HF_HOME": str(out.parent.parent / "hub"), "NO_PROXY": "127.0.0.1"}
    command = [sys.executable, "-m", "scripts.grounding.fetch_sql", "--repo", REPO, "--revision", "98769e6"]
    command += ["--out", str(out)]
    environment = inherited | local | {"PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


def failure(url: str, out: Path, *, repo: str = REPO, revision: str = "98769e6", offline: bool = False) -> str:
    """The error of a fetch that must fail: one line, and nothing left beside `out` or in its place."""
    with hub_at(url, offline=offline), pytest.raises(UserError) as raised:
        fetch_dataset(repo, revision, out)
    assert not out.parent.exists() or not list(out.parent.iterdir())
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "datasets" / "mine"


def test_a_short_commit_is_resolved_and_its_tables_fetched_whole(out: Path) -> None:
    with serving(DatasetHub({FULL: FILES, OTHER: {"data/train.parquet": b"another"}})) as hub:
        run = fetch_by_command(hub.url, out)
    assert run.returncode == 0, run.stderr
    found = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert found == {name: FILES[name] for name in WANTED} | {"COMMIT": f"{FULL}\n".encode()}
    assert set(hub.downloaded) == WANTED  # no pickles, no code
    assert {path.name for path in out.parent.iterdir()} == {"mine", "mine.provenance.json"}
    record = json.loads((out.parent / "mine.provenance.json").read_text())
    assert record["steps"][-1]["parameters"] == {"repo": REPO, "revision": "98769e6"}


def test_a_full_commit_is_taken_as_it_is(out: Path) -> None:
    with serving(DatasetHub({FULL: FILES, OTHER: {"data/train.parquet": b"another"}})) as hub, hub_at(hub.url):
        fetch_dataset(REPO, OTHER, out)
    assert (out / "COMMIT").read_text() == f"{OTHER}\n"
    assert (out / "data/train.parquet").read_bytes() == b"another"


@pytest.mark.parametrize(("revision", "matching"), [("abcdef0", 0), ("98769e", 2), ("8769e60", 0)])
def test_a_commit_that_is_none_or_two_is_refused(out: Path, revision: str, matching: int) -> None:
    with serving(DatasetHub({FULL: FILES})) as hub:
        message = failure(hub.url, out, revision=revision)
    assert message == (f"dataset {REPO}: {matching} commits begin with {revision}; correct grounding/data/revision")
    assert hub.downloaded == []


def assert_names_both_ways_out(message: str, reason: str, repo: str = REPO) -> None:
    assert message == (
        f"dataset {repo} at 98769e6: the hub cannot provide it ({reason}); set grounding/data/source to "
        "generated, or to local with a copy of the dataset"
    )


@pytest.mark.parametrize(
    ("repo", "reason"), [("owner/absent", "RepositoryNotFoundError"), ("own er/tiny", "HFValidationError")]
)
def test_what_the_hub_does_not_know_is_named(out: Path, repo: str, reason: str) -> None:
    with serving(DatasetHub({FULL: FILES})) as hub:
        assert_names_both_ways_out(failure(hub.url, out, repo=repo), reason, repo)


def test_a_licence_to_accept_is_named(out: Path) -> None:
    """By the command, whose error is one line without a traceback."""
    with serving(DatasetHub({FULL: FILES}, gated=True)) as hub:
        run = fetch_by_command(hub.url, out)
    assert run.returncode == 1
    assert "Traceback" not in run.stderr, run.stderr
    assert_names_both_ways_out(run.stderr.splitlines()[-1].removeprefix("error: "), "GatedRepoError")


@pytest.mark.parametrize(
    ("make", "reason"), [(LoginPage, "JSONDecodeError"), (LostHub, "RemoteProtocolError")], ids=["login page", "lost"]
)
def test_an_answer_that_is_not_the_hubs_names_both_ways_out(
    out: Path, make: Callable[[dict[str, dict[str, bytes]]], Hub], reason: str
) -> None:
    with serving(make({FULL: FILES})) as hub:
        assert_names_both_ways_out(failure(hub.url, out), reason)


def test_a_hub_that_cannot_be_reached_names_both_ways_out(out: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as freed:
        port = freed.getsockname()[1]
    assert_names_both_ways_out(failure(f"http://127.0.0.1:{port}", out), "ConnectError")


def test_a_machine_set_to_work_offline_names_both_ways_out(out: Path) -> None:
    assert_names_both_ways_out(failure("http://127.0.0.1:9", out, offline=True), "OfflineModeIsEnabled")


def test_a_disk_that_refuses_a_file_is_not_mistaken_for_the_hub(out: Path) -> None:
    with serving(DatasetHub({FULL: FILES | {f"{'x' * 300}.jsonl": b"{}"}})) as hub:
        assert_names_both_ways_out(failure(hub.url, out), "File name too long")
