"""What Snakemake is asked for decides whether there is an answer to print."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mechaware.doors.command import running
from mechaware.doors.command.__main__ import main
from mechaware.doors.command.running import (
    copy_examples,
    errors_of_jobs,
    makes_no_answer,
    snakemake,
    with_profile,
)
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


@pytest.mark.parametrize("has_old", [True, False])
def test_a_dry_run_prints_its_plan_and_no_answer(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    has_old: bool,
) -> None:
    """In place of Snakemake another program prints, and makes nothing."""
    monkeypatch.chdir(tmp_path)
    plan = [sys.executable, "-c", "print('the plan')"]
    monkeypatch.setattr(running, "snakemake", lambda _arguments: [*plan])
    Path("pairs.csv").touch()
    running.RESULTS.mkdir()
    if has_old:
        folder = running.RESULTS / "results/grounding/pairs/pairs"
        folder.mkdir(parents=True)
        old = {"status": "grounds", "outcome": "shown", "reason": "an old answer"}
        (folder / "verdict.json").write_text(json.dumps(old))

    assert main(["reads", "pairs.csv", "--model", "gpt2", "--", "-np"]) == 0
    assert capfd.readouterr().out == "the plan\n"


def test_what_a_run_costs_is_shown_beside_its_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """In place of Snakemake another program prints what a step prints, and a line that a rule ends with."""
    monkeypatch.chdir(tmp_path)
    steps = (
        "from mechaware.core.cost_lines import print_cost\n"
        "print_cost('mine, paper', '3 calls')\n"
        "print('open results/index.html')\n"
    )
    monkeypatch.setattr(running, "snakemake", lambda _arguments: [sys.executable, "-c", steps])
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    printed = "cost: mine, paper: 3 calls\nopen results/index.html\n"

    assert running.run_snakemake(["claim"], [], []) == (0, printed)
    assert capfd.readouterr() == ("", "cost: mine, paper: 3 calls\n")


def test_the_error_of_a_failed_job_is_its_logs_last_line(tmp_path: Path) -> None:
    old = tmp_path / "claims/old.log"
    old.parent.mkdir()
    old.write_text("error: of a run before\n")
    os.utime(old, (1000.0, 1000.0))
    (tmp_path / "claims/judge.log").write_text("asked\nerror: judge mine: no reply; try again\n")
    (tmp_path / "claims/finished.log").write_text("error: a line of a reply\n2 of 2 answered\n")

    assert errors_of_jobs(tmp_path, 2000.0) == ["error: judge mine: no reply; try again"]


def test_of_a_traceback_the_line_is_shown_that_says_what_was_raised(tmp_path: Path) -> None:
    """The job fails in handling an error, with a message of two lines."""
    job = "try:\n    {}['id']\nexcept KeyError:\n    raise ValueError('no id\\nin 3 rows')\n"
    failed = subprocess.run(
        [sys.executable, "-c", job], capture_output=True, text=True, check=False
    )
    log = tmp_path / "measure.log"
    log.write_text(f"measured 2 of 3\n{failed.stderr}")

    assert "KeyError: 'id'" in failed.stderr
    assert errors_of_jobs(tmp_path, 0.0) == [
        f"error: ValueError: no id; the whole traceback is in {log}"
    ]


@pytest.mark.parametrize("verb", ["reads pairs.csv --model gpt2", "run -n"])
def test_a_folder_in_which_nothing_can_be_written_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    """In /proc nobody may write, whoever runs the tests."""
    monkeypatch.chdir("/proc")
    assert main(verb.split()) == 1
    assert capsys.readouterr().err == (
        "error: /proc: nothing can be written here; type the command in a folder of your own\n"
    )


@pytest.mark.parametrize(
    ("command", "locked", "is_said"),
    [("touch made", "made", True), ("exit 1", "made by another run", False)],
    ids=["the same file", "a file of another run"],
)
def test_how_to_unlock_is_said_only_of_a_lock_that_stopped_the_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    command: str,
    locked: str,
    is_said: bool,
) -> None:
    """Both runs fail: the first on the lock, the second on its command, while another run makes another file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "profiles").mkdir()
    (tmp_path / "Snakefile").write_text(f"rule:\n    output: 'made'\n    shell: '{command}'\n")
    locks = running.RESULTS / ".snakemake/locks"
    locks.mkdir(parents=True)
    (locks / "0.output.lock").write_text(f"{locked}\n")

    monkeypatch.setattr(running, "source", lambda file: tmp_path / file)
    status, _printed = running.run_snakemake(["made"], [], ["--cores", "1"])

    assert status == 1

    says = "error: mechaware-results is locked; if no other run is going on there: mechaware run --unlock"
    assert (says in capfd.readouterr().err) == is_said


def test_the_examples_are_laid_beside_the_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    copy_examples()
    copy_examples()
    copied = tmp_path / "mechaware-results/examples/control.csv"

    assert copied.read_bytes() == (REPOSITORY / "examples/control.csv").read_bytes()


def test_the_command_alone_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "Begin with mechaware demo." in capsys.readouterr().err


@pytest.mark.parametrize("typed", ["-n --profile slurm", "-n --profile=slurm"])
def test_a_profile_of_the_workflow_is_found_from_any_folder_unless_the_user_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ours = f"--workflow-profile={REPOSITORY}/profiles/slurm"

    assert with_profile(typed.split()) == ["-n", ours]
    # A cluster's cores and GPUs are the profile's to say.
    assert "--cores" in snakemake(["-n"])
    assert not {"--cores", "--resources"} & set(snakemake(typed.split()))

    (tmp_path / "slurm").mkdir()
    assert with_profile(typed.split()) == ["-n", "--profile=slurm"]
    assert with_profile(["--profile", "elsewhere"]) == ["--profile=elsewhere"]
