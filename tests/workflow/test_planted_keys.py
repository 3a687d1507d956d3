"""Keys in the environment of a run are in no file that it leaves: log, parameter, record, report or archive."""

import gzip
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import PLANTED_KEYS, Checkout
from tests.fake_provider import FakeProvider, Reply, failed, judge_entry

KEYS = [key.encode() for key in PLANTED_KEYS.values()]


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of a folder but a model's weights, and every member of its archives."""
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix not in (".safetensors", ".gguf"):
            content = path.read_bytes()
            is_gzip = content.startswith(b"\x1f\x8b")
            yield str(path.relative_to(folder)), gzip.decompress(content) if is_gzip else content
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    for name in archive.namelist():
                        yield f"{path.name}/{name}", archive.read(name)


def leaks(folder: Path) -> list[str]:
    """The files, and members of archives, that hold a planted key."""
    return [name for name, content in contents(folder) if any(key in content for key in KEYS)]


def test_no_file_of_a_finished_run_holds_a_key(finished: Checkout) -> None:
    assert (finished.folder / ".snakemake/metadata").is_dir()
    assert leaks(finished.folder) == []


@pytest.mark.gate
def test_a_key_that_is_sent_to_a_provider_stays_out_of_the_tree_even_if_the_provider_repeats_it(
    checkout: Checkout, tmp_path: Path
) -> None:
    """One judge's provider repeats the key in a reply, the other's in the refusal that ends its job.

    Report and catalogue are then made of the claims study, whose judges include the first.
    """
    key = PLANTED_KEYS["FAKE_KEY"]
    scores = {
        name: f"results/claims/judgements/{name}/planted-01/scores.json"
        for name in ("echo", "refusing")
    }
    both = tmp_path / "both.yaml"
    whole = tmp_path / "whole.yaml"
    both.write_text("claims: {judges: [echo, refusing], leak_audit: false}")
    whole.write_text("studies: [claims]\nclaims: {judges: [lexical, echo]}")
    catalogue = "results/ro-crate-metadata.json"
    report = tmp_path / "report.zip"
    with (
        FakeProvider(otherwise=Reply(f"Your key is {key}.")) as echo,
        FakeProvider(otherwise=failed(401, f"bad key {key}")) as refusing,
    ):
        with (checkout.folder / "config/judges.yaml").open("a") as listed:
            for name, server in (("echo", echo), ("refusing", refusing)):
                listed.write(judge_entry(name, server.url, api_key_env="FAKE_KEY", attempts=1))
        run = checkout.snakemake(
            "--cores", "1", "--keep-going", *scores.values(), more=both, check=False
        )
        made = checkout.snakemake(catalogue, "--cores", "1", more=whole)
        sent = {call.headers["authorization"] for call in (*echo.calls, *refusing.calls)}
    reported = checkout.snakemake("--report", str(report), more=whole)

    assert sent == {f"Bearer {key}"}
    assert echo.calls
    assert refusing.calls
    assert "FAKE_KEY" in run.stderr  # the refusal names the variable
    assert not any(key in one.stdout + one.stderr for one in (run, made, reported))
    assert "echo" in (checkout.folder / catalogue).read_text()

    with zipfile.ZipFile(report) as archive:
        assert any(b"echo" in archive.read(name) for name in archive.namelist())
    assert leaks(checkout.folder) == leaks(tmp_path) == []
