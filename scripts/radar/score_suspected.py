"""Score the items of a suspected benchmark by each detector of RADAR."""

from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mechaware.core.frames import write_csv
from mechaware.instruments.radar.benchmark import read_benchmark
from mechaware.instruments.radar.corpus import corpus_texts
from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.instruments.radar.detectors.registry import DETECTORS
from mechaware.instruments.radar.evidence.evidence import read_evidence
from mechaware.instruments.radar.evidence.token_counts import count_tokens
from mechaware.instruments.radar.verdicts.scoring import score_benchmark
from mechaware.models.registry import load_tokenizer
from scripts.command import Output


def main(
    *,
    questions: Path,
    control: list[Path],
    evidence: Path,
    model: Path,
    corpus: list[Path],
    seed: int,
    scores: Output,
) -> None:
    """Write one row per item; the inputs are those of `SuspectedFiles`."""
    files = SuspectedFiles(
        questions=questions, control=control, evidence=evidence, model=model, corpus=corpus
    )
    write_csv(score_by(DETECTORS, files, seed), scores)


class SuspectedFiles(NamedTuple):
    """What scores are computed from.

    - `questions`: the benchmark's items.
    - `control`: one file of items that the model cannot have seen, or no file.
    - `evidence`: what was measured of the model on the items and the control.
    - `model`: the model's folder.
    - `corpus`: one file of texts that the model was trained on, or no file.
    """

    questions: Path
    control: list[Path]
    evidence: Path
    model: Path
    corpus: list[Path]


def score_by(detectors: tuple[Detector, ...], files: SuspectedFiles, seed: int) -> pd.DataFrame:
    """The scores of the measured items by these detectors, a row per item (`score_benchmark`).

    Detectors that need a corpus or its token counts give no column without a corpus.
    """
    # Faulty rows are skipped: unless the user allowed them, the measurement has refused the file.
    benchmark = read_benchmark(files.questions, skip_faulty=True)
    control = read_benchmark(files.control[0], skip_faulty=True) if files.control else None
    texts = list(corpus_texts(files.corpus[0])) if files.corpus else None
    token_counts = None
    if texts is not None:
        token_counts = count_tokens(texts, load_tokenizer(files.model))
    return score_benchmark(
        read_evidence(files.evidence),
        benchmark,
        detectors,
        control=control,
        corpus=texts,
        token_counts=token_counts,
        seed=seed,
    )
