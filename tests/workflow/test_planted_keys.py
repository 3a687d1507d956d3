"""A run leaves no key of its environment in a file: log, parameter, record, report or archive."""

import gzip
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checkout import PLANTED_KEYS, Checkout
from tests.fake_provider import FakeProvider, Reply, failed, judge_entry

KEYS = [key.encode() for key in PLANTED_KEYS.values()]


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The name and content of every file of a folder, and of every member of its archives.

    Gzip files are decompressed. Files with a model's weights are left out.
    """
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix not in (".safetensors", ".gguf"):
            content = path.read_bytes()
            if content.startswith(b"\x1f\x8b"):  # gzip
                content = gzip.decompress(content)
            yield str(path.relative_to(folder)), content
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
    """The provider `echo` repeats the key in a reply, `refusing` in the error that ends its job.

    The catalogue and the report are then made of a claims study with the judge `echo`.
    """
    key = PLANTED_KEYS["FAKE_KEY"]
    scores = [
        f"results/claims/judgements/{judge}/planted-01/scores.json"
        for judge in ("echo", "refusing")
    ]
    both_judges = tmp_path / "both.yaml"
    both_judges.write_text("claims: {judges: [echo, refusing], leak_audit: false}")
    whole_study = tmp_path / "whole.yaml"
    whole_study.write_text("studies: [claims]\nclaims: {judges: [lexical, echo]}")
    catalogue = "results/ro-crate-metadata.json"
    report = tmp_path / "report.zip"
    with (
        FakeProvider(otherwise=Reply(f"Your key is {key}.")) as echo,
        FakeProvider(otherwise=failed(401, f"bad key {key}")) as refusing,
    ):
        with (checkout.folder / "config/judges.yaml").open("a") as listed:
            for name, server in (("echo", echo), ("refusing", refusing)):
                listed.write(judge_entry(name, server.url, api_key_env="FAKE_KEY", attempts=1))
        judged = checkout.snakemake(
            "--cores", "1", "--keep-going", *scores, more=both_judges, check=False
        )
        catalogued = checkout.snakemake(catalogue, "--cores", "1", more=whole_study)
        sent = {call.headers["authorization"] for call in (*echo.calls, *refusing.calls)}
    reported = checkout.snakemake("--report", str(report), more=whole_study)

    assert sent == {f"Bearer {key}"}
    assert echo.calls
    assert refusing.calls
    # The message of the refusal names the variable, not the key.
    assert "FAKE_KEY" in judged.stderr
    for run in (judged, catalogued, reported):
        assert key not in run.stdout + run.stderr
    assert "echo" in (checkout.folder / catalogue).read_text()

    with zipfile.ZipFile(report) as archive:
        assert any(b"echo" in archive.read(name) for name in archive.namelist())
    assert leaks(checkout.folder) == []
    assert leaks(tmp_path) == []
