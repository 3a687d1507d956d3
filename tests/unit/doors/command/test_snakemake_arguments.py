"""A profile among Snakemake's arguments is found, and a task that makes no answer is recognised."""

from pathlib import Path

import pytest

from mechaware.doors.command.snakemake_arguments import makes_no_answer, with_profile
from tests.checkout import REPOSITORY


@pytest.mark.parametrize(
    "arguments",
    [
        "-n",
        "-np",
        "-pn",
        "-Fnj4",
        "--dry-run",
        "--dryrun",
        "--unlock",
        "--cores 2 --summary",
        "-S",
        "-D",
        "-l",
        "--dag=dot",
        "--rulegraph",
        "--lint",
        "-t",
        "--until train_base",
        "-Utrain_base",
        "--help",
    ],
)
def test_a_plan_or_another_task_makes_no_answer(arguments: str) -> None:
    assert makes_no_answer(arguments.split())


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "-p -k",
        "-kpF",
        "-j4",
        "-c1",
        "-Rmeasure_pairs",
        "--cores 1",
        "--profile slurm",
        "--rerun-incomplete --notemp",
        "--configfile n.yaml",
        "--report-after-run",
        "--nolock",
    ],
)
def test_what_only_changes_how_a_run_is_made_makes_an_answer(arguments: str) -> None:
    assert not makes_no_answer(arguments.split())


@pytest.mark.parametrize("typed", ["-n --profile slurm", "-n --profile=slurm"])
def test_a_profile_of_the_workflow_is_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    monkeypatch.chdir(tmp_path)

    assert with_profile(typed.split()) == [
        "-n",
        f"--workflow-profile={REPOSITORY}/profiles/slurm",
    ]


@pytest.mark.parametrize("typed", ["-n --profile slurm", "-n --profile=slurm"])
def test_a_profile_of_the_users_own_has_precedence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slurm").mkdir()

    assert with_profile(typed.split()) == ["-n", "--profile=slurm"]


def test_a_profile_that_the_workflow_does_not_have_is_left_to_snakemake() -> None:
    assert with_profile(["--profile", "elsewhere"]) == ["--profile=elsewhere"]
