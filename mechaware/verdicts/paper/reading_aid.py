"""Writes the reading aid for one paper: the passages to read for each criterion.

It is written as a page, as JSON, and as a form to fill in.

Nobody has judged the paper: there is no status, no score and no verdict. Passages may be hostile:
the page escapes everything, and the form shows them as Markdown shows plain text.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from mechaware.core.files import atomic_write
from mechaware.core.pages import page_template
from mechaware.instruments.claims.aid.candidates import SHOWN, AidCriterion
from mechaware.instruments.claims.reading.passages import Passage
from mechaware.instruments.claims.reading.places import place_of
from mechaware.instruments.claims.rubric.records import PaperText
from mechaware.instruments.claims.rubric.text_flags import FLAG_MEANINGS
from mechaware.verdicts import page as verdict_page
from mechaware.verdicts.paper.entry_texts import FLAG_TITLES
from mechaware.verdicts.paper.evidence import MAX_HEADING, shortened
from mechaware.verdicts.paper.html_page import WHOSE_QUESTIONS
from mechaware.verdicts.paper.rendering import mark_controls, render_markdown
from mechaware.verdicts.supported import missing_parts

TEMPLATES = Path(__file__).parent / "templates/aid"
MAX_PASSAGE = 700  # characters; a longer one is a table
# The sentence on the nearby files: FILL_IN, then SCORE_IT or (with a rubric) COUNT_IT, then
# ALL_OF_IT.
FILL_IN = "review.md is the form to fill in: copy it out of results/, which is written anew"
SCORE_IT = (
    ", then python -m mechaware.doors.score_review my-review.md gives the score and the tier of "
    "your statuses"
)
COUNT_IT = (
    ", then python -m mechaware.doors.score_review my-review.md --rubric my_rubric.yaml, with the "
    "rubric's own file, counts the criteria at each of your statuses"
)
ALL_OF_IT = ". reading.json has all that is on this page."


class Recall(NamedTuple):
    """The shares of planted sentences on a criterion that chosen passages contain.

    - `sentences`, `papers`: the numbers of these sentences, and of the papers that have them.
    - `passages`: the number of passages of the median paper.
    - `recall`, `low`, `high`: the share found by this search, and its interval over papers.
    - `words`: the share found by equally many passages, those with the most search words.
    - `random`: the share expected of passages drawn at random.
    """

    sentences: int
    papers: int
    passages: float
    recall: float
    low: float
    high: float
    words: float
    random: float


class _Headline(NamedTuple):
    """What the page shows in place of a verdict: that nobody has judged the paper.

    The fields are those that the template reads of a `Verdict`.
    """

    status: str
    reason: str
    notes: list[str]
    procedure: None = None


def read_recall(table: pd.DataFrame) -> dict[str, Recall]:
    """By criterion, its row in a table of `passages_found`.

    Under "" is the row for all criteria together.
    """
    recall = {}
    for row in table.to_dict("records"):
        recall[str(row["criterion"])] = Recall(
            sentences=int(row["sentences"]),
            papers=int(row["papers"]),
            passages=float(row["passages"]),
            recall=float(row["recall"]),
            low=float(row["recall_low"]),
            high=float(row["recall_high"]),
            words=float(row["words"]),
            random=float(row["random"]),
        )
    return recall


def aid_record(
    title: str,
    text: str,
    about: PaperText,
    criteria: Sequence[AidCriterion],
    candidates: Mapping[str, Sequence[Passage]],
    recall: Mapping[str, Recall],
    *,
    passages: int,
    rubric: str = "",
) -> dict[str, Any]:
    """All that the reading aid shows, as JSON holds it.

    A passage is [start, end) in characters of the paper's text.

    Args:
        title: The paper's title.
        text: The paper's text.
        about: The record of how the text was read.
        criteria: The criteria, in the order of the page.
        candidates: By criterion, the passages to read, the likeliest first.
        recall: By criterion, and under "" for all, how much the search finds; empty for a rubric of
            the user's own, for which this is not measured.
        passages: The number of passages that were searched.
        rubric: The name of a rubric of the user's own; empty for the 27 criteria.
    """
    rows = []
    for criterion in criteria:
        recall_of_criterion = recall.get(criterion.code)
        rows.append(
            {
                "code": criterion.code,
                "name": criterion.name,
                "dimension": criterion.dimension,
                "asks": criterion.asks,
                "statuses": dict(criterion.statuses),
                "recall": None if recall_of_criterion is None else recall_of_criterion._asdict(),
                "passages": [
                    _shown(passage, text, about) for passage in candidates[criterion.code]
                ],
            }
        )
    return {
        "paper": title,
        "judged_by": None,
        "rubric": rubric or None,
        "passages_searched": passages,
        "passages_shown": SHOWN,
        "recall": None if rubric else recall[""]._asdict(),
        "notes": _notes(about),
        "criteria": rows,
    }


def _shown(passage: Passage, text: str, about: PaperText) -> dict[str, Any]:
    """A passage with its page and the heading of its section, None where they are not known."""
    page, heading = place_of(passage.start, text, about)
    if heading is not None:
        heading = shortened(str(mark_controls(heading)), MAX_HEADING)
    return {
        "start": passage.start,
        "end": passage.end,
        "page": page,
        "heading": heading,
        "text": shortened(str(mark_controls(passage.text)), MAX_PASSAGE),
    }


def _notes(about: PaperText) -> list[str]:
    """What a reader must know of how the paper was read."""
    flags = [f"{FLAG_TITLES[flag]}: {FLAG_MEANINGS[flag]}" for flag in about.flags]
    return [*flags, *missing_parts(about, "searched")]


def write_reading_aid(record: Mapping[str, Any], folder: Path) -> None:
    """Write index.html, review.md, reading.json and summary.txt, whole or not at all."""
    title = str(record["paper"])
    n_criteria = len(record["criteria"])
    texts = {
        "index.html": _render_page(record),
        "review.md": _render_form(record),
        "reading.json": json.dumps(record, indent=1) + "\n",
        "summary.txt": f"{title}: not judged; passages to read for {n_criteria} criteria\n",
    }
    with atomic_write(folder) as partial:
        partial.mkdir()
        for name, text in texts.items():
            (partial / name).write_text(text, encoding="utf-8")


def _render_page(record: Mapping[str, Any]) -> str:
    """The page of the reading aid: the template of verdicts, with the headline "not judged"."""
    headline = _Headline(
        status="not judged",
        reason=(
            f"for each criterion this page has the {SHOWN} passages of the paper that a search "
            "finds likeliest to bear on it; whether one of them shows what the criterion asks, you "
            "decide"
        ),
        notes=list(record["notes"]),
    )
    template = page_template(verdict_page.TEMPLATES / "verdict.html.j2", TEMPLATES)
    return template.render(
        name=record["paper"],
        verdict=headline,
        question=f"{record['paper']}: what does it report, criterion by criterion?",
        evidence_template="reading_aid.html.j2",
        aid=record,
        whose_questions=WHOSE_QUESTIONS,
        nearby_files=f"{FILL_IN}{COUNT_IT if record['rubric'] else SCORE_IT}{ALL_OF_IT}",
    )


def _render_form(record: Mapping[str, Any]) -> str:
    # A rubric of the user's own has no measured recall, and so no shares.
    recall = record["recall"] or {}
    shares = {name: f"{100 * recall[name]:.0f}%" for name in ("recall", "random") if recall}
    return render_markdown("form.md.j2", aid=record, shares=shares, whose_questions=WHOSE_QUESTIONS)
