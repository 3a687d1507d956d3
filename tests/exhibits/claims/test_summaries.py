"""Summary tables of judged papers, against numbers worked out by hand.

`summary` is of the study in judged_papers.py: the judge `good` judges two planted papers, IOI and a
user's own paper (`mine`); all runs of the judge `broken` fail. Other tests make a single paper:
`records(paper, runs)` gives a judge's claims run by run, and `judged_claim(claim, levels)` is a
claim with the statuses `levels` and NO in all other criteria.
"""

import pandas as pd
import pytest

from mechaware.planted.papers.summaries import COLUMNS
from tests.exhibits.claims.judged_papers import (
    COPY,
    COPY_LEVELS,
    HEAD,
    HEAD_LEVELS,
    IOI_LEVELS,
    MLP,
    YEARS,
    YEARS_LEVELS,
    Stated,
    judged_claim,
    planted_claim,
    planted_paper,
    records,
    tables,
)
from tests.unit.instruments.claims.claims_by_hand import claim


@pytest.fixture(scope="module")
def summary() -> dict[str, pd.DataFrame]:
    """The tables of the study of judged_papers.py."""
    return tables()


def test_every_table_has_its_columns_even_without_records() -> None:
    empty = tables([], [])

    assert list(empty) == list(COLUMNS)
    for name, table in empty.items():
        assert list(table) == list(COLUMNS[name]), name
        assert table.empty, name


def test_an_open_main_claim_says_how_many_criteria_lack_a_status() -> None:
    open_claim = claim(*YEARS, {**YEARS_LEVELS, "I1": None, "I2": None})
    papers = tables([records("planted-02", [[open_claim]] * 3)])["papers"]

    assert papers["status"].tolist() == ["unscored"]
    assert papers["reason"].tolist() == ["2 of 27 criteria of the main claim have no status"]


def test_the_share_of_yes_counts_all_27_criteria_also_those_without_a_status() -> None:
    """C1 is YES; I1 and I2 have no status."""
    open_claim = claim(*YEARS, {**YEARS_LEVELS, "I1": None, "I2": None})
    papers = tables([records("planted-02", [[open_claim]] * 3)])["papers"]

    assert papers["main_yes"].tolist() == pytest.approx([1 / 27])


def test_a_paper_without_a_claim_in_any_run_says_so() -> None:
    papers = tables([records("planted-02", [[]] * 3)])["papers"]

    assert papers["reason"].tolist() == ["no claim that most runs agree on"]


def test_each_judged_claim_has_the_planted_claim_that_it_is(
    summary: dict[str, pd.DataFrame],
) -> None:
    claims = summary["claims"]
    of_good = claims[(claims["judge"] == "good") & (claims["paper"] == "planted-01")]

    assert of_good["main"].tolist() == [True, False]
    assert of_good["system"].tolist() == [True, False]
    assert of_good["truth_claim"].tolist() == [0, 1]
    # The scores of COPY_LEVELS and of HEAD_LEVELS: the vote and the audit remove all else.
    assert of_good[["C", "I", "M", "E", "V"]].to_numpy().tolist() == [
        [2, 2, 1, 0, 1],
        [1, 1, 0, 0, 0],
    ]
    # IOI is not planted.
    assert claims.loc[claims["paper"] == "ioi", "truth_claim"].isna().all()


def test_a_paper_has_the_scores_of_its_claims_and_runs_and_the_direction_of_its_error(
    summary: dict[str, pd.DataFrame],
) -> None:
    """A CVS is the raw score divided by 1.8.

    The first paper's runs have raw scores of 10, 8 and 8. Two of the second paper's runs have a raw
    score of 4.5; the third run leaves its score open, and does not count in the range.
    """
    of_good = summary["papers"][summary["papers"]["judge"] == "good"].set_index("paper")
    first = of_good.loc["planted-01"]
    second = of_good.loc["planted-02"]

    raw_first = {
        "cvs": 8,
        "voted_cvs": 8,
        "single_low": 8,
        "single_high": 10,
        "sub_low": 3,
        "sub_high": 3,
        "expected_cvs": 8,
    }
    for name, raw in raw_first.items():
        assert first[name] == pytest.approx(raw / 1.8), name
    raw_second = {
        "cvs": 4.5,
        "voted_cvs": 4.5,
        "single_low": 4.5,
        "single_high": 4.5,
        "expected_cvs": 1.5,
    }
    for name, raw in raw_second.items():
        assert second[name] == pytest.approx(raw / 1.8), name
    # The second paper has no claim besides its main claim.
    assert second[["sub_low", "sub_high"]].isna().all()

    tiers = ["tier", "expected_tier", "off_by"]
    supported = "Mechanistically Supported"
    assert first[tiers].tolist() == [supported, supported, 0]
    assert second[tiers].tolist() == ["Causally Suggestive", "Proposed", 1]
    # C1, I1, I2 and V3.
    assert first["main_yes"] == pytest.approx(4 / 27)
    # The user's own paper has no expected tier.
    assert pd.isna(of_good.loc["mine", "off_by"])


# A planted paper with two claims: COPY (index 0) is the system claim, and HEAD (index 1) is also
# stated in other words.
RESTATED = "Without the subject's place, head 9.9 finds nothing"
PLANTED_PAPER = planted_paper(
    "planted-01",
    planted_claim(COPY, COPY_LEVELS, system=True),
    planted_claim(HEAD, HEAD_LEVELS, system=False).model_copy(update={"restated": [RESTATED]}),
)


@pytest.mark.parametrize(
    ("stated", "truth"),
    [
        # The only claim is the system claim by the vote's rule, and its components are COPY's.
        pytest.param(
            [Stated("head 9.9 attends, to the Subject.", COPY.components)],
            [1],
            id="in other case and punctuation",
        ),
        pytest.param([Stated(RESTATED, ("10.0",))], [1], id="restated"),
        # Both claims are HEAD, which counts once.
        pytest.param([HEAD, Stated(RESTATED, ())], [1, None], id="twice"),
        pytest.param(
            [Stated(HEAD.statement, COPY.components), COPY],
            [1, 0],
            id="with the components of the other",
        ),
        # The words are of neither planted claim, and the judge did not call it a system claim.
        pytest.param(
            [Stated("The copy circuit of 9.9, 9.6 and 10.0 is studied", COPY.components)],
            [None],
            id="in other words",
        ),
    ],
)
def test_a_claim_in_the_words_of_a_planted_claim_is_that_claim_whether_system_or_not(
    stated: list[Stated], truth: list[int | None]
) -> None:
    """`stated`: the statements and components that all runs find; `truth`: their planted claims."""
    claims_of_a_run = [judged_claim(what, {}) for what in stated]
    judged = records("planted-01", [claims_of_a_run] * 3)

    claims = tables([judged], [PLANTED_PAPER])["claims"]

    assert claims["system"].iloc[0]
    matched = [None if pd.isna(index) else int(index) for index in claims["truth_claim"]]
    assert matched == truth


def test_a_claim_that_its_judge_calls_a_system_claim_is_the_planted_system_claim() -> None:
    """Its components are COPY's, its words are of neither planted claim."""
    stated = claim("The copy circuit writes the name", COPY.components, COPY_LEVELS, system=True)
    judged = records("planted-01", [[stated]] * 3)

    claims = tables([judged], [PLANTED_PAPER])["claims"]

    assert claims["truth_claim"].tolist() == [0]


def test_a_claim_that_the_vote_drops_is_compared_at_no_stage() -> None:
    """One of three runs has a second claim, and the vote drops it.

    The first claim is compared in three runs, after the vote and after the audit.
    """
    with_second = [judged_claim(YEARS, YEARS_LEVELS), judged_claim(MLP, {})]
    without = [judged_claim(YEARS, YEARS_LEVELS)]

    criteria = tables([records("planted-02", [with_second, without, without])])["criteria"]

    assert set(criteria["claim"]) == {0}
    assert len(criteria) == (3 + 1 + 1) * 27


def test_usage_counts_the_quotes_of_all_runs_and_the_quotes_that_are_in_the_paper() -> None:
    """Two of three runs have four quotes each, of which two are found in the paper.

    A quote that is found is its place, [start, end) in characters; None is a quote that the paper
    lacks.
    """
    without_quotes = judged_claim(COPY, COPY_LEVELS)
    quotes = {"C1": [(0, 5), None, (7, 20)], "I1": [None]}
    criteria = {}
    for code, judgement in without_quotes.criteria.items():
        criteria[code] = judgement.model_copy(update={"quotes": quotes.get(code, [])})
    quoted = without_quotes.model_copy(update={"criteria": criteria})

    judged = records("ioi", [[quoted], [without_quotes], [quoted]])
    usage = tables([judged], [])["usage"].iloc[0]

    assert usage["quoted"] == 2 * 4
    assert usage["quotes_found"] == 2 * 2


def test_a_planted_component_that_scores_higher_is_not_the_papers_claim() -> None:
    """The system claim is planted with a raw score of 1.5, the component with 10."""
    truth = planted_paper(
        "planted-01",
        planted_claim(COPY, YEARS_LEVELS, system=True),
        planted_claim(HEAD, IOI_LEVELS, system=False),
    )
    judged = records("planted-01", [[judged_claim(COPY, YEARS_LEVELS)]] * 3)

    row = tables([judged], [truth])["papers"].iloc[0]

    assert (row["expected_tier"], row["expected_cvs"]) == ("Proposed", pytest.approx(1.5 / 1.8))
