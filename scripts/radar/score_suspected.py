"""Score the items of a suspected benchmark by every detector."""

from pathlib import Path

from mechaware.frames import write_csv
from mechaware.models.registry import load_tokenizer
from mechaware.radar.detectors.listed import all_detectors
from mechaware.radar.evidence.folder import read_evidence
from mechaware.radar.evidence.token_counts import count_tokens
from mechaware.radar.suspected.benchmark import corpus_texts, read_benchmark
from mechaware.radar.suspected.scoring import score_benchmark
from scripts.command import Output, run


def main(
    *, items: Path, evidence: Path, model: Path, corpus: list[Path], detectors: list[str], seed: int, out: Output
) -> None:
    """Write one row per item; `corpus` is a text file or nothing, `detectors` are names in the user's own package."""
    texts = next((list(corpus_texts(path)) for path in corpus), None)
    table = score_benchmark(
        read_evidence(evidence),
        read_benchmark(items),
        all_detectors(detectors),
        corpus=texts,
        token_counts=None if texts is None else count_tokens(texts, load_tokenizer(model)),
        seed=seed,
    )
    write_csv(table, out)


if __name__ == "__main__":
    run(main)
