"""The line at the foot of a terminal: what it says of a real run of Snakemake, and that a log file has none."""

import os
import pty
import re
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

pytestmark = pytest.mark.gate  # seconds of waiting, and three starts of Snakemake

# `slow` ends after the line has been written anew, which it is every second.
WORKFLOW = """
import sys

onstart:
    from mechaware.live_line import show_live_line

    show_live_line(logger, len(workflow.dag))

onerror:
    from tqdm import tqdm

    tqdm.write("What failed:", file=sys.stderr)

rule all:
    input: "slow", "quick"

rule slow:
    output: "slow"
    shell: "sleep 3; touch {output}"

rule quick:
    output: "quick"
    shell: "false" if config.get("fails") else "touch {output}"
"""


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """Snakemake, with no profile, in a folder with that workflow."""
    (tmp_path / "Snakefile").write_text(WORKFLOW)
    options = ["--cores", "2", "--nocolor", "--keep-going", "--directory", str(tmp_path)]
    return [sys.executable, "-m", "snakemake", "--snakefile", str(tmp_path / "Snakefile"), *options]


def shown_in_a_terminal(command: list[str]) -> tuple[int, list[str]]:
    """The exit status, and what stood in each line before it was written over or left."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, 150))
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as run:
        os.close(theirs)
        written = b""
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:  # Linux says so when the other end is closed
                break
            if not part:
                break
            written += part
    os.close(ours)
    return run.returncode, [line.rstrip() for line in re.split(r"[\r\n]+", written.decode()) if line.strip()]


def test_a_terminal_shows_what_is_done_what_runs_and_the_time_left(command: list[str]) -> None:
    status, shown = shown_in_a_terminal(command)
    assert status == 0
    lines = [line for line in shown if line.startswith("done: ")]
    started = r"done: 0 of 3 jobs \| {20}\| \d\d:\d\d, about \? left, now (slow|quick)(, (slow|quick))?"
    assert [line for line in lines if re.fullmatch(started, line)]
    waiting = [line for line in lines if re.search(r"1 of 3 jobs .*, about \d\d:\d\d left, now slow$", line)]
    assert len({re.search(r"\| (\S+), about", line)[1] for line in waiting}) > 1  # type: ignore[index]
    assert any("3 of 3 jobs" in line for line in lines)
    # Snakemake's own messages stand in lines of their own.
    assert "3 of 3 steps (100%) done" in shown
    assert not [line for line in shown if "done: " in line[1:]]


def test_a_job_that_failed_runs_no_more(command: list[str]) -> None:
    status, shown = shown_in_a_terminal([*command, "--config", "fails=1"])
    assert status == 1
    assert [line for line in shown if line.startswith("done: ")][-1].endswith("left")
    assert "What failed:" in shown  # in a line of its own


def test_a_log_file_has_no_such_line(command: list[str]) -> None:
    run = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": str(REPOSITORY)}, stderr=subprocess.PIPE, text=True, check=True
    )
    assert "3 of 3 steps (100%) done" in run.stderr
    assert "about" not in run.stderr
    assert "\r" not in run.stderr
