"""Responses, locality and verdicts on trials written by hand."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

import pandas as pd
import pytest

from mechaware.verdicts.trust.responses import (
    _share_over_papers,
    claims_moved,
    judged_statuses,
    labelled,
    moved_by_hard_edits,
    repeats,
    responses,
    sensitivity,
    stability,
)
from mechaware.verdicts.trust.verdicts import Limits, _locality, criterion_trust, trust_summary
from tests.unit.verdicts.trust.responses_by_hand import CODES, THREE, N, frame, row, text

LIMITS = Limits(0.5, 0.9, 0.5)
CONFIDENCE_LEVEL = 0.95


def moves_of(rows: pd.DataFrame) -> pd.DataFrame:
    return responses(judged_statuses(rows))


def test_sensitivity_counts_all_targets() -> None:
    """I1 fell as it should; I2 should fall and is at the bottom; C2 should rise and fell."""
    share = sensitivity(moves_of(THREE), CONFIDENCE_LEVEL)

    assert share.n == 3
    assert share.k == 1
    assert share.share == pytest.approx(1 / 3)
    # One paper has no interval over papers.
    assert share.low is None
    assert share.high is None


def test_locality_counts_all_others() -> None:
    share = stability(moves_of(THREE), CONFIDENCE_LEVEL)

    assert share.n == 3 * 26
    assert share.k == 3 * 26 - 1  # V1 moved


def test_a_summary_counts_what_could_move_and_what_is_right() -> None:
    """Of the three targets I2 cannot fall. NO is the truth of each of the 27 base statuses and the three edited ones.

    The base is wrong on I1, C2 and V1; of the edited statuses I1, which is PARTIAL, is wrong.
    """
    table = trust_summary(THREE.assign(judge="mine"), LIMITS, CONFIDENCE_LEVEL)

    (summary,) = table.to_dict("records")
    assert summary["judge"] == "mine"
    assert summary["papers"] == 1
    assert summary["could"] == 2
    assert summary["moved_n"] == 3
    assert summary["moved"] == pytest.approx(1 / 3)
    assert summary["right"] == pytest.approx((27 - 3 + 3 - 1) / 30)


def falling(paper: str, *moves: bool, claim: int = 0, code: str = "I1") -> list[dict[str, Any]]:
    """A claim of a paper with edits that should lower a criterion, some of which do."""
    own = {"paper": paper, "claim": claim}
    rows = [row("base", text("N", **{code: "Y"}), **own)]
    for family, moved in zip(("toggled", "deleted", "negated", "others"), moves, strict=False):
        after = text("N", **{code: "N" if moved else "Y"})
        expected = text(".", **{code: "f"})
        rows.append(row(family, after, expected, criterion=code, edited=str(claim), **own))
    return rows


def test_intervals_of_shares_are_over_papers() -> None:
    """Five papers with 1 of 1 and one with 0 of 1: residuals 1/36 five times and -5/36, so the error is sqrt(1/36)."""
    hits = pd.Series([1, 1, 1, 1, 1, 0])
    papers = pd.Series(["a", "b", "c", "d", "e", "f"])

    share = _share_over_papers(hits, papers, CONFIDENCE_LEVEL)

    reach = 2.5706 / 6  # the 0.975 quantile of t with 5 degrees of freedom
    assert share == (6, 5, pytest.approx(5 / 6), pytest.approx(5 / 6 - reach, abs=1e-4), 1.0)


def test_five_papers_have_no_interval() -> None:
    hits = pd.Series([1, 1, 1, 1, 0])
    papers = pd.Series(["b", "c", "d", "e", "f"])

    share = _share_over_papers(hits, papers, CONFIDENCE_LEVEL)

    assert share == (5, 4, pytest.approx(4 / 5), None, None)


def test_a_claim_has_moved_if_more_than_half_of_its_statuses_did() -> None:
    """Two of three is most, one of two is not; of two claims one: 1 - (1 - x)^2 = 0.025 at the lower end."""
    most = falling("a", True, True, False)
    half = falling("a", True, False, claim=1)

    share = claims_moved(moves_of(frame(*most, *half)), 0.95)

    assert share.n == 2
    assert share.k == 1
    assert share.share == 0.5
    assert share.low == pytest.approx(1 - 0.975**0.5)
    assert share.high == pytest.approx(0.975**0.5)


def test_hard_edits_are_counted_by_family_over_all_criteria() -> None:
    """Only `others` is hard here: it failed in a, and worked in b on another criterion."""
    rows = [
        *falling("a", True, True, True, False),
        *falling("b", False, False, False, True, code="M3"),
    ]

    shares = moved_by_hard_edits(moves_of(frame(*rows)), CONFIDENCE_LEVEL)

    tried_and_moved = {family: (share.n, share.k) for family, share in shares.items()}
    assert tried_and_moved == {
        "withdrawn": (0, 0),
        "others": (2, 1),
        "component": (0, 0),
        "circuit": (0, 0),
    }


def test_the_hard_edits_of_a_summary_are_of_the_family_that_moved_the_smallest_share() -> None:
    """`withdrawn` moved its one claim and `others` one of two; `component` and `circuit` were not tried."""
    rows = [*falling("a", True, True, True, True), *falling("b", True, True, True, False)]
    rows.append(row("withdrawn", text("N"), text(".", I1="f"), criterion="I1", paper="a"))

    table = trust_summary(frame(*rows).assign(judge="mine"), LIMITS, CONFIDENCE_LEVEL)

    (summary,) = table.to_dict("records")
    assert summary["hard_n"] == 2
    assert summary["hard"] == 0.5


def locality_on(rows: list[dict[str, Any]], code: str) -> Any:
    """The locality of a criterion in these rows."""
    judged = judged_statuses(frame(*rows))
    judged = judged[judged["criterion"] == code]
    return _locality(responses(judged), repeats(judged), CONFIDENCE_LEVEL)


def beside(paper: str, moved: str, *stayed: str, again: str = "Y") -> list[dict[str, Any]]:
    """Claim 1 at YES on I1: its status after claim 0's evidence on I1 was edited, after other edits, and again."""
    other: dict[str, Any] = {"claim": 1, "paper": paper}
    rows = [
        row("base", text("N", I1="Y"), **other),
        row("again", text("N", I1=again), edited="", **other),
    ]
    rows.append(row("toggled", text("N", I1=moved), criterion="I1", edited="0", **other))
    for family, letter in zip(("toggled", "deleted", "negated"), stayed, strict=True):
        rows.append(row(family, text("N", I1=letter), criterion="C2", edited="0", **other))
    return rows


def test_locality_gives_the_other_claim_the_weight_of_all_else() -> None:
    """Claim 1 fell on I1 with claim 0's evidence, and stayed on I1 in three edits of C2: (0 + 3/3) / 2."""
    share = locality_on(beside("a", "N", "Y", "Y", "Y"), "I1")

    assert share.n == 4
    assert share.stayed == 0.5
    assert share.again == 1.0
    assert share.share == 0.5
    assert share.low is None


def test_locality_of_a_criterion_that_no_edit_was_about_is_what_stayed() -> None:
    share = locality_on(beside("a", "N", "Y", "Y", "Y"), "V1")

    assert share.stayed == 1.0


def test_locality_is_what_stays_over_what_a_second_reading_repeats() -> None:
    """The usual status is YES: (1 + 2/3) / 2 = 5/6 of edited texts have it, and one of two readings; at most 1."""
    share = locality_on(beside("a", "Y", "Y", "N", "Y", again="N"), "I1")

    assert share.stayed == pytest.approx(5 / 6)
    assert share.again == 0.5
    assert share.share == 1.0


def test_a_status_is_compared_with_the_usual_one_and_not_with_a_first_reading_that_was_off() -> (
    None
):
    """The first reading alone is YES, the four edited texts and the second reading NO: all edits left it alone."""
    share = locality_on(beside("a", "N", "N", "N", "N", again="N"), "I1")

    assert share.stayed == 1.0
    assert share.again == 0.5
    assert share.share == 1.0


def test_of_usual_statuses_in_a_tie_the_lower_counts() -> None:
    """Of five texts two have YES, two NO and one PARTIAL: NO is usual, which 0 of 1 and 2 of 3 edited texts have.

    No reading of the unedited text is NO: the share by which one would divide is 0.
    """
    share = locality_on(beside("a", "Y", "Y", "N", "N", again="P"), "I1")

    assert share.stayed == pytest.approx(1 / 3)
    assert share.again == 0.0
    assert share.share is None


# Five papers stay throughout, one falls beside: shares 5/6 and 1, their mean 11/12, residuals 1/72 and -5/72.
STAYING: list[dict[str, Any]] = []
for _paper in "abcde":
    STAYING += beside(_paper, "Y", "Y", "Y", "Y")
FALLING = beside("f", "N", "Y", "Y", "Y")


def test_the_lower_bound_of_locality_is_by_t_over_papers() -> None:
    share = locality_on([*STAYING, *FALLING], "I1")

    assert share.stayed == pytest.approx(11 / 12)
    assert share.low == pytest.approx(11 / 12 - 2.5706 * (6 / 5 * 30 / 72**2) ** 0.5, abs=1e-4)


def test_locality_of_five_papers_has_no_lower_bound() -> None:
    assert locality_on(STAYING, "I1").low is None


def test_locality_of_a_criterion_that_no_edit_was_about_has_no_lower_bound() -> None:
    """Nothing tells whether the other claim moves it."""
    assert locality_on([*STAYING, *FALLING], "V1").low is None


def test_the_lower_bound_of_locality_takes_both_shares_from_the_same_papers() -> None:
    """Both shares are 11/12, so the locality is 1: f falls after an edit, and e when it is read a second time.

    Residuals of what stays: 1/72 for each paper, but -5/72 for f. Residuals of what is repeated: 2/144, but -10/144
    for e. Their differences, over 11/12, are 0, but 1/11 for e and -1/11 for f.
    """
    rows = []
    for paper in "abcd":
        rows += beside(paper, "Y", "Y", "Y", "Y")
    rows += beside("e", "Y", "Y", "Y", "Y", again="N")
    rows += beside("f", "N", "Y", "Y", "Y")

    share = locality_on(rows, "I1")
    assert (share.stayed, share.again) == pytest.approx((11 / 12, 11 / 12))
    assert share.share == pytest.approx(1)
    assert share.low == pytest.approx(1 - 2.5706 * (6 / 5 * 2 / 11**2) ** 0.5, abs=1e-4)


def trusted(
    rows: list[dict[str, Any]], limits: Limits = LIMITS, codes: Collection[str] = ("I1",)
) -> dict[str, Any]:
    """The verdict on each of `codes`: to count all criteria takes 27 times as long."""
    judged = judged_statuses(frame(*rows))
    table = criterion_trust(judged[judged["criterion"].isin(codes)], limits, CONFIDENCE_LEVEL)
    return {code: group.iloc[0] for code, group in table.groupby("criterion")}


# The level of I1 in the edited claim after each family of edits.
MOVES = {
    "toggled": "P",
    "deleted": "N",
    "withdrawn": "N",
    "others": "N",
    "component": "N",
    "circuit": "N",
}


def reading(paper: str, confused: Mapping[str, str] = MappingProxyType({})) -> list[dict[str, Any]]:
    """The rows of a paper with two claims, both with I1 at YES; edits move the first claim to PARTIAL and NO.

    The judge gives every level rightly, unless it has `confused` one level with another.
    """
    given = {"Y": "Y", "P": "P", "N": "N"} | dict(confused)
    rows = []
    for claim in (0, 1):
        truth = text("N", I1="Y")
        stays = row("base", text("N", I1=given["Y"]), truth=truth, paper=paper, claim=claim)
        rows.append(stays)
        rows.append(stays | {"edit": "again"})
        rows.append(stays | {"edit": "reworded"})
        for family, moved_to in MOVES.items():
            after = moved_to if claim == 0 else "Y"
            expected = text(".", I1="f") if claim == 0 else text(".")
            edited = row(
                family,
                text("N", I1=given[after]),
                expected,
                criterion="I1",
                edited="0",
                paper=paper,
                claim=claim,
            )
            rows.append(edited | {"truth": text("N", I1=after)})
    return rows


SIX: list[dict[str, Any]] = []
for _paper in "abcdef":
    SIX += reading(_paper)


def test_a_criterion_is_trusted_if_all_lower_bounds_are_above_the_limits() -> None:
    """Six of six claims: the lower bound is 0.025^(1/6) = 0.541."""
    six = trusted(SIX, codes=CODES)

    assert six["I1"]["sensitivity_low"] == pytest.approx(0.025 ** (1 / 6))
    assert six["I1"]["right_partial_low"] == pytest.approx(0.025 ** (1 / 6))
    assert six["I1"]["locality_share"] == 1.0
    assert six["I1"]["locality_low"] == 1.0
    assert six["I1"]["trusted"] == "yes"
    # The others were not edited.
    for code in set(CODES) - {"I1"}:
        assert six[code]["trusted"] == "too few"


@pytest.mark.parametrize(
    "limits",
    [
        pytest.param(Limits(0.6, 0.9, 0.5), id="of sensitivity"),
        pytest.param(Limits(0.5, 0.9, 0.6), id="of right statuses"),
    ],
)
def test_a_limit_that_nobody_could_pass_makes_too_few_and_not_a_no(limits: Limits) -> None:
    assert trusted(SIX, limits)["I1"]["trusted"] == "too few"


def test_five_papers_are_too_few() -> None:
    five = [made for made in SIX if made["paper"] != "f"]

    assert trusted(five)["I1"]["trusted"] == "too few"


@pytest.mark.parametrize(
    "family",
    [
        pytest.param("toggled", id="nothing is at PARTIAL"),
        pytest.param("circuit", id="a hard family was not tried"),
    ],
)
def test_without_a_family_of_edits_there_are_too_few(family: str) -> None:
    others = [made for made in SIX if made["edit"] != family]

    assert trusted(others)["I1"]["trusted"] == "too few"


CONFUSED = {
    "PARTIAL is called YES": {"P": "Y"},
    "PARTIAL is called NO": {"P": "N"},
    "PARTIAL and NO are called one level higher": {"P": "Y", "N": "P"},
    "YES and PARTIAL are called one level lower": {"Y": "P", "P": "N"},
    "every level is called YES": {"P": "Y", "N": "Y"},
}


@pytest.mark.parametrize("name", CONFUSED)
def test_a_judge_that_confuses_levels_is_not_trusted(name: str) -> None:
    rows = []
    for paper in "abcdef":
        rows += reading(paper, CONFUSED[name])

    assert trusted(rows)["I1"]["trusted"] == "no"


@pytest.mark.parametrize("family", ["withdrawn", "others", "component", "circuit"])
def test_a_judge_that_credits_one_kind_of_hard_edit_is_not_trusted(family: str) -> None:
    rows = []
    for made in SIX:
        is_credited = made["edit"] == family and made["claim"] == 0
        rows.append(made | {"statuses": text("N", I1="Y")} if is_credited else made)

    own = trusted(rows)["I1"]

    assert own["sensitivity_low"] > 0.5  # five of six edits move
    assert own["trusted"] == "no"


def test_edited_texts_count_on_the_criterion_that_was_edited_and_label_no_status_of_the_other_claim() -> (
    None
):
    rows = frame(
        row("base", text("N")),
        row("base", text("N"), claim=1),
        row("toggled", text("Y"), text(".", I1="r"), criterion="I1", truth=text("N", I1="Y")),
        row("toggled", text("Y"), criterion="I1", claim=1),
        row("again", text("Y"), edited=""),
    )

    judged = labelled(judged_statuses(rows))

    assert judged.groupby(["edit", "claim"]).size().to_dict() == {
        ("base", 0): N,
        ("base", 1): N,
        ("toggled", 0): 1,
    }
    (edited,) = judged[judged["edit"] == "toggled"].to_dict("records")
    assert edited["criterion"] == "I1"
    assert edited["after"] == 2
    assert edited["truth"] == 2
