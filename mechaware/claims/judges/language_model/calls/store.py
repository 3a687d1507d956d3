"""Stores every reply of a judge in a file of its own, so that nothing is asked or paid for twice."""

import hashlib
import json
import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from mechaware.claims.rubric.records import Record
from mechaware.errors import UserError


class Completion(Record):
    """A model's reply to a chat: text, tokens and latency. `cost` in US dollars, None where no price is known.

    Tokens and cost include those of failed attempts before it whose replies report them. An attempt without a whole
    reply reports none, although its provider may charge it: `failed_attempts` counts all.
    """

    text: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    latency_s: float
    model: str  # as the provider calls it
    failed_attempts: int = 0


class Stored(Record):
    """A file of the store. The request holds no API key; `step` names its purpose."""

    run: int
    step: str
    request: dict[str, Any]
    reply: Completion


def request_hash(request: Mapping[str, Any], run: int) -> str:
    """The SHA-256 of the whole request and the run's index, in hexadecimal."""
    canonical = json.dumps({"request": request, "run": run}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


class ResponseStore:
    """A folder of replies, one JSON file each. Several processes may use it at once.

    A reply is lost only if the process is killed after it came and before `put` has written it.

    A judge has a folder of its own: `spent` is the sum over the folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._costs: dict[str, float] = {}  # by file name, of the files that have been read for `spent`

    def get(self, request: Mapping[str, Any], run: int) -> Completion | None:
        """The reply to a request; None if there is none, or if its file is damaged."""
        stored = _read(self._path(request, run))
        return stored.reply if stored else None

    def put(self, request: Mapping[str, Any], run: int, step: str, reply: Completion) -> None:
        """Keep a reply; it is on the disk when this returns."""
        path = self._path(request, run)
        path.parent.mkdir(parents=True, exist_ok=True)
        stored = Stored(run=run, step=step, request=dict(request), reply=reply)
        # Not files.atomic_write: two processes that store the same request would remove each other's temporary file.
        partial = path.with_name(f".partial.{path.stem}.{uuid.uuid4().hex}")
        try:
            with partial.open("w", encoding="ascii") as stream:
                stream.write(json.dumps(stored.model_dump(), indent=1) + "\n")
                stream.flush()
                os.fsync(stream.fileno())
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)

    @contextmanager
    def asking(self, request: Mapping[str, Any], run: int, timeout_s: float) -> Iterator[None]:
        """Only one process at a time asks for the same reply; the others wait here and then find it in the store.

        The lock is the kernel's: that of a killed process is free. Raises `UserError` after `timeout_s` seconds.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self._path(request, run).with_suffix(".lock")
        try:
            with FileLock(path, timeout=timeout_s):
                try:
                    yield
                finally:
                    path.unlink(missing_ok=True)  # filelock sees that a lock it waited for was removed
        except Timeout:
            raise UserError(
                f"{path}: another process has been asking for the same reply for {timeout_s:.0f} s; let it finish, "
                "or end it, and run again"
            ) from None

    def spent(self) -> float:
        """The cost in US dollars of all replies in the folder, those of other processes included."""
        for path in self.folder.glob("*.json"):
            if path.name not in self._costs and (stored := _read(path)):
                self._costs[path.name] = stored.reply.cost or 0.0
        return sum(self._costs.values(), start=0.0)

    def _path(self, request: Mapping[str, Any], run: int) -> Path:
        return self.folder / f"{request_hash(request, run)}.json"


def _read(path: Path) -> Stored | None:
    try:
        return Stored.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValueError):  # not there, or cut by a machine that went down
        return None
