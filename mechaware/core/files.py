"""Names of files, files that are either whole or absent, and the fingerprints of files."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unicodedata import normalize

# Python reads the umask only by setting it. Done once, at import, before threads could create files
# under umask 0.
_UMASK = os.umask(0)
os.umask(_UMASK)


def name_key(name: str) -> str:
    """The same key for names that are one file on macOS or Windows,
    which ignore case and how accents are encoded.
    """
    # As Unicode's canonical caseless matching (definition D145), but by NFC. Folding the case of a
    # letter may decompose it, so the folded name is composed again.
    return normalize("NFC", normalize("NFC", name).casefold())


def file_name(text: str) -> str:
    """A text as the name of a file: each run of characters other than A-Z, a-z, 0-9, dot, hyphen
    and underscore becomes one hyphen.

    The name begins and ends with one of these letters or digits; it is empty if the text has none:
    `../my model (2).csv` becomes `my-model-2-.csv`.
    """
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary name next to `path`; rename it to `path` on success, remove it on failure.

    The caller writes a file or makes a folder under the yielded name, which keeps the suffix of
    `path` for writers that choose a format by it. Files get the permissions of the umask, whoever
    wrote them; links are kept.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".partial.{path.name}")
    _remove(partial)  # left by a killed run
    try:
        yield partial
        _apply_umask(partial)
        if path.is_dir():  # a rename replaces a file, but not a folder that has files
            _remove(path)
        partial.replace(path)
    finally:
        _remove(partial)


def _apply_umask(path: Path) -> None:
    """Permissions as `open` gives them: safetensors makes files that only their owner can read."""
    files = path.rglob("*") if path.is_dir() else [path]
    for file in files:
        if file.is_file() and not file.is_symlink():
            file.chmod(0o666 & ~_UMASK)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_json_lines(records: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write one JSON object on each line, whole or not at all."""
    lines = [json.dumps(record) + "\n" for record in records]
    with atomic_write(path) as partial:
        partial.write_text("".join(lines), encoding="utf-8")


def read_json_lines(path: Path) -> Iterator[Any]:
    """The objects that `write_json_lines` wrote, in order."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
