"""A hub of models that runs here."""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from huggingface_hub import close_session, constants

REPOSITORY = Path(__file__).resolve().parents[3]
PICKLE = b"\x80\x04never to be read"
REPO = "owner/tiny"
PINNED = "1" * 40
CONVERTED = "2" * 40


@dataclass
class Hub:
    """A server that speaks as much of the hub's API as fetching a model or a dataset needs, for one repository."""

    revisions: dict[str, dict[str, bytes]]
    discussions: list[dict[str, Any]] = field(default_factory=list)
    commits: list[str] = field(default_factory=list)  # of a dataset, the newest first
    gated: bool = False
    drops_discussions: bool = False
    downloaded: list[str] = field(default_factory=list)
    url: str = ""

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        address = urlsplit(request.path)
        parts = [unquote(part) for part in address.path.strip("/").split("/")]
        match parts[1:] if parts[0] in ("api", "datasets") else parts:
            case ["models" | "datasets", *repo, "tree", revision] if self._holds(
                request, repo, revision
            ):
                files = self.revisions[revision].items()
                self._send_json(request, [_tree_entry(*file) for file in files])
            case ["datasets", *repo, "commits", "main"] if self._holds(request, repo):
                self._send_json(request, [_commit(commit) for commit in self.commits])
            case ["models", *repo, "discussions"] if self._holds(request, repo):
                if not self.drops_discussions:
                    self._send_json(request, self._find_discussions(parse_qs(address.query)))
            case ["models", _, _, "commits", "refs/pr/3"]:
                self._send_json(request, [_commit(CONVERTED), _commit(PINNED)])
            case [owner, name, "resolve", revision, *path] if self._holds(
                request, [owner, name], revision
            ):
                self._send_file(request, revision, "/".join(path))
            case ["agent-harnesses"]:
                _send(request, 404, {}, b"")

    def _holds(
        self, request: BaseHTTPRequestHandler, repo: list[str], revision: str | None = None
    ) -> bool:
        known = "/".join(repo) == REPO
        missing = "RevisionNotFound" if known else "RepoNotFound"
        held = known and (revision is None or revision in self.revisions)
        if not held:
            _send(request, 404, {"X-Error-Code": missing}, b"")
        return held

    def _find_discussions(self, query: dict[str, list[str]]) -> dict[str, Any]:
        """The hub filters by author, kind and status if asked to; what is not open counts as closed."""
        found = self.discussions
        if "author" in query:
            (author,) = query["author"]
            found = [each for each in found if each["author"]["name"] == author]
        if query.get("type") == ["pull_request"]:
            found = [each for each in found if each["isPullRequest"]]
        status = query.get("status", ["all"])
        if status != ["all"]:
            asks_for_open = status == ["open"]
            found = [each for each in found if (each["status"] == "open") == asks_for_open]
        return {"count": len(found), "start": 0, "discussions": found}

    def _send_file(self, request: BaseHTTPRequestHandler, revision: str, path: str) -> None:
        if self.gated:
            _send(request, 403, {"X-Error-Code": "GatedRepo"}, b"")
            return
        self.downloaded.append(path)
        content = self.revisions[revision][path]
        _send(
            request,
            200,
            {"X-Repo-Commit": revision, "ETag": f'"{hashlib.sha256(content).hexdigest()}"'},
            content,
        )

    def _send_json(self, request: BaseHTTPRequestHandler, content: object) -> None:
        _send(request, 200, {"Content-Type": "application/json"}, json.dumps(content).encode())


def _send(
    request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], content: bytes
) -> None:
    request.send_response(status)
    for name, value in (headers | {"Content-Length": str(len(content))}).items():
        request.send_header(name, value)
    request.end_headers()
    if request.command != "HEAD":
        request.wfile.write(content)


def _tree_entry(path: str, content: bytes) -> dict[str, Any]:
    return {
        "type": "file",
        "path": path,
        "size": len(content),
        "oid": hashlib.sha1(content).hexdigest(),  # noqa: S324
    }


def _commit(commit: str) -> dict[str, Any]:
    return {
        "id": commit,
        "title": "",
        "message": "",
        "authors": [],
        "date": "2024-01-01T00:00:00.000Z",
    }


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hub.answer(self)

        def do_HEAD(self) -> None:
            hub.answer(self)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        hub.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join()


FETCH_MODEL = (
    "models.fetch_hub_model",
    "--name",
    "mine",
    "--repo",
    REPO,
    "--revision",
    PINNED,
    "--adapter",  # none
    "--out",
)


def fetch(
    url: str, out: Path, command: tuple[str, ...] = FETCH_MODEL
) -> subprocess.CompletedProcess[str]:
    """Run a script as its rule does, in an environment in which the hub is at `url`."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    home = out.parent.parent / "hub"
    local = {
        "HF_ENDPOINT": url,
        "HF_HOME": str(home),
        "NO_PROXY": "127.0.0.1",
        "PYTHONPATH": str(REPOSITORY),
    }
    module, *flags = command
    started = [sys.executable, "-m", "scripts", module, *flags, str(out)]
    return subprocess.run(
        started, env=inherited | local, capture_output=True, text=True, timeout=120
    )


@contextmanager
def hub_at(url: str, *, offline: bool = False) -> Iterator[None]:
    """The hub's client of this process asks the server at `url`, and does not wait between attempts.

    The client reads these settings from the environment as it is imported: `fetch` tests that it does.
    """
    template = f"{url}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_PROXY", "127.0.0.1")
        patch.setattr(constants, "ENDPOINT", url)
        patch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        patch.setattr(constants, "HF_HUB_OFFLINE", offline)
        patch.setattr(time, "sleep", lambda _seconds: None)
        close_session()
        try:
            yield
        finally:
            close_session()
