"""Score the docstrings that were planted in a pretrained model by each of our detectors."""

from pathlib import Path

from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.evidence.evidence import read_evidence
from mechaware.models.registry import load_tokenizer
from mechaware.planted.natural.measuring import score_planted_texts
from mechaware.planted.natural.planting import read_planted_texts
from mechaware.planted.twins.items import TWINS
from scripts.command import Output


def main(*, planted: Path, base: Path, evidence: list[Path], seed: int, scores: Output) -> None:
    """Write one row per twin and item; `evidence` are the files of the twins A and B."""
    table = score_planted_texts(
        dict(zip(TWINS, map(read_evidence, evidence), strict=True)),
        read_planted_texts(planted),
        load_tokenizer(base),
        seed=seed,
    )
    write_parquet(table, scores)
