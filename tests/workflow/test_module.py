"""The workflow as a module of another workflow, the host, which lies in another folder and has a
config and a rule of its own.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import REPOSITORY

# The host's own rules. The second writes two environment variables of its command to a file.
HOST = """
rule everything_of_the_host:
    input:
        "environment.txt",
        "results/grounding/data/test.jsonl",

rule environment:
    output:
        "environment.txt",
    shell:
        "echo $PYTHONPATH ${{PYTHONHASHSEED-unset}} > {output}"
"""
# The host's config: for the module a single key of our config, and `samples` for the host itself.
TEST_ROWS = 3
CONFIG: dict[str, Any] = {
    "mechaware": {"grounding": {"data": {"rows": {"test": TEST_ROWS}}}},
    "samples": ["one"],
}
DEFAULT_CONFIG = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text())


def write_host(folder: Path, *, directive: str = "", renaming: str = "") -> Path:
    """Write the host's workflow into a new folder, and return the folder.

    `directive` is one more line of its statement `module`, and `renaming` the end of its statement
    `use rule`.
    """
    folder.mkdir()
    module = (
        f"module mechaware:\n    snakefile: {str(REPOSITORY / 'Snakefile')!r}\n    {directive}\n"
    )
    use = f"use rule * from mechaware {renaming}\n"
    (folder / "Snakefile").write_text(f"{HOST}\n{module}\n{use}")
    (folder / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    return folder


def snakemake(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the host's workflow, with a library of the host on PYTHONPATH and no PYTHONHASHSEED."""
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    command += ["--configfile", "config.yaml", *arguments]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": "/a/library/of/the/host"}
    environment.pop("PYTHONHASHSEED", None)
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("directive", "prefix", "rows"),
    [
        pytest.param(
            'config: config["mechaware"]',
            "mechaware_",
            TEST_ROWS,
            id="renamed, with a partial config",
        ),
        pytest.param(
            "",
            "",
            DEFAULT_CONFIG["grounding"]["data"]["rows"]["test"],
            id="under our names, without a config",
            marks=pytest.mark.gate,
        ),
    ],
)
def test_a_host_runs_our_rules_in_its_folder_and_its_own_in_its_environment(
    tmp_path: Path, directive: str, prefix: str, rows: int
) -> None:
    renaming = f"as {prefix}*" if prefix else ""
    folder = write_host(tmp_path / "a host", directive=directive, renaming=renaming)
    plan = snakemake(folder, "--dry-run", f"{prefix}all")

    assert plan.returncode == 0, plan.stderr

    # A dry run ends with a table of rules and their numbers of jobs.
    for rule in ("classify_prompts", "judge_runs", "judge_paper", "paper"):
        assert f"\n{prefix}{rule} " in plan.stdout

    # Without a target Snakemake makes the first rule, everything_of_the_host.
    run = snakemake(folder)

    assert run.returncode == 0, run.stderr
    assert (folder / "environment.txt").read_text() == "/a/library/of/the/host unset\n"
    assert len((folder / "results/grounding/data/test.jsonl").read_text().splitlines()) == rows
    assert (folder / "logs/grounding/generate_sql/test.log").exists()


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        (
            "config: {'radar': {'fold': 3}}",
            "config, radar: unknown key 'fold'; did you mean 'folds'?",
        ),
        ("prefix: 'ours'", "a module with `prefix:` is not supported; leave it out"),
    ],
    ids=["a wrong key", "a prefix"],
)
def test_what_a_module_cannot_be_given_is_refused_in_one_line(
    tmp_path: Path, directive: str, message: str
) -> None:
    folder = write_host(tmp_path / "host", directive=directive)
    refused = snakemake(folder, "--dry-run")

    assert refused.returncode == 1
    assert message in refused.stdout.splitlines()
