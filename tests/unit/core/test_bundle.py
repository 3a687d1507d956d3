"""A bundle holds a run and all that it was made of, with dates and checksums.

It opens whole or not at all.
"""

import hashlib
import io
import json
import os
import tarfile
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from mechaware.core.bundle import open_bundle, write_bundle
from mechaware.core.errors import UserError

BUNDLE = Path("results/bundle.tar.gz")
RESULTS = [Path("results/figure.pdf"), Path("results/paper")]
# In base 64, the name of its record, this path is longer than the name of a file may be.
LONG = f"results/measured/{'b' * 190}.csv"


class Command(NamedTuple):
    """How a result was made."""

    name: str
    inputs: list[str]


# By result. A command may have two outputs, as `measure` and `draw` have.
COMMANDS = {
    "results/model": Command("train", ["config/words.csv", "results/downloads/base"]),
    "results/measured/a.csv": Command("measure", ["results/model/weights"]),
    LONG: Command("measure", ["results/model/weights"]),
    "results/figure.pdf": Command("draw", ["results/measured/a.csv"]),
    "results/figure.json": Command("draw", ["results/measured/a.csv"]),
    "results/paper": Command("write", ["results/figure.pdf"]),
    "results/downloads/base": Command("fetch", []),
    # A result of another run in the same folder.
    "results/mine/page.html": Command("ask", ["results/model"]),
}
FILES = {
    "results/model/weights": b"0.25",
    "results/model/.snakemake_timestamp": b"",
    "results/measured/a.csv": b"a\n1\n",
    LONG: b"b\n2\n",
    "results/figure.pdf": b"%PDF",
    "results/figure.json": b"{}",
    "results/paper/index.html": b"<p>",
    "results/downloads/base": b"of others",
    "results/mine/page.html": b"<p>my items",
    "results/.partial.figure.pdf": b"%",
    "config/words.csv": b"word\n",
}
PACKED = [
    "results/figure.json",
    "results/figure.pdf",
    "results/measured/a.csv",
    LONG,
    "results/model/.snakemake_timestamp",
    "results/model/weights",
    "results/paper/index.html",
]
# A record for each result, but that of the other run: also for the base, whose file is not packed.
N_RECORDS = len(COMMANDS) - 1
N_FILES = len(PACKED) + N_RECORDS


def record_of(result: str) -> Path:
    """Where Snakemake keeps the record of a result.

    The name of a file has at most 255 characters: of a longer one the first 254 follow an @, as the
    name of a folder that holds the rest.
    """
    name = urlsafe_b64encode(result.encode()).decode()
    if len(name) <= 254:
        return Path(".snakemake/metadata", name)
    return Path(".snakemake/metadata", f"@{name[:254]}", name[254:])


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run, whose files are a quarter of a second apart."""
    folder = tmp_path / "run"
    for number, (name, content) in enumerate(FILES.items()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
        date = 1_000_000_000 + number / 4
        os.utime(folder / name, (date, date))
    for result, command in COMMANDS.items():
        content = {"rule": "any", "shellcmd": command.name, "input": command.inputs}
        (folder / record_of(result)).parent.mkdir(parents=True, exist_ok=True)
        (folder / record_of(result)).write_text(json.dumps(content))
    (folder / "results/link").symlink_to("figure.pdf")
    return folder


@pytest.fixture
def bundle(run: Path) -> Path:
    write_bundle(BUNDLE, RESULTS, ["results/downloads"], {}, run)
    return run / BUNDLE


def contents(folder: Path) -> set[str]:
    """The files below a folder, relative to it."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def repack(bundle: Path, edited: Path, changed: dict[str, bytes | None]) -> Path:
    """Write the bundle to `edited` with the contents in `changed`; a member of None is left out."""
    with tarfile.open(bundle) as old, tarfile.open(edited, "w:gz") as new:
        for member in old:
            content = changed.get(member.name, old.extractfile(member).read())
            if content is not None:
                member.size = len(content)
                new.addfile(member, io.BytesIO(content))
    return edited


def test_a_bundle_has_the_results_what_they_were_made_of_and_the_records_of_both(
    run: Path, bundle: Path, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    clone.mkdir()
    assert open_bundle(bundle, clone) == N_FILES
    recorded = {record_of(result).as_posix() for result in COMMANDS if "mine" not in result}
    assert len(recorded) == N_RECORDS
    assert contents(clone) == {*PACKED, *recorded, "results/bundle.sha256"}
    for name in PACKED:
        assert (clone / name).read_bytes() == FILES[name]
        assert (clone / name).stat().st_mtime == (run / name).stat().st_mtime


# The part of a config in which a run differs from the default one.
OWN_CONFIG = {
    "seed": 0,
    "radar": {"models": ["mine"], "memorisation": {"seeds": []}},
    "studies": [],
}


def test_the_bundle_of_a_run_with_a_config_of_its_own_holds_that_config(
    run: Path, tmp_path: Path
) -> None:
    write_bundle(BUNDLE, RESULTS, ["results/downloads"], OWN_CONFIG, run)
    clone = tmp_path / "clone"
    clone.mkdir()
    assert open_bundle(run / BUNDLE, clone) == N_FILES + 1
    assert yaml.safe_load((clone / "results/bundle.yaml").read_text()) == OWN_CONFIG


def test_an_edited_config_of_a_run_is_refused(run: Path, tmp_path: Path) -> None:
    write_bundle(BUNDLE, RESULTS, ["results/downloads"], OWN_CONFIG, run)
    edited = repack(run / BUNDLE, tmp_path / "edited.tar.gz", {"results/bundle.yaml": b"seed: 1"})
    clone = tmp_path / "clone"
    clone.mkdir()
    with pytest.raises(UserError, match=r"results/bundle\.yaml is damaged"):
        open_bundle(edited, clone)


def test_the_first_member_lists_the_checksums_in_the_form_of_sha256sum(bundle: Path) -> None:
    with tarfile.open(bundle) as archive:
        first = archive.next()
        lines = archive.extractfile(first).read().decode().splitlines()
    assert first.name == "results/bundle.sha256"
    digest = hashlib.sha256(b"%PDF").hexdigest()
    assert f"{digest}  results/figure.pdf" in lines
    assert len(lines) == N_FILES


def test_no_member_names_the_user_of_the_machine(bundle: Path) -> None:
    with tarfile.open(bundle) as archive:
        owners = {(member.uid, member.gid, member.uname, member.gname) for member in archive}
    assert owners == {(0, 0, "", "")}


def test_a_folder_with_results_or_records_is_left_as_it_is(bundle: Path, tmp_path: Path) -> None:
    for folder in ("results", ".snakemake/metadata"):
        clone = tmp_path / folder.strip(".")
        (clone / folder).mkdir(parents=True)
        (clone / folder / "mine").touch()
        with pytest.raises(UserError, match=rf"^{folder} has files of another run; "):
            open_bundle(bundle, clone)
        assert contents(clone) == {f"{folder}/mine"}


def test_a_bundle_opens_where_the_folders_of_results_and_records_are_empty(
    bundle: Path, tmp_path: Path
) -> None:
    (tmp_path / "clone/results").mkdir(parents=True)
    (tmp_path / "clone/.snakemake/metadata").mkdir(parents=True)
    assert open_bundle(bundle, tmp_path / "clone") == N_FILES


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"results/model/weights": b"0.75"},
            "results/model/weights is damaged; fetch the bundle again",
        ),
        (
            {"results/model/weights": None},
            "results/model/weights is listed and missing (results/bundle.sha256); "
            "fetch the bundle again",
        ),
        (
            {"results/bundle.sha256": None},
            "no results/bundle.sha256; name a file that make bundle has written",
        ),
    ],
)
def test_opening_a_bundle_that_is_not_whole_leaves_no_file(
    bundle: Path, tmp_path: Path, changed: dict[str, bytes | None], message: str
) -> None:
    clone = tmp_path / "clone"
    clone.mkdir()
    edited = repack(bundle, tmp_path / "edited.tar.gz", changed)
    with pytest.raises(UserError) as caught:
        open_bundle(edited, clone)
    assert str(caught.value) == f"{edited}: {message}"
    assert not list(clone.iterdir())


@pytest.mark.parametrize("name", ["Makefile", "results/../../Makefile", "/results/x"])
def test_a_member_outside_results_and_records_is_refused(
    bundle: Path, tmp_path: Path, name: str
) -> None:
    clone = tmp_path / "clone"
    clone.mkdir()
    edited = tmp_path / "edited.tar.gz"
    with tarfile.open(bundle) as old, tarfile.open(edited, "w:gz") as new:
        for member in old:
            new.addfile(member, old.extractfile(member))
        new.addfile(tarfile.TarInfo(name))
    with pytest.raises(UserError, match=r"^.*edited\.tar\.gz: "):
        open_bundle(edited, clone)
    assert not list(clone.iterdir())
    assert not (tmp_path / "Makefile").exists()


def test_a_damaged_archive_or_a_file_of_another_kind_is_refused(
    bundle: Path, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    clone.mkdir()
    whole = bundle.read_bytes()
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(whole[:-200])
    flipped = tmp_path / "flipped.tar.gz"  # every bit of the last 300 bytes
    flipped.write_bytes(whole[:-300] + bytes(byte ^ 255 for byte in whole[-300:]))
    text = tmp_path / "text.tar.gz"
    text.write_text("no archive")
    for path in (cut, flipped, text):
        with pytest.raises(UserError, match=r"; fetch it again, or make it anew with make bundle$"):
            open_bundle(path, clone)
    with pytest.raises(UserError, match=r"^none.tar.gz: no such file \(from "):
        open_bundle(Path("none.tar.gz"), clone)
    assert not list(clone.iterdir())
