"""`make claim` on one paper: passages to read without a judge, one line for each fault, and paper
and judge handed to the workflow as they were typed.
"""

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from snakemake.cli import parse_config

from tests.checkout import REPOSITORY, copy_of_the_tree
from tests.doors.reader import Reader


@pytest.fixture(scope="module")
def reader(warm: Path, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """A reader in a fresh copy of the tree."""
    reader = Reader(copy_of_the_tree(tmp_path_factory.mktemp("claim") / "tree"), warm)
    reader.link_environment()
    return reader


@pytest.mark.gate
def test_without_a_judge_a_paper_has_passages_to_read_which_are_searched_only_once(
    reader: Reader,
) -> None:
    (reader.folder / "it's mine.txt").write_text(
        "Abstract\nWe compare ways to rank papers. Heads of departments were asked.\n"
    )
    command = """make claim PAPER="it's mine.txt" """
    printed = reader.types(command).stdout
    folder = Path("results/claims/reading/it-s-mine")

    assert printed.startswith("it's mine.txt: not judged; passages to read for 27 criteria\n")
    assert printed.endswith(f"\nfor a review form: {folder}/review.md\nopen {folder}/index.html\n")

    for name in ("index.html", "review.md"):
        text = (reader.folder / folder / name).read_text()
        assert "Heads of departments were asked." in text

    (reader.folder / "other.txt").write_text(
        "Abstract\nWe show that head 3.1 moves the subject to the verb.\n"
    )
    reader.types("make claim PAPER=other.txt")
    again = reader.types(command)

    assert again.stdout == printed
    # The one step is the target `claim` itself.
    assert "\n1 of 1 steps (100%) done" in again.stderr


def printed_by_failing_claim(reader: Reader, variables: str) -> str:
    """Run `make claim`, which must fail, and return its whole output."""
    return reader.types(f"! make claim {variables} 2>&1").stdout


def n_lines_starting(printed: str, start: str) -> int:
    """How many of the printed lines start with a text."""
    return sum(line.startswith(start) for line in printed.splitlines())


@pytest.mark.gate
@pytest.mark.parametrize(
    ("variables", "error"),
    [
        ("", "error: no PAPER; write make claim PAPER=my.pdf"),
        ("PAPER=none.pdf", "none.pdf: no such file (from "),
        (
            "PAPER=README.md JUDGE=smolm2",
            "config, claims/own_judges: 'smolm2' is not in config/judges.yaml, and is no address of a model such as "
            "ollama/llama3.2 or openai/my-model@http://localhost:8000/v1; did you mean 'smollm2'?",
        ),
        (
            "PAPER=README.md JUDGE=lexical",
            "config, claims/own_judges: 'lexical' is keyword rules, which judge no paper; leave it out to get passages",
        ),
        (
            "PAPER=2211.00593 JUDGE=gpt-5.5",
            "error: judge gpt-5.5: no key; set the environment variable OPENAI_API_KEY",
        ),
        (
            "PAPER=2211.00593 JUDGE=openai/gpt-5.5",
            "error: judge openai-gpt-5.5: no key; set the environment variable OPENAI_API_KEY",
        ),
    ],
    ids=[
        "no paper",
        "a missing file",
        "an unknown judge",
        "keyword rules as the judge",
        "a judge without its key",
        "an address of a model without its key",
    ],
)
def test_a_fault_in_the_variables_is_one_line_before_the_paper_is_fetched(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, variables: str, error: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    printed = printed_by_failing_claim(reader, variables)

    assert n_lines_starting(printed, error) == 1, printed
    assert "Traceback" not in printed
    assert "rule fetch_paper" not in printed


@pytest.mark.gate
@pytest.mark.parametrize(
    ("variables", "error"),
    [
        (
            "PAPER=prose.pdf",
            "error: prose.pdf: it is named a PDF but is something else; enter the PDF itself",
        ),
        # No server listens at port 1.
        ("PAPER='http://127.0.0.1:1/a?b=1&c=2#d'", "error: http://127.0.0.1:1/a?b=1&c=2#d: "),
    ],
    ids=["a text named as a PDF", "an address without a server"],
)
def test_a_paper_that_cannot_be_fetched_is_one_line(
    reader: Reader, variables: str, error: str
) -> None:
    (reader.folder / "prose.pdf").write_text("This is no PDF.")
    printed = printed_by_failing_claim(reader, variables)

    assert n_lines_starting(printed, error) == 1, printed
    assert "Traceback" not in printed
    assert "rule fetch_paper" in printed


@pytest.mark.parametrize(
    "paper",
    [
        "my.pdf",
        "it's my paper.pdf",
        'a: b, [c] #d\\e".txt',
        "2211.00593",
        "https://x.org/a?b=1&c=it's#d, e",
    ],
)
@pytest.mark.parametrize("judge", ["", "mine", "openai/it's@http://localhost:8000/v1"])
def test_the_workflow_gets_the_paper_and_the_judge_as_they_were_written(
    paper: str, judge: str
) -> None:
    command = ["make", "--no-print-directory", "-n", "claim", f"PAPER={paper}", f"JUDGE={judge}"]
    # If `make` runs the tests, its MAKEFLAGS must not change what this `make` prints.
    environment = dict(os.environ)
    environment.pop("MAKEFLAGS", None)
    dry_run = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=True
    )

    # The last line is the command `... snakemake claim ... --config VALUE`.
    snakemake_command = dry_run.stdout.splitlines()[-1]
    value = shlex.split(snakemake_command)[-1]
    judges = [judge] if judge else []

    assert parse_config([value]) == {"claims": {"own_paper": paper, "own_judges": judges}}
