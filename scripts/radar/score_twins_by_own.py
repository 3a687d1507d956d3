"""Score the planted items of both twins by the detectors of the user's own package."""

from pathlib import Path

from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.detectors.registry import load_detectors
from mechaware.instruments.radar.evidence.evidence import read_evidence
from mechaware.planted.twins.items import TWINS
from mechaware.planted.twins.planted_files import read_plan
from mechaware.planted.twins.scoring import score_twins_by_own
from scripts.command import Output
from scripts.radar.score_twins import read_texts


def main(
    *,
    planted: Path,
    base: Path,
    evidence: list[Path],
    own_detectors: list[str],
    seed: int,
    own_scores: Output,
) -> None:
    """Write one row per twin and item; `evidence` are the files of the twins A and B,
    `own_detectors` dotted names.
    """
    texts = read_texts(planted, base)
    table = score_twins_by_own(
        dict(zip(TWINS, map(read_evidence, evidence), strict=True)),
        read_plan(planted).items,
        texts.corpora,
        texts.token_counts,
        load_detectors(own_detectors),
        seed=seed,
    )
    write_parquet(table, own_scores)
