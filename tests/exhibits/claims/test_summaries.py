"""Summary tables of a small study whose every number is worked out by hand, and the command that writes them."""

from collections.abc import Sequence

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
    found,
    paper,
    planted,
    records,
    tables,
)
from tests.unit.instruments.claims.claims_by_hand import claim


@pytest.fixture(scope="module")
def summary() -> dict[str, pd.DataFrame]:
    """The summary of the study of judged_papers.py."""
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


def test_a_paper_without_a_claim_in_any_run_says_so() -> None:
    papers = tables([records("planted-02", [[]] * 3)])["papers"]

    assert papers["reason"].tolist() == ["no claim that most runs agree on"]


def test_claims_stand_beside_the_planted_claim_that_they_are(
    summary: dict[str, pd.DataFrame],
) -> None:
    claims = summary["claims"]
    of_good = claims[(claims["judge"] == "good") & (claims["paper"] == "planted-01")]

    assert of_good["main"].tolist() == [True, False]
    assert of_good["system"].tolist() == [True, False]
    assert of_good["truth_claim"].tolist() == [0, 1]
    assert of_good[["C", "I", "M", "E", "V"]].to_numpy().tolist() == [
        [2, 2, 1, 0, 1],
        [1, 1, 0, 0, 0],
    ]
    assert claims.loc[claims["paper"] == "ioi", "truth_claim"].isna().all()


def test_a_paper_has_the_scores_of_its_claims_and_runs_and_the_direction_of_its_error(
    summary: dict[str, pd.DataFrame],
) -> None:
    """The CVS are raw scores over 1.8. Of the second paper's runs one leaves its score open."""
    of_good = summary["papers"][summary["papers"]["judge"] == "good"].set_index("paper")
    first = of_good.loc["planted-01"]
    second = of_good.loc["planted-02"]

    raw_first = {"cvs": 8, "voted_cvs": 8, "single_low": 8, "single_high": 10}
    raw_first |= {"sub_low": 3, "sub_high": 3, "expected_cvs": 8}
    for name, raw in raw_first.items():
        assert first[name] == pytest.approx(raw / 1.8), name
    raw_second = {"cvs": 4.5, "voted_cvs": 4.5, "single_low": 4.5, "single_high": 4.5}
    raw_second |= {"expected_cvs": 1.5}
    for name, raw in raw_second.items():
        assert second[name] == pytest.approx(raw / 1.8), name
    assert second[["sub_low", "sub_high"]].isna().all()  # it has one claim

    tiers = ["tier", "expected_tier", "off_by"]
    supported = "Mechanistically Supported"
    assert first[tiers].tolist() == [supported, supported, 0]
    assert second[tiers].tolist() == ["Causally Suggestive", "Proposed", 1]
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
        # The paper's only claim is its system claim by the vote's rule; its components are also the circuit's.
        pytest.param(
            [("head 9.9 attends, to the Subject.", COPY[1])],
            [1],
            id="in other case and punctuation",
        ),
        pytest.param([(RESTATED, ("10.0",))], [1], id="restated"),
        # Both are the same planted claim, which counts once.
        pytest.param([HEAD, (RESTATED, ())], [1, None], id="twice"),
        pytest.param([(HEAD[0], COPY[1]), COPY], [1, 0], id="with the components of the other"),
        # No judge called it a system claim.
        pytest.param(
            [("The copy circuit of 9.9, 9.6 and 10.0 is studied", COPY[1])],
            [None],
            id="in other words",
        ),
    ],
)
def test_a_claim_in_the_words_of_a_planted_one_is_this_claim_at_any_level(
    stated: list[tuple[str, Sequence[str]]], truth: list[int | None]
) -> None:
    claims_of_a_run = [found(what, {}) for what in stated]
    judged = records("planted-01", [claims_of_a_run] * 3)

    claims = tables([judged], [BOTH])["claims"]

    assert claims["system"].iloc[0]
    assert [None if pd.isna(index) else int(index) for index in claims["truth_claim"]] == truth


def test_a_claim_that_its_judge_calls_a_system_claim_is_matched_with_one() -> None:
    stated = claim("The copy circuit writes the name", COPY[1], COPY_LEVELS, system=True)
    judged = records("planted-01", [[stated]] * 3)

    claims = tables([judged], [BOTH])["claims"]

    assert claims["truth_claim"].tolist() == [0]


def test_a_claim_that_the_vote_drops_is_compared_at_no_stage() -> None:
    """One of three runs has a second claim. The first is compared in three runs, after the vote and after the audit."""
    with_second = [found(YEARS, YEARS_LEVELS), found(MLP, {})]
    without = [found(YEARS, YEARS_LEVELS)]

    criteria = tables([records("planted-02", [with_second, without, without])])["criteria"]

    assert set(criteria["claim"]) == {0}
    assert len(criteria) == (3 + 1 + 1) * 27


def test_usage_counts_the_quotes_of_all_runs_and_those_that_are_in_the_paper() -> None:
    """In two of three runs there are four quotes, of which two are found at a place of the paper."""
    without_quotes = found(COPY, COPY_LEVELS)
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
    truth = paper(
        "planted-01",
        planted(COPY, YEARS_LEVELS, system=True),
        planted(HEAD, IOI_LEVELS, system=False),
    )
    judged = records("planted-01", [[found(COPY, YEARS_LEVELS)]] * 3)

    row = tables([judged], [truth])["papers"].iloc[0]

    assert (row["expected_tier"], row["expected_cvs"]) == ("Proposed", pytest.approx(1.5 / 1.8))
