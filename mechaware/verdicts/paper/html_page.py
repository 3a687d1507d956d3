"""Renders a page of scores, for a judge's papers or a paper's judges, and writes the report of one paper.

Titles, statements and evidence come from papers and judges, which may be hostile: the templates escape everything.
"""

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from mechaware.core.files import atomic_write
from mechaware.instruments.claims.judges.language_model.prompts import Guide
from mechaware.instruments.claims.reading.sentences import Span
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    DIMENSIONS,
    FLAG_MEANINGS,
    LEAK_PRONE,
    STATUSES,
    TIERS,
    Flag,
    Tier,
    tier_index,
)
from mechaware.instruments.claims.rubric.records import Scored, Usage
from mechaware.verdicts import page as verdict_page
from mechaware.verdicts.paper.entries import A_FLOOR, Entry
from mechaware.verdicts.paper.evidence import (
    Piece,
    Use,
    anchor,
    describe_place,
    marked_text,
    shortened,
    split_notes,
    split_quotes,
)
from mechaware.verdicts.paper.votes import vote_scores_text
from mechaware.verdicts.supported import PLANTED

TEMPLATES = Path(__file__).parent / "templates"
UNSCORED = "unscored"
RANKS = ("lowest", "second lowest", "middle", "second highest", "highest")
FLAG_TITLES: Mapping[Flag, str] = {
    "NO_VARIANCE_REPORTED": "No spread reported",
    "HIDDEN_TEXT": "Hidden text",
    "ADDRESSES_JUDGE": "Words to the judge",
}
# By the paper's section 3.4, in our words. Only the score decides: it may come from other evidence than the name says.
MEANINGS: Mapping[str, str] = {
    "Proposed": "stated, with little evidence",
    "Causally Suggestive": "some causal or structural evidence",
    "Mechanistically Supported": "several kinds of evidence agree",
    "Triangulated": "strong evidence throughout, with controls",
    "Validated": "replicated, also in other models",
}
WHOSE_QUESTIONS = (
    "The claim-validity paper prints the names; these questions are ours. Prompts v1 ask another question than the "
    "author's own pages on C3, M2, M4, M6, E1, E3 and V3, and have another threshold on C1, I1, M1, M5, E5 and V4. "
    "Prompts v2 follow the pages, except where the claim-validity paper says otherwise."
)
UNSEEN = "The judge read the text alone. Figures were not seen; a table only as the words and numbers of its cells."
CUT = (
    "The judge's server says that it read much less than was sent: its context cut the paper, and what it did not read "
    "counts as not there. These statuses are no judgement of the paper. Give the server a longer context, or name "
    "another judge."
)
MAX_CLAIMS = 4  # of a judge in a review: the one that gives the paper's score first
MAX_QUOTE = 300  # characters, in a review
# Control and bidirectional formatting.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~$!&])")


def _render(name: str, finalize: Callable[[Any], object], *, html: bool, **values: Any) -> str:
    """The template `name` filled with `values`; `finalize` is applied to each value that the template prints."""
    environment = Environment(
        loader=FileSystemLoader([TEMPLATES, verdict_page.TEMPLATES]),
        autoescape=html,  # noqa: S701 (Markdown is escaped by `finalize`)
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=not html,
    )
    environment.filters |= {"rate": verdict_page.rate_text, "case": verdict_page.case_text}
    return environment.get_template(name).render(_NAMES | values)


def _render_html(name: str, *scripts: str, **values: Any) -> str:
    """A page with its style, and a policy that allows this style and the scripts of the page, and nothing else."""
    style = (TEMPLATES / "page.css").read_text(encoding="utf-8")
    own = {"style": Markup(style), "policy": _policy(style, *scripts)}  # noqa: S704 (ours)
    return _render(name, mark_controls, html=True, **own, **values)


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
    return _render_html(
        "page.html.j2",
        script,
        heading=heading,
        lead=lead,
        entries=entries,
        of=entry_name,
        guides=guides,
        whose_questions=WHOSE_QUESTIONS,
        script=Markup(script),  # noqa: S704 (ours)
    )


def _render_text(title: str, marked: Markup) -> str:
    """The page of a paper's text, in which quotes are marked."""
    return _render_html("text.html.j2", title=title, text=marked)


def _render_review(title: str, entries: Sequence[Entry], guides: Mapping[str, Guide]) -> str:
    """One paper's report as Markdown for a review form: per claim what fails, what would lift it, and quotes.

    `entries` are the paper's judges.
    """
    return render_markdown("review.md.j2", title=title, entries=entries, guides=guides)


def render_markdown(name: str, **values: Any) -> str:
    """A template of Markdown, in which every value shows as it is."""
    return _render(name, escape_markdown, html=False, **values)


def mark_controls(value: object) -> object:
    """Text with a visible mark for each character that controls the display or that HTML forbids.

    Anything else is given back as it is: `Markup`, which is escaped already, and numbers.
    """
    if type(value) is not str:
        return value
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", value)


def escape_markdown(value: object) -> str:
    """A value on one line, as Markdown that shows it as it is."""
    legible = str(mark_controls(str(value)))
    on_one_line = re.sub(r"\s+", " ", legible)
    return MARKDOWN.sub(r"\\\1", on_one_line)


def _policy(style: str, *scripts: str) -> str:
    """A content security policy that allows the page's own style and scripts by their digests, and nothing else."""
    allowed = "".join(f"script-src '{_digest(script)}'; " for script in scripts)
    return f"default-src 'none'; style-src '{_digest(style)}'; {allowed}base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _summary_line(entry: Entry) -> str:
    """The score of the paper in words: "CVS 3.1, Causally Suggestive (second lowest of 5 tiers, 2.0 to 3.9)"."""
    scores = entry.scores
    if scores.fault is not None:
        return f"not scored ({scores.fault.kind}: {scores.fault.message})"
    if scores.main is None:
        return "no claim found"
    return claim_score(scores.scored[scores.main])


def claim_score(scored: Scored) -> str:
    """The score of a claim in words, with its bounds where it is open: "CVS 3.1 to 5.0, tier open"."""
    score = f"{scored.low:.1f} to {scored.high:.1f}"
    if scored.cvs is not None:
        score = f"{scored.cvs:.1f}"
    if not scored.tier:
        return f"CVS {score}, tier open"
    return f"CVS {score}, {scored.tier} ({_tier_rank_text(scored.tier)})"


def _verdict_line(entry: Entry) -> str:
    """The verdict on a line of its own, indented: "  verdict: supported: ..."; empty without one."""
    if entry.verdict is None:
        return ""
    return f"  verdict: {entry.verdict.status}: {entry.verdict.reason}\n"


def _vote_lines(entry: Entry) -> str:
    """The score by both votes, and which suits the judge, each on an indented line; empty for rules."""
    if not entry.vote_advice or entry.scores.main is None:
        return ""
    return f"  after the vote: {vote_scores_text(entry)}\n  which vote: {entry.vote_advice}\n"


def worth(entry: Entry) -> str:
    """How far to trust the score."""
    if entry.rules:
        return f"{A_FLOOR}; {entry.trust}"
    return entry.trust


def _evidence_of(entry: Entry, index: int, code: str) -> tuple[list[str], list[Piece], str]:
    """The notes on a criterion of a claim, its evidence in pieces, and the note on its quotes (`split_quotes`)."""
    judgement = entry.scores.claims[index].criteria[code]
    downgrades = []
    for downgrade in entry.audited.downgrades:
        if downgrade.claim == index and downgrade.criterion == code:
            downgrades.append(downgrade)
    notes, evidence = split_notes(judgement.evidence, downgrades)
    pieces, note_on_quotes = split_quotes(evidence, judgement.quotes)
    return notes, pieces, note_on_quotes


def _votes_of(entry: Entry, index: int, code: str) -> list[str]:
    """The status of each run on a criterion of a claim: "run 0 YES", "run 1 unscored", "run 2 lacks the claim"."""
    claim = entry.scores.claims[index]
    # There are votes only of the runs that have the claim, in their order.
    votes = iter(claim.criteria[code].votes)
    lines = []
    for run, index_in_run in zip(entry.voted.scored_runs, claim.runs, strict=True):
        if index_in_run is None:
            lines.append(f"run {run} lacks the claim")
        else:
            lines.append(f"run {run} {next(votes) or UNSCORED}")
    return lines


def next_steps(scored: Scored) -> list[str]:
    """The criteria to raise for the next tier, with their names: "I2 Sufficiency: NO → YES"."""
    steps = []
    for step in scored.next_tier:
        code, change = step.split(": ", 1)
        steps.append(f"{code} {CRITERIA[code]}: {change.replace('->', '→')}")
    return steps


def _faults_of(entry: Entry) -> list[str]:
    """The faults of the paper with the first stage of each, and the number of unusable runs."""
    stages = {
        "text": entry.text.fault,
        "vote": entry.voted.fault,
        "audit": entry.audited.audit_fault,
        "scores": entry.scores.fault,
    }
    first_stages: dict[str, str] = {}  # by the fault's message
    for stage, fault in stages.items():
        if fault is not None:
            first_stages.setdefault(f"{fault.kind}: {fault.message}", stage)
    faults = [f"{stage}: {message}" for message, stage in first_stages.items()]

    missing = entry.voted.runs - len(entry.voted.scored_runs)
    if missing:
        faults.append(f"vote: {missing} of {entry.voted.runs} runs gave no usable reply")
    return faults


def _notes_of(entry: Entry) -> list[str]:
    """What a reader must know before the claims, in sentences.

    In order: faults, a cut by the server, flags, what was left out of a web page, why there is no claim, and the notes
    of the vote.
    """
    notes = _faults_of(entry)
    if entry.scores.usage.was_cut:
        notes.append(CUT)
    for flag in entry.text.flags:
        notes.append(f"{FLAG_TITLES[flag]}: {FLAG_MEANINGS[flag]}")
    left_out = _left_out_of(entry)
    if left_out:
        notes.append(f"{left_out}, which the page of scores lists")
    return [*notes, *_no_claim(entry), *entry.voted.notes]


def _left_out_of(entry: Entry) -> str:
    """How many passages text extraction left out of a web page, and of which elements; empty if none."""
    elements = Counter(passage.element for passage in entry.text.left_out)
    if not elements:
        return ""
    counts = ", ".join(f"{count} {element}" for element, count in elements.items())
    total = elements.total()
    passages = "1 passage of the page was" if total == 1 else f"{total} passages of the page were"
    return f"{passages} left out by text extraction: {counts}; no judge got this text"


def _no_claim(entry: Entry) -> list[str]:
    """Why no claim was found; empty if there is a claim, or if a fault explains it."""
    if entry.scores.claims or entry.scores.fault is not None:
        return []
    if entry.voted.dropped:
        return [
            "No claim found: each of those that a run found was found by fewer than half of the runs."
        ]
    return [
        "No claim found. The judge saw no claim about a mechanism inside a model. Position papers, surveys and papers "
        "on methods often make none; a strong judge may find what this one missed."
    ]


def tokens_read(usage: Usage) -> str:
    """The tokens of the prompts: as the server counts them, with our own count where a provider was asked."""
    read = f"{usage.prompt_tokens:,} tokens in"
    if usage.sent_tokens:
        return f"{read} (about {usage.sent_tokens:,} sent)"
    return read


def _usage_lines(entry: Entry) -> str:
    """The calls, tokens and cost of a judge at a provider, on an indented line; a second one if it cut the paper.

    Empty for a judge that asks no provider.
    """
    usage = entry.scores.usage
    if not usage.sent_tokens:
        return ""
    cost = "price not known" if usage.cost is None else f"${usage.cost:.4f}"
    line = f"  {usage.calls} calls, {tokens_read(usage)}, {usage.completion_tokens:,} out, {cost}\n"
    if usage.was_cut:
        return f"{line}  CUT: {CUT}\n"
    return line


def _verdict_file(entry: Entry, number: int) -> str:
    """The file of an entry's verdict; `number` counts the entries of the page from 1."""
    return "verdict.json" if number == 1 else f"verdict-{entry.scores.judge}.json"


def _files_beside(entry: Entry, number: int) -> str:
    """The files next to the page of a paper, in a sentence; `number` as in `_verdict_file`."""
    return (
        f"{_verdict_file(entry, number)} has all of this verdict, scores.json all that was judged, and review.md the "
        "same for a review form."
    )


def _middle(name: str) -> float:
    """The CVS in the middle of a tier."""
    bounds = [*(tier.boundary for tier in TIERS), 10.0]
    rank = tier_index(name)
    return (bounds[rank] + bounds[rank + 1]) / 2


def _tier_range(name: str) -> str:
    """The scores of a tier, with one decimal as they are shown: 0 to 1.9, 2.0 to 3.9."""
    rank = tier_index(name)
    least = f"{TIERS[rank].boundary:.1f}" if rank else "0"
    if TIERS[rank] is TIERS[-1]:
        return f"{least} to 10"
    return f"{least} to {TIERS[rank + 1].boundary - 0.1:.1f}"


def _tier_rank_text(name: str) -> str:
    """A tier's rank in words and its range of scores: "middle of 5 tiers, 4.0 to 5.9"."""
    return f"{RANKS[tier_index(name)]} of {len(TIERS)} tiers, {_tier_range(name)}"


def _next_tier(score: float) -> Tier:
    """The tier above the one of a score below the highest. Raises StopIteration for the highest."""
    return next(tier for tier in TIERS if tier.boundary > score)


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
    "next_tier": _next_tier,
    "worth": worth,
    "notes_of": _notes_of,
    "tokens_read": tokens_read,
    "evidence_of": _evidence_of,
    "votes_of": _votes_of,
    "vote_scores": vote_scores_text,
    "claim_score": claim_score,
    "summary_line": _summary_line,
    "faults": _faults_of,
    "left_out": _left_out_of,
    "no_claim": _no_claim,
    "middle": _middle,
    "tier_range": _tier_range,
    "tier_rank_text": _tier_rank_text,
    "tier_index": tier_index,
    "anchor": anchor,
    "shortened": shortened,
    "describe_place": describe_place,
    "files_beside": _files_beside,
}


def write_report(
    title: str, entries: Sequence[Entry], guides: Mapping[str, Guide], folder: Path
) -> None:
    """Write the folder of one paper, whole or not at all.

    It has two pages, index.html (scores) and text.html (the text with quotes marked); review.md; scores.json with all
    that was judged; summary.txt; and each judge's verdict: verdict.json of the first entry, verdict-NAME.json of every
    further one.

    Args:
        title: The paper's title.
        entries: An entry for each judge; at least one.
        guides: By criterion, what it asks.
        folder: Is replaced if it exists.
    """
    judges = f"{len(entries)} judges say" if len(entries) > 1 else f"{len(entries)} judge says"
    lead = f"What {judges} about the evidence in this paper."
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


def _summary(entry: Entry) -> str:
    """The lines of summary.txt on one judge."""
    return "".join(
        [
            f"{entry.title}: {_summary_line(entry)}\n",
            f"  {worth(entry)}\n",
            _vote_lines(entry),
            _usage_lines(entry),
            _verdict_line(entry),
        ]
    )


def _uses(entries: Sequence[Entry]) -> dict[Span, list[Use]]:
    """What each quote that was found is evidence for, in the order of the page of scores."""
    uses: dict[Span, list[Use]] = {}
    for number, entry in enumerate(entries, 1):
        for index, claim in enumerate(entry.scores.claims, 1):
            name = f"claim {index}" if len(entries) == 1 else f"{entry.title}, claim {index}"
            for code in CRITERIA:
                address = f"index.html#entry-{number}-claim-{index}-{code}"
                for span in claim.criteria[code].quotes:
                    if span is not None:
                        where = describe_place(span, entry.content, entry.text)
                        uses.setdefault(span, []).append(Use(name, code, address, where))
    return uses
