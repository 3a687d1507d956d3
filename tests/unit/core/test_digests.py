"""Digests of files: another content is another digest, whatever the dates, and a large file is read once."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mechaware.core import digests
from mechaware.core.digests import LARGE, UNREADABLE, Digests

FIRST, SECOND = b"first", b"other"  # equally long
TIME_NS = 1_600_000_000 * 10**9


def expected(begin: bytes) -> str:
    """The digest of a file of `large_file`."""
    return hashlib.sha256(begin + bytes(LARGE)).hexdigest()


def write_in_place(path: Path, begin: bytes) -> None:
    """Write a large file over the former one, which keeps its inode, with a fixed modification time."""
    path.touch()
    with path.open("r+b") as stream:
        stream.write(begin + bytes(LARGE))
    os.utime(path, ns=(TIME_NS, TIME_NS))


def replace(path: Path, begin: bytes) -> None:
    """Move another large file, with the same modification time, to the place of the former one."""
    other = path.with_name("other")
    write_in_place(other, begin)
    other.replace(path)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of kept digests, on a disk whose clock never stands still."""
    monkeypatch.setattr(digests, "_TICK_NS", 0)
    return tmp_path / "kept/digests.json"


def test_small_files_and_large_ones_have_their_sha256(tmp_path: Path, kept: Path) -> None:
    (tmp_path / "small").write_bytes(FIRST)
    write_in_place(tmp_path / "large", FIRST)
    read = Digests(kept)
    assert read.of(tmp_path / "small") == hashlib.sha256(FIRST).hexdigest()
    assert read.of(tmp_path / "large") == expected(FIRST)


def test_a_large_file_is_not_read_again_while_nothing_of_it_changes(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_in_place(tmp_path / "large", FIRST)
    Digests(kept).of(tmp_path / "large")

    def fail(path: Path) -> str:
        raise AssertionError(f"{path} was read")

    monkeypatch.setattr(digests, "sha256", fail)
    assert Digests(kept).of(tmp_path / "large") == expected(FIRST)


@pytest.mark.parametrize("change", [write_in_place, replace])
def test_another_content_of_the_same_size_and_date_is_another_digest(
    tmp_path: Path, kept: Path, change: Callable[[Path, bytes], None]
) -> None:
    path = tmp_path / "large"
    write_in_place(path, FIRST)
    before = path.stat()
    assert Digests(kept).of(path) == expected(FIRST)

    change(path, SECOND)
    while path.stat().st_ctime_ns == before.st_ctime_ns:  # one tick of the clock
        change(path, SECOND)
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert (after.st_ino == before.st_ino) == (change is write_in_place)

    assert Digests(kept).of(path) == expected(SECOND)


def test_a_file_that_has_just_changed_is_read_again(tmp_path: Path) -> None:
    """Its next change may show the same time."""
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
    assert Digests(kept).of(tmp_path / "large") == expected(FIRST)


@pytest.mark.parametrize("entry", [b"7", b"[]", b"null", b'["first"]'])
def test_a_damaged_entry_is_computed_again(tmp_path: Path, kept: Path, entry: bytes) -> None:
    path = tmp_path / "large"
    write_in_place(path, FIRST)
    kept.parent.mkdir()
    kept.write_bytes(b'{"%s": %s}' % (str(path).encode(), entry))
    assert Digests(kept).of(path) == expected(FIRST)


def test_without_a_place_to_keep_them_digests_are_computed(tmp_path: Path, kept: Path) -> None:
    kept.parent.write_bytes(b"a file where the folder would be")
    write_in_place(tmp_path / "large", FIRST)
    assert Digests(kept).of(tmp_path / "large") == expected(FIRST)


def test_what_is_no_file_has_no_digest(tmp_path: Path, kept: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder", "missing"):
        assert Digests(kept).of(tmp_path / name) == UNREADABLE
