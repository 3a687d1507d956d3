"""The record beside a result takes in those of what it was made from, and tells what was changed since."""

import json
from pathlib import Path

import pytest

from mechaware.errors import UserError
from mechaware.provenance import check_inputs, sidecar, write_provenance


def steps(output: Path) -> list[str]:
    return [entry["step"] for entry in json.loads(sidecar(output).read_text())["steps"]]


def test_an_input_in_the_working_directory_itself_has_no_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("a: 1\n")
    write_provenance(Path("table.csv"), step="second", parameters={}, inputs=[Path("mine.yaml")])
    assert steps(Path("table.csv")) == ["second"]


def test_a_file_of_a_folder_has_the_folders_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("data/rows.csv").write_text("a\n")
    write_provenance(Path("data"), step="first", parameters={}, inputs=[])
    write_provenance(Path("table.csv"), step="second", parameters={}, inputs=[Path("data/rows.csv")])
    assert steps(Path("table.csv")) == ["first", "second"]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a record, in the working directory."""
    monkeypatch.chdir(tmp_path)
    (Path("data") / "deep").mkdir(parents=True)
    Path("data/rows.csv").write_text("a\n1\n")
    Path("data/deep/shard").write_bytes(bytes(9))
    write_provenance(Path("data"), step="first", parameters={}, inputs=[])
    return Path("data")


def test_what_is_as_it_was_made_passes_and_so_does_what_has_no_record(data: Path) -> None:
    Path("mine.csv").write_text("a\n")
    (data / ".snakemake_timestamp").touch()  # Snakemake's own, put there afterwards
    check_inputs([data, data / "rows.csv", data.absolute() / "deep/shard", Path("mine.csv")])


@pytest.mark.parametrize("asked", ["data", "data/deep/shard"])
@pytest.mark.parametrize("left", [None, b"", bytes(8), b"\x00\x40" + bytes(7)], ids=["gone", "empty", "cut", "a bit"])
def test_a_damaged_file_is_named_with_what_to_delete(data: Path, asked: str, left: bytes | None) -> None:
    (data / "deep/shard").unlink()
    if left is not None:
        (data / "deep/shard").write_bytes(left)
    with pytest.raises(UserError) as caught:
        check_inputs([Path(asked)])
    assert str(caught.value) == ("data/deep/shard: damaged, or changed since it was made; delete data and run again")
    check_inputs([data / "rows.csv"])  # another file of the folder is not concerned


def test_a_file_is_its_own_result(data: Path) -> None:
    table = data.parent / "table.csv"
    table.write_text("b\n")
    write_provenance(table, step="second", parameters={}, inputs=[data])
    table.write_text("c\n")
    with pytest.raises(UserError, match=r"^table\.csv: damaged, .* delete table\.csv and run again$"):
        check_inputs([table])


def test_half_a_record_is_named(data: Path) -> None:
    sidecar(data).write_text(sidecar(data).read_text()[:40])
    for check in (check_inputs, lambda inputs: write_provenance(Path("x.csv"), step="x", parameters={}, inputs=inputs)):
        with pytest.raises(UserError, match=r"^data\.provenance\.json: damaged; delete it and run again$"):
            check([data])
