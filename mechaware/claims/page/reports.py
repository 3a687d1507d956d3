"""Writes the report of one paper: two pages, a review and the scores."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from mechaware.claims.judges.language_model.prompts import Guide
from mechaware.claims.page.entries import Entry
from mechaware.claims.page.evidence import Use, describe_place, marked_text, unwrapped
from mechaware.claims.page.html_page import (
    mark_controls,
    render_page,
    render_review,
    render_text,
    summary_line,
    worth,
)
from mechaware.claims.reading.sentences import Span
from mechaware.claims.rubric.criteria import CRITERIA
from mechaware.files import atomic_write


def write_report(title: str, entries: Sequence[Entry], guides: Mapping[str, Guide], folder: Path) -> None:
    """Write the folder of one paper, whole or not at all.

    It has two pages, review.md, scores.json with all that was judged, and summary.txt.
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
