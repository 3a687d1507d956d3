"""Score the planted items of both twins by each of our detectors."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Int

from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.evidence.evidence import read_evidence
from mechaware.instruments.radar.evidence.token_counts import count_tokens
from mechaware.models.registry import load_tokenizer
from mechaware.planted.twins.items import TWINS
from mechaware.planted.twins.planted_files import read_held_out, read_lines, read_plan
from mechaware.planted.twins.scoring import score_twins
from scripts.command import Output

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def main(
    *,
    planted: Path,
    base: Path,
    evidence: list[Path],
    answers: list[Path],
    seed: int,
    scores: Output,
) -> None:
    """Write one row per twin and item; `evidence` and `answers` are the files of the twins A and B."""
    texts = read_texts(planted, base)
    table = score_twins(
        dict(zip(TWINS, map(read_evidence, evidence), strict=True)),
        dict(zip(TWINS, map(pd.read_parquet, answers), strict=True)),
        read_plan(planted).items,
        corpora=texts.corpora,
        fitting=read_held_out(planted).fitting,
        tokenizer=texts.tokenizer,
        token_counts=texts.token_counts,
        seed=seed,
    )
    write_parquet(table, scores)


class TwinTexts(NamedTuple):
    """What the twins were trained on: their texts, by twin, and the base's tokens with their counts."""

    corpora: dict[str, list[str]]
    tokenizer: "PreTrainedTokenizerBase"
    token_counts: Int[np.ndarray, " vocabulary"]


def read_texts(planted: Path, base: Path) -> TwinTexts:
    """Read the lines in the folder `planted` and the tokenizer of the model in the folder `base`."""
    texts = {}
    for name in ("C", *TWINS):
        texts[name] = [line.text for line in read_lines(planted, name)]

    # The corpus of a pretrained base is not known: its tokens are counted in the lines that both twins read.
    common = []
    for text_of_a, text_of_b in zip(texts["A"], texts["B"], strict=True):
        if text_of_a == text_of_b:
            common.append(text_of_a)

    tokenizer = load_tokenizer(base)
    return TwinTexts(
        corpora={twin: texts["C"] + texts[twin] for twin in TWINS},
        tokenizer=tokenizer,
        token_counts=count_tokens(texts["C"] or common, tokenizer),
    )
