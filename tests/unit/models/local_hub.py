"""A local server in place of Hugging Face's hub, and the commands and clients that use it."""

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
PICKLE = b"\x80\x04never to be read"  # begins like a pickle
REPO = "owner/tiny"
PINNED = "1" * 40  # the commit that a config names
# The newest commit of the pull request 3, which converts pickled weights; its parent is `PINNED`.
CONVERTED = "2" * 40


@dataclass
class Hub:
    """The repository `REPO` with as much of the hub's API as fetching a model or a dataset needs.

    - `revisions`: commit -> path in the repository -> content.
    - `discussions`: discussions and pull requests, as the API gives them.
    - `commits`: the commits of a dataset, the newest first.
    - `gated`: whether files are refused, as to users without access.
    - `drops_discussions`: whether a request for discussions gets no response.
    - `downloaded`: the paths that were sent, in order.
    - `url`: where `serving` serves the repository.
    """

    revisions: dict[str, dict[str, bytes]]
    discussions: list[dict[str, Any]] = field(default_factory=list)
    commits: list[str] = field(default_factory=list)
    gated: bool = False
    drops_discussions: bool = False
    downloaded: list[str] = field(default_factory=list)
    url: str = ""

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Respond to a request of the hub's client; other requests get no response."""
        address = urlsplit(request.path)
        parts = [unquote(part) for part in address.path.strip("/").split("/")]
        # API: /api/models/owner/name/...; files: /owner/name/..., of datasets /datasets/owner/...
        if parts[0] in ("api", "datasets"):
            del parts[0]
        match parts:
            case ["models" | "datasets", *repo, "tree", revision]:
                if self._check_held(request, repo, revision):
                    files = self.revisions[revision].items()
                    self._send_json(request, [_tree_entry(*file) for file in files])
            case ["datasets", *repo, "commits", "main"]:
                if self._check_held(request, repo):
                    self._send_json(request, [_commit(commit) for commit in self.commits])
            case ["models", *repo, "discussions"]:
                if self._check_held(request, repo) and not self.drops_discussions:
                    self._send_json(request, self._find_discussions(parse_qs(address.query)))
            case ["models", _, _, "commits", "refs/pr/3"]:
                self._send_json(request, [_commit(CONVERTED), _commit(PINNED)])
            case [owner, name, "resolve", revision, *path]:
                if self._check_held(request, [owner, name], revision):
                    self._send_file(request, revision, "/".join(path))
            case ["agent-harnesses"]:  # the client asks for a list of agents, and can do without
                _send(request, 404, {}, b"")

    def _check_held(
        self, request: BaseHTTPRequestHandler, repo: list[str], revision: str | None = None
    ) -> bool:
        """Whether this is the repository and it has the revision; sends the hub's error if not."""
        if "/".join(repo) != REPO:
            _send(request, 404, {"X-Error-Code": "RepoNotFound"}, b"")
            return False
        if revision is not None and revision not in self.revisions:
            _send(request, 404, {"X-Error-Code": "RevisionNotFound"}, b"")
            return False
        return True

    def _find_discussions(self, query: dict[str, list[str]]) -> dict[str, Any]:
        """The discussions of the author, type and status that the query names.

        Every discussion that is not open, such as a merged one, has the status closed.
        """
        selected = self.discussions
        if "author" in query:
            (author,) = query["author"]
            selected = [each for each in selected if each["author"]["name"] == author]
        if query.get("type") == ["pull_request"]:
            selected = [each for each in selected if each["isPullRequest"]]
        status = query.get("status", ["all"])
        if status != ["all"]:
            wants_open = status == ["open"]
            selected = [each for each in selected if (each["status"] == "open") == wants_open]
        return {"count": len(selected), "start": 0, "discussions": selected}

    def _send_file(self, request: BaseHTTPRequestHandler, revision: str, path: str) -> None:
        if self.gated:
            _send(request, 403, {"X-Error-Code": "GatedRepo"}, b"")
            return
        self.downloaded.append(path)
        content = self.revisions[revision][path]
        digest = hashlib.sha256(content).hexdigest()
        _send(request, 200, {"X-Repo-Commit": revision, "ETag": f'"{digest}"'}, content)

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
    """Serve `hub` in a thread, on a free port of this computer, which `hub.url` then names."""

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


# The module in scripts/ and its options; `fetch` adds the value of the last one.
FETCH_MODEL = (
    "models.fetch_hub_model",
    "--name",
    "mine",
    "--repo",
    REPO,
    "--revision",
    PINNED,
    "--adapter",  # no values: the model has no adapter
    "--out",
)


def fetch(
    url: str, out: Path, command: tuple[str, ...] = FETCH_MODEL
) -> subprocess.CompletedProcess[str]:
    """Run a script that writes `out`, in an environment in which the hub is at `url`.

    `command` is the script's module with its options, of which the last one is followed by `out`.
    The client's cache is a folder `hub` beside the folder of `out`.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    local = {
        "HF_ENDPOINT": url,
        "HF_HOME": str(out.parent.parent / "hub"),
        "NO_PROXY": "127.0.0.1",
        "PYTHONPATH": str(REPOSITORY),
    }
    return subprocess.run(
        [sys.executable, "-m", "scripts", *command, str(out)],
        env=inherited | local,
        capture_output=True,
        text=True,
        timeout=120,  # seconds
    )


@contextmanager
def hub_at(url: str, *, offline: bool = False) -> Iterator[None]:
    """Within the context, the hub's client of this process uses the server at `url`.

    It does not wait between attempts. The client reads these settings from the environment only
    when it is imported, which the child processes of `fetch` test; here they are set afterwards.
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
