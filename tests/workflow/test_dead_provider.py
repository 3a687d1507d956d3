"""A provider that dies in the middle of a study, or is gone after it: what is lost, and what is not."""

import json
import shutil
from pathlib import Path

import pytest

from mechaware.claims.rubric.records import Run, read_record
from tests.conftest import Checkout, copy_of_the_tree
from tests.fake_provider import Call, FakeProvider, Reply, failed

PAPERS = ("planted-01", "planted-02")
JUDGE = """
fake:
  kind: provider
  label: Fake
  model: openai/m
  api_base: {url}
  attempts: 2
  timeout_s: 20
"""


@pytest.mark.gate
def test_keep_going_finishes_the_other_papers_and_judges_and_a_rerun_asks_for_the_rest(
    warm: Path, tmp_path: Path
) -> None:
    checkout = Checkout(copy_of_the_tree(tmp_path / "tree"), warm)  # of its own: its list of judges changes
    claims, dead = checkout.folder / "results/claims", True

    def of_the_second_paper(call: Call) -> bool:
        title = json.loads((claims / "sources/planted-02.truth.json").read_text())["title"]
        return title in " ".join(str(call.request["messages"]).split())

    def answer(call: Call) -> Reply:
        """A content filter refuses the papers; the provider is dead while it should read the second."""
        if dead and of_the_second_paper(call):
            return failed(503, "gone")
        return Reply(finish_reason="content_filter")

    scores = [
        f"results/claims/judgements/{judge}/{paper}/scores.json" for judge in ("lexical", "fake") for paper in PAPERS
    ]
    more = tmp_path / "more.yaml"
    more.write_text("claims: {judges: [lexical, fake]}")
    with FakeProvider(otherwise=answer) as provider:
        with (checkout.folder / "config/judges.yaml").open("a") as listed:
            listed.write(JUDGE.format(url=provider.url))
        first = checkout.snakemake("--cores", "1", "--keep-going", *scores, more=more, check=False)
        assert first.returncode != 0
        log = (checkout.folder / "logs/claims/judge_paper/fake/planted-02.log").read_text()
        (line,) = (line for line in log.splitlines() if line and not line.startswith("fake, planted-02:"))  # the bar
        assert line.startswith("error: judge fake: no reply after 2 attempts")
        assert [(checkout.folder / path).exists() for path in scores] == [True, True, True, False]
        # Two runs over the first paper, which are unscored records; two attempts of the first run over the second.
        runs = [read_record(Run, claims / f"judgements/fake/planted-01/run-{run}.json") for run in range(2)]
        assert [run.fault.kind for run in runs if run.fault] == ["refused", "refused"]
        assert sorted(map(of_the_second_paper, provider.calls)) == [False, False, True, True]
        dead = False
        provider.calls.clear()
        checkout.snakemake("--cores", "1", *scores, more=more)
        assert list(map(of_the_second_paper, provider.calls)) == [True, True]
    assert (checkout.folder / scores[-1]).exists()


@pytest.mark.gate
def test_a_finished_study_needs_neither_its_replies_nor_the_key_and_its_replies_are_replayed_without_the_key(
    warm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = Checkout(copy_of_the_tree(tmp_path / "tree"), warm)
    judgements, more = checkout.folder / "results/claims/judgements", tmp_path / "more.yaml"
    more.write_text("claims: {judges: [fake], leak_audit: false}")
    score = "results/claims/judgements/fake/planted-01/scores.json"
    monkeypatch.setenv("A_KEY", "x")
    with FakeProvider(otherwise=Reply("No.")) as provider:
        with (checkout.folder / "config/judges.yaml").open("a") as listed:
            listed.write(f"{JUDGE.format(url=provider.url)}  api_key_env: A_KEY\n")
        checkout.snakemake("--cores", "1", score, more=more)
        assert provider.calls
    monkeypatch.delenv("A_KEY")
    made = (checkout.folder / score).read_bytes()
    shutil.rmtree(judgements)
    checkout.snakemake("--cores", "1", score, more=more)
    assert (checkout.folder / score).read_bytes() == made
    shutil.rmtree(checkout.folder / "judge_responses/fake")
    assert "Nothing to be done" in checkout.snakemake("--cores", "1", "-n", score, more=more).stdout
    shutil.rmtree(judgements)
    run = checkout.snakemake("--cores", "1", "-n", score, more=more, check=False)
    assert run.returncode == 1
    assert "error: judge fake: no key; set the environment variable A_KEY (config/judges.yaml names it)" in run.stderr
