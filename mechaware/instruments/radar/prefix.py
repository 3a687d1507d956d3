"""Texts that are put before every item of a suspected benchmark."""

from pathlib import Path
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.rows import cell_text, list_faults, read_rows
from mechaware.instruments.radar.benchmark import Benchmark
from mechaware.instruments.radar.prompts import normalised
from mechaware.instruments.radar.question_answer import QuestionAnswer

_TEXT = "text"  # the name of the column


class TextPrefix(NamedTuple):
    """Texts that are put before every item, and the file that lists them."""

    path: Path
    lines: tuple[QuestionAnswer, ...]


def read_prefix(path: Path) -> TextPrefix:
    """The texts in the column `text` of a file that `read_rows` can read.

    Each text is a line without a question, and spaces around it are dropped. Raises `UserError` for
    a text that is empty, a cell that is no text (`cell_text`), and a file that `read_rows` cannot
    read.
    """
    lines = []
    for number, row in read_rows(path, (_TEXT,), rows_name="texts"):
        try:
            text = cell_text(row[_TEXT], _TEXT).strip()
        except ValueError as error:
            raise UserError(f"{path}, row {number}: {error}") from None
        if not text:
            raise UserError(f"{path}, row {number}: empty text; fill it in or remove the row")
        lines.append(QuestionAnswer("", text))
    return TextPrefix(path, tuple(lines))


def check_prefix(benchmark: Benchmark, prefix: TextPrefix) -> None:
    """Raise `UserError` for a prefix that holds an item, which would be scored after its own copy.

    Texts that differ only in letter case or spaces are equal (`normalised`).
    """
    prefix_texts = {normalised(line.text) for line in prefix.lines}
    faults = []
    for item in benchmark.items:
        if normalised(item.line.text) in prefix_texts:
            faults.append(
                f"{benchmark.path}, {item.place}: also a text of {prefix.path}; "
                "remove it from one of them"
            )
    if faults:
        raise UserError(list_faults(faults))
