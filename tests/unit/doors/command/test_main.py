"""The command line: help on one screen, one line for a fault, an exit status for each answer."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mechaware.doors.command.__main__ import main
from mechaware.doors.command.answers import read_answer
from tests.checkout import REPOSITORY

# As documented: a verb that the parser loses fails here.
VERBS = ("demo", "seen", "reads", "paper", "judge", "card", "run")


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_fits_a_screen_and_has_an_example(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([verb, "--help"])
    assert ended.value.code == 0

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 25
    assert max(map(len, lines)) <= 100
    assert lines[-1].startswith(f"example: mechaware {verb}")


@pytest.mark.parametrize(
    ("typed", "status", "message"),
    [
        ("seen none.csv --model gpt2", 1, "error: none.csv: no such file (from "),
        (
            "seen none.csv",
            2,
            "mechaware seen: error: the following arguments are required: --model",
        ),
        ("see none.csv", 2, "mechaware: error: argument VERB: invalid choice: 'see' (choose from "),
        (
            "judge none.csv --rubric none.yaml",
            2,
            "mechaware judge: error: one of the arguments --judge --replies is required",
        ),
        (
            f"judge none.csv --rubric {REPOSITORY}/examples/review_rubric.yaml "
            "--judge ollama/llama3.2",
            1,
            "error: none.csv: no such file (from ",
        ),
        (
            "paper none.pdf --configfile none.yaml",
            1,
            "error: none.yaml: no such file (from ",
        ),
        ("card nowhere.MINE", 1, "error: card: no package 'nowhere' (from "),
    ],
)
def test_a_fault_ends_with_its_message_and_status_and_writes_no_file(
    tmp_path: Path, typed: str, status: int, message: str
) -> None:
    """Status 2 is argparse's, for what cannot be parsed, after the usage; 1 is any other fault."""
    command = [sys.executable, "-m", "mechaware.doors.command", *typed.split()]
    ended = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(REPOSITORY)}, capture_output=True, text=True
    )

    assert ended.returncode == status
    assert ended.stderr.splitlines()[-1].startswith(message)
    assert "Traceback" not in ended.stderr
    assert not list(tmp_path.iterdir())


def test_a_config_of_the_user_has_precedence_over_that_of_the_verb(tmp_path: Path) -> None:
    own = {"radar": {"suspected": {"my": {"model": "mine"}}}}
    (tmp_path / "own.yaml").write_text(json.dumps(own))
    (tmp_path / "my.csv").write_text("question,answer\nWhich river?,the Nile\n")
    typed = "seen my.csv --scores-only --model smollm2-135m-instruct --configfile own.yaml -- -n"

    ended = subprocess.run(
        [sys.executable, "-m", "mechaware.doors.command", *typed.split()],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )

    # The verb's config has the model that --model names; the user's has another, which is unknown.
    assert ended.returncode == 1
    # With -n, which is passed on to Snakemake, the refusal is on standard output.
    assert "config, radar/suspected/my/model: 'mine' is not in " in ended.stdout


@pytest.mark.parametrize(
    ("outcome", "status"), [("not shown", 0), ("shown", 3), ("cannot tell", 4)]
)
def test_the_answer_is_the_verdict_beside_the_page_and_its_exit_status(
    tmp_path: Path, outcome: str, status: int
) -> None:
    folder = tmp_path / "my-items"
    folder.mkdir()
    verdict = {"status": "its own word", "outcome": outcome, "reason": "in a sentence"}
    (folder / "verdict.json").write_text(json.dumps(verdict))

    answer = read_answer("seen", folder / "index.html")

    assert answer.record == {"answer": "my-items: its own word: in a sentence", **verdict}
    assert answer.exit_status == status
