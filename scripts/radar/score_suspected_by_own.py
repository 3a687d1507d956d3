"""Score the items of a suspected benchmark by the detectors of the user's own package."""

from pathlib import Path

from mechaware.core.frames import write_csv
from mechaware.instruments.radar.detectors.registry import check_needs, load_detectors
from scripts.command import Output
from scripts.radar.score_suspected import SuspectedFiles, score_by


def main(
    *,
    questions: Path,
    control: list[Path],
    evidence: Path,
    model: Path,
    corpus: list[Path],
    own_detectors: list[str],
    optional_evidence: list[str],
    seed: int,
    own_scores: Output,
) -> None:
    """Write one row per item; `control` and `corpus` are a file or none, `own_detectors` dotted
    names.

    `optional_evidence`: the fields of the evidence that were measured, of those that may be left
    out.
    """
    detectors = load_detectors(own_detectors)
    check_needs(detectors, optional_evidence)
    files = SuspectedFiles(
        questions=questions, control=control, evidence=evidence, model=model, corpus=corpus
    )
    write_csv(score_by(detectors, files, seed), own_scores)
