"""A small study of judges, written by hand, and the tables that are made of it.

`TRUTH` has two planted papers, each with a system claim and a component claim. `study` has the
records of two judges: `good` judges both, the IOI paper and a paper of one's own; `broken` fails.
`tables` makes their summary.
"""

from collections.abc import Mapping, Sequence

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
LABELS = {"good": "Good judge", "broken": "Broken judge"}  # of the judges, in tables

# The statement and the components of each claim.
COPY = "The copy circuit moves the name", ("9.9", "9.6", "10.0")
HEAD = "Head 9.9 attends to the subject", ("9.9",)
YEARS = "The greater-than circuit compares years", ("5.1", "5.5")
MLP = "MLP 10 ranks digits", ("MLP 10",)
IOI = "The IOI circuit finds the indirect object", ("1.1", "2.2", "3.3")
MOVERS = "Name movers write to the output", ("9.6",)
# The criteria of each claim that are not NO. The comments have the scores of the dimensions
# C, I, M, E and V, the raw score, and the CVS, which is raw / 1.8.
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


def planted(
    stated: tuple[str, Sequence[str]], levels: Mapping[str, Status], *leaks: str, system: bool
) -> PlantedClaim:
    """A planted claim.

    Args:
        stated: Its statement and its components.
        levels: By criterion, the levels that are not NO.
        leaks: Criteria at NO for which the text offers the circuit's evidence.
        system: Whether it is the system claim of its paper.
    """
    statement, components = stated
    return PlantedClaim(
        statement=statement,
        restated=[],
        system=system,
        name=statement,
        components=list(components),
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


# The papers that are not planted; only IOI has a label.
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
    stated: tuple[str, Sequence[str]],
    levels: Mapping[str, Status],
    overriding: Mapping[str, Status | None] | None = None,
) -> Claim:
    """A claim as a judge finds it: with these levels, except for the criteria in `overriding`."""
    statement, components = stated
    return claim(statement, components, dict(levels) | dict(overriding or {}))


def records(
    name: str,
    runs: Sequence[Sequence[Claim]],
    *,
    judge: str = "good",
    leaks: Sequence[tuple[int, str, Status]] = (),
) -> PaperRecords:
    """The records of a paper, from the claims of each run, by the real vote, audit and scores.

    What the audit finds is given: each of `leaks` has the index of a claim, a criterion, and the
    status before the audit lowers it to NO.
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
    claims = apply_downgrades(mark_system_claims(voted.claims), downgrades, "LEAK-AUDIT")
    audited = Audited(
        judge=judge, paper=name, claims=claims, downgrades=downgrades, usage=Usage(calls=1)
    )
    return PaperRecords(score_paper(extracted, voted, audited), voted, extracted)


def broken(name: str) -> PaperRecords:
    """The records of a paper by the judge `broken`, whose three runs all failed."""
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
    """The records of both judges, each over three runs.

    The good judge judges the two planted papers, IOI and a paper of one's own; the broken judge
    the first planted paper alone.
    """
    runs_of_copy = [
        # With E5 the dimension E is 2 instead of 0 in this run: raw 10, CVS 5.556.
        [
            found(COPY, COPY_LEVELS, {"E5": "YES"}),
            found(HEAD, HEAD_LEVELS, {"I2": "YES", "E5": "PARTIAL"}),
        ],
        [found(COPY, COPY_LEVELS), found(HEAD, HEAD_LEVELS, {"I2": "YES"})],
        [found(HEAD, HEAD_LEVELS, {"I2": "PARTIAL"}), found(COPY, COPY_LEVELS)],
    ]

    # Above YEARS_LEVELS, 1 2 0 0 0: raw 4.5, CVS 2.5.
    too_high: dict[str, Status] = {"I1": "YES", "I2": "YES"}
    # I2 has no status, so the dimension I is 1 or 2: CVS 1.667 or 2.5.
    without_i2 = {"I1": "YES", "I2": None}
    not_planted = claim("Embeddings rotate like a clock", ())
    runs_of_years = [
        [not_planted, found(YEARS, YEARS_LEVELS, too_high)],
        [found(YEARS, YEARS_LEVELS, too_high)],
        [found(YEARS, YEARS_LEVELS, without_i2)],
    ]

    run_of_ioi = [found(IOI, IOI_LEVELS), found(MOVERS, HEAD_LEVELS)]
    run_of_mine = [found(MLP, {})]
    return [
        records("planted-01", runs_of_copy, leaks=[(1, "I2", "PARTIAL")]),
        records("planted-02", runs_of_years),
        records("ioi", [run_of_ioi] * 3),
        records("mine", [run_of_mine] * 3),
        broken("planted-01"),
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
