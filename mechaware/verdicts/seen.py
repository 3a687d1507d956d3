"""The verdict on a benchmark: was the model trained on it?

`judge_benchmark` rests on the control (`_judge_with_control`), without one on the published orders
(`_judge_orders`), and without either there is no verdict. `seen_error_rates` finds how often such
a verdict is wrong.
"""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mechaware.core.errors import UserError
from mechaware.instruments.radar.detectors.detector import required
from mechaware.instruments.radar.detectors.registry import DETECTORS
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.order.decision import (
    OrderTest,
    conclude_orders,
    order_settings,
)
from mechaware.instruments.radar.verdicts.accuracy import Accuracy, accuracies
from mechaware.instruments.radar.verdicts.blind_rows import BlindTest
from mechaware.instruments.radar.verdicts.conformal import ItemTest, item_tests
from mechaware.instruments.radar.verdicts.control import CONTROL
from mechaware.instruments.radar.verdicts.decision import (
    DetectorTest,
    Status,
    decide,
    deciding_settings,
)
from mechaware.instruments.radar.verdicts.next_steps import likeliest_seen
from mechaware.instruments.radar.verdicts.page import TEMPLATES, page_values
from mechaware.instruments.radar.verdicts.share import SeenShare, seen_share
from mechaware.verdicts.cases.order import order_decisions
from mechaware.verdicts.cases.seen import seen_decisions
from mechaware.verdicts.error_rates import ErrorRates, ModelSize, Rate, find_error_rates
from mechaware.verdicts.page import Door
from mechaware.verdicts.procedure import Procedure, make_procedure
from mechaware.verdicts.verdict import Outcome, Verdict

_OUTCOMES: dict[Status, Outcome] = {
    "seen": "shown",
    "not shown": "not shown",
    "confounded": "cannot tell",
    "no verdict": "cannot tell",
}
DOOR = Door(
    question="Has {model} seen {name} in its training?",
    template=TEMPLATES / "seen.html.j2",
    values=lambda verdict: page_values(
        verdict.evidence.items, verdict.evidence.control_scores, verdict.level
    ),
    planted=(
        "How often the verdict was seen on models that were trained here on known items, with as "
        "many items in the control, or on a file that they read in its order: false alarms where "
        "nothing was read, power where it was. Then the estimated share of seen items, in "
        "brackets the range of 95% of the draws; the true share is that of the items read. This "
        "holds for items and a control of one source: where some answers of the control are "
        "wrong or of another kind, false alarms rise, and no baseline above sees it."
    ),
    nearby_files=(
        "verdict.json has all of it, scores.csv the score of every item by each detector whose "
        "evidence was measured (own_scores.csv by those of your own; the key "
        "radar/optional_evidence adds slower ones, such as CDD), and detectors.csv how well each "
        "detector does, where it is known which items were seen. items.csv has the decision on "
        "each item, and clean.csv the benchmark without the likeliest seen."
    ),
)
_NO_VERDICT = "there is no verdict whose rates could be shown"
_SHARE = "estimated share of seen items"
_SHARE_NOT_MEASURED = (
    "the error of the share of items that were seen is not measured on planted shares"
)


class SeenEvidence(NamedTuple):
    """What a verdict on a benchmark rests on.

    - `n_items`, `n_control`: the sizes of the benchmark and of the control.
    - `text_length`: the median length of the items, in characters.
    - `detectors`: the tests of detectors' scores.
    - `blind`: the tests of what reads nothing but the texts.
    - `items`: the items, the likeliest seen first.
    - `control_scores`: the scores of the control by the first detector.
    - `share`: the estimated share of the items that were seen; None without a verdict and where it
      is confounded.
    - `left_out`: the ids of the items that a clean subset leaves out; none unless the benchmark was
      seen.
    - `accuracy`: on all items, on the clean subset, and on the control, where it is known which
      answers were right.
    - `orders`: the tests of published orders.
    - `rests_on`: what decided the status: `control`, or without a control `order of items` and
      `order of options`.

    Without a control `n_control` is 0, and the lists of tests, items and scores are empty.
    """

    n_items: int
    n_control: int
    text_length: float
    detectors: list[DetectorTest]
    blind: list[BlindTest]
    items: list[ItemTest]
    control_scores: list[float]
    share: SeenShare | None = None
    left_out: Sequence[str] = ()
    accuracy: Sequence[Accuracy] = ()
    orders: Sequence[OrderTest] = ()
    rests_on: Sequence[str] = ()

    def record(self) -> dict[str, Any]:
        """The tests as JSON holds them."""
        return self._asdict() | {
            "detectors": [test._asdict() for test in self.detectors],
            "blind": [test._asdict() for test in self.blind],
            "items": [test._asdict() for test in self.items],
            "accuracy": [accuracy._asdict() for accuracy in self.accuracy],
            "orders": [test._asdict() for test in self.orders],
            "share": None if self.share is None else self.share._asdict(),
            "left_out": list(self.left_out),
            "rests_on": list(self.rests_on),
        }


def judge_benchmark(
    scores: pd.DataFrame,
    evidence: Evidence,
    detectors: Sequence[str],
    calibration: pd.DataFrame,
    *,
    significance: float,
    seed: int,
    notes: Sequence[str] = (),
    marks: Mapping[str, float] | None = None,
    orders: Sequence[OrderTest] = (),
) -> Verdict[SeenEvidence]:
    """The verdict on the items of a benchmark.

    With a control the status follows by the rule of `radar.verdicts.decision.decide`.

    Args:
        scores: A row for each item of the benchmark and of the control. Columns: id; one for each
            detector, the higher the more likely seen; `control`, true for the rows of the control.
            Without a control the column is missing.
        evidence: The evidence of the same rows.
        detectors: The detectors chosen beforehand; the first one scores the items. A detector
            without a column, because a row lacks evidence that it needs, is ignored.
        calibration: The error rates, from `read_calibration`.
        significance: The level of the tests, such as 0.05.
        seed: The seed of the blind tests.
        notes: Sentences for the page.
        marks: By id, how right the model's answers were (`accuracies`).
        orders: The tests of published orders, on which the verdict rests if there is no control.

    Raises:
        UserError: A name is no detector's, or none of `detectors` has a column.
    """
    names = _scored_detectors(detectors, scores)
    if CONTROL in scores:
        return _judge_with_control(
            scores,
            evidence,
            names,
            calibration,
            significance=significance,
            seed=seed,
            notes=notes,
            marks=marks or {},
            orders=orders,
        )
    if orders:
        return _judge_orders(orders, evidence, calibration, significance=significance, notes=notes)
    return _no_verdict(evidence, significance=significance, notes=notes)


def _scored_detectors(detectors: Sequence[str], scores: pd.DataFrame) -> list[str]:
    """Those of `detectors` that have a column.

    Raises `UserError` if none has a column, or if a name is no detector's.
    """
    names = [name for name in detectors if name in scores]
    unknown = set(detectors) - set(names) - {detector.name for detector in DETECTORS}
    if unknown or not names:
        wrong = ", ".join(sorted(unknown)) or ", ".join(detectors)
        raise UserError(
            f"radar/verdict_detectors: no scores of {wrong}; name columns of scores.csv"
        )
    return names


def _judge_with_control(
    scores: pd.DataFrame,
    evidence: Evidence,
    detectors: list[str],
    calibration: pd.DataFrame,
    *,
    significance: float,
    seed: int,
    notes: Sequence[str],
    marks: Mapping[str, float],
    orders: Sequence[OrderTest],
) -> Verdict[SeenEvidence]:
    """The verdict that rests on the control. Each of `detectors` has a column of `scores`."""
    is_item = ~scores[CONTROL].to_numpy(bool)
    n_control = int((~is_item).sum())
    decision = decide(
        scores[detectors],
        evidence.texts,
        evidence.scores,
        is_item,
        significance=significance,
        seed=seed,
    )

    # The first detector compares each item with the control.
    ids = scores.loc[is_item, "id"].tolist()
    texts = [evidence.texts[row] for row in np.flatnonzero(is_item).tolist()]
    first_scores = scores[detectors[0]].to_numpy(float)
    control_scores = first_scores[~is_item]
    ids_and_texts = list(zip(ids, texts, strict=True))
    items = item_tests(ids_and_texts, first_scores[is_item], control_scores)

    share = _share_of(items, n_control, decision.status, significance)
    left_out: Sequence[str] = []
    if share is not None and decision.status == "seen":
        left_out = likeliest_seen(items, share)
    accuracy = accuracies(marks, scores["id"].tolist(), left_out, confidence_level=1 - significance)

    seen_evidence = SeenEvidence(
        n_items=len(items),
        n_control=n_control,
        text_length=_median_length(texts),
        detectors=decision.detectors,
        blind=decision.blind,
        items=items,
        control_scores=sorted(control_scores.tolist()),
        share=share,
        left_out=left_out,
        accuracy=accuracy,
        orders=orders,
        rests_on=[CONTROL],
    )

    procedure = seen_procedure(detectors, significance)
    error_rates = seen_error_rates(procedure, seen_evidence, model_size(evidence), calibration)
    has_error_of_share = any(rate.measure == _SHARE for rate in error_rates.rates)
    if share is not None and not has_error_of_share:
        error_rates = error_rates._replace(missing=[*error_rates.missing, _SHARE_NOT_MEASURED])
    return _verdict(
        seen_evidence,
        status=decision.status,
        reason=decision.reason,
        procedure=procedure,
        error_rates=error_rates,
        level=significance,
        notes=notes,
    )


def _share_of(
    items: Sequence[ItemTest], n_control: int, status: Status, significance: float
) -> SeenShare | None:
    """The estimated share of seen items; None for a confounded verdict."""
    if status == "confounded":
        return None
    return seen_share([item.p for item in items], n_control, confidence_level=1 - significance)


def _verdict(
    seen_evidence: SeenEvidence,
    *,
    status: Status,
    reason: str,
    procedure: Procedure | None,
    error_rates: ErrorRates,
    level: float,
    notes: Sequence[str],
) -> Verdict[SeenEvidence]:
    """The verdict with this status, which rests on `seen_evidence`."""
    return Verdict(
        question="seen",
        status=status,
        outcome=_OUTCOMES[status],
        reason=reason,
        level=level,
        n=seen_evidence.n_items,
        evidence=seen_evidence,
        procedure=procedure,
        error_rates=error_rates,
        notes=notes,
    )


def seen_procedure(detectors: Sequence[str], significance: float) -> Procedure:
    """The procedure of a verdict at `significance` by these detectors."""
    return make_procedure(
        "radar", deciding_settings(significance), detectors, seen_decisions(detectors)
    )


def model_size(evidence: Evidence) -> ModelSize:
    """The size of the model that gave the evidence."""
    _, n_layers, d_model = required(evidence.states).shape
    return ModelSize(n_layers, d_model)


def seen_error_rates(
    procedure: Procedure, seen_evidence: SeenEvidence, size: ModelSize, calibration: pd.DataFrame
) -> ErrorRates:
    """How often a verdict `seen` was right or wrong in planted benchmarks.

    Only planted benchmarks with at most as many items as were tested count.

    Args:
        procedure: The procedure of the verdict.
        seen_evidence: What the verdict rests on; its numbers of items and its median text length
            choose the rates.
        size: The size of the model.
        calibration: The table of `read_calibration`.
    """
    calibrated = find_error_rates(
        procedure, calibration, size=size, text_length=seen_evidence.text_length
    )
    if calibrated.missing:
        return ErrorRates([], [calibrated.missing], [])

    # With a control the verdict rests on it, whatever the orders show.
    sizes = [seen_evidence.n_items, seen_evidence.n_control]
    if seen_evidence.n_control == 0:
        sizes = [test.n_items for test in seen_evidence.orders]
    rows = calibrated.rows[calibrated.rows["n_items"] <= min(sizes)]
    if rows.empty:
        fewest = calibrated.rows["n_items"].min()
        return ErrorRates([], [f"not measured with fewer than {fewest} items"], [])

    rates = [_rate(row) for row in rows.to_dict("records")]
    if "share" in rows:
        # The tests of orders estimate no share.
        with_share = rows[rows["share"].notna()]
        rates += [_share_rate(row) for row in with_share.to_dict("records")]
    return ErrorRates(rates, [], calibrated.distance)


def _rate(row: dict[Any, Any]) -> Rate:
    """The rate of the verdict `seen` in a cell.

    It is the rate of false alarms where nothing was read, and elsewhere the power.
    """
    measure = "power" if row["n_seen"] else "false alarms"
    return Rate(
        measure=measure,
        value=float(row["seen"]),
        low=float(row["low"]),
        high=float(row["high"]),
        n=int(row["independent"]),
        case=_case(row),
    )


def _share_rate(row: dict[Any, Any]) -> Rate:
    """The mean estimate of the share of seen items in a cell, and the range of most estimates.

    The true share is the number of items that were read divided by the number of items; the case
    has both.
    """
    return Rate(
        measure=_SHARE,
        value=float(row["share"]),
        low=float(row["share_low"]),
        high=float(row["share_high"]),
        n=int(row["independent"]),
        case=_case(row),
    )


def _case(row: dict[Any, Any]) -> dict[str, str | int | float]:
    """What was planted in a cell, and how far its models differ in the verdict *seen*."""
    return {
        "items": int(row["n_items"]),
        "of them read": int(row["n_seen"]),
        "times": int(row["dose"]),
        "lowest of a model": float(row["lowest"]),
        "highest of a model": float(row["highest"]),
        "confounded": float(row["confounded"]),
    }


def _judge_orders(
    orders: Sequence[OrderTest],
    evidence: Evidence,
    calibration: pd.DataFrame,
    *,
    significance: float,
    notes: Sequence[str],
) -> Verdict[SeenEvidence]:
    """Without a control the verdict rests on the published orders."""
    status, reason = conclude_orders(orders, significance)
    reordered = [test.reordered for test in orders]
    seen_evidence = _tables_without_control(evidence)._replace(
        orders=orders, rests_on=[f"order of {name}" for name in reordered]
    )
    procedure = order_procedure(reordered, significance)
    error_rates = seen_error_rates(procedure, seen_evidence, model_size(evidence), calibration)
    return _verdict(
        seen_evidence,
        status=status,
        reason=reason,
        procedure=procedure,
        error_rates=error_rates,
        level=significance,
        notes=notes,
    )


def order_procedure(reordered: Sequence[str], significance: float) -> Procedure:
    """The procedure of a verdict at `significance` by published orders.

    `reordered`: whether they are the order of `items`, of `options` or both.
    """
    asked = [f"order_of_{name}" for name in reordered]
    return make_procedure("radar", order_settings(significance), asked, order_decisions())


def _no_verdict(
    evidence: Evidence, *, significance: float, notes: Sequence[str]
) -> Verdict[SeenEvidence]:
    """Without a control and an order there is no verdict: scores only order the items."""
    return _verdict(
        _tables_without_control(evidence),
        status="no verdict",
        reason="give a control",
        procedure=None,
        error_rates=ErrorRates([], [_NO_VERDICT], []),
        level=significance,
        notes=notes,
    )


def _tables_without_control(evidence: Evidence) -> SeenEvidence:
    """No tests of detectors, of texts or of items, which all need a control."""
    return SeenEvidence(
        n_items=len(evidence.texts),
        n_control=0,
        text_length=_median_length(evidence.texts),
        detectors=[],
        blind=[],
        items=[],
        control_scores=[],
    )


def _median_length(texts: Sequence[str]) -> float:
    """The median length of the texts, in characters."""
    return float(median(map(len, texts)))
