"""The profile for SLURM, with the lines that it leaves to a site's own settings uncommented."""

import re
from pathlib import Path

import pytest

from mechaware.core.yaml_files import parse_yaml
from tests.checkout import REPOSITORY

PROFILE = (REPOSITORY / "profiles/slurm/config.yaml").read_text()
# A key and its value behind a comment sign. The sentences of the comments begin otherwise.
COMMENTED = re.compile(r"^( *)# ( *[a-z_-]+:(?: .*)?)$", re.MULTILINE)


def test_each_block_of_the_profile_can_be_uncommented_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from snakemake.cli import parse_args  # takes a second: not while tests are collected

    uncommented = COMMENTED.sub(r"\1\2", PROFILE)
    # Refuses a key that stands twice in a mapping.
    parse_yaml(uncommented, "profiles/slurm/config.yaml")
    (tmp_path / "config.yaml").write_text(uncommented)
    monkeypatch.chdir(REPOSITORY)
    read = parse_args(["--workflow-profile", str(tmp_path)])[1]
    assert (read.slurm_status_command, read.slurm_qos, read.slurm_efficiency_report) == (
        "squeue",
        "normal",
        True,
    )
    assert {"slurm_partition", "slurm_account"} < {
        entry.split("=")[0] for entry in read.default_resources
    }
