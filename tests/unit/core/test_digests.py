"""Digests of files change with the content, whatever the dates; a large file is read once."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mechaware.core import digests
from mechaware.core.digests import LARGE, UNREADABLE, Digests

# How a large file begins; equally long.
FIRST = b"first"
SECOND = b"other"
TIME_NS = 1_600_000_000 * 10**9


def large_content(begin: bytes) -> bytes:
    return begin + bytes(LARGE)


def large_digest(begin: bytes) -> str:
    """The digest of a large file that begins with `begin`."""
    return hashlib.sha256(large_content(begin)).hexdigest()


def write_in_place(path: Path, begin: bytes) -> None:
    """Write a large file at `path`, dated to a fixed time; an older file there keeps its inode."""
    path.touch()
    with path.open("r+b") as stream:
        stream.write(large_content(begin))
    os.utime(path, ns=(TIME_NS, TIME_NS))


def replace(path: Path, begin: bytes) -> None:
    """Move a new large file, with the fixed modification time, over the one at `path`."""
    new = path.with_name("new")
    write_in_place(new, begin)
    new.replace(path)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of kept digests; every digest is kept at once, however recently its file changed."""
    monkeypatch.setattr(digests, "_TICK_NS", 0)
    return tmp_path / "kept/digests.json"


def test_small_files_and_large_ones_have_their_sha256(tmp_path: Path, kept: Path) -> None:
    (tmp_path / "small").write_bytes(FIRST)
    write_in_place(tmp_path / "large", FIRST)
    read = Digests(kept)
    assert read.of(tmp_path / "small") == hashlib.sha256(FIRST).hexdigest()
    assert read.of(tmp_path / "large") == large_digest(FIRST)


def test_an_unchanged_large_file_is_not_read_again(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_in_place(tmp_path / "large", FIRST)
    Digests(kept).of(tmp_path / "large")

    def fail(path: Path) -> str:
        raise AssertionError(f"{path} was read")

    monkeypatch.setattr(digests, "sha256", fail)
    assert Digests(kept).of(tmp_path / "large") == large_digest(FIRST)


@pytest.mark.parametrize("change", [write_in_place, replace])
def test_another_content_of_the_same_size_and_date_is_another_digest(
    tmp_path: Path, kept: Path, change: Callable[[Path, bytes], None]
) -> None:
    path = tmp_path / "large"
    write_in_place(path, FIRST)
    before = path.stat()
    assert Digests(kept).of(path) == large_digest(FIRST)

    change(path, SECOND)
    # Within one tick of the disk's clock both changes have the same time.
    while path.stat().st_ctime_ns == before.st_ctime_ns:
        change(path, SECOND)
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert (after.st_ino == before.st_ino) == (change is write_in_place)

    assert Digests(kept).of(path) == large_digest(SECOND)


def test_the_digest_of_a_file_that_has_just_changed_is_not_kept(tmp_path: Path) -> None:
    """A further change within the same tick of the disk's clock would leave the same time."""
    write_in_place(tmp_path / "large", FIRST)
    Digests(tmp_path / "digests.json").of(tmp_path / "large")
    assert not (tmp_path / "digests.json").exists()


@pytest.mark.parametrize(
    "damaged",
    [b"", b"{", b"\xff", b"[1]", b"7", b"[" * 100_000],
    ids=["empty", "half an object", "not UTF-8", "a list", "a number", "too deep"],
)
def test_damaged_digests_are_computed_again(tmp_path: Path, kept: Path, damaged: bytes) -> None:
    write_in_place(tmp_path / "large", FIRST)
    kept.parent.mkdir()
    kept.write_bytes(damaged)
    assert Digests(kept).of(tmp_path / "large") == large_digest(FIRST)


@pytest.mark.parametrize("entry", [b"7", b"[]", b"null", b'["first"]'])
def test_a_damaged_entry_is_computed_again(tmp_path: Path, kept: Path, entry: bytes) -> None:
    path = tmp_path / "large"
    write_in_place(path, FIRST)
    kept.parent.mkdir()
    kept.write_bytes(b'{"%s": %s}' % (str(path).encode(), entry))
    assert Digests(kept).of(path) == large_digest(FIRST)


def test_digests_are_computed_where_they_cannot_be_kept(tmp_path: Path, kept: Path) -> None:
    kept.parent.write_bytes(b"a file where the folder would be")
    write_in_place(tmp_path / "large", FIRST)
    assert Digests(kept).of(tmp_path / "large") == large_digest(FIRST)


def test_what_is_no_file_has_no_digest(tmp_path: Path, kept: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder", "missing"):
        assert Digests(kept).of(tmp_path / name) == UNREADABLE
