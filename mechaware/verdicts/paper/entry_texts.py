"""Texts of pages and reports on an entry (a judge's scores of a paper): score, trust and notes."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.records import Scored, Usage
from mechaware.instruments.claims.rubric.text_flags import FLAG_MEANINGS, Flag
from mechaware.verdicts.paper.entries import A_FLOOR, Entry
from mechaware.verdicts.paper.evidence import Piece, split_notes, split_quotes
from mechaware.verdicts.paper.tiers import tier_rank_text
from mechaware.verdicts.paper.votes import vote_scores_text

UNSCORED = "unscored"
FLAG_TITLES: Mapping[Flag, str] = {
    "NO_VARIANCE_REPORTED": "No spread reported",
    "HIDDEN_TEXT": "Hidden text",
    "ADDRESSES_JUDGE": "Words to the judge",
}
CUT = (
    "The judge's server says that it read much less than was sent: its context cut the paper, and "
    "what it did not read counts as not there. These statuses are no judgement of the paper. Give "
    "the server a longer context, or name another judge."
)


def summary_line(entry: Entry) -> str:
    """The score of the paper in words.

    For instance "CVS 3.1, Causally Suggestive (second lowest of 5 tiers, 2.0 to 3.9)".
    """
    scores = entry.scores
    if scores.fault is not None:
        return f"not scored ({scores.fault.kind}: {scores.fault.message})"
    if scores.main is None:
        return "no claim found"
    return claim_score(scores.scored[scores.main])


def claim_score(scored: Scored) -> str:
    """The score of a claim in words, with its bounds if it is open: "CVS 3.1 to 5.0, tier open"."""
    score = f"{scored.low:.1f} to {scored.high:.1f}"
    if scored.cvs is not None:
        score = f"{scored.cvs:.1f}"
    if not scored.tier:
        return f"CVS {score}, tier open"
    return f"CVS {score}, {scored.tier} ({tier_rank_text(scored.tier)})"


def verdict_line(entry: Entry) -> str:
    """The verdict on an indented line: "  verdict: supported: ..."; empty without a verdict."""
    if entry.verdict is None:
        return ""
    return f"  verdict: {entry.verdict.status}: {entry.verdict.reason}\n"


def vote_lines(entry: Entry) -> str:
    """The score by both votes, and which suits the judge, on indented lines; empty for rules."""
    if not entry.vote_advice or entry.scores.main is None:
        return ""
    return f"  after the vote: {vote_scores_text(entry)}\n  which vote: {entry.vote_advice}\n"


def trust_text(entry: Entry) -> str:
    """How far to trust the score."""
    if entry.rules:
        return f"{A_FLOOR}; {entry.trust}"
    return entry.trust


def usage_lines(entry: Entry) -> str:
    """The calls, tokens and cost of a judge at a provider; another line if it cut the paper.

    The lines are indented. Empty for a judge that asks no provider.
    """
    usage = entry.scores.usage
    if not usage.sent_tokens:
        return ""
    cost = "price not known" if usage.cost is None else f"${usage.cost:.4f}"
    line = f"  {usage.calls} calls, {tokens_read(usage)}, {usage.completion_tokens:,} out, {cost}\n"
    if usage.was_cut:
        return f"{line}  CUT: {CUT}\n"
    return line


def tokens_read(usage: Usage) -> str:
    """The tokens of the prompts by the server's count, and by our own if a provider was asked."""
    read = f"{usage.prompt_tokens:,} tokens in"
    if usage.sent_tokens:
        return f"{read} (about {usage.sent_tokens:,} sent)"
    return read


def next_steps(scored: Scored) -> list[str]:
    """The criteria to raise for the next tier, with their names: "I2 Sufficiency: NO → YES"."""
    steps = []
    for step in scored.next_tier:
        code, change = step.split(": ", 1)
        steps.append(f"{code} {CRITERIA[code]}: {change.replace('->', '→')}")
    return steps


class EvidenceTexts(NamedTuple):
    """The evidence on a criterion of a claim, as pages show it.

    - `notes`: the notes on the criterion (`split_notes`).
    - `pieces`: the evidence, split at its quotes (`split_quotes`).
    - `note_on_quotes`: what a reader must know about the quotes (`split_quotes`).
    """

    notes: list[str]
    pieces: list[Piece]
    note_on_quotes: str


def evidence_of(entry: Entry, index: int, code: str) -> EvidenceTexts:
    """The evidence on a criterion of a claim."""
    judgement = entry.scores.claims[index].criteria[code]
    downgrades = []
    for downgrade in entry.audited.downgrades:
        if downgrade.claim == index and downgrade.criterion == code:
            downgrades.append(downgrade)
    notes, evidence = split_notes(judgement.evidence, downgrades)
    pieces, note_on_quotes = split_quotes(evidence, judgement.quotes)
    return EvidenceTexts(notes, pieces, note_on_quotes)


def votes_of(entry: Entry, index: int, code: str) -> list[str]:
    """The status of each run on a criterion of a claim.

    For instance "run 0 YES", "run 1 unscored", "run 2 lacks the claim".
    """
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


def notes_of(entry: Entry) -> list[str]:
    """What a reader must know before the claims, in sentences.

    In order: faults, a cut by the server, flags, what was left out of a web page, why there is no
    claim, and the notes of the vote.
    """
    notes = faults_of(entry)
    if entry.scores.usage.was_cut:
        notes.append(CUT)
    for flag in entry.text.flags:
        notes.append(f"{FLAG_TITLES[flag]}: {FLAG_MEANINGS[flag]}")
    left_out = left_out_of(entry)
    if left_out:
        notes.append(f"{left_out}, which the page of scores lists")
    return [*notes, *no_claim(entry), *entry.voted.notes]


def faults_of(entry: Entry) -> list[str]:
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


def left_out_of(entry: Entry) -> str:
    """How many passages extraction left out of a web page, by element; empty if none."""
    elements = Counter(passage.element for passage in entry.text.left_out)
    if not elements:
        return ""
    counts = ", ".join(f"{count} {element}" for element, count in elements.items())
    total = elements.total()
    passages = "1 passage of the page was" if total == 1 else f"{total} passages of the page were"
    return f"{passages} left out by text extraction: {counts}; no judge got this text"


def no_claim(entry: Entry) -> list[str]:
    """Why no claim was found; empty if there is a claim, or if a fault explains it."""
    if entry.scores.claims or entry.scores.fault is not None:
        return []
    if entry.voted.dropped:
        return [
            "No claim found: each of those that a run found was found by fewer than half of the "
            "runs."
        ]
    return [
        "No claim found. The judge saw no claim about a mechanism inside a model. Position papers, "
        "surveys and papers on methods often make none; a strong judge may find what this one "
        "missed."
    ]
