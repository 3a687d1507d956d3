"""`make claim`: one file, one judge, a page, and one line for whatever is wrong."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mechaware.errors import UserError
from scripts import claim
from tests.conftest import Checkout

TEXT = "Abstract\nWe show that head 7.4 copies the larger age.\n\nMean ablation, removing head 7.4, reduces accuracy.\n"


def make_claim(checkout: Checkout, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(checkout.python), str(Path(sys.executable).parent), os.environ["PATH"]))
    command = [str(checkout.python / "python"), "-m", "scripts.claim", *arguments]
    environment = os.environ | {"PATH": path}
    return subprocess.run(command, cwd=checkout.folder, env=environment, capture_output=True, text=True)


def test_a_file_is_scored_by_one_judge_and_the_lists_stay_as_they_are(checkout: Checkout, tmp_path: Path) -> None:
    paper = tmp_path / "My paper.txt"
    paper.write_text(TEXT)
    listed = (checkout.folder / "config/papers.csv").read_bytes()
    run = make_claim(checkout, "--paper", str(paper), "--judge", "lexical")
    assert run.returncode == 0, run.stderr
    assert run.stdout.endswith("by lexical: open results/claims/My-paper/index.html\n")
    assert "lexical, My-paper" in run.stderr  # the bar
    results = checkout.folder / "results/claims"
    assert {"index.html", "text.html", "claims.csv", "criteria.csv", "scores.json"} <= {
        path.name for path in (results / "My-paper").iterdir()
    }
    assert [path.name for path in (results / "judgements").iterdir()] == ["lexical"]
    page = (results / "My-paper/index.html").read_text()
    assert "My paper.txt" in page
    assert str(tmp_path) not in page
    assert (checkout.folder / "config/papers.csv").read_bytes() == listed


@pytest.mark.gate
def test_the_error_of_a_step_is_the_error_of_the_command(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text(TEXT)
    arguments = ["--paper", str(tmp_path / "mine.txt"), "--judge", "gpt-5.5"]
    run = make_claim(checkout, *arguments)
    assert run.returncode == 1
    errors = [line for line in run.stderr.splitlines() if "error" in line.lower()]
    assert errors == [
        "error: judge gpt-5.5: no key; set the environment variable OPENAI_API_KEY (config/judges.yaml names it)"
    ]


@pytest.mark.parametrize(
    ("paper", "judge", "message"),
    [
        ("", "lexical", "no PAPER or no JUDGE; write make claim PAPER=my.pdf JUDGE=lexical"),
        ("none.pdf", "lexical", "none.pdf: no such file"),
        ("2211.00593", "lexcal", "JUDGE: 'lexcal' is not in config/judges.yaml; did you mean 'lexical'?"),
    ],
)
def test_a_wrong_paper_or_judge_is_named_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paper: str, judge: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as caught:
        claim.main(paper=paper, judge=judge)
    assert str(caught.value).startswith(message)
    assert not list(tmp_path.iterdir())
