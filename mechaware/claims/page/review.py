"""Writes what a paper's page says as Markdown for a review form: per claim what fails, what would lift it, and quotes.

Everything that comes from the paper or a judge may be hostile, and is escaped.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from mechaware.claims.judges.language_model.prompts import Guide
from mechaware.claims.page.evidence import describe_place, shortened, split_notes
from mechaware.claims.page.html_page import (
    FLAG_TITLES,
    UNSEEN,
    Entry,
    faults_of,
    mark_controls,
    next_steps,
    next_tier,
    no_claim,
    tier_place,
)
from mechaware.claims.page.trust import A_FLOOR
from mechaware.claims.rubric.criteria import CRITERIA
from mechaware.claims.rubric.records import Claim

MAX_CLAIMS = 4  # of a judge: the one that gives the paper's score first
MAX_QUOTE = 300  # characters
MARKUP = re.compile(r"([\\`*_\[\]<>#|~$!&])")


def render_review(title: str, entries: Sequence[Entry], guides: Mapping[str, Guide]) -> str:
    """The Markdown of one paper's report; `entries` are its judges."""
    lines = [f"# Evidence for the claims of “{_escaped(title)}”", "", UNSEEN]
    for entry in entries:
        lines += ["", *_judge_lines(entry, guides)]
    return "\n".join(lines) + "\n"


def score_line(entry: Entry) -> str:
    """A judge's score of the paper in words: "CVS 3.1, Causally Suggestive (second lowest of 5 tiers, 2.0 to 3.9)"."""
    scores = entry.scores
    if scores.fault is not None:
        return f"not scored ({scores.fault.kind}: {scores.fault.message})"
    return "no claim found" if scores.main is None else _claim_score(entry, scores.main)


def _claim_score(entry: Entry, index: int) -> str:
    scored = entry.scores.scored[index]
    score = f"CVS {scored.cvs:.1f}" if scored.cvs is not None else f"CVS {scored.low:.1f} to {scored.high:.1f}"
    return f"{score}, {f'{scored.tier} ({tier_place(scored.tier)})' if scored.tier else 'tier open'}"


def _judge_lines(entry: Entry, guides: Mapping[str, Guide]) -> Iterator[str]:
    yield f"## {_escaped(entry.title)}: {_escaped(score_line(entry))}"
    yield ""
    yield f"How far to trust it: {_escaped(f'{A_FLOOR}; {entry.trust}' if entry.rules else entry.trust)}."
    notes = [*faults_of(entry), *(FLAG_TITLES[flag] for flag in entry.text.flags)]
    if not entry.scores.claims and entry.scores.fault is None:
        notes.append(no_claim(entry))
    notes += entry.voted.notes
    yield from ("", *(f"- {_escaped(note)}" for note in notes)) if notes else ()
    main = entry.scores.main
    order = sorted(range(len(entry.scores.claims)), key=lambda index: index != main)
    for index in order[:MAX_CLAIMS]:
        yield ""
        yield from _claim_lines(entry, index, guides)
    if len(order) > MAX_CLAIMS:
        yield from ("", f"{len(order) - MAX_CLAIMS} more claims are on the page.")


def _claim_lines(entry: Entry, index: int, guides: Mapping[str, Guide]) -> Iterator[str]:
    claim, scored = entry.scores.claims[index], entry.scores.scored[index]
    level = "about the whole circuit" if claim.system else "about a part"
    mark = ", which gives the paper's score" if index == entry.scores.main else ""
    yield f"### Claim {index + 1}, {level}{mark}: {_claim_score(entry, index)}"
    yield from ("", f"> {_escaped(claim.statement)}", "")
    if scored.next_tier:
        above = next_tier(scored.low)
        yield f"A shortest way to {above.name} ({above.boundary:.1f} or more):"
        yield ""
        for step in next_steps(scored):
            yield f"- {step}. {_escaped(guides[step.split()[0]].yes)}"
        yield ""
    for status, heading in (("NO", "Not met"), ("PARTIAL", "Partly met"), ("YES", "Met"), (None, "Unscored")):
        codes = [code for code in CRITERIA if claim.criteria[code].status == status]
        if codes:
            yield f"**{heading}** ({len(codes)} of {len(CRITERIA)})"
            yield ""
            yield from (line for code in codes for line in _criterion_lines(entry, claim, index, code, guides[code]))
            yield ""


def _criterion_lines(entry: Entry, claim: Claim, index: int, code: str, guide: Guide) -> Iterator[str]:
    judgement = claim.criteria[code]
    downgrades = [one for one in entry.audited.downgrades if (one.claim, one.criterion) == (index, code)]
    notes, _ = split_notes(judgement.evidence, downgrades)
    asks = "" if judgement.status == "YES" else f": {_escaped(guide.asks)}"
    yield f"- {code} {CRITERIA[code]}{asks}{''.join(f' {_escaped(note)}' for note in notes)}"
    for start, end in filter(None, judgement.quotes):
        quote = shortened(entry.content[start:end], MAX_QUOTE)
        where = describe_place((start, end), entry.content, entry.text)
        yield f"  - “{_escaped(quote)}”{f' ({_escaped(where)})' if where else ''}"


def _escaped(text: str) -> str:
    """The text on one line, as Markdown that shows it as it is."""
    return MARKUP.sub(r"\\\1", " ".join(str(mark_controls(text)).split()))
