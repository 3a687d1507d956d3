"""Renders one self-contained HTML page of scores, for a judge's papers or for a paper's judges.

Titles, statements and evidence come from papers and judges, which may be hostile: the template escapes everything.
"""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from mechaware.claims.judges.language_model.prompts import Guide
from mechaware.claims.page.evidence import Piece, Place, anchor, describe_place, readable, split_notes, split_quotes
from mechaware.claims.page.trust import A_FLOOR
from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS, LEAK_PRONE, STATUSES, TIERS, Flag, Tier, tier_index
from mechaware.claims.rubric.records import Audited, Claim, Downgrade, Judgement, PaperText, Scored, Scores, Voted

TEMPLATES = Path(__file__).parent / "templates"
UNSCORED = "unscored"
FLAG_TITLES: Mapping[Flag, str] = {
    "NO_VARIANCE_REPORTED": "No spread reported",
    "HIDDEN_TEXT": "Hidden text",
    "ADDRESSES_JUDGE": "Words to the judge",
}
FLAG_MEANINGS: Mapping[Flag, str] = {
    "NO_VARIANCE_REPORTED": "the text names no standard deviation, error bar, confidence interval or bootstrap",
    "HIDDEN_TEXT": "the file holds text that a reader of its pages does not see; no judge was shown it",
    "ADDRESSES_JUDGE": "sentences seem to address whoever judges the paper, or quote such sentences",
}
# By the paper's section 3.4, in our words. The score alone decides: it may come from other evidence than the name says.
MEANINGS: Mapping[str, str] = {
    "Proposed": "stated, with little evidence",
    "Causally Suggestive": "some causal or structural evidence",
    "Mechanistically Supported": "several kinds of evidence agree",
    "Triangulated": "strong evidence throughout, with controls",
    "Validated": "replicated, also in other models",
}
UNSEEN = "The judge read the text alone: figures and tables were not seen."
RANKS = ("lowest", "second lowest", "middle", "second highest", "highest")
CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)  # control and bidirectional formatting


class Entry(NamedTuple):
    """The records of one paper by one judge, under the heading and with the expected tier that the page shows."""

    title: str
    note: str  # beside the title: the paper's identifier and source, or the judge's name
    expected: str | None
    label_source: str
    rules: bool  # whether the judge follows rules: then all runs are one
    trust: str  # what the judge got right where the truth is known
    content: str  # the paper's text, if the folder of the page holds it for quotes to link to
    truth: Mapping[int, Mapping[str, str]]  # of a planted paper: by claim and criterion, the status that was planted
    scores: Scores
    voted: Voted
    audited: Audited
    text: PaperText


class _Vote(NamedTuple):
    """The status that a run gave; None for the status of a run that lacks the claim."""

    run: int
    status: str | None


class _Row(NamedTuple):
    """A criterion of a claim, as the page shows it."""

    code: str
    name: str
    status: str
    truth: str | None
    leak_prone: bool
    notes: list[str]
    evidence: list[Piece]
    unplaced: str  # the number of quotes that were found, where it is unclear which
    votes: list[_Vote]


def _environment() -> Environment:
    """The templates' environment, which escapes all that is not marked as HTML."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=mark_controls,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render_page(
    heading: str, lead: str, entries: Sequence[Entry], *, entry_name: str, guides: Mapping[str, Guide]
) -> str:
    """The page: an overview of the entries, then their claims.

    `entry_name` is paper or judge; `guides` say what each criterion asks.
    """
    environment = _environment()
    environment.globals.update(
        rows=_rows, next_steps=next_steps, faults=faults_of, middle=_middle, tier_index=tier_index, run_list=_run_list,
        no_claim=no_claim, anchor=anchor, where=_where, unseen=UNSEEN,
        readable=lambda text: readable(str(mark_controls(text))),
        dimensions=DIMENSIONS, tiers=TIERS, statuses=[*reversed(STATUSES), UNSCORED], flags=FLAG_MEANINGS,
        guides=guides, criteria=CRITERIA, flag_titles=FLAG_TITLES, meanings=MEANINGS, tier_range=_tier_range,
        tier_place=tier_place, next_tier=next_tier, floor=A_FLOOR,
    )  # fmt: skip
    style, script = ((TEMPLATES / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    return environment.get_template("page.html.j2").render(
        heading=heading,
        lead=lead,
        entries=entries,
        of=entry_name,
        style=Markup(style),  # noqa: S704 (ours)
        script=Markup(script),  # noqa: S704 (ours)
        policy=_policy(style, script),
    )


def mark_controls(value: object) -> object:
    """Text with a visible mark for each character that controls the display or that HTML forbids."""
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", value) if type(value) is str else value


def _rows(entry: Entry, index: int) -> list[tuple[str, int | None, list[_Row]]]:
    """By dimension: its name, its score, and the criteria of the claim at `index`."""
    claim, scored = entry.scores.claims[index], entry.scores.scored[index]
    downgrades = [downgrade for downgrade in entry.audited.downgrades if downgrade.claim == index]
    return [
        (
            dimension.name,
            scored.dimensions[dimension.code],
            [
                _row(code, claim, downgrades, entry.voted.scored_runs, entry.truth.get(index, {}))
                for code in dimension.criteria
            ],
        )
        for dimension in DIMENSIONS
    ]


def next_steps(scored: Scored) -> list[str]:
    """The criteria to raise for the next tier, with their names."""
    steps = []
    for step in scored.next_tier:
        code, change = step.split(": ", 1)
        steps.append(f"{code} {CRITERIA[code]}: {change.replace('->', '→')}")
    return steps


def faults_of(entry: Entry) -> list[str]:
    """The faults of the paper with the first stage of each, and the number of unusable runs."""
    stages = {
        "text": entry.text.fault,
        "vote": entry.voted.fault,
        "audit": entry.audited.audit_fault,
        "scores": entry.scores.fault,
    }
    first_stages: dict[str, str] = {}
    for stage, fault in stages.items():
        if fault is not None:
            first_stages.setdefault(f"{fault.kind}: {fault.message}", stage)
    missing = entry.voted.runs - len(entry.voted.scored_runs)
    unusable = [f"vote: {missing} of {entry.voted.runs} runs gave no usable reply"] if missing else []
    return [*(f"{stage}: {message}" for message, stage in first_stages.items()), *unusable]


def _where(entry: Entry, place: Place) -> str:
    """A quote's page and heading, or that it is in the text."""
    return describe_place(place, entry.content, entry.text) or "in the text"


def no_claim(entry: Entry) -> str:
    """Why there is no claim, where no fault says it."""
    if entry.voted.dropped:
        return "No claim found: each of those that a run found was found by fewer than half of the runs."
    return (
        "No claim found. The judge saw no claim about a mechanism inside a model. Position papers, surveys and papers "
        "on methods often make none; a strong judge may find what this one missed."
    )


def _run_list(entry: Entry) -> list[str]:
    """The CVS of each single run, by its number."""
    return [
        f"run {run}: {UNSCORED if score is None else format(score, '.1f')}"
        for run, score in enumerate(entry.scores.single_runs)
    ]


def _middle(name: str) -> float:
    """The CVS in the middle of a tier."""
    bounds = [*(tier.boundary for tier in TIERS), 10.0]
    rank = tier_index(name)
    return (bounds[rank] + bounds[rank + 1]) / 2


def _tier_range(name: str) -> str:
    """The scores of a tier, with one decimal as they are shown: 0 to 1.9, 2.0 to 3.9."""
    rank = tier_index(name)
    least = f"{TIERS[rank].boundary:.1f}" if rank else "0"
    return f"{least} to 10" if TIERS[rank] is TIERS[-1] else f"{least} to {TIERS[rank + 1].boundary - 0.1:.1f}"


def tier_place(name: str) -> str:
    """A tier's rank in words and its range of scores: "middle of 5 tiers, 4.0 to 5.9"."""
    return f"{RANKS[tier_index(name)]} of {len(TIERS)} tiers, {_tier_range(name)}"


def next_tier(score: float) -> Tier:
    """The tier above the one of a score below the highest. Raises StopIteration for the highest."""
    return next(tier for tier in TIERS if tier.boundary > score)


def _row(
    code: str,
    claim: Claim,
    downgrades: Sequence[Downgrade],
    scored_runs: Sequence[int],
    truth: Mapping[str, str],
) -> _Row:
    judgement = claim.criteria[code]
    notes, evidence = split_notes(
        judgement.evidence, [downgrade for downgrade in downgrades if downgrade.criterion == code]
    )
    pieces, unplaced = split_quotes(evidence, judgement.quotes)
    return _Row(
        code=code,
        name=CRITERIA[code],
        status=judgement.status or UNSCORED,
        truth=truth.get(code),
        leak_prone=code in LEAK_PRONE,
        notes=notes,
        evidence=pieces,
        unplaced=unplaced,
        votes=_votes(claim, judgement, scored_runs),
    )


def _votes(claim: Claim, judgement: Judgement, scored_runs: Sequence[int]) -> list[_Vote]:
    """The votes by run, with status None for runs that lack the claim."""
    cast = iter(judgement.votes)
    return [
        _Vote(run, None if place is None else next(cast) or UNSCORED)
        for run, place in zip(scored_runs, claim.runs, strict=True)
    ]


def render_text(title: str, marked: Markup) -> str:
    """The page of a paper's text, whose quotes are marked."""
    style = (TEMPLATES / "page.css").read_text(encoding="utf-8")
    template = _environment().get_template("text.html.j2")
    return template.render(title=title, text=marked, style=Markup(style), policy=_policy(style))  # noqa: S704 (ours)


def _policy(style: str, *scripts: str) -> str:
    """A content security policy that allows the page's own style and scripts by their digests, and nothing else."""
    allowed = "".join(f"script-src '{_digest(script)}'; " for script in scripts)
    return f"default-src 'none'; style-src '{_digest(style)}'; {allowed}base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
