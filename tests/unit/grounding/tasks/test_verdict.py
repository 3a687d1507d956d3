"""The verdict on tasks measured by hand; the committed error rates beside a fresh run's; the examples."""

from pathlib import Path

import pytest

from mechaware.frames import read_csv
from mechaware.grounding.data.tasks import TaskPair, _Prompt, read_task
from mechaware.grounding.tasks.verdict import RATES, TaskVerdict, _shortcut_shares, judge_task
from tests.unit.grounding.measured_by_hand import THRESHOLDS, HandPair, measured, several

REPOSITORY = Path(__file__).resolve().parents[4]
COMMITTED = REPOSITORY / "config/calibration/rules.csv"
FRESH = REPOSITORY / "results/tables/grounding_drawn.csv"  # where a developer has run the workflow


def judged(hand: dict[str, HandPair], *, without: str = "", place: str = "", shortcut: str = "") -> TaskVerdict:
    """The verdict on six pairs of which all rules hold and those given; `without` a kind of prompt."""
    tables = measured(hand)
    tables = tables._replace(answers=tables.answers[tables.answers["prompt"] != without])
    shortcuts = {"shortcut_mine": shortcut} if shortcut else {}
    pairs = [
        TaskPair(name, "", place, {"clean": _Prompt(1, "x", "price", "", (), shortcuts, "", place)}) for name in hand
    ]
    return judge_task(
        pairs, tables, THRESHOLDS, COMMITTED, verdict_share=0.5, level=0.95, resamples=100, seed=1
    )  # fmt: skip


HABIT = {f"bad{number}": HandPair(answer="pet") for number in range(6)}  # G5 alone fails


@pytest.mark.parametrize(
    ("hand", "given", "status", "corrected"),
    [
        ({}, {}, "grounds", 1.0),
        ({}, {"without": "irrelevant"}, "not shown", 1.0),  # enough pairs pass, but G1 is not asked
        (HABIT, {}, "grounds", 0.5),
        ({**HABIT, "more": HandPair(answer="pet")}, {}, "does not ground", 6 / 13),
        ({**HABIT, "more": HandPair(answer="pet")}, {"without": "unasked"}, "does not ground", 6 / 13),
        ({}, {"shortcut": "price"}, "not shown", None),  # the shortcut answers every pair
        (HABIT, {"shortcut": "pet"}, "grounds", 0.5),  # it answers none
    ],
)
def test_the_status_is_that_of_the_corrected_share(
    hand: dict[str, HandPair], given: dict[str, str], status: str, corrected: float | None
) -> None:
    verdict = judged(several(**hand), **given)
    grounded = verdict.sets[-1]
    assert verdict.status == status
    assert grounded["corrected"] == pytest.approx(corrected)
    assert grounded["grounds"] == (None if "without" in given else status == "grounds")


def test_a_copier_of_the_commonest_place_is_taken_off_each_set() -> None:
    """Three of six pairs want place 1, and R1 to R3 hold in all: (1 - 1/2) / (1 - 1/2); 5 of 6 give 2/3."""
    hand = several()
    tables = measured({**hand, "p5": HandPair(corrupted=2.0)})  # no gap: R1, G1 and G2 fail
    pairs = [
        TaskPair(name, "", "1" if number < 3 else str(number), {"clean": _Prompt(1, "x", "y", "", (), {}, "", "")})
        for number, name in enumerate(hand)
    ]
    verdict = judge_task(pairs, tables, THRESHOLDS, COMMITTED, verdict_share=0.5, level=0.95, resamples=100, seed=1)
    assert verdict.shortcuts == {"place 1": 0.5}
    assert [row["corrected"] for row in verdict.sets] == pytest.approx([(5 / 6 - 0.5) / 0.5] * 3)


def test_a_rule_that_is_not_asked_has_no_share_and_the_others_have_theirs() -> None:
    verdict = judged(several(), without="unasked")
    assert verdict.rules == {**dict.fromkeys(("r1", "r2", "r3", "g1", "g2", "g3"), 1.0), "g4": None, "g5": 1.0}
    assert "G1 to G5, but for G4 (not asked), hold in 100% of the pairs" in verdict.reason
    assert "g4" not in verdict.pairs[0]


def test_every_set_has_its_committed_error_rates() -> None:
    table = read_csv(COMMITTED, RATES).set_index(["rules", "half"])
    for row in judged(several()).sets:
        known = table.loc[(row["rules"], "held_out")]
        assert row["rates"]["specificity"]["value"] == known["specificity"]
        assert row["rates"]["sensitivity"]["n"] == known["grounded"] >= 8
        assert row["rates"]["auroc"]["low"] == known["low"]


@pytest.mark.skipif(not FRESH.exists(), reason="no results of a run in this checkout")
def test_a_fresh_run_lies_within_the_committed_intervals() -> None:
    keys = ["rules", "half"]
    both = read_csv(COMMITTED, RATES).merge(read_csv(FRESH, RATES), on=keys, suffixes=("", "_fresh"))
    assert len(both) > 0
    assert both["auroc_fresh"].between(both["low"], both["high"]).all()
    for measure in ("sensitivity", "specificity"):
        assert both[f"{measure}_fresh"].between(both[f"{measure}_low"], both[f"{measure}_high"]).all()


@pytest.mark.parametrize("name", ["json_values", "ioi"])
def test_no_shortcut_of_an_example_answers_more_than_half_of_its_pairs(name: str) -> None:
    pairs = read_task(REPOSITORY / f"examples/{name}.csv")
    assert len(pairs) == 12
    assert max(_shortcut_shares(pairs).values()) <= 0.5
