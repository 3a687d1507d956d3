"""Reach the verdict on a suspected benchmark, draw its page, and decide on its items."""

from pathlib import Path

from exhibits.radar.schemas import SUSPECTED
from mechaware.core.frames import Schema, read_csv, write_csv
from mechaware.core.levels import significance_at
from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.benchmark import read_benchmark
from mechaware.instruments.radar.detectors.registry import join_own_scores
from mechaware.instruments.radar.evidence.evidence import read_evidence
from mechaware.instruments.radar.order.decision import OrderTest, order_tests
from mechaware.instruments.radar.verdicts.accuracy import answer_marks
from mechaware.instruments.radar.verdicts.next_steps import clean_items, item_decisions
from mechaware.verdicts.error_rates import read_calibrations
from mechaware.verdicts.page import write_verdict
from mechaware.verdicts.planted_texts import with_rates_of_all_texts
from mechaware.verdicts.seen import DOOR, judge_benchmark
from scripts.command import Output


def main(
    *,
    name: str,
    label: str,
    questions: Path,
    control: list[Path],
    scores: Path,
    own_scores: list[Path],
    evidence: Path,
    orders: list[Path],
    notes: Path,
    calibration: list[Path],
    order_calibration: Path,
    verdict_detectors: list[str],
    confidence_level: float,
    seed: int,
    verdict: Output,
    page: Output,
    lines: Output,
    decisions: Output,
    clean: Output,
) -> None:
    """Write the verdict as JSON and as a page, its `lines`, and two tables that follow from it.

    `snakemake suspected` prints the lines last. `decisions` has a row for each item. `clean` is the
    benchmark without the items that were likeliest seen (`clean_items`).

    `control`, `own_scores` (by the user's own detectors) and `orders` are one file or none.
    The tables of `calibration` have the error rates of detectors, and `order_calibration` has the
    error rates of the tests of `orders`.
    """
    # A faulty item was not measured, so it has no scores.
    benchmark = read_benchmark(questions, skip_faulty=True)
    control_items = read_benchmark(control[0], skip_faulty=True) if control else None

    own = [read_csv(path, SUSPECTED) for path in own_scores]
    all_scores = join_own_scores(read_csv(scores, SUSPECTED), own)
    evidence_of_rows = read_evidence(evidence)
    rates = read_calibrations([*calibration, order_calibration])
    significance = significance_at(confidence_level)

    judged = judge_benchmark(
        all_scores,
        evidence_of_rows,
        verdict_detectors,
        rates,
        significance=significance,
        seed=seed,
        notes=notes.read_text(encoding="utf-8").splitlines(),
        marks=answer_marks(benchmark, control_items),
        orders=_test_orders(orders, derive_seed(seed, "order")),
    )
    reached = with_rates_of_all_texts(judged, all_scores, evidence_of_rows, rates)
    write_verdict(
        reached, DOOR, name=name, model=label, verdict_path=verdict, page=page, lines=lines
    )

    items = reached.evidence.items
    write_csv(item_decisions(items, reached.status, significance), decisions)
    measured_ids = set(all_scores["id"])
    write_csv(clean_items(benchmark, measured_ids, reached.evidence.left_out), clean)


def _test_orders(orders: list[Path], seed: int) -> list[OrderTest]:
    """The tests of the orders in the file of `orders`; none without a file."""
    tests: list[OrderTest] = []
    for path in orders:
        rows = read_csv(path, Schema(text=("reordered",)))
        tests += order_tests(rows, seed)
    return tests
