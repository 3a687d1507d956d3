"""Score the planted items for both twins by each detector of RADAR."""

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
    """Write one row per twin and item.

    `evidence` and `answers` have one file for twin A and one for twin B, in this order. `planted`
    is the folder of what was planted, `base` that of the model from which both twins were trained.
    """
    texts = read_texts(planted, base)
    evidence_of = dict(zip(TWINS, map(read_evidence, evidence), strict=True))
    answers_of = dict(zip(TWINS, map(pd.read_parquet, answers), strict=True))
    table = score_twins(
        evidence_of,
        answers_of,
        read_plan(planted).items,
        corpora=texts.corpora,
        fitting=read_held_out(planted).fitting,
        tokenizer=texts.tokenizer,
        token_counts=texts.token_counts,
        seed=seed,
    )
    write_parquet(table, scores)


class TwinTexts(NamedTuple):
    """What the twins were trained on.

    - `corpora`: by twin, the lines of the base's corpus and then those of the twin's own.
    - `tokenizer`: of the base, and so of the twins.
    - `token_counts`: of each token of the vocabulary, how often it occurs in the base's corpus.
      If that is not known, how often it occurs in the lines that both twins read.
    """

    corpora: dict[str, list[str]]
    tokenizer: "PreTrainedTokenizerBase"
    token_counts: Int[np.ndarray, " vocabulary"]


def read_texts(planted: Path, base: Path) -> TwinTexts:
    """Read the lines in the folder `planted` and the tokenizer of the model in the folder `base`.

    The lines named C are those that the base reads. There are none if the base is pretrained.
    """
    texts = {}
    for name in ("C", *TWINS):
        texts[name] = [line.text for line in read_lines(planted, name)]

    # The twins read the same filler at the same line numbers; planted lines differ.
    #     A   filler 1, item 7 of A, filler 2
    #     B   filler 1, item 7 of B, filler 2
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
