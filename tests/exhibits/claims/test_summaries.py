"""Summary tables of a small study whose every number is worked out by hand, and the command that writes them."""

from collections.abc import Mapping, Sequence

import pandas as pd
import pytest

from mechaware.instruments.claims.fetching.papers import Paper
from mechaware.instruments.claims.rubric.criteria import CRITERIA, Status
from mechaware.instruments.claims.rubric.records import Audited, Claim, Downgrade, Fault, Run, Usage
from mechaware.instruments.claims.rubric.scoring import mark_system_claims, score_paper
from mechaware.instruments.claims.votes.audit import _apply_downgrades
from mechaware.instruments.claims.votes.voting import vote
from mechaware.planted.papers.plan import PlantedClaim, PlantedPaper
from mechaware.planted.papers.summaries import COLUMNS, PaperRecords, summarise
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
        "ioi",
        "arxiv",
        "2211.00593",
        "Interpretability in the Wild",
        "Mechanistically Supported",
        "Registry",
    ),
    "mine": Paper("mine", "file", "mine.pdf", "My paper", "", ""),
}


def found(
    what: tuple[str, Sequence[str]],
    levels: Mapping[str, Status],
    more: Mapping[str, Status | None] | None = None,
) -> Claim:
    return claim(*what, {**levels, **(more or {})})


def records(
    name: str,
    runs: Sequence[Sequence[Claim]],
    *,
    judge: str = "good",
    leaks: Sequence[tuple[int, str, Status]] = (),
) -> PaperRecords:
    """All stages of a paper by the real vote, audit and scores; `leaks` are taken back: claim, criterion, from."""
    usage = Usage(calls=2, prompt_tokens=100, completion_tokens=10, cost=0.25)
    extracted = [
        Run(judge=judge, paper=name, run=i, claims=list(one), usage=usage)
        for i, one in enumerate(runs)
    ]
    voted = vote(extracted, least_similarity=MIN_SIMILARITY)
    downgrades = [
        Downgrade(claim=index, criterion=code, before=before, after="NO", reason="circuit")
        for index, code, before in leaks
    ]
    claims = _apply_downgrades(mark_system_claims(voted.claims), downgrades, "LEAK-AUDIT")
    audited = Audited(
        judge=judge, paper=name, claims=claims, downgrades=downgrades, usage=Usage(calls=1)
    )
    return PaperRecords(score_paper(extracted, voted, audited), voted, extracted)


def broken(name: str) -> PaperRecords:
    """A judge whose runs all failed."""
    fault = Fault(kind="time-out", message="no reply")
    runs = [
        Run(judge="broken", paper=name, run=i, claims=[], usage=Usage(), fault=fault)
        for i in range(3)
    ]
    voted = vote(runs, least_similarity=MIN_SIMILARITY)
    audited = Audited(
        judge="broken", paper=name, claims=[], downgrades=[], usage=Usage(), fault=voted.fault
    )
    return PaperRecords(score_paper(runs, voted, audited), voted, runs)


def study() -> list[PaperRecords]:
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
    of: list[PaperRecords] | None = None, truth: list[PlantedPaper] | None = None
) -> dict[str, pd.DataFrame]:
    return summarise(
        study() if of is None else of,
        TRUTH if truth is None else truth,
        LISTED,
        least_similarity=MIN_SIMILARITY,
    )


@pytest.fixture(scope="module")
def summary() -> dict[str, pd.DataFrame]:
    return tables()


def test_every_table_has_its_columns_even_without_records() -> None:
    empty = tables([], [])
    assert {name: list(table) for name, table in empty.items()} == {
        name: list(columns) for name, columns in COLUMNS.items()
    }
    assert all(table.empty for table in empty.values())


def test_an_open_main_claim_says_how_many_criteria_lack_a_status() -> None:
    open_claim = claim(*YEARS, {**YEARS_LEVELS, "I1": None, "I2": None})
    papers = tables([records("planted-02", [[open_claim]] * 3)])["papers"]
    assert papers["status"].tolist() == ["unscored"]
    assert papers["reason"].tolist() == ["2 of 27 criteria of the main claim have no status"]
    nothing = tables([records("planted-02", [[]] * 3)])["papers"]
    assert nothing["reason"].tolist() == ["no claim that most runs agree on"]


def test_claims_stand_beside_the_planted_claim_that_they_are(
    summary: dict[str, pd.DataFrame],
) -> None:
    claims = summary["claims"]
    of = claims[(claims["judge"] == "good") & (claims["paper"] == "planted-01")]
    assert of["main"].tolist() == [True, False]
    assert of["system"].tolist() == [True, False]
    assert of["truth_claim"].tolist() == [0, 1]
    assert of[["C", "I", "M", "E", "V"]].to_numpy().tolist() == [[2, 2, 1, 0, 1], [1, 1, 0, 0, 0]]
    assert claims.loc[claims["paper"] == "ioi", "truth_claim"].isna().all()


def test_a_paper_has_the_scores_of_its_claims_and_runs_and_the_direction_of_its_error(
    summary: dict[str, pd.DataFrame],
) -> None:
    """The CVS are raw scores over 1.8. Of the second paper's runs one leaves its score open."""
    of_good = summary["papers"][summary["papers"]["judge"] == "good"].set_index("paper")
    first = of_good.loc["planted-01"]
    second = of_good.loc["planted-02"]
    columns = [
        "cvs",
        "voted_cvs",
        "single_low",
        "single_high",
        "sub_low",
        "sub_high",
        "expected_cvs",
    ]
    assert first[columns].tolist() == pytest.approx([raw / 1.8 for raw in (8, 8, 8, 10, 3, 3, 8)])
    assert second[columns].tolist() == pytest.approx(
        [4.5 / 1.8, 4.5 / 1.8, 4.5 / 1.8, 4.5 / 1.8, float("nan"), float("nan"), 1.5 / 1.8],
        nan_ok=True,
    )
    assert (first["tier"], first["expected_tier"], first["off_by"]) == (
        *["Mechanistically Supported"] * 2,
        0,
    )
    assert (second["tier"], second["expected_tier"], second["off_by"]) == (
        "Causally Suggestive",
        "Proposed",
        1,
    )
    assert first["main_yes"] == pytest.approx(4 / 27)
    assert pd.isna(of_good.loc["mine", "off_by"])  # nobody expects a tier of it


RESTATED = "Without the subject's place, head 9.9 finds nothing"
BOTH = paper(
    "planted-01",
    planted(COPY, COPY_LEVELS, system=True),
    planted(HEAD, HEAD_LEVELS, system=False).model_copy(update={"restated": [RESTATED]}),
)


@pytest.mark.parametrize(
    ("stated", "truth"),
    [
        # The paper's only claim is its system claim by the vote's rule; its components are the circuit's, too.
        ([("head 9.9 attends, to the Subject.", COPY[1])], [1]),
        ([(RESTATED, ("10.0",))], [1]),
        ([HEAD, (RESTATED, ())], [1, None]),  # both are the same planted claim, which counts once
        ([(HEAD[0], COPY[1]), COPY], [1, 0]),
        (
            [("The copy circuit of 9.9, 9.6 and 10.0 is studied", COPY[1])],
            [None],
        ),  # no judge called it a system claim
    ],
)
def test_a_claim_in_the_words_of_a_planted_one_is_this_claim_at_any_level(
    stated: list[tuple[str, Sequence[str]]], truth: list[int | None]
) -> None:
    of = [records("planted-01", [[found(what, {}) for what in stated]] * 3)]
    claims = tables(of, [BOTH])["claims"]
    assert claims["system"].iloc[0]
    assert [None if pd.isna(index) else int(index) for index in claims["truth_claim"]] == truth


def test_a_claim_that_its_judge_calls_a_system_claim_is_matched_with_one() -> None:
    stated = claim("The copy circuit writes the name", COPY[1], COPY_LEVELS, system=True)
    assert tables([records("planted-01", [[stated]] * 3)], [BOTH])["claims"][
        "truth_claim"
    ].tolist() == [0]


def test_a_claim_that_the_vote_drops_is_compared_at_no_stage() -> None:
    runs = [[found(YEARS, YEARS_LEVELS), found(MLP, {})], *[[found(YEARS, YEARS_LEVELS)]] * 2]
    criteria = tables([records("planted-02", runs)])["criteria"]
    assert (set(criteria["claim"]), len(criteria)) == ({0}, 5 * 27)


def test_usage_counts_the_quotes_of_all_runs_and_those_that_are_in_the_paper() -> None:
    plain = found(COPY, COPY_LEVELS)
    quoting = {"C1": [(0, 5), None, (7, 20)], "I1": [None]}
    criteria = {
        code: one.model_copy(update={"quotes": quoting.get(code, [])})
        for code, one in plain.criteria.items()
    }
    quoted = plain.model_copy(update={"criteria": criteria})
    usage = tables([records("ioi", [[quoted], [plain], [quoted]])], [])["usage"].iloc[0]
    assert usage[["quoted", "quotes_found"]].tolist() == [8, 4]


def test_a_planted_component_that_scores_higher_is_not_the_papers_claim() -> None:
    of = paper(
        "planted-01",
        planted(COPY, YEARS_LEVELS, system=True),
        planted(HEAD, IOI_LEVELS, system=False),
    )
    row = tables([records("planted-01", [[found(COPY, YEARS_LEVELS)]] * 3)], [of])["papers"].iloc[0]
    assert (row["expected_tier"], row["expected_cvs"]) == ("Proposed", pytest.approx(1.5 / 1.8))
