"""Score the planted items of both twins by every detector."""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.detectors.registry import all_detectors
from mechaware.instruments.radar.evidence.evidence import read_evidence
from mechaware.instruments.radar.evidence.measuring import count_tokens
from mechaware.models.registry import load_tokenizer
from mechaware.planted.twins.items import TWINS
from mechaware.planted.twins.planting import read_held_out, read_lines, read_plan
from mechaware.planted.twins.scoring import score_twins
from scripts.command import Output


def main(
    *,
    planted: Path,
    base: Path,
    evidence: list[Path],
    answers: list[Path],
    own_detectors: list[str],
    seed: int,
    scores: Output,
) -> None:
    """Write one row per twin and item; `evidence` and `answers` are the files of the twins A and B."""
    texts = {name: [line.text for line in read_lines(planted, name)] for name in ("C", *TWINS)}
    # The corpus of a pretrained base is not known: its tokens are counted in the lines that both twins read.
    common = [
        text for text, other in zip(*(texts[twin] for twin in TWINS), strict=True) if text == other
    ]
    tokenizer = load_tokenizer(base)
    table = score_twins(
        dict(zip(TWINS, map(read_evidence, evidence), strict=True)),
        dict(zip(TWINS, map(pd.read_parquet, answers), strict=True)),
        read_plan(planted).items,
        {twin: texts["C"] + texts[twin] for twin in TWINS},
        read_held_out(planted).fitting,
        tokenizer,
        count_tokens(texts["C"] or common, tokenizer),
        all_detectors(own_detectors),
        seed=seed,
    )
    write_parquet(table, scores)
