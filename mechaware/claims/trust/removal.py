"""Takes the quotes that a judge gave for a YES out of a paper and asks it again: a judge that reads falls."""

from collections.abc import Iterator, Sequence
from random import Random

import pandas as pd

from mechaware.claims.judges.judge import Judge
from mechaware.claims.reading.flags import paper_flags
from mechaware.claims.rubric.criteria import CRITERIA
from mechaware.claims.rubric.records import Claim, PaperText
from mechaware.claims.trust.spans import Span, merged, remove_spans, sentences_within_lines

COLUMNS = ["claim", "criterion", "before", "quoted", "other"]
KINDS = ("quoted", "other")  # text taken out: the quotes of statuses at YES, or as much other text


def remove_evidence(
    judge: Judge, text: str, about: PaperText, claims: Sequence[Claim], *, seed: int
) -> Iterator[dict[str, object]]:
    """A row for each criterion of each claim that the judge puts at YES with a quote that the paper has.

    The judge is asked three times about the same claims: on the paper as it is, without any of these quotes, and
    without as much other text (whole sentences at random). `quoted` and `other` are the statuses after either removal,
    empty where there is none.
    """
    whole = judge.judge_claims(text, about, claims, 0)
    places = [place for claim in whole.claims for code in CRITERIA for place in _evidence(claim, code)]
    if not places:
        return
    quotes = merged(places)
    edited = {"quoted": remove_spans(text, quotes), "other": remove_spans(text, choose_others(text, quotes, seed))}
    after = {kind: judge.judge_claims(left, _about(about, left), claims, 0).claims for kind, left in edited.items()}
    for number, claim in enumerate(whole.claims):
        for code in CRITERIA:
            if _evidence(claim, code):
                statuses = {kind: after[kind][number].criteria[code].status if after[kind] else None for kind in KINDS}
                yield {"claim": number, "criterion": code, "before": "YES", **statuses}


def count_lowered(statuses: pd.Series) -> int:
    """How many statuses that were YES are known to be lower after a removal; one without a reply is an empty text."""
    return int(statuses.isin(["NO", "PARTIAL"]).sum())


def choose_others(text: str, quotes: Sequence[Span], seed: int) -> list[Span]:
    """Sentences at random that overlap no quote, until they are as long as the quotes together or none is left."""
    free = [
        span for span in sentences_within_lines(text) if all(span[1] <= low or high <= span[0] for low, high in quotes)
    ]
    wanted, chosen = sum(high - low for low, high in quotes), []
    for low, high in Random(seed).sample(free, len(free)):  # noqa: S311
        if wanted <= 0:
            break
        chosen.append((low, high))
        wanted -= high - low
    return merged(chosen)


def _evidence(claim: Claim, code: str) -> list[Span]:
    judgement = claim.criteria[code]
    return [place for place in judgement.quotes if place is not None] if judgement.status == "YES" else []


def _about(about: PaperText, text: str) -> PaperText:
    flags = [*paper_flags(text, [], []), *(flag for flag in about.flags if flag != "NO_VARIANCE_REPORTED")]
    return about.model_copy(update={"characters": len(text), "flags": flags})
