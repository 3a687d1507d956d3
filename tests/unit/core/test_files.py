"""Outputs are whole or absent, and have the permissions of any file of this user, whichever library wrote them."""

import stat
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from mechaware.core import files
from mechaware.core.files import atomic_write, file_name, name_key


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def write_tensors(path: Path) -> None:
    save_file({"a": np.zeros(2)}, path)


@pytest.mark.parametrize(("umask", "expected"), [(0o077, 0o600), (0o002, 0o664)])
def test_files_of_a_folder_follow_the_umask(
    umask: int, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_UMASK", umask)
    with atomic_write(tmp_path / "model") as partial:
        (partial / "inner").mkdir(parents=True)
        for path in (partial / "weights", partial / "inner/weights"):
            write_tensors(path)
    assert [mode(tmp_path / "model" / name) for name in ("weights", "inner/weights")] == [
        expected
    ] * 2


def test_the_files_behind_links_keep_their_permissions(tmp_path: Path) -> None:
    """A folder of a user's model is a folder of links to the user's own files."""
    users = tmp_path / "weights"
    users.touch(mode=0o600)
    with atomic_write(tmp_path / "model") as partial:
        partial.mkdir()
        (partial / "weights").symlink_to(users)
    assert mode(users) == 0o600
    assert (tmp_path / "model/weights").is_symlink()


def write(path: Path, kind: str, name: str) -> None:
    """A file with a name as its text, or a folder with a file of that name."""
    if kind == "file":
        path.write_text(name)
    else:
        path.mkdir()
        (path / name).touch()


def read(path: Path) -> str:
    return path.read_text() if path.is_file() else " ".join(file.name for file in path.iterdir())


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_an_output_is_replaced_as_a_whole_or_stays_and_nothing_is_left_next_to_it(
    kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "output.csv"
    write(path, kind, "old")

    def replace(fails: bool) -> None:
        with atomic_write(path) as partial:
            assert partial.suffix == path.suffix
            write(partial, kind, "new")
            assert read(path) == "old"
            if fails:
                raise RuntimeError("midway")

    with pytest.raises(RuntimeError, match="midway"):
        replace(fails=True)
    assert (read(path), list(tmp_path.iterdir())) == ("old", [path])
    replace(fails=False)
    assert (read(path), list(tmp_path.iterdir())) == ("new", [path])


def test_names_that_are_one_file_on_some_systems_share_a_key() -> None:
    composed, decomposed = "\u00e9t\u00e9", "e\u0301te\u0301"  # the same word, as NFC and as NFD
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
def test_a_text_names_a_file_by_letters_digits_and_three_signs(text: str, name: str) -> None:
    assert file_name(text) == name
