"""Score the items of a suspected benchmark by each of our detectors."""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_csv
from mechaware.instruments.radar.benchmark import corpus_texts, read_benchmark
from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.instruments.radar.detectors.registry import DETECTORS
from mechaware.instruments.radar.evidence.evidence import read_evidence
from mechaware.instruments.radar.evidence.measuring import count_tokens
from mechaware.instruments.radar.verdicts.suspected import score_benchmark
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
    """Write one row per item; `control` and `corpus` are a file or none."""
    table = score_by(
        DETECTORS,
        questions=questions,
        control=control,
        evidence=evidence,
        model=model,
        corpus=corpus,
        seed=seed,
    )
    write_csv(table, scores)


def score_by(
    detectors: tuple[Detector, ...],
    *,
    questions: Path,
    control: list[Path],
    evidence: Path,
    model: Path,
    corpus: list[Path],
    seed: int,
) -> pd.DataFrame:
    """The scores of the items by these detectors, from the files of `main`."""
    # The evidence has those items that were measured.
    benchmark = read_benchmark(questions, skip_faulty=True)
    unread = next((read_benchmark(path, skip_faulty=True) for path in control), None)
    texts = next((list(corpus_texts(path)) for path in corpus), None)
    return score_benchmark(
        read_evidence(evidence),
        benchmark,
        detectors,
        control=unread,
        corpus=texts,
        token_counts=None if texts is None else count_tokens(texts, load_tokenizer(model)),
        seed=seed,
    )
