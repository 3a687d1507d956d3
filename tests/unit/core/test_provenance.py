"""The record of a result covers all that the result was made from, and detects later changes."""

import hashlib
import json
import os
import platform
from pathlib import Path

import numpy as np
import pytest

from mechaware.core import provenance
from mechaware.core.errors import UserError
from mechaware.core.provenance import (
    check_inputs,
    machines_of,
    sidecar,
    this_machine,
    write_provenance,
)


def steps(output: Path) -> list[str]:
    """The names of the steps in the record of `output`."""
    return [entry["step"] for entry in json.loads(sidecar(output).read_text())["steps"]]


def test_a_file_in_a_folder_with_a_record_brings_its_steps_and_a_source_file_brings_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("data/rows.csv").write_text("a\n")
    Path("mine.yaml").write_text("a: 1\n")
    write_provenance(Path("data"), step="first", parameters={}, inputs={})
    inputs = check_inputs([Path("data/rows.csv"), Path("mine.yaml")])
    write_provenance(Path("table.csv"), step="second", parameters={}, inputs=inputs)
    assert steps(Path("table.csv")) == ["first", "second"]


def test_a_record_has_the_steps_and_models_of_all_that_led_to_it_each_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A base, two models trained on it, and a table of both."""
    monkeypatch.chdir(tmp_path)
    base = {"name": "base", "sha256": "aa"}
    left = {"name": "left", "sha256": "bb"}
    right = {"name": "right", "sha256": "cc"}

    Path("base").mkdir()
    Path("base/weights").write_text("weights")
    write_provenance(
        Path("base"), step="train_base", parameters={"seed": 1}, inputs={}, models=[base]
    )
    for twin in (left, right):
        file = Path(twin["name"])
        file.write_text("weights")
        parameters = {"twin": twin["name"]}
        inputs = check_inputs([Path("base")])
        write_provenance(
            file, step="train_twin", parameters=parameters, inputs=inputs, models=[twin]
        )

    table = Path("table.csv")
    table.write_text("a\n")
    records = []
    for order in ([Path("left"), Path("right")], [Path("right"), Path("left")]):
        write_provenance(table, step="score", parameters={}, inputs=check_inputs(order))
        records.append(sidecar(table).read_text())
    assert records[0] == records[1]

    record = json.loads(records[0])
    assert sorted(record["models"], key=lambda model: model["name"]) == [base, left, right]
    assert sorted(record["steps"], key=json.dumps) == [
        {"parameters": {"seed": 1}, "step": "train_base"},
        {"parameters": {"twin": "left"}, "step": "train_twin"},
        {"parameters": {"twin": "right"}, "step": "train_twin"},
        {"parameters": {}, "step": "score"},
    ]
    assert list(record["inputs"]) == ["left", "right"]
    # The input of `left` is a folder, whose fingerprints are in its own record.
    assert json.loads(sidecar(Path("left")).read_text())["inputs"] == {}


def test_a_record_has_the_fingerprints_of_its_files_and_the_versions_of_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    figure, preview = Path("figures/x.pdf"), Path("figures/x.png")
    figure.parent.mkdir()
    figure.write_bytes(b"pdf")
    preview.write_bytes(b"png")
    write_provenance(figure, preview, step="draw", parameters={"width": 4}, inputs={})
    record = json.loads(sidecar(figure).read_text())
    assert record["output"] == "figures/x.pdf"
    assert record["files"] == {
        "x.pdf": hashlib.sha256(b"pdf").hexdigest(),
        "x.png": hashlib.sha256(b"png").hexdigest(),
    }
    assert record["steps"] == [{"step": "draw", "parameters": {"width": 4}}]
    assert record["packages"]["numpy"] == np.__version__
    assert None not in record["packages"].values()


def test_a_record_names_the_machines_of_all_steps_that_led_to_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    features = Path("features.csv")
    features.write_text("1\n")
    monkeypatch.setattr(provenance, "this_machine", lambda: "16 CPU cores, NVIDIA H200")
    write_provenance(features, step="extract", parameters={}, inputs={})

    scores = Path("scores.csv")
    scores.write_text("1\n")
    monkeypatch.setattr(provenance, "this_machine", lambda: "2 CPU cores")
    write_provenance(scores, step="score", parameters={}, inputs=check_inputs([features]))

    assert machines_of(features) == ["16 CPU cores, NVIDIA H200"]
    assert machines_of(scores) == ["16 CPU cores, NVIDIA H200", "2 CPU cores"]


def test_a_machine_is_described_by_its_processors_and_system_and_not_by_its_name() -> None:
    described = this_machine()
    assert described.startswith(f"{os.cpu_count()} CPU cores, {platform.machine()}, ")
    assert platform.node() not in described.split(", ")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of results with a record."""
    monkeypatch.chdir(tmp_path)
    folder = Path("results/data")
    (folder / "deep").mkdir(parents=True)
    (folder / "rows.csv").write_text("a\n1\n")
    (folder / "deep/shard").write_bytes(bytes(9))
    write_provenance(folder, step="first", parameters={}, inputs={})
    return folder


def test_unchanged_results_and_files_without_a_record_are_accepted(data: Path) -> None:
    Path("mine.csv").write_text("a\n")
    # Snakemake adds this file after the record was written.
    (data / ".snakemake_timestamp").touch()
    check_inputs([data, data / "rows.csv", data.absolute() / "deep/shard", Path("mine.csv")])


@pytest.mark.parametrize("checked", ["results/data", "results/data/deep/shard"])
@pytest.mark.parametrize(
    "content",
    [None, bytes(8), b"\x00\x40" + bytes(7)],
    ids=["removed", "cut to 8 of 9 bytes", "one bit flipped"],
)
def test_a_damaged_file_is_named_with_what_to_delete(
    data: Path, checked: str, content: bytes | None
) -> None:
    (data / "deep/shard").unlink()
    if content is not None:
        (data / "deep/shard").write_bytes(content)
    with pytest.raises(UserError) as caught:
        check_inputs([Path(checked)])
    assert str(caught.value) == (
        "results/data/deep/shard: damaged, or changed since it was made; "
        "delete results/data and run again"
    )
    # The other file of the folder is still accepted.
    check_inputs([data / "rows.csv"])


@pytest.mark.parametrize(
    "text",
    ['{"git": {"com', "[]", '{"steps": [], "models": [], "files": null}'],
    ids=["cut off", "a list", "files of another type"],
)
def test_a_damaged_record_is_named(data: Path, text: str) -> None:
    sidecar(data).write_text(text)
    message = r"^results/data\.provenance\.json: damaged; delete it and the result that"
    with pytest.raises(UserError, match=message):
        check_inputs([data])
    with pytest.raises(UserError, match=message):
        write_provenance(Path("x.csv"), step="x", parameters={}, inputs={data: None})


def test_a_users_own_folder_is_not_checked_against_a_record_beside_it(data: Path) -> None:
    own = data.parent.parent / "my-model"
    own.mkdir()
    (own / "weights").write_bytes(bytes(3))
    write_provenance(own, step="trained", parameters={}, inputs={})
    (own / "weights").write_bytes(bytes(4))
    check_inputs([own])


def test_a_damaged_result_on_another_disk_is_named_by_its_link_below_results(
    data: Path, tmp_path: Path
) -> None:
    (tmp_path / "results").rename(tmp_path / "scratch")
    (tmp_path / "results").symlink_to(tmp_path / "scratch")
    (data / "rows.csv").write_text("b\n")
    with pytest.raises(
        UserError, match=r"^results/data/rows\.csv: .* delete results/data and run again$"
    ):
        check_inputs([data])
