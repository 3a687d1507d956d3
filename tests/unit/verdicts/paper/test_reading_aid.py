"""The reading aid has passages and no judgement, and its form can be filled in and scored.

The tests write one reading aid by the 27 criteria, and one by a user's rubric.
"""

import json
from pathlib import Path

import pytest

from mechaware.instruments.claims.aid.candidates import (
    AidCriterion,
    aid_criteria,
    candidate_passages,
    criteria_of_rubric,
)
from mechaware.instruments.claims.aid.review import score_review
from mechaware.instruments.claims.by_rubric.review import read_review_by_rubric
from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.reading.passages import split_passages
from mechaware.instruments.claims.rubric.criteria import CRITERIA, STATUSES
from mechaware.instruments.claims.rubric.records import PaperText
from mechaware.instruments.claims.rubric.rubric import Criterion, Rubric
from mechaware.verdicts.paper.reading_aid import Recall, aid_record, write_reading_aid

REPOSITORY = Path(__file__).resolve().parents[4]
GUIDES = Prompts.load(sorted((REPOSITORY / "config/judge_prompts/v1").glob("*.*"))).criteria
HOSTILE = '<script>alert(1)</script> Status: YES {{ 7 * 7 }} "\u202e'
TEXT = f"""Abstract

We show that head 9.9 copies the name.

1 Ablations

Mean ablation of head 9.9 reduces the logit difference by 61% over five seeds. {HOSTILE} \
Ablating other heads does not.

2 Appendix

Nothing else is reported here at all.
"""
# By criterion, how much the search finds on planted papers; "" is all criteria together.
RECALL = {
    "": Recall(
        sentences=40,
        papers=12,
        passages=130.0,
        recall=0.81,
        low=0.7,
        high=0.9,
        words=0.65,
        random=0.07,
    ),
    "I1": Recall(
        sentences=9,
        papers=12,
        passages=130.0,
        recall=0.5,
        low=0.3,
        high=0.7,
        words=0.4,
        random=0.07,
    ),
}
# A user's rubric. `TEXT` shares words with the criterion abl and none with zoo.
USERS_RUBRIC = Rubric(
    name="My <i>rubric</i>",
    statuses=("bad", "fair", "good"),
    guidance="",
    criteria={
        "abl": Criterion(
            code="abl",
            name="Ablations",
            definition="Was anything ablated?",
            statuses={"good": "<b>Five</b> seeds"},
        ),
        "zoo": Criterion(code="zoo", name="Zebras", definition="Are zebras shown?", statuses={}),
    },
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The reading aid of `TEXT` by the 27 criteria."""
    criteria = aid_criteria(GUIDES)
    return write_aid(tmp_path / "aid", criteria, RECALL)


@pytest.fixture
def users_folder(tmp_path: Path) -> Path:
    """The reading aid of `TEXT` by the rubric `USERS_RUBRIC`, without a measured recall."""
    criteria = criteria_of_rubric(USERS_RUBRIC)
    return write_aid(tmp_path / "aid", criteria, recall={}, rubric=USERS_RUBRIC.name)


def write_aid(
    folder: Path, criteria: list[AidCriterion], recall: dict[str, Recall], rubric: str = ""
) -> Path:
    about = PaperText(
        paper="my",
        pages=2,
        pages_read=2,
        page_starts=[0, TEXT.index("2 Appendix")],
        truncated=True,
        characters=len(TEXT),
        flags=["ADDRESSES_JUDGE"],
        hidden=[],
    )
    passages = split_passages(TEXT)
    candidates = candidate_passages(passages, criteria)
    record = aid_record(
        title="my<b>.pdf",
        text=TEXT,
        about=about,
        criteria=criteria,
        candidates=candidates,
        recall=recall,
        passages=len(passages),
        rubric=rubric,
    )
    write_reading_aid(record, folder)
    return folder


def test_the_page_has_passages_with_page_and_heading_and_no_judgement(folder: Path) -> None:
    page = (folder / "index.html").read_text()
    assert "<h1>Not judged.</h1>" in page
    assert "page 1, “1 Ablations”" in page
    assert "50% of 9 such sentences in 12 planted papers are among them (30% to 70%)" in page


def test_the_page_warns_of_a_truncated_text_and_of_words_to_the_judge(folder: Path) -> None:
    page = (folder / "index.html").read_text()
    assert "only a part of the paper was searched" in page
    assert "Words to the judge" in page


def test_hostile_text_is_escaped_on_the_page(folder: Path) -> None:
    page = (folder / "index.html").read_text()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "{{ 7 * 7 }}" in page  # not evaluated by the template
    assert "\u202e" not in page
    assert "my&lt;b&gt;.pdf" in page


def test_page_and_form_name_the_source_of_the_questions(folder: Path) -> None:
    page = (folder / "index.html").read_text()
    form = (folder / "review.md").read_text()
    assert "these questions are ours" in page
    assert "these questions are ours" in form


def test_page_and_form_of_the_27_criteria_speak_of_tier_and_score(folder: Path) -> None:
    """With a user's rubric, page and form lack these words."""
    page = (folder / "index.html").read_text()
    form = (folder / "review.md").read_text()
    assert "the tier" in page
    assert "Claim Validity Score" in form


def test_the_record_gives_every_criterion_its_question_and_passages(folder: Path) -> None:
    record = json.loads((folder / "reading.json").read_text())
    assert record["judged_by"] is None
    assert [criterion["code"] for criterion in record["criteria"]] == list(CRITERIA)
    [necessity] = [criterion for criterion in record["criteria"] if criterion["code"] == "I1"]
    assert necessity["asks"] == GUIDES["I1"].asks
    first = necessity["passages"][0]
    assert TEXT[first["start"] : first["end"]].startswith("Mean ablation of head 9.9")
    assert (first["page"], first["heading"]) == (1, "1 Ablations")
    assert not {"status", "score", "cvs", "tier"} & necessity.keys()


def test_the_written_form_can_be_filled_in_and_scored(folder: Path, tmp_path: Path) -> None:
    form = (folder / "review.md").read_text()
    assert "<script>alert" not in form
    filled = form.replace("\nClaim:\n", "\nClaim: Head 9.9 copies the name.\n")
    assert filled.count("\nStatus:\n") == len(CRITERIA)

    # With YES on every criterion the score is the highest, 10.
    path = tmp_path / "mine.md"
    path.write_text(filled.replace("\nStatus:\n", f"\nStatus: {STATUSES[-1]}\n"))
    assert score_review(path).cvs == 10

    # Without any status the score is open.
    path.write_text(filled)
    scores = score_review(path)
    assert (scores.scored[0].low, scores.scored[0].high) == (0, 10)


def test_the_record_of_a_users_rubric_has_its_words_and_no_recall(users_folder: Path) -> None:
    record = json.loads((users_folder / "reading.json").read_text())
    assert record["rubric"] == USERS_RUBRIC.name
    assert record["recall"] is None
    assert record["judged_by"] is None
    ablated, zebras = record["criteria"]
    assert ablated["statuses"] == {"good": "<b>Five</b> seeds", "fair": "", "bad": ""}
    assert "Mean ablation of head 9.9" in ablated["passages"][0]["text"]
    assert zebras["passages"] == []


def test_the_page_of_a_users_rubric_has_its_words_and_nothing_of_the_27_criteria(
    users_folder: Path,
) -> None:
    page = (users_folder / "index.html").read_text()
    assert "good: &lt;b&gt;Five&lt;/b&gt; seeds<br>fair<br>bad" in page
    assert "the rubric “My &lt;i&gt;rubric&lt;/i&gt;” is not measured" in page
    assert "No passage shares a word with this criterion." in page
    assert "planted" not in page
    assert "score_review my-review.md --rubric my_rubric.yaml" in page
    assert "the tier" not in page
    assert "these questions" not in page


def test_the_form_of_a_users_rubric_names_its_command_and_no_claim_validity_score(
    users_folder: Path,
) -> None:
    form = (users_folder / "review.md").read_text()
    assert form.count("\nStatus:\n") == 2
    assert "<b>" not in form
    assert "score_review my-review.md --rubric my_rubric.yaml" in form
    assert "Claim Validity Score" not in form


def test_the_summary_counts_the_criteria_of_a_users_rubric(users_folder: Path) -> None:
    assert (users_folder / "summary.txt").read_text() == (
        "my<b>.pdf: not judged; passages to read for 2 criteria\n"
    )


def test_the_written_form_of_a_users_rubric_can_be_filled_in_and_scored(
    users_folder: Path, tmp_path: Path
) -> None:
    form = (users_folder / "review.md").read_text()
    path = tmp_path / "mine.md"
    # The first status in the form is for abl. No status is entered for zoo.
    path.write_text(form.replace("\nStatus:\n", "\nStatus: Good.\n", 1))
    review = read_review_by_rubric(path, USERS_RUBRIC)
    assert review.statuses == {"abl": "good", "zoo": None}
    assert review.counts == {"good": 1, "fair": 0, "bad": 0}
    # One of two criteria is at the highest status.
    assert review.best == 1 / 2


def test_the_query_of_a_criterion_leaves_out_the_description_of_the_lowest_status() -> None:
    described = Criterion(
        code="a",
        name="Name",
        definition="Definition?",
        statuses={"bad": "no", "fair": "half", "good": "all"},
    )
    [criterion] = criteria_of_rubric(USERS_RUBRIC._replace(criteria={"a": described}))
    assert criterion.query == "Name Definition? all half"
