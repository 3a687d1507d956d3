"""Outputs are whole or absent and have the permissions of the umask; names of files."""

import stat
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from mechaware.core import files
from mechaware.core.files import atomic_write, file_name, name_key


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(("umask", "expected"), [(0o077, 0o600), (0o002, 0o664)])
def test_files_of_a_folder_follow_the_umask(
    umask: int, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """safetensors gives its files the permissions 0o600 under every umask."""
    monkeypatch.setattr(files, "_UMASK", umask)
    with atomic_write(tmp_path / "model") as partial:
        (partial / "inner").mkdir(parents=True)
        save_file({"a": np.zeros(2)}, partial / "weights")
        save_file({"a": np.zeros(2)}, partial / "inner/weights")
    assert permissions(tmp_path / "model/weights") == expected
    assert permissions(tmp_path / "model/inner/weights") == expected


def test_the_files_behind_links_keep_their_permissions(tmp_path: Path) -> None:
    """A folder of a user's model is a folder of links to the user's own files."""
    users_file = tmp_path / "weights"
    users_file.touch(mode=0o600)
    with atomic_write(tmp_path / "model") as partial:
        partial.mkdir()
        (partial / "weights").symlink_to(users_file)
    assert permissions(users_file) == 0o600
    assert (tmp_path / "model/weights").is_symlink()


def write(path: Path, kind: str, word: str) -> None:
    """Write a file whose text is `word`, or a folder with an empty file called `word`."""
    if kind == "file":
        path.write_text(word)
    else:
        path.mkdir()
        (path / word).touch()


def read(path: Path) -> str:
    """The words that `write` has written to `path`, separated by spaces."""
    if path.is_file():
        return path.read_text()
    return " ".join(file.name for file in path.iterdir())


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_an_output_is_replaced_as_a_whole_or_stays_and_nothing_is_left_next_to_it(
    kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "output.csv"
    write(path, kind, "old")

    def replace(*, fails: bool) -> None:
        with atomic_write(path) as partial:
            assert partial.suffix == path.suffix
            write(partial, kind, "new")
            assert read(path) == "old"
            if fails:
                raise RuntimeError("midway")

    with pytest.raises(RuntimeError, match="midway"):
        replace(fails=True)
    assert read(path) == "old"
    assert list(tmp_path.iterdir()) == [path]
    replace(fails=False)
    assert read(path) == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_names_that_are_one_file_on_some_systems_share_a_key() -> None:
    # The same word, as NFC and as NFD.
    composed = "\u00e9t\u00e9"
    decomposed = "e\u0301te\u0301"
    assert name_key(decomposed) == name_key(composed) == name_key(composed.upper())
    assert name_key("My-bench") == name_key("my-bench")
    assert name_key("my-bench") != name_key("my_bench")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("2211.00593v2", "2211.00593v2"),
        ("my paper (2), übung.pdf", "my-paper-2-bung.pdf"),
        ("../a__b-.", "a__b"),
        ("…", ""),
    ],
)
def test_a_text_names_a_file_by_letters_digits_dots_hyphens_and_underscores(
    text: str, name: str
) -> None:
    assert file_name(text) == name
