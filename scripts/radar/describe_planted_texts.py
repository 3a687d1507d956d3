"""Describe the kinds of planted text, for a reader of error rates who asks which kind is
nearest to another text.
"""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_csv
from mechaware.verdicts.planted_texts import TextKind, planted_kind, read_planted_models
from mechaware.verdicts.seen_calibration import PLANTED_TEXT
from scripts.command import Output


def main(
    *,
    names_seeds: list[int],
    names_scores: list[Path],
    names_evidence: list[Path],
    docstrings: str,
    docstrings_seeds: list[int],
    docstrings_scores: list[Path],
    docstrings_evidence: list[Path],
    kinds: Output,
) -> None:
    """Write a row for names and one for docstrings; `docstrings` is their name in a calibration.

    Files are given seed by seed, for each seed twin A's evidence before twin B's.
    """
    names = read_planted_models(names_seeds, names_scores, names_evidence)
    texts = read_planted_models(docstrings_seeds, docstrings_scores, docstrings_evidence)
    rows = [planted_kind(names, PLANTED_TEXT), planted_kind(texts, docstrings)]
    write_csv(pd.DataFrame(rows, columns=TextKind._fields), kinds)
