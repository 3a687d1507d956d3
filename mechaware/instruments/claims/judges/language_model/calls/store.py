"""Stores every usable reply of a judge in a file of its own,
so that nothing is asked or paid for twice.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from pydantic import ConfigDict

from mechaware.core.files import atomic_write
from mechaware.instruments.claims.rubric.records import Record

# The file has one line for each paid reply that was not kept: its cost in US dollars.
UNKEPT = "unkept_usd.txt"


class Completion(Record):
    """A model's reply to a chat: text, token counts, latency, and `cost` in US dollars, None where
    no price is known.

    If the provider leaves out a token count, `prompt_tokens` is at least an estimate from the
    number of characters, a missing `completion_tokens` is the reply's limit (`max_tokens`), and
    `cost` is an estimate from these counts.
    """

    model_config = ConfigDict(extra="ignore")

    text: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    latency_s: float
    model: str  # as the provider calls it


def _request_hash(request: Mapping[str, Any], run: int) -> str:
    """The SHA-256 of the whole request and the run's index, in hexadecimal."""
    canonical = json.dumps({"request": request, "run": run}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


class ResponseStore:
    """A folder of one judge's replies, one JSON file each,
    which several processes may use at once.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # The cost of each reply that `spent` has read, by file name.
        self._costs: dict[str, float] = {}
        self._lock = Lock()  # runs may be made in parallel threads

    def get(self, request: Mapping[str, Any], run: int) -> Completion | None:
        """The reply to a request; None if there is none, or if its file is damaged."""
        return _read(self._path(request, run))

    def put(self, request: Mapping[str, Any], run: int, step: str, reply: Completion) -> None:
        """Keep a reply with its request, which holds no API key; `step` names its purpose."""
        stored = {"run": run, "step": step, "request": request, "reply": reply.model_dump()}
        with atomic_write(self._path(request, run)) as partial:
            partial.write_text(json.dumps(stored, indent=1) + "\n", encoding="ascii")

    def charge(self, cost: float | None) -> None:
        """Count the cost in US dollars of a reply that is not kept."""
        if cost:
            self.folder.mkdir(parents=True, exist_ok=True)
            with (self.folder / UNKEPT).open("a", encoding="ascii") as stream:
                stream.write(f"{cost!r}\n")

    def spent(self) -> float:
        """The cost in US dollars of all replies of the judge, by this and by other processes."""
        with self._lock:
            for path in self.folder.glob("*.json"):
                if path.name in self._costs:
                    continue
                reply = _read(path)
                if reply is not None:
                    self._costs[path.name] = reply.cost or 0.0

            unkept = self.folder / UNKEPT
            lines = unkept.read_text(encoding="ascii").split() if unkept.exists() else []
            return sum(self._costs.values(), start=0.0) + sum(map(float, lines))

    def _path(self, request: Mapping[str, Any], run: int) -> Path:
        return self.folder / f"{_request_hash(request, run)}.json"


def _read(path: Path) -> Completion | None:
    """The reply in a file; None if the file is missing, or was cut by a machine that went down."""
    try:
        return Completion.model_validate(json.loads(path.read_bytes())["reply"])
    except (FileNotFoundError, ValueError, KeyError):
        return None
