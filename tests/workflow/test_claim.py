"""`make claim`: one file, passages to read or a judge's page,
and one line for whatever is wrong.
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
def test_a_paper_has_passages_to_read_without_a_judge_and_they_are_not_searched_twice(
    reader: Reader,
) -> None:
    (reader.folder / "it's none.txt").write_text(
        "Abstract\nWe compare ways to rank papers. Heads of departments were asked.\n"
    )
    command = """make claim PAPER="it's none.txt" """
    printed = reader.types(command).stdout
    folder = Path("results/claims/reading/it-s-none")

    assert printed.startswith("it's none.txt: not judged; passages to read for 27 criteria\n")
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
    assert "\n1 of 1 steps (100%) done" in again.stderr


@pytest.mark.gate
@pytest.mark.parametrize(
    ("variables", "line"),
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
        (
            "PAPER=prose.pdf",
            "error: prose.pdf: it is named a PDF but is something else; enter the PDF itself",
        ),
        ("PAPER='http://127.0.0.1:1/a?b=1&c=2#d'", "error: http://127.0.0.1:1/a?b=1&c=2#d: "),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_runs_that_need_not(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, variables: str, line: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (reader.folder / "prose.pdf").write_text("This is no PDF.")
    printed = reader.types(f"! make claim {variables} 2>&1").stdout

    assert sum(each.startswith(line) for each in printed.splitlines()) == 1, printed
    assert "Traceback" not in printed
    assert ("rule fetch_paper" in printed) == line.startswith(("error: prose", "error: http"))


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
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    run = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=True
    )
    given = shlex.split(run.stdout.splitlines()[-1])[-1]
    judges = [judge] if judge else []

    assert parse_config([given]) == {"claims": {"own_paper": paper, "own_judges": judges}}
