"""The verdict on a benchmark: with a control and without one, its clean subset, and its rates."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.order.decision import OrderTest
from mechaware.models.summaries import TokenScores
from mechaware.verdicts.error_rates import read_calibration
from mechaware.verdicts.seen import SeenEvidence, judge_benchmark, order_procedure
from mechaware.verdicts.verdict import Verdict

RATES = read_calibration(Path(__file__).resolve().parents[3] / "config/calibration/detectors.csv")
N = 22
NO_SHARE_ERROR = "the error of the share of items that were seen is not measured on planted shares"


def evidence(n: int) -> Evidence:
    """A token for each word, under a model of 4 blocks of width 96; texts of 15 characters."""
    texts = [f"the {'abcdefghij'[row % 10] * 5} lamps" for row in range(n)]
    scores = [TokenScores(np.arange(3), *np.zeros((4, 3))) for _ in texts]
    return Evidence(texts, texts, scores, states=np.zeros((n, 4, 96)))


def judged(
    scores: pd.DataFrame, detectors: list[str], significance: float = 0.05
) -> Verdict[SeenEvidence]:
    return judge_benchmark(
        scores, evidence(len(scores)), detectors, RATES, significance=significance, seed=0
    )


def table(**columns: list[float]) -> pd.DataFrame:
    """The scores of N items and then of N controls, by detector."""
    rows = pd.DataFrame({"id": [f"i{row}" for row in range(2 * N)], **columns})
    return rows.assign(control=[False] * N + [True] * N)


# Items 22, 23, ..., 43, all above the controls 0, 1, ..., 21.
SEPARATED = [float(number) for number in (*range(N, 2 * N), *range(N))]


def test_a_benchmark_above_its_control_is_seen_with_the_rates_of_as_many_items() -> None:
    verdict = judged(table(loss=SEPARATED), ["loss"])
    assert verdict.question == "seen"
    assert verdict.status == "seen"
    assert verdict.outcome == "shown"
    assert verdict.n == N
    # The calibration has 11, 22 and 44 items of this kind of text; 44 are more than N.
    assert {rate.case["items"] for rate in verdict.error_rates.rates} == {11, 22}
    assert {rate.measure for rate in verdict.error_rates.rates} == {
        "false alarms",
        "power",
        "estimated share of seen items",
    }
    assert verdict.error_rates.distance == [
        "measured on questions about invented names with a median length of 38 characters; these "
        "texts have 15: 0.39 times as long"
    ]


@pytest.mark.parametrize(
    "rows",
    [pytest.param(slice(33), id="11 controls"), pytest.param(slice(11, None), id="11 items")],
)
def test_rates_are_of_no_more_items_than_the_smaller_of_benchmark_and_control(rows: slice) -> None:
    """Of 22 items and 22 controls the last 11 controls, or the first 11 items, are left out.

    The calibration has 11, 22 and 44 items, each with as many controls.
    """
    scores = table(loss=SEPARATED)[rows].reset_index(drop=True)
    verdict = judged(scores, ["loss"])
    assert verdict.status == "seen"
    assert {rate.case["items"] for rate in verdict.error_rates.rates} == {11}


def test_of_a_benchmark_that_is_half_seen_the_likeliest_items_are_left_out() -> None:
    """11 items are above all controls 0, 1, ..., 21; 11 are at 0.5, 2.5, ..., 20.5.

    The latter have p = 22/23, 20/23, ..., 2/23, and the former 1/23. Storey's estimate of the
    unseen share, with the threshold 11/23: six p-values exceed it, and 22 * 12/23 = 264/23 would if
    no item were seen.
    """
    items = [100.0 + row for row in range(11)] + [2 * row + 0.5 for row in range(11)]
    scores = table(loss=[*items, *map(float, range(N))])
    marks = {f"i{row}": float(row < 11) for row in range(N)}
    verdict = judge_benchmark(
        scores, evidence(2 * N), ["loss"], RATES, significance=0.05, seed=0, marks=marks
    )
    tables = verdict.evidence
    assert verdict.status == "seen"
    assert tables.share is not None
    assert tables.share.value == pytest.approx(1 - 6 * 23 / 264)
    assert tables.left_out[:2] == ["i10", "i9"]  # the highest scores
    assert len(tables.left_out) == np.ceil(tables.share.high * N) > 11
    whole, clean = tables.accuracy
    assert (whole.value, clean.value, clean.n) == (0.5, 0.0, N - len(tables.left_out))
    # How far such an estimate errs was measured with as many items.
    assert verdict.error_rates.missing == []
    assert "estimated share of seen items" in {rate.measure for rate in verdict.error_rates.rates}


def test_nothing_is_left_out_of_a_benchmark_that_was_not_shown_to_be_seen() -> None:
    """The items score 0, 2, 4, ... and the controls 1, 3, 5, ...: neither set is higher."""
    scores = table(loss=[*(2.0 * row for row in range(N)), *(2.0 * row + 1 for row in range(N))])
    verdict = judged(scores, ["loss"])
    assert verdict.status == "not shown"
    assert verdict.evidence.share is not None
    assert verdict.evidence.share.low == 0
    assert verdict.evidence.left_out == []


def test_at_a_level_of_no_calibration_there_are_no_rates() -> None:
    verdict = judged(table(loss=SEPARATED), ["loss"], significance=0.01)
    assert verdict.error_rates.rates == []
    assert verdict.error_rates.missing == [
        "not measured with this procedure: level is 0.01, measured at 0.05",
        NO_SHARE_ERROR,
    ]


def test_without_a_control_there_is_no_number_and_no_verdict() -> None:
    verdict = judged(table(loss=SEPARATED).drop(columns="control"), ["loss"])
    assert verdict.status == "no verdict"
    assert verdict.outcome == "cannot tell"
    assert verdict.reason == "give a control"
    tables = verdict.evidence
    assert tables.detectors == []
    assert tables.blind == []
    assert tables.items == []
    assert tables.control_scores == []
    assert verdict.error_rates.rates == []
    assert tables.share is None
    assert tables.rests_on == ()
    assert verdict.procedure is None


def order_rates(reordered: list[str]) -> pd.DataFrame:
    """A calibration with rates of a test by these orders, which estimates no share.

    The rate is 0.25 for 15 items and 0.75 for 90.
    """
    procedure = order_procedure(reordered, 0.05).text
    no_share = dict.fromkeys(("share", "share_low", "share_high"), np.nan)
    rows = RATES.iloc[[0, 1]].assign(
        n_items=[15, 90], seen=[0.25, 0.75], procedure=procedure, **no_share
    )
    return pd.concat([RATES, rows])


def test_without_a_control_a_verdict_rests_on_the_published_orders_and_has_their_rates() -> None:
    orders = [
        OrderTest("items", n_items=40, n_shards=3, lead=0.2, p=0.03, p_adjusted=0.03),
        OrderTest("options", n_items=16, n_shards=16, lead=0.4, p=0.01, p_adjusted=0.02),
    ]
    scores = table(loss=SEPARATED).drop(columns="control")
    rates = order_rates(["options", "items"])
    verdict = judge_benchmark(
        scores, evidence(len(scores)), ["loss"], rates, significance=0.05, seed=0, orders=orders
    )
    assert (verdict.status, verdict.outcome) == ("seen", "shown")
    assert verdict.reason == (
        "the published order of the options is likelier than other orders "
        "(16 items, p = 0.02 after Holm's correction for 2)"
    )
    assert verdict.evidence.record()["rests_on"] == ["order of items", "order of options"]
    assert verdict.evidence.record()["orders"][0]["lead"] == 0.2
    # The rate of 90 items is left out: the smaller of the two tests has 16 items.
    assert [(rate.value, rate.case["items"]) for rate in verdict.error_rates.rates] == [(0.25, 15)]


def test_with_a_control_a_verdict_rests_on_it_whatever_an_order_shows() -> None:
    scores = table(loss=[*(2.0 * row for row in range(N)), *(2.0 * row + 1 for row in range(N))])
    orders = [OrderTest("items", n_items=40, n_shards=3, lead=0.2, p=0.001, p_adjusted=0.001)]
    verdict = judge_benchmark(
        scores, evidence(2 * N), ["loss"], RATES, significance=0.05, seed=0, orders=orders
    )
    assert verdict.status == "not shown"
    assert verdict.evidence.rests_on == ["control"]
    assert verdict.evidence.orders == orders


def test_a_detector_without_scores_is_left_out() -> None:
    scores = table(loss=SEPARATED)
    verdict = judged(scores, ["reference", "loss"])
    assert [test.detector for test in verdict.evidence.detectors] == ["loss"]
    assert verdict.procedure is not None
    assert verdict.procedure.asked == ("loss",)


@pytest.mark.parametrize(
    ("detectors", "wrong"),
    [
        pytest.param(["loss", "lost"], "lost", id="no such detector"),
        pytest.param(["reference"], "reference", id="none has scores"),
    ],
)
def test_a_detector_that_gives_no_verdict_is_refused(detectors: list[str], wrong: str) -> None:
    message = f"radar/verdict_detectors: no scores of {wrong}; name columns"
    with pytest.raises(UserError, match=message):
        judged(table(loss=SEPARATED), detectors)


def test_a_calibration_without_procedures_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "calibration.csv"
    path.write_text("detectors,level,seen\nloss,0.05,0.9\n")
    with pytest.raises(UserError, match=r"calibration\.csv: no column 'procedure'"):
        read_calibration(path)
