"""Writes the report of one paper: two pages, a review and tables."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from mechaware.claims.judges.language_model.prompts import Guide
from mechaware.claims.page.entries import Entry
from mechaware.claims.page.evidence import Use, describe_place, marked_text, unwrapped
from mechaware.claims.page.html_page import (
    UNSCORED,
    mark_controls,
    render_page,
    render_review,
    render_text,
    summary_line,
    worth,
)
from mechaware.claims.reading.sentences import Span
from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS
from mechaware.files import atomic_write
from mechaware.frames import write_csv

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet takes a cell that begins so for a formula


def write_report(title: str, entries: Sequence[Entry], guides: Mapping[str, Guide], folder: Path) -> None:
    """Write the folder of one paper, whole or not at all.

    It has two pages, review.md, claims.csv, criteria.csv, scores.json and summary.txt. In the tables, text that a
    spreadsheet would take for a formula has an apostrophe before it.
    """
    judges = f"{len(entries)} judges say" if len(entries) > 1 else f"{len(entries)} judge says"
    lead = f"What {judges} about the evidence in this paper."
    marked = marked_text(unwrapped(str(mark_controls(entries[0].content))), _uses(entries))
    by_judge = {entry.scores.judge: entry.scores.model_dump(mode="json") for entry in entries}
    texts = {
        "index.html": render_page(title, lead, entries, entry_name="judge", guides=guides),
        "text.html": render_text(title, marked),
        "review.md": render_review(title, entries, guides),
        "summary.txt": "".join(f"{entry.title}: {summary_line(entry)}\n  {worth(entry)}\n" for entry in entries),
        "scores.json": json.dumps(by_judge, indent=1) + "\n",
    }
    with atomic_write(folder) as partial:
        partial.mkdir()
        for name, text in texts.items():
            (partial / name).write_text(text, encoding="utf-8")
        write_csv(pd.DataFrame(_claim_rows(entries), columns=_CLAIM_COLUMNS).map(_inert), partial / "claims.csv")
        write_csv(pd.DataFrame(_criterion_rows(entries), columns=_COLUMNS).map(_inert), partial / "criteria.csv")


_CODES = [dimension.code for dimension in DIMENSIONS]
_CLAIM_COLUMNS = ["judge", "claim", "main", "system", "statement", "components", "cvs", "low", "high", "tier"]
_CLAIM_COLUMNS += [*_CODES, "next_tier"]
_COLUMNS = ["judge", "claim", "criterion", "name", "status", "votes", "evidence", "quotes", "quotes_found"]


def _claim_rows(entries: Sequence[Entry]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for entry in entries:
        for index, (claim, scored) in enumerate(zip(entry.scores.claims, entry.scores.scored, strict=True)):
            labels = (entry.scores.judge, index, index == entry.scores.main, claim.system)
            score = (scored.cvs, scored.low, scored.high, scored.tier, *(scored.dimensions[code] for code in _CODES))
            rows.append((*labels, claim.statement, "; ".join(claim.components), *score, "; ".join(scored.next_tier)))
    return rows


def _criterion_rows(entries: Sequence[Entry]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for entry in entries:
        for index, claim in enumerate(entry.scores.claims):
            for code, name in CRITERIA.items():
                judged = claim.criteria[code]
                votes = " ".join(vote or UNSCORED for vote in judged.votes)
                located = sum(place is not None for place in judged.quotes)
                status = judged.status or UNSCORED
                labels = (entry.scores.judge, index, code, name)
                rows.append((*labels, status, votes, judged.evidence, len(judged.quotes), located))
    return rows


def _uses(entries: Sequence[Entry]) -> dict[Span, list[Use]]:
    """What each quote that was found is evidence for, in the order of the page of scores."""
    uses: dict[Span, list[Use]] = {}
    for number, entry in enumerate(entries, 1):
        for index, claim in enumerate(entry.scores.claims, 1):
            name = f"claim {index}" if len(entries) == 1 else f"{entry.title}, claim {index}"
            for code in CRITERIA:
                for place in filter(None, claim.criteria[code].quotes):
                    address = f"index.html#entry-{number}-claim-{index}-{code}"
                    where = describe_place(place, entry.content, entry.text)
                    uses.setdefault(place, []).append(Use(name, code, address, where))
    return uses


def _inert(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
