"""A paper is judged by the user's own rubric, in the library and by the workflow's commands."""

import json
from pathlib import Path

import pytest

import mechaware as ma
from mechaware.doors.claims.library import settings_of
from mechaware.instruments.claims.rubric.records import PaperText, write_record
from mechaware.verdicts.by_rubric.verdict import ReadingSettings
from scripts.claims import judge_by_rubric, report_by_rubric
from tests.fake_provider import Call, FakeProvider, Reply, said
from tests.unit.doors.reviews import ITEMS as REVIEW_ITEMS
from tests.unit.doors.reviews import RUBRIC as REVIEW_RUBRIC
from tests.unit.doors.reviews import reviewer

REPOSITORY = Path(__file__).resolve().parents[3]
PROMPTS = sorted((REPOSITORY / "config/judge_prompts/v1").glob("*.*"))
ITEM_PROMPTS = sorted((REPOSITORY / "config/judge_prompts/items").glob("*.*"))
# Two paragraphs, each a passage. Only the first one has standard deviations; neither has code.
TEXT = (
    "All scores are means over five seeds, with standard deviations in the table beside them.\n\n"
    "The second experiment repeats the first one on another set of prompts, without the seeds."
)
RUBRIC = """name: Reporting
statuses: [absent, partly, done]
criteria:
  - {code: spread, name: Spread, definition: Are standard deviations of the scores reported?}
  - {code: code, name: Code, definition: Is the code of the experiment published?}
"""


def reader(call: Call) -> Reply:
    """A judge's reply: done where the passages have "deviations", but partly in the run of seed 1.

    Without the word the reply is absent.
    """
    passages = call.request["messages"][-1]["content"].partition("=====")[2]
    if "deviations" not in passages:
        status = "absent"
    elif call.request["seed"] == 1:
        status = "partly"
    else:
        status = "done"
    return said({"evidence": "so", "status": status})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with the paper `TEXT` and the rubric `RUBRIC`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.txt").write_text(TEXT)
    (tmp_path / "rubric.yaml").write_text(RUBRIC)
    return tmp_path


def test_the_judge_is_asked_by_each_criterion_in_each_run(folder: Path) -> None:
    with FakeProvider(otherwise=reader) as server:
        judge = f"openai/m@{server.url}"
        ma.claims.judge_by_rubric("my.txt", "rubric.yaml", judge, claim="It copies.", passages=1)

    # Two criteria in three runs, which is the default.
    assert len(server.calls) == 2 * 3
    system, user = server.calls[0].request["messages"]
    assert "Statuses, from the lowest to the highest: absent, partly, done" in system["content"]
    assert "Criterion spread, Spread: Are standard deviations" in user["content"]
    assert "It copies." in user["content"]
    # One passage is asked about, the first one.
    assert "second experiment" not in user["content"]


def test_without_a_card_the_finding_gives_no_verdict(folder: Path) -> None:
    """By *spread* two runs reply done and one partly. By *code* all reply absent.

    The passage for *code* is the second one, which has no "deviations".
    """
    with FakeProvider(otherwise=reader) as server:
        judge = f"openai/m@{server.url}"
        verdict = ma.claims.judge_by_rubric("my.txt", "rubric.yaml", judge, passages=1)

    minimum = verdict.evidence.standings["minimum"]
    median = verdict.evidence.standings["median"]
    assert minimum["counts"] == {"done": 0, "partly": 1, "absent": 1}
    assert median["counts"] == {"done": 1, "partly": 0, "absent": 1}
    assert verdict.evidence.finding == "falls short"
    assert verdict.status == "cannot tell"
    assert "(0% done), but how often this judge is right" in verdict.reason
    # The page has a section for each criterion.
    assert verdict.page("page.html", name="my").read_text().count("<section") == 2


def test_with_a_card_of_the_judge_the_finding_is_the_verdict(folder: Path) -> None:
    """`reviewer` replies the lowest status, bad, to texts that are not among its own items."""
    with FakeProvider(otherwise=reviewer) as server:
        judge = f"openai/m@{server.url}"
        card = ma.claims.judge_card(REVIEW_ITEMS, REVIEW_RUBRIC, judge, edited_items=0)
        (folder / "card.json").write_text(json.dumps(card.record()))
        verdict = ma.claims.judge_by_rubric(
            "my.txt", REVIEW_RUBRIC, judge, cards=["card.json"], runs=1
        )
    assert card.status == "agrees"
    assert (verdict.status, verdict.outcome) == ("falls short", "not shown")
    assert verdict.reason.startswith("0 of 3 criteria are at the highest status, good; below it: ")
    assert verdict.error_rates.rates == card.error_rates.rates
    # On the card no reply is too high, so its replies that are too low are not rare beside these.
    assert verdict.evidence.vote_advice.startswith("use the median: single runs call 0.0% of the ")


def test_the_workflows_commands_give_the_verdict_of_the_library(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, flags = ma.claims.read("my.txt")
    (folder / "text.txt").write_text(text)
    write_record(flags, folder / "flags.json")
    with FakeProvider(otherwise=reader) as server:
        judge = f"openai/m@{server.url}"
        expected = ma.claims.judge_by_rubric("my.txt", "rubric.yaml", judge)
        judge_by_rubric.main(
            title="my",
            text=folder / "text.txt",
            flags=folder / "flags.json",
            rubric=folder / "rubric.yaml",
            prompts=PROMPTS,
            item_prompts=ITEM_PROMPTS,
            weights=[],
            settings=settings_of(judge),
            claim="",
            passages=10,
            runs=3,
            responses=folder / "replies",
            attempt=1,
            judged=folder / "judged.json",
        )
    # Two criteria in three runs; the cost is printed before and after the calls.
    before, after = capsys.readouterr().out.splitlines()
    assert ", my: 6 calls, about " in before
    assert "price not known; kept replies cost nothing" in before
    assert ", my: 6 calls, " in after

    settings = settings_of(judge)
    report_by_rubric.main(
        title="my",
        label=settings.name,
        judged=folder / "judged.json",
        text=folder / "text.txt",
        flags=folder / "flags.json",
        rubric=folder / "rubric.yaml",
        item_prompts=ITEM_PROMPTS,
        cards=[],
        settings=settings,
        revision="",
        reading_settings=ReadingSettings(passages=10, runs=3, vote="minimum", max_pages=50),
        confidence_level=0.95,
        verdict=folder / "verdict.json",
        page=folder / "index.html",
        lines=folder / "summary.txt",
    )
    written = json.loads((folder / "verdict.json").read_text())

    assert written == json.loads(json.dumps(expected.record()))
    assert (folder / "summary.txt").read_text().startswith("my: cannot tell: done ")


def test_a_paper_that_cannot_be_read_is_not_judged(folder: Path) -> None:
    fault = {"kind": "scan", "message": "source: a scan; name another file"}
    flags = PaperText.model_validate(
        {
            "paper": "my",
            "pages": 0,
            "pages_read": 0,
            "truncated": False,
            "characters": 0,
            "flags": [],
            "hidden": [],
            "fault": fault,
        }
    )
    write_record(flags, folder / "flags.json")
    (folder / "text.txt").write_text("")

    with pytest.raises(ma.UserError, match=r"^my: a scan; name another file$"):
        judge_by_rubric.main(
            title="my",
            text=folder / "text.txt",
            flags=folder / "flags.json",
            rubric=folder / "rubric.yaml",
            prompts=[],
            item_prompts=[],
            weights=[],
            settings=settings_of("smollm2"),
            claim="",
            passages=10,
            runs=3,
            responses=folder / "replies",
            attempt=1,
            judged=folder / "judged.json",
        )
