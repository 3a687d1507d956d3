"""Responses, locality and verdicts on trials written by hand.

In a trial, statuses are letters: Y, P and N for YES, PARTIAL and NO. Expected moves are f (to
fall), r (to rise) and . (to stay).
"""

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

LIMITS = Limits(sensitivity=0.5, locality=0.9, right=0.5)
CONFIDENCE_LEVEL = 0.95


def moves_of(rows: pd.DataFrame) -> pd.DataFrame:
    return responses(judged_statuses(rows))


def test_sensitivity_is_over_all_targets_also_those_that_cannot_move() -> None:
    """I1 fell as it should; I2 should fall and is at the bottom; C2 should rise and fell."""
    share = sensitivity(moves_of(THREE), CONFIDENCE_LEVEL)

    assert share.n == 3
    assert share.k == 1
    assert share.share == pytest.approx(1 / 3)
    # One paper has no interval over papers.
    assert share.low is None
    assert share.high is None


def test_stability_is_over_all_statuses_that_are_no_target() -> None:
    """Each of the three edits has one target among 27 criteria. V1 moved with the first edit."""
    share = stability(moves_of(THREE), CONFIDENCE_LEVEL)

    assert share.n == 3 * 26
    assert share.k == 3 * 26 - 1


def test_a_summary_counts_what_could_move_and_what_is_right() -> None:
    """Of the three targets I2 cannot fall, so two could move.

    The truth is NO for all 27 statuses of the base and for the three targets. The base is wrong on
    I1, C2 and V1. Of the targets I1 is wrong, which is PARTIAL.
    """
    table = trust_summary(THREE.assign(judge="mine"), LIMITS, CONFIDENCE_LEVEL)

    (summary,) = table.to_dict("records")
    assert summary["judge"] == "mine"
    assert summary["papers"] == 1
    assert summary["could"] == 2
    assert summary["moved_n"] == 3
    assert summary["moved"] == pytest.approx(1 / 3)
    assert summary["right"] == pytest.approx((27 - 3 + 3 - 1) / 30)


def test_intervals_of_shares_are_over_papers() -> None:
    """Five papers have 1 of 1, and one paper has 0 of 1.

    A paper's residual is (hits - n 5/6) / 6: 1/36 five times, and -5/36. The standard error is
    sqrt(6/5 * (5/36^2 + 25/36^2)) = 1/6.
    """
    hits = pd.Series([1, 1, 1, 1, 1, 0])
    papers = pd.Series(["a", "b", "c", "d", "e", "f"])

    share = _share_over_papers(hits, papers, CONFIDENCE_LEVEL)

    half_width = 2.5706 / 6  # the 0.975 quantile of t with 5 degrees of freedom, times 1/6
    assert share.n == 6
    assert share.k == 5
    assert share.share == pytest.approx(5 / 6)
    assert share.low == pytest.approx(5 / 6 - half_width, abs=1e-4)
    assert share.high == 1.0


def test_five_papers_have_no_interval() -> None:
    hits = pd.Series([1, 1, 1, 1, 0])
    papers = pd.Series(["b", "c", "d", "e", "f"])

    share = _share_over_papers(hits, papers, CONFIDENCE_LEVEL)

    assert share == (5, 4, pytest.approx(4 / 5), None, None)


def falling(paper: str, *, claim: int = 0, code: str = "I1", **fell: bool) -> list[dict[str, Any]]:
    """A claim of a paper after edits that should lower a criterion from YES.

    `fell`: by family of edits, whether the criterion fell to NO.
    """
    own = {"paper": paper, "claim": claim}
    rows = [row("base", text("N", **{code: "Y"}), **own)]
    for family, has_fallen in fell.items():
        after = text("N", **{code: "N" if has_fallen else "Y"})
        expected = text(".", **{code: "f"})
        rows.append(row(family, after, expected, criterion=code, edited=str(claim), **own))
    return rows


def test_a_claim_has_moved_if_more_than_half_of_its_statuses_did() -> None:
    """Two of three statuses moved in claim 0, and one of two in claim 1: only claim 0 has moved.

    The Clopper-Pearson bounds for 1 of 2 are x with 1 - (1 - x)^2 = 0.025 and with 1 - x^2 = 0.025.
    """
    two_of_three = falling("a", toggled=True, deleted=True, negated=False)
    one_of_two = falling("a", claim=1, toggled=True, deleted=False)

    share = claims_moved(moves_of(frame(*two_of_three, *one_of_two)), 0.95)

    assert share.n == 2
    assert share.k == 1
    assert share.share == 0.5
    assert share.low == pytest.approx(1 - 0.975**0.5)
    assert share.high == pytest.approx(0.975**0.5)


def test_hard_edits_are_counted_by_family_over_all_criteria() -> None:
    """Only `others` is hard here: I1 stayed in paper a, and M3 fell in paper b."""
    rows = [
        *falling("a", toggled=True, deleted=True, negated=True, others=False),
        *falling("b", code="M3", toggled=False, deleted=False, negated=False, others=True),
    ]

    shares = moved_by_hard_edits(moves_of(frame(*rows)), CONFIDENCE_LEVEL)

    tried_and_moved = {family: (share.n, share.k) for family, share in shares.items()}
    assert tried_and_moved == {
        "withdrawn": (0, 0),
        "others": (2, 1),
        "component": (0, 0),
        "circuit": (0, 0),
    }


def test_a_summary_has_the_family_of_hard_edits_that_moved_the_smallest_share() -> None:
    """`withdrawn` moved its one claim, `others` one of two; the other families were not tried."""
    rows = [
        *falling("a", toggled=True, deleted=True, negated=True, others=True, withdrawn=True),
        *falling("b", toggled=True, deleted=True, negated=True, others=False),
    ]

    table = trust_summary(frame(*rows).assign(judge="mine"), LIMITS, CONFIDENCE_LEVEL)

    (summary,) = table.to_dict("records")
    assert summary["hard_n"] == 2
    assert summary["hard"] == 0.5


def locality_on(rows: list[dict[str, Any]], code: str) -> Any:
    """The locality of a criterion in these rows."""
    judged = judged_statuses(frame(*rows))
    judged = judged[judged["criterion"] == code]
    return _locality(responses(judged), repeats(judged), CONFIDENCE_LEVEL)


def beside(paper: str, i1: str, c2: str, again: str = "Y") -> list[dict[str, Any]]:
    """The rows of claim 1 of a paper in which only claim 0 is edited.

    In the unedited text claim 1 has YES on I1. Its other statuses on I1 are letters:

    - `i1`: after an edit of claim 0's evidence on I1.
    - `c2`: after each of three edits of claim 0's evidence on C2.
    - `again`: when the unedited text is read again.
    """
    own: dict[str, Any] = {"claim": 1, "paper": paper}
    rows = [
        row("base", text("N", I1="Y"), **own),
        row("again", text("N", I1=again), edited="", **own),
        row("toggled", text("N", I1=i1), criterion="I1", edited="0", **own),
    ]
    for family, letter in zip(("toggled", "deleted", "negated"), c2, strict=True):
        rows.append(row(family, text("N", I1=letter), criterion="C2", edited="0", **own))
    return rows


def test_edits_of_the_other_claim_weigh_as_much_in_locality_as_all_other_edits() -> None:
    """I1 of claim 1 fell with claim 0's I1, and stayed in all edits of C2: (0/1 + 3/3) / 2."""
    share = locality_on(beside("a", i1="N", c2="YYY"), "I1")

    assert share.n == 4
    assert share.stayed == 0.5
    assert share.again == 1.0
    assert share.share == 0.5
    assert share.low is None


def test_locality_of_a_criterion_that_no_edit_was_about_is_the_share_that_stayed() -> None:
    share = locality_on(beside("a", i1="N", c2="YYY"), "V1")

    assert share.stayed == 1.0


def test_locality_is_relative_to_what_a_second_reading_repeats_and_at_most_1() -> None:
    """The usual status is YES. (1/1 + 2/3) / 2 = 5/6 of edited texts have it, and 1/2 of readings.

    5/6 over 1/2 is above 1.
    """
    share = locality_on(beside("a", i1="Y", c2="YNY", again="N"), "I1")

    assert share.stayed == pytest.approx(5 / 6)
    assert share.again == 0.5
    assert share.share == 1.0


def test_statuses_are_compared_with_the_usual_one_even_if_the_first_reading_was_another() -> None:
    """Only the first reading is YES. The second reading and all four edited texts are NO."""
    share = locality_on(beside("a", i1="N", c2="NNN", again="N"), "I1")

    assert share.stayed == 1.0
    assert share.again == 0.5
    assert share.share == 1.0


def test_in_a_tie_the_lower_status_is_the_usual_one() -> None:
    """The four edited texts and the second reading have YES twice, NO twice and PARTIAL once.

    NO is the usual status. 0 of 1 and 2 of 3 edited texts have it: (0 + 2/3) / 2 = 1/3. No reading
    of the unedited text has it, so the quotient is not defined.
    """
    share = locality_on(beside("a", i1="Y", c2="YNN", again="P"), "I1")

    assert share.stayed == pytest.approx(1 / 3)
    assert share.again == 0.0
    assert share.share is None


# Five papers in which I1 of claim 1 always stays, and one in which it falls with claim 0's I1.
STAYING: list[dict[str, Any]] = []
for _paper in "abcde":
    STAYING += beside(_paper, i1="Y", c2="YYY")
FALLING = beside("f", i1="N", c2="YYY")


def test_the_lower_bound_of_locality_is_by_t_over_papers() -> None:
    """After edits of I1 5/6 stay, after others all: 11/12 on average.

    The residuals of papers are half of those of 5/6: 1/72 five times, and -5/72. Their squares sum
    to 30/72^2, and 2.5706 is the 0.975 quantile of t with 5 degrees of freedom.
    """
    share = locality_on([*STAYING, *FALLING], "I1")

    assert share.stayed == pytest.approx(11 / 12)
    assert share.low == pytest.approx(11 / 12 - 2.5706 * (6 / 5 * 30 / 72**2) ** 0.5, abs=1e-4)


def test_locality_of_five_papers_has_no_lower_bound() -> None:
    assert locality_on(STAYING, "I1").low is None


def test_locality_of_a_criterion_that_no_edit_was_about_has_no_lower_bound() -> None:
    """Whether the criterion moves with the other claim's evidence is not known."""
    assert locality_on([*STAYING, *FALLING], "V1").low is None


def test_the_lower_bound_of_locality_takes_both_shares_from_the_same_papers() -> None:
    """In paper f I1 falls after an edit, in paper e when the text is read again.

    Both shares are 11/12, so the locality is 1. Residuals of the share that stays: 1/72 for each
    paper, but -5/72 for f. Residuals of the share that is repeated: 2/144, but -10/144 for e. Their
    differences, over 11/12, are 0, but 1/11 for e and -1/11 for f.
    """
    rows = []
    for paper in "abcd":
        rows += beside(paper, i1="Y", c2="YYY")
    rows += beside("e", i1="Y", c2="YYY", again="N")
    rows += beside("f", i1="N", c2="YYY")

    share = locality_on(rows, "I1")
    assert (share.stayed, share.again) == pytest.approx((11 / 12, 11 / 12))
    assert share.share == pytest.approx(1)
    assert share.low == pytest.approx(1 - 2.5706 * (6 / 5 * 2 / 11**2) ** 0.5, abs=1e-4)


def trusted(
    rows: list[dict[str, Any]], limits: Limits = LIMITS, codes: Collection[str] = ("I1",)
) -> dict[str, Any]:
    """The row of `criterion_trust` on each of `codes`.

    Only I1 by default: all 27 criteria take 27 times as long.
    """
    judged = judged_statuses(frame(*rows))
    table = criterion_trust(judged[judged["criterion"].isin(codes)], limits, CONFIDENCE_LEVEL)
    return {code: group.iloc[0] for code, group in table.groupby("criterion")}


# The true status on I1 of the edited claim after each family of edits.
AFTER = {
    "toggled": "P",
    "deleted": "N",
    "withdrawn": "N",
    "others": "N",
    "component": "N",
    "circuit": "N",
}


def judged_paper(
    paper: str, confused: Mapping[str, str] = MappingProxyType({})
) -> list[dict[str, Any]]:
    """The rows of a paper with two claims, both with I1 at YES. Claim 0 is edited (`AFTER`).

    The judge gives the true status, or that with which it has `confused` the true one.
    """
    called = {"Y": "Y", "P": "P", "N": "N"} | dict(confused)
    rows = []
    for claim in (0, 1):
        truth = text("N", I1="Y")
        base = row("base", text("N", I1=called["Y"]), truth=truth, paper=paper, claim=claim)
        rows.append(base)
        rows.append(base | {"edit": "again"})
        rows.append(base | {"edit": "reworded"})
        for family, lowered in AFTER.items():
            after = lowered if claim == 0 else "Y"
            expected = text(".", I1="f") if claim == 0 else text(".")
            edited = row(
                family,
                text("N", I1=called[after]),
                expected,
                criterion="I1",
                edited="0",
                paper=paper,
                claim=claim,
            )
            rows.append(edited | {"truth": text("N", I1=after)})
    return rows


# Six papers judged without a mistake.
SIX: list[dict[str, Any]] = []
for _paper in "abcdef":
    SIX += judged_paper(_paper)


def test_a_criterion_is_trusted_if_all_lower_bounds_are_above_the_limits() -> None:
    """Six of six claims: the Clopper-Pearson lower bound is 0.025^(1/6) = 0.541."""
    i1 = trusted(SIX)["I1"]

    assert i1["sensitivity_low"] == pytest.approx(0.025 ** (1 / 6))
    assert i1["right_partial_low"] == pytest.approx(0.025 ** (1 / 6))
    assert i1["locality_share"] == 1.0
    assert i1["locality_low"] == 1.0
    assert i1["trusted"] == "yes"


def test_of_criteria_that_no_edit_was_about_there_are_too_few() -> None:
    """All edits of `SIX` are about I1."""
    rows = trusted(SIX, codes=CODES)

    assert rows["I1"]["trusted"] == "yes"
    for code in set(CODES) - {"I1"}:
        assert rows[code]["trusted"] == "too few"


@pytest.mark.parametrize(
    "limits",
    [
        pytest.param(LIMITS._replace(sensitivity=0.6), id="of sensitivity"),
        pytest.param(LIMITS._replace(right=0.6), id="of right statuses"),
    ],
)
def test_a_limit_that_no_judge_could_pass_gives_too_few_and_not_no(limits: Limits) -> None:
    """The lower bound of six of six, 0.541, is below the limit."""
    assert trusted(SIX, limits)["I1"]["trusted"] == "too few"


def test_five_papers_are_too_few() -> None:
    five = [trial for trial in SIX if trial["paper"] != "f"]

    assert trusted(five)["I1"]["trusted"] == "too few"


@pytest.mark.parametrize(
    "family",
    [
        pytest.param("toggled", id="toggled, so that no status should be PARTIAL"),
        pytest.param("circuit", id="circuit, a hard family"),
    ],
)
def test_without_a_family_of_edits_there_are_too_few(family: str) -> None:
    without_family = [trial for trial in SIX if trial["edit"] != family]

    assert trusted(without_family)["I1"]["trusted"] == "too few"


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
        rows += judged_paper(paper, CONFUSED[name])

    assert trusted(rows)["I1"]["trusted"] == "no"


@pytest.mark.parametrize("family", ["withdrawn", "others", "component", "circuit"])
def test_a_judge_that_credits_one_kind_of_hard_edit_is_not_trusted(family: str) -> None:
    """Five of six edits move I1 in every edited claim, more than half: sensitivity would pass."""
    rows = []
    for trial in SIX:
        is_credited = trial["edit"] == family and trial["claim"] == 0
        rows.append(trial | {"statuses": text("N", I1="Y")} if is_credited else trial)

    i1 = trusted(rows)["I1"]

    assert i1["sensitivity_low"] > 0.5
    assert i1["trusted"] == "no"


def test_labelled_are_all_statuses_of_the_base_and_the_edited_criterion_of_the_edited_claim() -> (
    None
):
    """Not labelled: other criteria of the edited text, claim 1 in it, and the second reading."""
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
    assert edited["after"] == 2  # the rank of YES
    assert edited["truth"] == 2
