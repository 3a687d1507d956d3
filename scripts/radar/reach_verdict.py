"""Reach the verdict on a suspected benchmark, and draw its page."""

from pathlib import Path

from exhibits.radar.schemas import SUSPECTED
from mechaware.core.frames import read_csv
from mechaware.core.levels import significance_at
from mechaware.instruments.radar.evidence.evidence import read_evidence
from mechaware.verdicts.error_rates import read_calibration
from mechaware.verdicts.page import write_verdict
from mechaware.verdicts.seen import DOOR, judge_benchmark
from scripts.command import Output


def main(
    *,
    name: str,
    label: str,
    scores: Path,
    evidence: Path,
    notes: Path,
    calibration: Path,
    verdict_detectors: list[str],
    confidence_level: float,
    seed: int,
    verdict: Output,
    page: Output,
    lines: Output,
) -> None:
    """Write the verdict as JSON, as a page, and as the `lines` that `snakemake suspected` ends with."""
    reached = judge_benchmark(
        read_csv(scores, SUSPECTED),
        read_evidence(evidence),
        verdict_detectors,
        read_calibration(calibration),
        level=significance_at(confidence_level),
        seed=seed,
        notes=notes.read_text(encoding="utf-8").splitlines(),
    )
    write_verdict(
        reached, DOOR, name=name, model=label, verdict_path=verdict, page=page, lines=lines
    )
