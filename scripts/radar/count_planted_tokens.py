"""Count how much of what the twins of a pretrained model read was planted."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_csv
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.registry import load_tokenizer
from mechaware.planted.natural.planting import read_planted_texts
from mechaware.planted.twins.items import TWINS
from mechaware.planted.twins.planted_files import read_lines
from mechaware.planted.twins.shares import planted_share
from mechaware.verdicts.seen_calibration import PLANTED_TEXT
from scripts.command import Output

_Corpora = dict[str, Sequence[QuestionAnswer]]


def main(
    *,
    base: Path,
    seeds: list[int],
    names: list[Path],
    docstrings: list[Path],
    docstrings_text: str,
    shares: Output,
) -> None:
    """Write a row for each kind of text and seed: lines, tokens, those planted, and their share of
    the tokens.

    `names` and `docstrings` are the folders of what was planted, one for each seed;
    `docstrings_text` names the kind of text.
    """
    tokenizer = load_tokenizer(base)
    rows = []
    for kind, seed, corpora in _plants(seeds, names, docstrings, docstrings_text):
        counts = planted_share(corpora, tokenizer)
        row = {"text": kind, "seed": seed, **counts._asdict(), "planted_share": counts.share}
        rows.append(row)
    write_csv(pd.DataFrame(rows), shares)


def _plants(
    seeds: Sequence[int], names: Sequence[Path], docstrings: Sequence[Path], docstrings_text: str
) -> Iterator[tuple[str, int, _Corpora]]:
    """The kind of text, the seed and the twins' corpora of each plant."""
    for seed, folder in zip(seeds, names, strict=True):
        yield PLANTED_TEXT, seed, {twin: read_lines(folder, twin) for twin in TWINS}

    for seed, folder in zip(seeds, docstrings, strict=True):
        texts = read_planted_texts(folder).corpora
        corpora: _Corpora = {}
        for twin in TWINS:
            corpora[twin] = [QuestionAnswer("", text) for text in texts[twin]]
        yield docstrings_text, seed, corpora
