"""How `mechaware` runs Snakemake: the command line, the printed lines, the results folder."""

import json
import sys
from pathlib import Path

import pytest

from mechaware.doors.command import running
from mechaware.doors.command.__main__ import main
from mechaware.doors.command.running import (
    copy_examples,
    snakemake,
)
from tests.checkout import REPOSITORY


@pytest.mark.parametrize("has_old", [True, False])
def test_a_dry_run_prints_its_plan_and_no_answer(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    has_old: bool,
) -> None:
    """A program that prints a plan and makes nothing replaces Snakemake.

    No answer is printed even if an old one lies in the results folder.
    """
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
    """A program that prints a cost line and the last line of a rule replaces Snakemake."""
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


@pytest.mark.parametrize("verb", ["reads pairs.csv --model gpt2", "run -n"])
def test_a_folder_in_which_nothing_can_be_written_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    """Nobody can write to /proc, not even root."""
    monkeypatch.chdir("/proc")
    assert main(verb.split()) == 1
    assert capsys.readouterr().err == (
        "error: /proc: nothing can be written here; type the command in a folder of your own\n"
    )


@pytest.mark.parametrize(
    ("command", "locked", "shows_hint"),
    [("touch made", "made", True), ("exit 1", "made by another run", False)],
    ids=["the same file", "a file of another run"],
)
def test_the_hint_to_unlock_is_shown_only_for_a_lock_that_stopped_the_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    command: str,
    locked: str,
    shows_hint: bool,
) -> None:
    """Both runs fail: the first on the lock, the second on its command.

    In the second case another run holds the lock, on another file.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Snakefile").write_text(f"rule:\n    output: 'made'\n    shell: '{command}'\n")
    locks = running.RESULTS / ".snakemake/locks"
    locks.mkdir(parents=True)
    (locks / "0.output.lock").write_text(f"{locked}\n")

    monkeypatch.setattr(running, "source", lambda file: tmp_path / file)
    status, _printed = running.run_snakemake(["made"], [], ["--cores", "1"])

    assert status == 1

    hint = (
        "error: mechaware-results is locked; if no other run is going on there: "
        "mechaware run --unlock"
    )
    assert (hint in capfd.readouterr().err) == shows_hint


def test_the_examples_are_copied_into_the_results_folder_even_twice(
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
def test_only_without_a_profile_a_run_may_use_the_whole_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    monkeypatch.chdir(tmp_path)

    # The profile names a cluster's cores and GPUs.
    assert "--cores" in snakemake(["-n"])
    assert not {"--cores", "--resources"} & set(snakemake(typed.split()))
