"""A small study of judges, written by hand, and the tables that are made of it.

- `TRUTH`: two planted papers, each with a system claim and a component claim.
- `study`: the records of two judges. `good` judges both planted papers, the IOI paper and a user's
  own paper; `broken` fails.
- `tables`: the summary of these records.

A level is the status of a criterion, YES, PARTIAL or NO, as it is planted or as a judge gives it.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from mechaware.instruments.claims.fetching.papers import Paper
from mechaware.instruments.claims.rubric.criteria import CRITERIA, Status
from mechaware.instruments.claims.rubric.records import Audited, Claim, Downgrade, Fault, Run, Usage
from mechaware.instruments.claims.rubric.scoring import score_paper
from mechaware.instruments.claims.rubric.system_claims import mark_system_claims
from mechaware.instruments.claims.votes.audit import apply_downgrades
from mechaware.instruments.claims.votes.voting import vote
from mechaware.planted.papers.plan import PlantedClaim, PlantedPaper
from mechaware.planted.papers.summaries import PaperRecords, summarise
from tests.unit.instruments.claims.claims_by_hand import claim

MIN_SIMILARITY = 0.5
# By judge, its name in tables.
LABELS = {"good": "Good judge", "broken": "Broken judge"}


class Stated(NamedTuple):
    """The statement of a claim, and the components that it names."""

    statement: str
    components: Sequence[str]


COPY = Stated("The copy circuit moves the name", ("9.9", "9.6", "10.0"))
HEAD = Stated("Head 9.9 attends to the subject", ("9.9",))
YEARS = Stated("The greater-than circuit compares years", ("5.1", "5.5"))
MLP = Stated("MLP 10 ranks digits", ("MLP 10",))
IOI = Stated("The IOI circuit finds the indirect object", ("1.1", "2.2", "3.3"))
MOVERS = Stated("Name movers write to the output", ("9.6",))
# The levels of each claim, for the criteria that are not NO. Above each: the scores of the
# dimensions C, I, M, E and V, the raw score, and the CVS, which is raw / 1.8.
#
# 2 2 1 0 1: raw 8, CVS 4.444
COPY_LEVELS: dict[str, Status] = {
    "C1": "YES",
    "C5": "PARTIAL",
    "I1": "YES",
    "I2": "YES",
    "M3": "PARTIAL",
    "V3": "YES",
}
# 1 1 0 0 0: raw 3, CVS 1.667
HEAD_LEVELS: dict[str, Status] = {"C1": "YES", "I1": "YES"}
# 1 0 0 0 0: raw 1.5, CVS 0.833
YEARS_LEVELS: dict[str, Status] = {"C1": "YES"}
# 2 2 1 1 2: raw 10, CVS 5.556
IOI_LEVELS: dict[str, Status] = COPY_LEVELS | {"E1": "YES", "V2": "YES"}


def planted_claim(
    stated: Stated, levels: Mapping[str, Status], *, system: bool, leaks: Sequence[str] = ()
) -> PlantedClaim:
    """A planted claim.

    Args:
        stated: Its statement and its components.
        levels: By criterion, the levels that are not NO.
        system: Whether it is the system claim of its paper.
        leaks: Criteria at NO for which the text offers the circuit's evidence.
    """
    return PlantedClaim(
        statement=stated.statement,
        restated=[],
        system=system,
        name=stated.statement,
        components=list(stated.components),
        description_mode="algorithmic",
        evidence_families=["causal"],
        levels={code: levels.get(code, "NO") for code in CRITERIA},
        leaks=list(leaks),
        withdrawn=[],
    )


def planted_paper(name: str, *claims: PlantedClaim) -> PlantedPaper:
    """A planted paper, whose first claim is the system claim.

    Summaries compute its tier from the levels of the system claim; they read none of the fields
    `task`, `model`, `seed` and `tier`.
    """
    return PlantedPaper(
        paper=name,
        title=f"Title of {name}",
        task="t",
        model="m",
        seed=0,
        tier="Proposed",
        claims=list(claims),
    )


TRUTH = [
    planted_paper(
        "planted-01",
        planted_claim(COPY, COPY_LEVELS, system=True),
        planted_claim(HEAD, HEAD_LEVELS, system=False, leaks=["I2", "E5"]),
    ),
    planted_paper(
        "planted-02",
        planted_claim(YEARS, YEARS_LEVELS, system=True),
        planted_claim(MLP, {}, system=False, leaks=["I2"]),
    ),
]


# The papers that are not planted. Only IOI has an expected tier.
LISTED = {
    "ioi": Paper(
        id="ioi",
        source="arxiv",
        location="2211.00593",
        title="Interpretability in the Wild",
        expected_tier="Mechanistically Supported",
        label_source="Registry",
    ),
    "mine": Paper(
        id="mine",
        source="file",
        location="mine.pdf",
        title="My paper",
        expected_tier="",
        label_source="",
    ),
}


def judged_claim(
    stated: Stated,
    levels: Mapping[str, Status],
    overriding: Mapping[str, Status | None] | None = None,
) -> Claim:
    """A claim to which a judge gives these levels, except for the criteria in `overriding`.

    Criteria in neither have the status NO.
    """
    statuses = dict(levels) | dict(overriding or {})
    return claim(stated.statement, stated.components, statuses)


def records(
    name: str,
    runs: Sequence[Sequence[Claim]],
    *,
    judge: str = "good",
    downgrades: Sequence[Downgrade] = (),
) -> PaperRecords:
    """The records of a paper, from the claims of each run.

    Vote and scores are the workflow's. What the audit lowers is given: `downgrades` has the
    statuses of the voted claims before and after.
    """
    usage = Usage(calls=2, prompt_tokens=100, completion_tokens=10, cost=0.25)
    extracted = []
    for number, claims_of_run in enumerate(runs):
        run = Run(judge=judge, paper=name, run=number, claims=list(claims_of_run), usage=usage)
        extracted.append(run)
    voted = vote(extracted, least_similarity=MIN_SIMILARITY)
    claims = apply_downgrades(mark_system_claims(voted.claims), downgrades, "LEAK-AUDIT")
    audited = Audited(
        judge=judge, paper=name, claims=claims, downgrades=list(downgrades), usage=Usage(calls=1)
    )
    return PaperRecords(score_paper(extracted, voted, audited), voted, extracted)


def broken_records(name: str) -> PaperRecords:
    """The records of a paper by the judge `broken`, whose three runs all failed."""
    fault = Fault(kind="time-out", message="no reply")
    runs = []
    for number in range(3):
        run = Run(judge="broken", paper=name, run=number, claims=[], usage=Usage(), fault=fault)
        runs.append(run)
    voted = vote(runs, least_similarity=MIN_SIMILARITY)
    audited = Audited(
        judge="broken", paper=name, claims=[], downgrades=[], usage=Usage(), fault=voted.fault
    )
    return PaperRecords(score_paper(runs, voted, audited), voted, runs)


def study() -> list[PaperRecords]:
    """The records of both judges, each over three runs.

    The judge `good` judges the two planted papers, IOI and the user's own paper, `mine`; the judge
    `broken` only the first planted paper.
    """
    runs_of_copy = [
        # With E5 the dimension E is 2 instead of 0 in this run: raw 10, CVS 5.556.
        [
            judged_claim(COPY, COPY_LEVELS, {"E5": "YES"}),
            judged_claim(HEAD, HEAD_LEVELS, {"I2": "YES", "E5": "PARTIAL"}),
        ],
        [judged_claim(COPY, COPY_LEVELS), judged_claim(HEAD, HEAD_LEVELS, {"I2": "YES"})],
        [judged_claim(HEAD, HEAD_LEVELS, {"I2": "PARTIAL"}), judged_claim(COPY, COPY_LEVELS)],
    ]

    # The vote gives the claim HEAD, index 1, PARTIAL on I2: the lowest of YES, YES and PARTIAL.
    leak_of_head = Downgrade(
        claim=1, criterion="I2", before="PARTIAL", after="NO", reason="circuit"
    )

    # Above YEARS_LEVELS, 1 2 0 0 0: raw 4.5, CVS 2.5.
    too_high: dict[str, Status] = {"I1": "YES", "I2": "YES"}
    # I2 has no status, so the dimension I is 1 or 2: CVS 1.667 or 2.5.
    without_i2 = {"I1": "YES", "I2": None}
    not_planted = claim("Embeddings rotate like a clock", ())
    runs_of_years = [
        [not_planted, judged_claim(YEARS, YEARS_LEVELS, too_high)],
        [judged_claim(YEARS, YEARS_LEVELS, too_high)],
        [judged_claim(YEARS, YEARS_LEVELS, without_i2)],
    ]

    run_of_ioi = [judged_claim(IOI, IOI_LEVELS), judged_claim(MOVERS, HEAD_LEVELS)]
    run_of_mine = [judged_claim(MLP, {})]
    return [
        records("planted-01", runs_of_copy, downgrades=[leak_of_head]),
        records("planted-02", runs_of_years),
        records("ioi", [run_of_ioi] * 3),
        records("mine", [run_of_mine] * 3),
        broken_records("planted-01"),
    ]


def tables(
    judged: list[PaperRecords] | None = None, truth: list[PlantedPaper] | None = None
) -> dict[str, pd.DataFrame]:
    """The tables of `summarise`: by default of the records of `study`, against `TRUTH`."""
    if judged is None:
        judged = study()
    if truth is None:
        truth = TRUTH
    return summarise(judged, truth, LISTED, least_similarity=MIN_SIMILARITY)
