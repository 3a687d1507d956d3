"""A finished run as one archive: results, trained models and records, each with its SHA-256.

Snakemake decides what to run by the dates of results and by its own records of how they were made.
A bundle has both, so that a fresh clone in which it is opened has nothing left to do. If the run
had a config of its own, the bundle holds it, and Snakemake needs it to find nothing left to do.

The archive is a tar of paths below the folder of the run, and its list of checksums has the form of
`sha256sum`: without this module `tar xf` opens it and `sha256sum -c` checks it.

    results/bundle.sha256    the checksums, first
    results/bundle.yaml      the config, if the run had its own
    results/...              the results and all that they were made of
    .snakemake/metadata/...  Snakemake's records of these
"""

import hashlib
import io
import json
import tarfile
import time
import zlib
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from gzip import BadGzipFile
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write, sha256
from mechaware.core.own_folder import missing_file
from mechaware.core.yaml_files import write_yaml_sections

RESULTS = Path("results")
RECORDS = Path(".snakemake/metadata")  # Snakemake's, a file for each result
CHECKSUMS = "results/bundle.sha256"
CONFIG = "results/bundle.yaml"
_PARTIAL = ".partial."  # the beginning of the name of a file or folder that is not whole yet


def write_bundle(
    out: Path,
    results: Iterable[Path],
    left_out: Iterable[str],
    own_config: Mapping[str, Any],
    folder: Path = Path(),
) -> int:
    """Write results and all that they were made of as one archive.

    Returns the archive's number of files, without `CHECKSUMS`.

    What the results were made of is known from Snakemake's records: results of another run in the
    same folder are not packed, nor are links. Paths are relative to `folder`.

    Args:
        out: The archive, a .tar.gz.
        results: The results that a reader opens.
        left_out: Files and folders that are not packed; Snakemake's records of them are.
        own_config: The keys of the config in which the run differs from the default one. Without
            any, the bundle has no file `CONFIG`.
        folder: The folder of the run.
    """
    records = _read_records(folder)
    needed = _made_of(results, records)
    absent = {Path(path) for path in left_out}

    packed = []
    for name in _files(folder / RESULTS, folder):
        if _lies_in(name, needed) and not _lies_in(name, absent):
            packed.append(name)
    for result, record in records.items():
        if result in needed:
            packed.append(record.name)
    names = sorted(packed)

    lines = [f"{sha256(folder / name)}  {name.as_posix()}\n" for name in names]
    config = write_yaml_sections(own_config)
    if config:
        lines.append(f"{hashlib.sha256(config.encode()).hexdigest()}  {CONFIG}\n")

    with atomic_write(folder / out) as partial, tarfile.open(partial, "w:gz") as archive:
        _add_text(archive, CHECKSUMS, "".join(lines))
        if config:
            _add_text(archive, CONFIG, config)
        for name in names:
            archive.add(folder / name, name.as_posix(), filter=_without_owner)
    return len(lines)


def open_bundle(bundle: Path, folder: Path = Path()) -> int:
    """Unpack `bundle`, with the dates of its files, into the folder of a clone.

    Returns the number of files, without `CHECKSUMS`. Nothing is left behind unless all files are
    there and have their checksums.

    Raises:
        UserError: The folder already has results or records; or `bundle` is missing, is no bundle,
            is damaged, or has files other than results and records.
    """
    for part in (RESULTS, RECORDS):
        if (folder / part).is_dir() and any((folder / part).iterdir()):
            raise UserError(
                f"{part} has files of another run; "
                "open the bundle in a fresh clone, or type make clean first"
            )

    with TemporaryDirectory(prefix=_PARTIAL, dir=folder) as partial:
        unpacked = Path(partial)
        _unpack(bundle, unpacked)
        n_files = _check(bundle, unpacked)
        for part in (RESULTS, RECORDS):
            (folder / part).parent.mkdir(exist_ok=True)
            # Replaces a folder of that name, which is empty.
            (unpacked / part).rename(folder / part)
    return n_files


class _Record(NamedTuple):
    """One of Snakemake's records: how a result was made."""

    name: Path  # of the record's file, relative to the folder of the run
    command: str  # made the result; it holds the names of all its outputs
    inputs: list[Path]  # of the command


def _read_records(folder: Path) -> dict[Path, _Record]:
    """Snakemake's records, by result."""
    records = {}
    for name in _files(folder / RECORDS, folder):
        content = json.loads((folder / name).read_text(encoding="utf-8"))
        inputs = [Path(path) for path in content["input"]]
        result = _recorded_result(name.relative_to(RECORDS))
        records[result] = _Record(name, content["shellcmd"], inputs)
    return records


def _recorded_result(name: Path) -> Path:
    """The result whose record has this name, relative to `RECORDS`.

    The name is the result's path in base 64: `cmVzdWx0cy9hLmNzdg==` for results/a.csv. If that is
    too long for one file name, it is cut into several, of which all but the last begin with @:
    `@cmVzdWx0/cy9hLmNzdg==`.
    """
    encoded = "".join(part.removeprefix("@") for part in name.parts)
    return Path(urlsafe_b64decode(encoded).decode())


def _made_of(results: Iterable[Path], records: Mapping[Path, _Record]) -> set[Path]:
    """The results, all inputs of the commands that made them, and these commands' other outputs."""
    outputs: dict[str, list[Path]] = {}
    for result, record in records.items():
        outputs.setdefault(record.command, []).append(result)

    needed: set[Path] = set()
    pending = list(results)
    while pending:
        path = pending.pop()
        if path in needed:
            continue
        needed.add(path)
        # A command may read one file of a folder that another command has made as a whole.
        for result in (path, *path.parents):
            if result in records:
                record = records[result]
                pending += record.inputs
                pending += outputs[record.command]
    return needed


def _lies_in(name: Path, paths: AbstractSet[Path]) -> bool:
    """Whether a file is one of `paths`, or lies in a folder that is."""
    return not paths.isdisjoint([name, *name.parents])


def _files(part: Path, folder: Path) -> Iterator[Path]:
    """The paths, relative to `folder`, of the files below its subfolder `part`, without links."""
    for path in part.rglob("*"):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder)


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """The member without its owner, because a user's name identifies a machine."""
    member.uid = 0
    member.gid = 0
    member.uname = ""
    member.gname = ""
    return member


def _add_text(archive: tarfile.TarFile, name: str, text: str) -> None:
    content = text.encode()
    member = tarfile.TarInfo(name)
    member.size = len(content)
    member.mtime = time.time()
    archive.addfile(member, io.BytesIO(content))


def _unpack(bundle: Path, folder: Path) -> None:
    """Unpack into an empty folder.

    Raises `UserError` for a missing or damaged archive, and for a member that is neither a file nor
    a folder in results or records.
    """
    try:
        with tarfile.open(bundle) as archive:
            for member in archive:
                path = PurePosixPath(member.name)
                is_in_run = path.is_relative_to(RESULTS) or path.is_relative_to(RECORDS)
                if not is_in_run or not (member.isfile() or member.isdir()):
                    raise UserError(
                        f"{bundle}: {member.name} is no file of {RESULTS} or {RECORDS}; "
                        "make bundle packs no other"
                    )
                archive.extract(member, folder, filter="data")
    except (tarfile.TarError, EOFError, BadGzipFile, zlib.error) as error:
        raise UserError(
            f"{bundle}: {error}; fetch it again, or make it anew with make bundle"
        ) from None
    except FileNotFoundError:
        if bundle.exists():
            raise
        raise missing_file(bundle) from None


def _check(bundle: Path, folder: Path) -> int:
    """Compare the unpacked files in `folder` with the list of checksums, and return their number.

    Raises `UserError`, naming `bundle`, for a missing list, and for a file that is not listed,
    missing or damaged.
    """
    checksums = folder / CHECKSUMS
    if not checksums.is_file():
        raise UserError(f"{bundle}: no {CHECKSUMS}; name a file that make bundle has written")

    listed = {}
    for line in checksums.read_text(encoding="utf-8").splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest

    unpacked = {path.as_posix() for path in _files(folder, folder)} - {CHECKSUMS}
    in_one_only = sorted(unpacked ^ listed.keys())  # unpacked or listed, but not both
    if in_one_only:
        name = in_one_only[0]
        fault = "not listed" if name in unpacked else "listed and missing"
        raise UserError(f"{bundle}: {name} is {fault} ({CHECKSUMS}); fetch the bundle again")

    for name, digest in listed.items():
        if sha256(folder / name) != digest:
            raise UserError(f"{bundle}: {name} is damaged; fetch the bundle again")
    return len(listed)
