"""Papers judged by hand, and the tables that are made of them."""

from collections.abc import Mapping, Sequence

import pandas as pd

from mechaware.instruments.claims.fetching.papers import Paper
from mechaware.instruments.claims.rubric.criteria import CRITERIA, Status
from mechaware.instruments.claims.rubric.records import Audited, Claim, Downgrade, Fault, Run, Usage
from mechaware.instruments.claims.rubric.scoring import score_paper
from mechaware.instruments.claims.rubric.system_claims import mark_system_claims
from mechaware.instruments.claims.votes.audit import _apply_downgrades
from mechaware.instruments.claims.votes.voting import vote
from mechaware.planted.papers.plan import PlantedClaim, PlantedPaper
from mechaware.planted.papers.summaries import PaperRecords, summarise
from tests.unit.instruments.claims.claims_by_hand import claim

MIN_SIMILARITY = 0.5
LABELS = {"good": "Good judge", "broken": "Broken judge"}  # of the tables
COPY = "The copy circuit moves the name", ("9.9", "9.6", "10.0")
HEAD = "Head 9.9 attends to the subject", ("9.9",)
YEARS = "The greater-than circuit compares years", ("5.1", "5.5")
MLP = "MLP 10 ranks digits", ("MLP 10",)
IOI = "The IOI circuit finds the indirect object", ("1.1", "2.2", "3.3")
MOVERS = "Name movers write to the output", ("9.6",)
# Dimension scores C, I, M, E, V and the CVS: raw / 1.8.
COPY_LEVELS: dict[str, Status] = {  # 2 2 1 0 1: raw 8, 4.444
    "C1": "YES",
    "C5": "PARTIAL",
    "I1": "YES",
    "I2": "YES",
    "M3": "PARTIAL",
    "V3": "YES",
}
HEAD_LEVELS: dict[str, Status] = {"C1": "YES", "I1": "YES"}  # 1 1 0 0 0: raw 3, 1.667
YEARS_LEVELS: dict[str, Status] = {"C1": "YES"}  # 1 0 0 0 0: raw 1.5, 0.833
# 2 2 1 1 2: raw 10, 5.556
IOI_LEVELS: dict[str, Status] = COPY_LEVELS | {"E1": "YES", "V2": "YES"}


def planted(
    what: tuple[str, Sequence[str]], levels: Mapping[str, Status], *leaks: str, system: bool
) -> PlantedClaim:
    """A claim with its components, the levels that are not NO, and the criteria whose evidence is a leak."""
    return PlantedClaim(
        statement=what[0],
        restated=[],
        system=system,
        name=what[0],
        components=list(what[1]),
        description_mode="algorithmic",
        evidence_families=["causal"],
        levels={code: levels.get(code, "NO") for code in CRITERIA},
        leaks=list(leaks),
        withdrawn=[],
    )


def paper(name: str, *claims: PlantedClaim) -> PlantedPaper:
    """A planted paper whose main claim has the tier Proposed."""
    title = f"Title of {name}"
    return PlantedPaper(
        paper=name, title=title, task="t", model="m", seed=0, tier="Proposed", claims=list(claims)
    )


TRUTH = [
    paper(
        "planted-01",
        planted(COPY, COPY_LEVELS, system=True),
        planted(HEAD, HEAD_LEVELS, "I2", "E5", system=False),
    ),
    paper(
        "planted-02",
        planted(YEARS, YEARS_LEVELS, system=True),
        planted(MLP, {}, "I2", system=False),
    ),
]


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


def found(
    what: tuple[str, Sequence[str]],
    levels: Mapping[str, Status],
    more: Mapping[str, Status | None] | None = None,
) -> Claim:
    """A claim as a judge finds it: with these levels, except for the criteria in `more`."""
    statement, components = what
    return claim(statement, components, dict(levels) | dict(more or {}))


def records(
    name: str,
    runs: Sequence[Sequence[Claim]],
    *,
    judge: str = "good",
    leaks: Sequence[tuple[int, str, Status]] = (),
) -> PaperRecords:
    """All stages of a paper by the real vote, audit and scores.

    The audit lowers `leaks` to NO: the claim's index, the criterion, and the status before.
    """
    usage = Usage(calls=2, prompt_tokens=100, completion_tokens=10, cost=0.25)
    extracted = []
    for number, claims_of_run in enumerate(runs):
        extracted.append(
            Run(judge=judge, paper=name, run=number, claims=list(claims_of_run), usage=usage)
        )
    voted = vote(extracted, least_similarity=MIN_SIMILARITY)
    downgrades = []
    for index, code, before in leaks:
        downgrades.append(
            Downgrade(claim=index, criterion=code, before=before, after="NO", reason="circuit")
        )
    claims = _apply_downgrades(mark_system_claims(voted.claims), downgrades, "LEAK-AUDIT")
    audited = Audited(
        judge=judge, paper=name, claims=claims, downgrades=downgrades, usage=Usage(calls=1)
    )
    return PaperRecords(score_paper(extracted, voted, audited), voted, extracted)


def broken(name: str) -> PaperRecords:
    """A judge whose runs all failed."""
    fault = Fault(kind="time-out", message="no reply")
    runs = []
    for number in range(3):
        runs.append(
            Run(judge="broken", paper=name, run=number, claims=[], usage=Usage(), fault=fault)
        )
    voted = vote(runs, least_similarity=MIN_SIMILARITY)
    audited = Audited(
        judge="broken", paper=name, claims=[], downgrades=[], usage=Usage(), fault=voted.fault
    )
    return PaperRecords(score_paper(runs, voted, audited), voted, runs)


def study() -> list[PaperRecords]:
    """The good judge on the two planted papers, on IOI and on a paper of one's own; the broken one on the first."""
    over: dict[str, Status] = {"I1": "YES", "I2": "YES"}  # 1 2 0 0 0: raw 4.5, 2.5
    unscored = {"I1": "YES", "I2": None}  # internal 1 or 2: 1.667 or 2.5
    extra = claim("Embeddings rotate like a clock", ())
    ioi = [found(IOI, IOI_LEVELS), found(MOVERS, HEAD_LEVELS)]
    return [
        records(
            "planted-01",
            [
                # E 2 instead of 0 in one run: raw 10, 5.556.
                [
                    found(COPY, COPY_LEVELS, {"E5": "YES"}),
                    found(HEAD, HEAD_LEVELS, {"I2": "YES", "E5": "PARTIAL"}),
                ],
                [found(COPY, COPY_LEVELS), found(HEAD, HEAD_LEVELS, {"I2": "YES"})],
                [found(HEAD, HEAD_LEVELS, {"I2": "PARTIAL"}), found(COPY, COPY_LEVELS)],
            ],
            leaks=[(1, "I2", "PARTIAL")],
        ),
        records(
            "planted-02",
            [
                [extra, found(YEARS, YEARS_LEVELS, over)],
                [found(YEARS, YEARS_LEVELS, over)],
                [found(YEARS, YEARS_LEVELS, unscored)],
            ],
        ),
        records("ioi", [ioi] * 3),
        records("mine", [[found(MLP, {})]] * 3),
        broken("planted-01"),
    ]


def tables(
    judged: list[PaperRecords] | None = None, truth: list[PlantedPaper] | None = None
) -> dict[str, pd.DataFrame]:
    """The summary of these records, by default those of `study`, against the truth, by default `TRUTH`."""
    if judged is None:
        judged = study()
    if truth is None:
        truth = TRUTH
    return summarise(judged, truth, LISTED, least_similarity=MIN_SIMILARITY)
