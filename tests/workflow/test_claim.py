"""`make claim`: one file, one judge, a page, and one line for whatever is wrong."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from snakemake.exceptions import LockException

from mechaware.claims.rubric.records import Fault, Scores, Usage, write_record
from mechaware.errors import UserError
from scripts import claim
from tests.conftest import Checkout


def make_claim(checkout: Checkout, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(checkout.python), str(Path(sys.executable).parent), os.environ["PATH"]))
    command = [str(checkout.python / "python"), "-m", "scripts.claim", *arguments]
    environment = os.environ | {"PATH": path}
    return subprocess.run(command, cwd=checkout.folder, env=environment, capture_output=True, text=True)


@pytest.mark.gate
def test_a_paper_without_a_claim_is_no_failure(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "none.txt").write_text("Abstract\nWe compare ways to rank papers. Heads of departments were asked.\n")
    run = make_claim(checkout, "--paper", str(tmp_path / "none.txt"))
    assert run.returncode == 0, run.stderr
    assert ": no claim found\n" in run.stdout
    page, review = (checkout.folder / "results/claims/none" / name for name in ("index.html", "review.md"))
    for text in (page.read_text(), review.read_text()):
        assert "No claim found" in text
        assert "Heads of departments were asked." in text


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (str(LockException()), "another command scores a paper of this name; wait (if none does"),
        (
            "Error in rule report_paper:\n    log: step.log (check log file(s) for error details)\n",
            "mine.txt: it is empty",
        ),
        ("Killed\n", "the workflow failed (Killed); "),
    ],
)
def test_the_cause_of_a_failure_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, cause: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("step.log").write_text("a warning\nerror: mine.txt: it is empty\n")
    Path("command.log").write_text(said)
    found = claim._cause(Path("command.log"))
    assert found.startswith(cause)
    assert "\n" not in found


def test_a_key_that_is_missing_is_named_first_unless_replies_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UserError, match=r"judge gpt-5\.5: no key; set the environment variable OPENAI_API_KEY"):
        claim._check("2211.00593", "gpt-5.5")
    (tmp_path / "judge_responses/gpt-5.5").mkdir(parents=True)
    found = claim._check("2211.00593", "gpt-5.5")
    assert found.id == "arxiv-2211.00593"


def test_a_paper_without_a_verdict_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "results/claims/judgements/a/mine/scores.json"
    path.parent.mkdir(parents=True)
    fault = Fault(kind="cut", message="the reply was cut")
    nothing = {"claims": [], "scored": [], "main": None, "cvs": None, "tier": None, "single_runs": [], "voted": None}
    write_record(Scores(judge="a", paper="mine", usage=Usage(), fault=fault, **nothing), path)
    with pytest.raises(UserError, match=r"not scored by a \(cut: the reply was cut\); results/claims/mine/index.html"):
        claim._verdict("mine", "a")


@pytest.mark.parametrize(
    ("paper", "judge", "message"),
    [
        ("", "lexcal", "JUDGE: 'lexcal' is not in config/judges.yaml; did you mean 'lexical'?"),
        ("", "lexical", "no PAPER; write make claim PAPER=my.pdf"),
        ("none.pdf", "lexical", "none.pdf: no such file"),
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
