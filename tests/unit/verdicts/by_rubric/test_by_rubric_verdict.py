"""The verdict on a paper by any rubric: its record, its page, and its status,
which needs a card of the judge.
"""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.claims.by_rubric.judging import JudgedCriterion, PaperByRubric
from mechaware.instruments.claims.rubric.criteria import TIERS
from mechaware.instruments.claims.rubric.records import PaperText, Usage
from mechaware.instruments.claims.rubric.rubric import Criterion, Rubric
from mechaware.verdicts.by_rubric.verdict import (
    DOOR,
    Card,
    ReadingSettings,
    RubricEvidence,
    judge_paper_by_rubric,
    read_card,
)
from mechaware.verdicts.cases import by_rubric as cases
from mechaware.verdicts.error_rates import Rate
from mechaware.verdicts.page import render_page
from mechaware.verdicts.procedure import differences, make_procedure
from mechaware.verdicts.verdict import Verdict

REPOSITORY = Path(__file__).resolve().parents[4]
SCHEMA = json.loads((REPOSITORY / "mechaware/verdicts/schema.json").read_text())
CODES = ("names", "tests", "scope")
RUBRIC = Rubric(
    name="review",
    statuses=("bad", "needs work", "good"),
    guidance="",
    criteria={
        code: Criterion(code, code.title(), f"About {code}?", statuses={"good": "It is."})
        for code in CODES
    },
)
TEXT = "The names <b>say</b> what they hold."
ABOUT = PaperText(
    paper="my",
    pages=3,
    pages_read=3,
    page_starts=[0],
    truncated=False,
    characters=len(TEXT),
    flags=[],
    hidden=[],
)
MEASURED = make_procedure("claims", {"kind": "provider", "model": "m"}, CODES, "ab")
RATES = [
    Rate("right", 0.8, 0.7, 0.9, 12, {"each criterion's commonest status": 0.5}),
    Rate("too high", 0.3, 0.2, 0.4, 12, {"each criterion's commonest status": 0.5}),
    Rate("too low", 0.1, 0.05, 0.2, 12, {"each criterion's commonest status": 0.5}),
]
CARD = Card("agrees", "it has 80% of the labels right", MEASURED, RATES)


def judged(**votes: list[str | None]) -> PaperByRubric:
    """A paper whose criteria are good in all three runs, unless their votes are given."""
    criteria = {}
    for code in CODES:
        given = votes.get(code, ["good", "good", "good"])
        criteria[code] = JudgedCriterion(
            passages=[(0, len(TEXT))], votes=given, evidence=["<i>so</i>", "", ""]
        )
    return PaperByRubric(
        judge="j",
        paper="my",
        rubric="review",
        claim="",
        passages_searched=1,
        criteria=criteria,
        usage=Usage(),
    )


def reached(
    paper: PaperByRubric, cards: list[Card], vote: Any = "minimum"
) -> Verdict[RubricEvidence]:
    return judge_paper_by_rubric(
        paper,
        TEXT,
        ABOUT,
        RUBRIC,
        cards,
        label="My judge",
        reading=ReadingSettings(passages=10, runs=3, vote=vote, max_pages=50),
        required_procedure=MEASURED,
        confidence_level=0.95,
    )


def test_a_paper_that_is_at_the_highest_status_of_all_criteria_meets_the_rubric() -> None:
    verdict = reached(judged(), [CARD])
    assert (verdict.status, verdict.outcome, verdict.n) == ("meets", "shown", 3)
    assert verdict.reason == "all 3 criteria are at the highest status, good"
    assert [rate.measure for rate in verdict.error_rates.rates] == ["right", "too high", "too low"]


def test_the_chosen_vote_decides_and_the_counts_by_both_votes_are_shown() -> None:
    paper = judged(tests=["good", "bad", "good"])
    least = reached(paper, [CARD])
    assert (least.status, least.outcome) == ("falls short", "not shown")
    assert least.reason == (
        "2 of 3 criteria are at the highest status, good; below it: tests (bad)"
    )
    middle = reached(paper, [CARD], "median")
    assert middle.status == "meets"
    for verdict in (least, middle):
        minimum = verdict.evidence.standings["minimum"]
        median = verdict.evidence.standings["median"]
        assert minimum["counts"] == {"good": 2, "needs work": 0, "bad": 1}
        assert (minimum["best"], median["best"]) == (pytest.approx(2 / 3), 1.0)
    # The minimum suits a judge if the upper end of too low is at most MAX_DOWNWARD * too
    # high = 0.3 / 100. Here even the lower end, 0.05, is above that.
    assert least.evidence.vote_advice.startswith(
        "use the median: single runs call 30.0% of the labelled statuses below the highest too high and 10.0% of"
    )


def test_criteria_without_a_status_leave_the_verdict_open_unless_another_falls_short() -> None:
    missing: list[str | None] = [None, None, "good"]
    verdict = reached(judged(names=missing), [CARD])
    assert (verdict.status, verdict.outcome) == ("cannot tell", "cannot tell")
    assert verdict.reason.endswith("without a status: names")
    assert verdict.notes == [
        "no usable reply for names: raise claims/attempt to ask again",
    ]
    both = reached(judged(names=missing, scope=["needs work"] * 3), [CARD])
    assert (both.status, both.evidence.finding) == ("falls short", "falls short")


@pytest.mark.parametrize(
    ("cards", "doubt"),
    [
        ([], "how often this judge is right by this rubric is not known: label items"),
        (
            [
                CARD._replace(
                    procedure=MEASURED._replace(settings={"kind": "provider", "model": "n"})
                )
            ],
            "the card is of another procedure: model is m, measured at n",
        ),
        (
            [CARD._replace(status="no lead", reason="no lead is shown")],
            "its card does not show that this judge agrees with people: no lead is shown",
        ),
    ],
)
def test_the_statuses_decide_only_if_a_card_shows_that_the_judge_agrees_with_people(
    cards: list[Card], doubt: str
) -> None:
    verdict = reached(judged(scope=["bad", "good", "good"]), cards)
    assert (verdict.status, verdict.outcome) == ("cannot tell", "cannot tell")
    assert verdict.reason.startswith(
        f"good 2, needs work 0, bad 1 of 3 criteria (67% good), but {doubt}"
    )
    assert verdict.evidence.finding == "falls short"


def test_a_verdict_by_another_vote_has_another_procedure() -> None:
    minimum = reached(judged(), [CARD], "minimum").procedure
    median = reached(judged(), [CARD], "median").procedure
    assert minimum.text != median.text
    assert differences(median, minimum) == ["vote is median, measured at minimum"]


def test_a_changed_vote_rule_changes_the_digest_of_decisions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    digest_without_cache = cases.paper_decisions.__wrapped__
    before = digest_without_cache()
    assert digest_without_cache() == before

    monkeypatch.setattr(cases, "status_by_votes", lambda votes, _rubric, _rule: votes[0])
    assert digest_without_cache() != before


def test_the_procedure_records_what_was_read_and_shown() -> None:
    assert reached(judged(), [CARD]).procedure == make_procedure(
        "claims",
        {
            "kind": "provider",
            "model": "m",
            "passages": 10,
            "runs": 3,
            "vote": "minimum",
            "max_pages": 50,
        },
        CODES,
        cases.paper_decisions(),
    )


def test_passages_that_the_server_cut_are_no_ground_for_a_verdict() -> None:
    cut = judged().model_copy(update={"usage": Usage(calls=9, prompt_tokens=100, sent_tokens=900)})
    verdict = reached(cut, [CARD])
    assert verdict.status == "cannot tell"
    assert "its context cut the passages" in verdict.reason
    assert len(verdict.error_rates.rates) == len(RATES)
    (missing,) = reached(cut, []).error_rates.missing
    assert missing.startswith("how often this judge is right by this rubric is not known")


def test_the_record_fits_its_schema_and_the_page_shows_votes_and_escapes_texts() -> None:
    verdict = reached(judged(names=["good", "bad", None]), [CARD])
    record = json.loads(json.dumps(verdict.record()))
    jsonschema.validate(record, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(record | {"status": "supported"}, SCHEMA)

    page = render_page("my paper", "My judge", verdict, DOOR)
    assert "By My judge: is my paper at the highest status of every criterion?" in page
    assert "<h2>names Names: bad</h2>" in page
    assert "<li>run 3: no status</li>" in page
    assert "run 1: good: &lt;i&gt;so&lt;/i&gt;" in page
    assert "names &lt;b&gt;say&lt;/b&gt; what they hold." in page
    for markup in ("<i>so</i>", "<b>say</b>"):
        assert markup not in page

    # Tiers and the score from 0 to 10 belong to the 27 criteria alone.
    tier_names = [tier.name for tier in TIERS[1:]]
    for words in (*tier_names, "0 to 10"):
        assert words not in page


def test_a_file_that_is_no_card_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "verdict.json"
    path.write_text('{"question": "supported"}')
    with pytest.raises(UserError, match=r"no card of a judge \(its question is 'supported'\)"):
        read_card(path)
    with pytest.raises(UserError, match="no card of a judge"):
        read_card(tmp_path / "none.json")
