"""The workflow as a module of another one, a host in a folder elsewhere with a config
and a rule of its own.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import REPOSITORY

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
# The module's config is one leaf of ours; `samples` is the host's.
CONFIG: dict[str, Any] = {
    "mechaware": {"grounding": {"data": {"rows": {"test": 3}}}},
    "samples": ["one"],
}
DEFAULT = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text())


def host(folder: Path, config: str = "", renamed: str = "") -> Path:
    """A workflow in `folder`; `config` is a line of its module statement,
    `renamed` the end of its `use rule`.
    """
    folder.mkdir()
    module = f"module mechaware:\n    snakefile: {str(REPOSITORY / 'Snakefile')!r}\n    {config}\n"
    (folder / "Snakefile").write_text(f"{HOST}\n{module}\nuse rule * from mechaware {renamed}\n")
    (folder / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    return folder


def snakemake(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the host's workflow, with a library of the host's on Python's path."""
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    command += ["--configfile", "config.yaml", *arguments]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": "/a/library/of/the/host"}
    environment.pop("PYTHONHASHSEED", None)
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("config", "renamed", "prefix", "rows"),
    [
        pytest.param(
            'config: config["mechaware"]',
            "as mechaware_*",
            "mechaware_",
            CONFIG["mechaware"]["grounding"]["data"]["rows"]["test"],
            id="renamed, with a partial config",
        ),
        pytest.param(
            "",
            "",
            "",
            DEFAULT["grounding"]["data"]["rows"]["test"],
            id="as it is, without a config",
            marks=pytest.mark.gate,
        ),
    ],
)
def test_a_host_runs_our_rules_in_its_folder_and_its_own_in_its_environment(
    tmp_path: Path, config: str, renamed: str, prefix: str, rows: int
) -> None:
    folder = host(tmp_path / "a host", config, renamed)
    plan = snakemake(folder, "--dry-run", f"{prefix}all")

    assert plan.returncode == 0, plan.stderr

    for rule in ("classify_prompts", "judge_runs", "judge_paper", "paper"):
        assert f"\n{prefix}{rule} " in plan.stdout
    run = snakemake(folder)  # the host's default

    assert run.returncode == 0, run.stderr
    assert (folder / "environment.txt").read_text() == "/a/library/of/the/host unset\n"
    assert len((folder / "results/grounding/data/test.jsonl").read_text().splitlines()) == rows
    assert (folder / "logs/grounding/generate_sql/test.log").exists()


@pytest.mark.parametrize(
    ("config", "message"),
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
    tmp_path: Path, config: str, message: str
) -> None:
    refused = snakemake(host(tmp_path / "host", config), "--dry-run")
    assert refused.returncode == 1
    assert message in refused.stdout.splitlines()
