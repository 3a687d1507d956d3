"""Score the items of a suspected benchmark by every detector."""

from pathlib import Path

from mechaware.core.frames import write_csv
from mechaware.instruments.radar.benchmark import corpus_texts, read_benchmark
from mechaware.instruments.radar.detectors.registry import all_detectors
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
    own_detectors: list[str],
    seed: int,
    scores: Output,
) -> None:
    """Write one row per item; `control` and `corpus` are a file or none, `own_detectors` names in a user's package."""
    texts = next((list(corpus_texts(path)) for path in corpus), None)
    table = score_benchmark(
        read_evidence(evidence),
        read_benchmark(
            questions, skip_faulty=True
        ),  # of which the evidence has those that were measured
        all_detectors(own_detectors),
        control=next((read_benchmark(path, skip_faulty=True) for path in control), None),
        corpus=texts,
        token_counts=None if texts is None else count_tokens(texts, load_tokenizer(model)),
        seed=seed,
    )
    write_csv(table, scores)
