"""Renders a page of scores and writes the report on one paper.

A page shows one judge's scores of papers, or the scores of one paper by one or more judges.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from mechaware.core.files import atomic_write
from mechaware.instruments.claims.judges.language_model.prompts import Guide
from mechaware.instruments.claims.reading.sentences import Span
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    DIMENSIONS,
    LEAK_PRONE,
    STATUSES,
    TIERS,
    tier_index,
)
from mechaware.instruments.claims.rubric.records import Claim
from mechaware.instruments.claims.rubric.text_flags import FLAG_MEANINGS
from mechaware.verdicts.paper.entries import A_FLOOR, Entry
from mechaware.verdicts.paper.entry_texts import (
    CUT,
    FLAG_TITLES,
    UNSCORED,
    claim_score,
    evidence_of,
    faults_of,
    left_out_of,
    next_steps,
    no_claim,
    notes_of,
    summary_line,
    tokens_read,
    trust_text,
    usage_lines,
    verdict_line,
    vote_lines,
    votes_of,
)
from mechaware.verdicts.paper.evidence import (
    Use,
    anchor,
    describe_place,
    marked_text,
    shortened,
)
from mechaware.verdicts.paper.rendering import (
    TEMPLATES,
    mark_controls,
    render_html,
    render_markdown,
)
from mechaware.verdicts.paper.tiers import (
    MEANINGS,
    middle_of_tier,
    next_tier,
    tier_range,
    tier_rank_text,
)
from mechaware.verdicts.paper.votes import vote_scores_text
from mechaware.verdicts.supported import PLANTED

WHOSE_QUESTIONS = (
    "The claim-validity paper prints the names; these questions are ours. Prompts v1 ask another "
    "question than the author's own pages on C3, M2, M4, M6, E1, E3 and V3, and have another "
    "threshold on C1, I1, M1, M5, E5 and V4. Prompts v2 follow the pages, except where the "
    "claim-validity paper says otherwise."
)
UNSEEN = (
    "The judge read the text alone. Figures were not seen; a table only as the words and numbers "
    "of its cells."
)
# Claims of a judge in a review; the claim that gives the paper's score comes first.
MAX_CLAIMS = 4
MAX_QUOTE = 300  # characters, in a review


def render_page(
    heading: str,
    lead: str,
    entries: Sequence[Entry],
    *,
    entry_name: str,
    guides: Mapping[str, Guide],
) -> str:
    """The page: an overview of the entries, then their claims.

    Args:
        heading: The heading of the page.
        lead: The sentence under it.
        entries: In the order of the page.
        entry_name: What an entry is, `paper` or `judge`.
        guides: By criterion, what it asks.
    """
    script = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    return render_html(
        "page.html.j2",
        script,
        **_NAMES,
        heading=heading,
        lead=lead,
        entries=entries,
        entry_name=entry_name,
        guides=guides,
        whose_questions=WHOSE_QUESTIONS,
        script=Markup(script),  # noqa: S704 (ours)
    )


def write_report(
    title: str, entries: Sequence[Entry], guides: Mapping[str, Guide], folder: Path
) -> None:
    """Write the folder of one paper, whole or not at all.

    It has two pages, index.html (scores) and text.html (the text with quotes marked); review.md;
    scores.json with all that was judged; summary.txt; and the verdict of each entry that has one,
    in verdict.json for the first entry and in verdict-JUDGE.json for every other entry.

    Args:
        title: The paper's title.
        entries: An entry for each judge, all of the same text; at least one.
        guides: By criterion, what it asks.
        folder: Replaced if it exists.
    """
    judges_say = "1 judge says" if len(entries) == 1 else f"{len(entries)} judges say"
    lead = f"What {judges_say} about the evidence in this paper."
    marked = marked_text(str(mark_controls(entries[0].content)), _uses(entries))
    by_judge = {entry.scores.judge: entry.scores.model_dump(mode="json") for entry in entries}
    texts = {
        "index.html": render_page(title, lead, entries, entry_name="judge", guides=guides),
        "text.html": _render_text(title, marked),
        "review.md": _render_review(title, entries, guides),
        "summary.txt": "".join(_summary(entry) for entry in entries),
        "scores.json": json.dumps(by_judge, indent=1) + "\n",
    }
    for number, entry in enumerate(entries, 1):
        if entry.verdict is not None:
            record = json.dumps(entry.verdict.record(), indent=1)
            texts[_verdict_file(entry, number)] = f"{record}\n"

    with atomic_write(folder) as partial:
        partial.mkdir()
        for name, text in texts.items():
            (partial / name).write_text(text, encoding="utf-8")


def _render_text(title: str, marked: Markup) -> str:
    """The page of a paper's text, in which quotes are marked."""
    return render_html("text.html.j2", **_NAMES, title=title, text=marked)


def _render_review(title: str, entries: Sequence[Entry], guides: Mapping[str, Guide]) -> str:
    """One paper's report as Markdown for a review form.

    Each claim has what fails, what would lift its tier, and quotes. `entries` are the paper's
    judges.
    """
    return render_markdown("review.md.j2", **_NAMES, title=title, entries=entries, guides=guides)


def _summary(entry: Entry) -> str:
    """The lines of summary.txt on one judge."""
    return "".join(
        [
            f"{entry.title}: {summary_line(entry)}\n",
            f"  {trust_text(entry)}\n",
            vote_lines(entry),
            usage_lines(entry),
            verdict_line(entry),
        ]
    )


def _uses(entries: Sequence[Entry]) -> dict[Span, list[Use]]:
    """By span of a quote in the paper's text, what it is evidence for, in the page's order."""
    uses: dict[Span, list[Use]] = {}
    for number, entry in enumerate(entries, 1):
        for index, claim in enumerate(entry.scores.claims, 1):
            name = f"claim {index}" if len(entries) == 1 else f"{entry.title}, claim {index}"
            for code, span in _found_quotes(claim):
                use = Use(
                    claim=name,
                    code=code,
                    address=f"index.html#entry-{number}-claim-{index}-{code}",
                    where=describe_place(span, entry.content, entry.text),
                )
                uses.setdefault(span, []).append(use)
    return uses


def _found_quotes(claim: Claim) -> Iterator[tuple[str, Span]]:
    """The criterion and the span of each quote of a claim that the paper's text has."""
    for code in CRITERIA:
        for span in claim.criteria[code].quotes:
            if span is not None:
                yield code, span


def _verdict_file(entry: Entry, number: int) -> str:
    """The file of an entry's verdict; `number` counts the entries of the page from 1."""
    return "verdict.json" if number == 1 else f"verdict-{entry.scores.judge}.json"


def _files_next_to(entry: Entry, number: int) -> str:
    """The files next to the page of a paper, in a sentence; `number` as in `_verdict_file`."""
    return (
        f"{_verdict_file(entry, number)} has all of this verdict, scores.json all that was judged, "
        "and review.md the same for a review form."
    )


# What the templates use, by the names that they use.
_NAMES: dict[str, Any] = {
    "cut": CUT,
    "flag_titles": FLAG_TITLES,
    "criteria": CRITERIA,
    "dimensions": DIMENSIONS,
    "leak_prone": LEAK_PRONE,
    "tiers": TIERS,
    "statuses": [*reversed(STATUSES), UNSCORED],
    "flags": FLAG_MEANINGS,
    "meanings": MEANINGS,
    "unseen": UNSEEN,
    "floor": A_FLOOR,
    "max_claims": MAX_CLAIMS,
    "max_quote": MAX_QUOTE,
    "planted": PLANTED,
    "next_steps": next_steps,
    "next_tier": next_tier,
    "trust_text": trust_text,
    "notes_of": notes_of,
    "tokens_read": tokens_read,
    "evidence_of": evidence_of,
    "votes_of": votes_of,
    "vote_scores": vote_scores_text,
    "claim_score": claim_score,
    "summary_line": summary_line,
    "faults": faults_of,
    "left_out": left_out_of,
    "no_claim": no_claim,
    "middle": middle_of_tier,
    "tier_range": tier_range,
    "tier_rank_text": tier_rank_text,
    "tier_index": tier_index,
    "anchor": anchor,
    "shortened": shortened,
    "describe_place": describe_place,
    "files_next_to": _files_next_to,
}
