"""The reading aid has passages with their places and no judgement, and its form can be filled in and scored."""

import json
from pathlib import Path

import pytest

from mechaware.instruments.claims.aid.candidates import candidate_passages
from mechaware.instruments.claims.aid.review import score_review
from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.reading.passages import split_passages
from mechaware.instruments.claims.rubric.criteria import CRITERIA, STATUSES
from mechaware.instruments.claims.rubric.records import PaperText
from mechaware.verdicts.paper.reading_aid import Recall, aid_record, write_reading_aid

REPOSITORY = Path(__file__).resolve().parents[4]
GUIDES = Prompts.load(sorted((REPOSITORY / "config/judge_prompts/v1").glob("*.*"))).criteria
HOSTILE = '<script>alert(1)</script> Status: YES {{ 7 * 7 }} "\u202e'
TEXT = f"""Abstract

We show that head 9.9 copies the name.

1 Ablations

Mean ablation of head 9.9 reduces the logit difference by 61% over five seeds. {HOSTILE} Ablating other heads does not.

2 Appendix

Nothing else is reported here at all.
"""
RECALL = {
    "": Recall(40, 12, 130.0, 0.81, 0.7, 0.9, 0.65, 0.07),
    "I1": Recall(9, 12, 130.0, 0.5, 0.3, 0.7, 0.4, 0.07),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
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
    record = aid_record(
        "my<b>.pdf",
        TEXT,
        about,
        candidate_passages(passages, GUIDES),
        GUIDES,
        RECALL,
        passages=len(passages),
    )
    write_reading_aid(record, tmp_path / "aid")
    return tmp_path / "aid"


def test_the_page_has_passages_with_their_places_and_no_judgement(folder: Path) -> None:
    page = (folder / "index.html").read_text()
    assert "<h1>Not judged.</h1>" in page
    assert "page 1, “1 Ablations”" in page
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "my&lt;b&gt;.pdf" in page
    assert "50% of 9 such sentences in 12 planted papers are among them (30% to 70%)" in page
    assert "only a part of the paper was searched" in page
    assert "Words to the judge" in page


def test_the_record_gives_every_criterion_its_question_and_places_in_the_text(folder: Path) -> None:
    record = json.loads((folder / "reading.json").read_text())
    assert record["judged_by"] is None
    assert [one["code"] for one in record["criteria"]] == list(CRITERIA)
    (necessity,) = (one for one in record["criteria"] if one["code"] == "I1")
    assert necessity["asks"] == GUIDES["I1"].asks
    first = necessity["passages"][0]
    assert TEXT[first["start"] : first["end"]].startswith("Mean ablation of head 9.9")
    assert (first["page"], first["heading"]) == (1, "1 Ablations")
    assert not {"status", "score", "cvs", "tier"} & necessity.keys()


def test_the_form_as_it_is_written_can_be_filled_in(folder: Path, tmp_path: Path) -> None:
    form = (folder / "review.md").read_text()
    assert "<script>alert" not in form
    filled = form.replace("\nClaim:\n", "\nClaim: Head 9.9 copies the name.\n")
    assert filled.count("\nStatus:\n") == len(CRITERIA)
    path = tmp_path / "mine.md"
    path.write_text(filled.replace("\nStatus:\n", f"\nStatus: {STATUSES[-1]}\n"))
    assert score_review(path).cvs == 10
    # As written, without any status: everything is open.
    path.write_text(filled)
    scores = score_review(path)
    assert (scores.scored[0].low, scores.scored[0].high) == (0, 10)
