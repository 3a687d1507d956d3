"""The verdict on a benchmark as a whole: with a control and without one, its clean subset, and its rates."""

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
    rows = pd.DataFrame({"id": [f"i{row}" for row in range(2 * N)], **columns})
    return rows.assign(control=[False] * N + [True] * N)


SEPARATED = [float(number) for number in (*range(N, 2 * N), *range(N))]


def test_a_benchmark_above_its_control_is_seen_with_the_rates_of_as_many_items() -> None:
    verdict = judged(table(loss=SEPARATED), ["loss"])
    assert (verdict.question, verdict.status, verdict.outcome, verdict.n) == (
        "seen",
        "seen",
        "shown",
        N,
    )
    assert {rate.case["items"] for rate in verdict.error_rates.rates} == {11, 22}
    assert {rate.measure for rate in verdict.error_rates.rates} == {
        "false alarms",
        "power",
        "estimated share of seen items",
    }
    assert verdict.error_rates.distance == [
        "measured on questions about invented names with a median length of 38 characters; these texts have 15: "
        "0.39 times as long"
    ]


def test_of_a_benchmark_that_is_half_seen_the_likeliest_items_are_left_out() -> None:
    """11 items above all controls 0, 1, ..., 21, and 11 at 0.5, 2.5, ..., 20.5, which have p = 22/23, 20/23, ..., 2/23.

    Six of them exceed 11/23, of which 22 * 12/23 were expected.
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
    """Items and controls take turns."""
    scores = table(loss=[*(2.0 * row for row in range(N)), *(2.0 * row + 1 for row in range(N))])
    verdict = judged(scores, ["loss"])
    assert verdict.status == "not shown"
    assert verdict.evidence.share is not None
    assert verdict.evidence.share.low == 0
    assert verdict.evidence.left_out == []


def test_another_level_has_no_rates() -> None:
    verdict = judged(table(loss=SEPARATED), ["loss"], significance=0.01)
    assert verdict.error_rates.rates == []
    assert verdict.error_rates.missing == [
        "not measured with this procedure: level is 0.01, measured at 0.05",
        NO_SHARE_ERROR,
    ]


def test_without_a_control_there_is_no_number_and_no_verdict() -> None:
    verdict = judged(table(loss=SEPARATED).drop(columns="control"), ["loss"])
    assert (verdict.status, verdict.outcome, verdict.reason) == (
        "no verdict",
        "cannot tell",
        "give a control",
    )
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
    """Rates of the test of these orders, of 15 and of 90 items. It estimates no share."""
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
    # Of 90 items none were tested: at most 16.
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


def test_a_detector_without_scores_is_left_out_and_one_must_be_left() -> None:
    scores = table(loss=SEPARATED)
    verdict = judged(scores, ["reference", "loss"])
    assert [test.detector for test in verdict.evidence.detectors] == ["loss"]
    assert verdict.procedure is not None
    assert verdict.procedure.asked == ("loss",)
    for names, wrong in ((["loss", "lost"], "lost"), (["reference"], "reference")):
        with pytest.raises(
            UserError, match=f"radar/verdict_detectors: no scores of {wrong}; name columns"
        ):
            judged(scores, names)


def test_a_calibration_without_procedures_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "calibration.csv"
    path.write_text("detectors,level,seen\nloss,0.05,0.9\n")
    with pytest.raises(UserError, match=r"calibration\.csv: no column 'procedure'"):
        read_calibration(path)
