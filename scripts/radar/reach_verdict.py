"""Reach the verdict on a suspected benchmark, and draw its page."""

import json
from pathlib import Path

from mechaware.files import atomic_write
from mechaware.frames import read_csv
from mechaware.provenance import sidecar
from mechaware.radar.evidence.evidence import read_evidence
from mechaware.radar.schemas import SUSPECTED
from mechaware.radar.verdicts.decision import CALIBRATION, decide
from mechaware.radar.verdicts.page import render_page, summary
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
    table = read_csv(scores, SUSPECTED)
    reached = decide(
        table,
        read_evidence(evidence),
        verdict_detectors,
        read_csv(calibration, CALIBRATION),
        level=round(1 - confidence_level, 10),
        seed=seed,
    )._replace(notes=notes.read_text(encoding="utf-8").splitlines())
    texts = {
        verdict: json.dumps(reached.record(), indent=1) + "\n",
        page: render_page(name, label, reached),
        lines: summary(name, reached, page),
    }
    for path, text in texts.items():
        with atomic_write(path) as partial:
            partial.write_text(text, encoding="utf-8")
    if "seen" not in table:  # a run of the same benchmark with its truth left a ranking
        ranking = scores.with_name("detectors.csv")
        for path in (ranking, sidecar(ranking)):
            path.unlink(missing_ok=True)
