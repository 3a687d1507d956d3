"""A study whose provider gives useless replies, dies in the middle, or is gone afterwards."""

import json
import shutil
from pathlib import Path

import pytest

from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.records import Run, read_record
from tests.checkout import Checkout, copy_of_the_tree
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
# A reply to each question of a judge: for the claims of a paper, for the criteria of numbered
# claims, and for the criteria of one claim.
REPLY = {"claims": [{"claim": 1} | CLAIM | CRITERIA_REPLY]} | CRITERIA_REPLY


@pytest.mark.gate
def test_a_rerun_after_a_dead_provider_asks_for_the_rest_and_a_raised_attempt_what_was_left_open(
    warm: Path, tmp_path: Path
) -> None:
    """Four runs of the workflow: the provider dies, then lives, then has two further attempts.

    The first three replies about the first paper are useless.
    """
    # Not the fixture's checkout, since the list of judges changes.
    checkout = Checkout(copy_of_the_tree(tmp_path / "tree"), warm)
    claims = checkout.folder / "results/claims"
    is_dead = True
    useless = iter(
        [
            Reply(finish_reason="content_filter"),
            Reply(""),
            said(REPLY, finish_reason="error"),
        ]
    )

    def is_about_second_paper(call: Call) -> bool:
        title = json.loads((claims / "sources/planted-02.truth.json").read_text())["title"]
        return title in " ".join(str(call.request["messages"]).split())

    def answer(call: Call) -> Reply:
        """First the useless replies, then good ones; errors about the second paper while dead."""
        if is_about_second_paper(call):
            return failed(503, "gone") if is_dead else said(REPLY)
        return next(useless, said(REPLY))

    def faults(paper: str) -> list[str | None]:
        """The fault of each of the judge's two runs over a paper; None for a run that is scored."""
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
        # Besides the error, the log has the progress bar, which begins with judge and paper.
        bar = "fake, planted-02:"
        (line,) = [line for line in log.splitlines() if line and not line.startswith(bar)]
        assert line.startswith(
            "error: judge fake: no reply that can be read within 2 attempts (gone)"
        )
        assert [(checkout.folder / path).exists() for path in scores] == [True, True, True, False]
        # One call for each run over the first paper: both runs are recorded, without a score. The
        # first run over the second paper ends the job after two attempts.
        assert faults("planted-01") == ["refused", "empty"]
        assert sorted(map(is_about_second_paper, provider.calls)) == [False, False, True, True]

        # The provider lives again: only the second paper is asked about.
        is_dead = False
        provider.calls.clear()
        checkout.snakemake(*command, more=more)
        assert faults("planted-01") == ["refused", "empty"]
        assert faults("planted-02") == [None, None]
        assert list(map(is_about_second_paper, provider.calls)) == [True, True]

        # A raised attempt asks again where a run has a fault. Replies that could be used are kept:
        # there are no calls about the second paper. The third useless reply is a fault again.
        more.write_text(f"claims: {{{settings}, attempt: 2}}")
        provider.calls.clear()
        checkout.snakemake(*command, more=more)
        assert faults("planted-01") == ["error", None]
        assert list(map(is_about_second_paper, provider.calls)) == [False, False]

        # The next attempt asks again for the one run that is left.
        more.write_text(f"claims: {{{settings}, attempt: 3}}")
        provider.calls.clear()
        checkout.snakemake(*command, more=more)
        assert faults("planted-01") == [None, None]
        assert list(map(is_about_second_paper, provider.calls)) == [False]

        assert "Nothing to be done" in checkout.snakemake(*command, "-n", more=more).stdout


@pytest.mark.gate
def test_a_key_is_needed_neither_to_replay_replies_nor_for_a_finished_study(
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

    # From here on there is no provider and no key. The stored replies are replayed.
    monkeypatch.delenv("A_KEY")
    shutil.rmtree(judgements)
    checkout.snakemake("--cores", "1", score, more=more)

    assert (checkout.folder / score).read_bytes() == made

    # A study with its judgements needs no stored replies.
    shutil.rmtree(checkout.folder / "judge_responses/fake")
    assert "Nothing to be done" in checkout.snakemake("--cores", "1", "-n", score, more=more).stdout

    # With neither judgements nor replies, the judge has to be asked, with its key.
    shutil.rmtree(judgements)
    run = checkout.snakemake("--cores", "1", "-n", score, more=more, check=False)

    assert run.returncode == 1
    message = (
        "error: judge fake: no key; "
        "set the environment variable A_KEY (config/judges.yaml names it)"
    )
    assert message in run.stderr
