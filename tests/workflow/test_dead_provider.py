"""A provider whose replies come to nothing, that dies in the middle of a study, or is gone after it."""

import json
import shutil
from pathlib import Path

import pytest

from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.records import Run, read_record
from tests.conftest import Checkout, copy_of_the_tree
from tests.fake_provider import Call, FakeProvider, Reply, failed, judge_entry, said

PAPERS = ("planted-01", "planted-02")
CRITERIA_REPLY = {"criteria": {code: {"evidence": "None.", "status": "NO"} for code in CRITERIA}}
CLAIM = {
    "statement": "The circuit of head 3.1 carries the number",
    "level": "system",
    "description_mode": "algorithmic",
    "evidence_families": [],
    "components": ["3.1"],
}
# To a question for claims, for the criteria of numbered claims, or for a claim's criteria.
REPLY = {"claims": [{"claim": 1} | CLAIM | CRITERIA_REPLY]} | CRITERIA_REPLY


@pytest.mark.gate
def test_a_rerun_after_a_dead_provider_asks_for_the_rest_and_a_raised_attempt_what_was_left_open(
    warm: Path, tmp_path: Path
) -> None:
    # Of its own: its list of judges changes.
    checkout = Checkout(copy_of_the_tree(tmp_path / "tree"), warm)
    claims = checkout.folder / "results/claims"
    is_dead = True
    faulty = iter(
        [
            Reply(finish_reason="content_filter"),
            Reply(""),
            said(REPLY, finish_reason="error"),
        ]
    )

    def of_the_second_paper(call: Call) -> bool:
        title = json.loads((claims / "sources/planted-02.truth.json").read_text())["title"]
        return title in " ".join(str(call.request["messages"]).split())

    def answer(call: Call) -> Reply:
        """Three replies about the first paper come to nothing; the provider is dead while it should read the second."""
        if of_the_second_paper(call):
            return failed(503, "gone") if is_dead else said(REPLY)
        return next(faulty, said(REPLY))

    def faults(paper: str) -> list[str | None]:
        """The fault of each of the judge's two runs, None for a run that is scored."""
        kinds = []
        for number in range(2):
            run = read_record(Run, claims / f"judgements/fake/{paper}/run-{number}.json")
            kinds.append(None if run.fault is None else run.fault.kind)
        return kinds

    scores = []
    for judge in ("lexical", "fake"):
        for paper in PAPERS:
            scores.append(f"results/claims/judgements/{judge}/{paper}/scores.json")
    command = ("--cores", "1", "--keep-going", *scores)
    more = tmp_path / "more.yaml"
    settings = "judges: [lexical, fake], leak_audit: false, claims_found: every_run"
    more.write_text(f"claims: {{{settings}}}")
    with FakeProvider(otherwise=answer) as provider:
        with (checkout.folder / "config/judges.yaml").open("a") as listed:
            listed.write(judge_entry("fake", provider.url))

        assert checkout.snakemake(*command, more=more, check=False).returncode != 0
        log = (checkout.folder / "logs/claims/judge_paper/fake/planted-02.log").read_text()
        # Apart from the bar, which begins with judge and paper.
        bar = "fake, planted-02:"
        (line,) = [line for line in log.splitlines() if line and not line.startswith(bar)]
        assert line.startswith(
            "error: judge fake: no reply that can be read within 2 attempts (gone)"
        )
        assert [(checkout.folder / path).exists() for path in scores] == [True, True, True, False]
        # Two runs over the first paper, which are unscored records; two attempts of the first run over the second.
        assert faults("planted-01") == ["refused", "empty"]
        assert sorted(map(of_the_second_paper, provider.calls)) == [False, False, True, True]

        is_dead = False
        provider.calls.clear()
        checkout.snakemake(*command, more=more)
        assert faults("planted-01") == ["refused", "empty"]
        assert faults("planted-02") == [None, None]
        assert list(map(of_the_second_paper, provider.calls)) == [True, True]

        # Replies that could be used are kept: those about the second paper are not asked for again.
        more.write_text(f"claims: {{{settings}, attempt: 2}}")
        provider.calls.clear()
        checkout.snakemake(*command, more=more)
        assert faults("planted-01") == ["error", None]
        assert list(map(of_the_second_paper, provider.calls)) == [False, False]

        more.write_text(f"claims: {{{settings}, attempt: 3}}")
        provider.calls.clear()
        checkout.snakemake(*command, more=more)
        assert faults("planted-01") == [None, None]
        assert list(map(of_the_second_paper, provider.calls)) == [False]

        assert "Nothing to be done" in checkout.snakemake(*command, "-n", more=more).stdout


@pytest.mark.gate
def test_a_finished_study_needs_neither_its_replies_nor_the_key_and_its_replies_are_replayed_without_the_key(
    warm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = Checkout(copy_of_the_tree(tmp_path / "tree"), warm)
    judgements = checkout.folder / "results/claims/judgements"
    more = tmp_path / "more.yaml"
    more.write_text("claims: {judges: [fake], leak_audit: false}")
    score = "results/claims/judgements/fake/planted-01/scores.json"
    monkeypatch.setenv("A_KEY", "x")
    with FakeProvider(otherwise=said(REPLY)) as provider:
        with (checkout.folder / "config/judges.yaml").open("a") as listed:
            listed.write(judge_entry("fake", provider.url, api_key_env="A_KEY"))
        checkout.snakemake("--cores", "1", score, more=more)
        assert provider.calls
    made = (checkout.folder / score).read_bytes()

    # From here on there is no provider and no key.
    monkeypatch.delenv("A_KEY")
    shutil.rmtree(judgements)
    checkout.snakemake("--cores", "1", score, more=more)

    assert (checkout.folder / score).read_bytes() == made

    shutil.rmtree(checkout.folder / "judge_responses/fake")
    assert "Nothing to be done" in checkout.snakemake("--cores", "1", "-n", score, more=more).stdout

    shutil.rmtree(judgements)
    run = checkout.snakemake("--cores", "1", "-n", score, more=more, check=False)

    assert run.returncode == 1
    assert (
        "error: judge fake: no key; set the environment variable A_KEY (config/judges.yaml names it)"
        in run.stderr
    )
