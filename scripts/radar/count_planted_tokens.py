"""Count the planted tokens among all that the twins of a pretrained model were trained on.

The twins, A and B, are two copies of the model. They are trained on the same lines, except for the
planted lines: each twin reads its own. A plant is all that is planted for one seed: questions about
invented names, or docstrings.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

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


class _TwinCorpora(NamedTuple):
    """The lines that each twin reads, by the twin's name, in one plant.

    `text` is the kind of text that is planted, as a calibration names it; `seed` numbers the plant.
    """

    text: str
    seed: int
    corpora: Mapping[str, Sequence[QuestionAnswer]]


def main(
    *,
    base: Path,
    seeds: list[int],
    names: list[Path],
    docstrings: list[Path],
    docstrings_text: str,
    shares: Output,
) -> None:
    """Write a row for each kind of planted text and seed.

    Columns: text, the kind of text; seed; and, summed over both twins' corpora, lines,
    planted_lines, tokens, planted_tokens and planted_share = planted_tokens / tokens.

    Args:
        base: The folder of the pretrained model; its tokenizer makes the tokens.
        seeds: A seed for each folder in `names`, and for each in `docstrings`.
        names: The folders of the plants of questions about invented names, seed by seed.
        docstrings: The folders of the plants of docstrings, seed by seed.
        docstrings_text: What a calibration calls the planted docstrings; the kind of text of
            `names` is `PLANTED_TEXT`.
        shares: The table, a CSV file.
    """
    tokenizer = load_tokenizer(base)
    rows = []
    for plant in _read_plants(seeds, names, docstrings, docstrings_text):
        counts = planted_share(plant.corpora, tokenizer)
        rows.append(
            {
                "text": plant.text,
                "seed": plant.seed,
                **counts._asdict(),
                "planted_share": counts.share,
            }
        )
    write_csv(pd.DataFrame(rows), shares)


def _read_plants(
    seeds: Sequence[int], names: Sequence[Path], docstrings: Sequence[Path], docstrings_text: str
) -> Iterator[_TwinCorpora]:
    """The corpora in each folder of `names`, then in each folder of `docstrings`."""
    for seed, folder in zip(seeds, names, strict=True):
        lines = {twin: read_lines(folder, twin) for twin in TWINS}
        yield _TwinCorpora(PLANTED_TEXT, seed, lines)

    for seed, folder in zip(seeds, docstrings, strict=True):
        texts = read_planted_texts(folder).corpora
        corpora: dict[str, list[QuestionAnswer]] = {}
        for twin in TWINS:
            # A docstring is a line without a question.
            corpora[twin] = [QuestionAnswer("", text) for text in texts[twin]]
        yield _TwinCorpora(docstrings_text, seed, corpora)
