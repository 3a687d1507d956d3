"""A bundle holds a run and what it was made of, with dates and checksums, and is opened whole or not at all."""

import hashlib
import io
import json
import os
import tarfile
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest
import yaml

from mechaware.core.bundle import open_bundle, write_bundle
from mechaware.core.errors import UserError

BUNDLE = Path("results/bundle.tar.gz")
RESULTS = [Path("results/figure.pdf"), Path("results/paper")]
# Too long for the name of one record.
LONG = f"results/measured/{'b' * 190}.csv"
# By result: the command that made it, and the command's inputs. The figure's has two outputs.
MADE = {
    "results/model": ("train", ["config/words.csv", "results/downloads/base"]),
    "results/measured/a.csv": ("measure", ["results/model/weights"]),
    LONG: ("measure", ["results/model/weights"]),
    "results/figure.pdf": ("draw", ["results/measured/a.csv"]),
    "results/figure.json": ("draw", ["results/measured/a.csv"]),
    "results/paper": ("write", ["results/figure.pdf"]),
    "results/downloads/base": ("fetch", []),
    # Of another run in the same folder.
    "results/mine/page.html": ("ask", ["results/model"]),
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
    *("results/figure.json", "results/figure.pdf", "results/measured/a.csv", LONG),
    *("results/model/.snakemake_timestamp", "results/model/weights", "results/paper/index.html"),
]


def record_of(result: str) -> Path:
    """Where Snakemake keeps the record of a result; the names of a file system have at most 255 characters."""
    name = urlsafe_b64encode(result.encode()).decode()
    parts = [f"@{name[:254]}", name[254:]] if len(name) > 254 else [name]
    return Path(".snakemake/metadata", *parts)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run, whose files are a quarter of a second apart."""
    folder = tmp_path / "run"
    for number, (name, content) in enumerate(FILES.items()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
        date = 1_000_000_000 + number / 4
        os.utime(folder / name, (date, date))
    for result, (command, inputs) in MADE.items():
        content = {"rule": "any", "shellcmd": command, "input": inputs}
        (folder / record_of(result)).parent.mkdir(parents=True, exist_ok=True)
        (folder / record_of(result)).write_text(json.dumps(content))
    (folder / "results/link").symlink_to("figure.pdf")
    return folder


@pytest.fixture
def bundle(run: Path) -> Path:
    write_bundle(BUNDLE, RESULTS, ["results/downloads"], {}, run)
    return run / BUNDLE


def contents(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def repack(bundle: Path, edited: Path, changed: dict[str, bytes | None]) -> Path:
    """The bundle with other contents of the members named, or without those whose content is None."""
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
    # 7 files, and 7 records: also that of the base, which is not packed.
    assert open_bundle(bundle, clone) == 14
    recorded = {record_of(result).as_posix() for result in MADE if "mine" not in result}
    assert contents(clone) == {*PACKED, *recorded, "results/bundle.sha256"}
    for name in PACKED:
        assert (clone / name).read_bytes() == FILES[name]
        assert (clone / name).stat().st_mtime == (run / name).stat().st_mtime


def test_a_run_with_a_config_of_its_own_is_finished_with_that_config(
    run: Path, tmp_path: Path
) -> None:
    own = {"seed": 0, "radar": {"models": ["mine"], "memorisation": {"seeds": []}}, "studies": []}
    write_bundle(BUNDLE, RESULTS, ["results/downloads"], own, run)
    clone = tmp_path / "clone"
    clone.mkdir()
    assert open_bundle(run / BUNDLE, clone) == 15
    assert yaml.safe_load((clone / "results/bundle.yaml").read_text()) == own
    edited = repack(run / BUNDLE, tmp_path / "edited.tar.gz", {"results/bundle.yaml": b"seed: 1"})
    (tmp_path / "other").mkdir()
    with pytest.raises(UserError, match=r"results/bundle\.yaml is damaged"):
        open_bundle(edited, tmp_path / "other")


def test_the_checksums_are_those_that_sha256sum_reads(bundle: Path) -> None:
    with tarfile.open(bundle) as archive:
        first = archive.next()
        lines = archive.extractfile(first).read().decode().splitlines()
    assert first.name == "results/bundle.sha256"
    digest = hashlib.sha256(b"%PDF").hexdigest()
    assert f"{digest}  results/figure.pdf" in lines
    assert len(lines) == 14


def test_no_member_names_the_user_of_the_machine(bundle: Path) -> None:
    with tarfile.open(bundle) as archive:
        owners = {(member.uid, member.gid, member.uname, member.gname) for member in archive}
    assert owners == {(0, 0, "", "")}


def test_a_folder_with_results_or_records_is_left_as_it_is(bundle: Path, tmp_path: Path) -> None:
    for place in ("results", ".snakemake/metadata"):
        clone = tmp_path / place.strip(".")
        (clone / place).mkdir(parents=True)
        (clone / place / "mine").touch()
        with pytest.raises(UserError, match=rf"^{place} has files of another run; "):
            open_bundle(bundle, clone)
        assert contents(clone) == {f"{place}/mine"}


def test_an_empty_folder_of_results_is_no_other_run(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "clone/results").mkdir(parents=True)
    (tmp_path / "clone/.snakemake/metadata").mkdir(parents=True)
    assert open_bundle(bundle, tmp_path / "clone") == 14


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"results/model/weights": b"0.75"},
            "results/model/weights is damaged; fetch the bundle again",
        ),
        (
            {"results/model/weights": None},
            "results/model/weights is listed and missing (results/bundle.sha256); fetch the bundle again",
        ),
        (
            {"results/bundle.sha256": None},
            "no results/bundle.sha256; name a file that make bundle has written",
        ),
    ],
)
def test_a_bundle_that_is_not_whole_leaves_nothing(
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
def test_a_bundle_writes_nowhere_else(bundle: Path, tmp_path: Path, name: str) -> None:
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


def test_what_is_no_bundle_is_refused(bundle: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    clone.mkdir()
    cut, text = tmp_path / "cut.tar.gz", tmp_path / "text.tar.gz"
    whole = bundle.read_bytes()
    cut.write_bytes(whole[:-200])
    flipped = tmp_path / "flipped.tar.gz"
    flipped.write_bytes(whole[:-300] + bytes(byte ^ 255 for byte in whole[-300:]))
    text.write_text("no archive")
    for path in (cut, flipped, text):
        with pytest.raises(UserError, match=r"; fetch it again, or make it anew with make bundle$"):
            open_bundle(path, clone)
    with pytest.raises(UserError, match=r"^none.tar.gz: no such file \(from "):
        open_bundle(Path("none.tar.gz"), clone)
    assert not list(clone.iterdir())
