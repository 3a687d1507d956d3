"""A benchmark that a model is suspected of having seen: its items, prefix texts, and a reference corpus."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mechaware.csv_rows import Row, read_rows
from mechaware.errors import UserError
from mechaware.radar.prompts import QuestionAnswer, check_repeated, normalised

COLUMNS = ("id", "question", "answer")
SEEN = "seen"  # a column that a benchmark may lack
TEXT = "text"  # the column of a prefix
MIN_ITEMS = 3  # seen, and unseen: a detector fitted on the truth needs two of each outside every fold
_TRUTH = {"true": True, "false": False}


class BenchmarkItem(NamedTuple):
    """A row of a benchmark. `seen`: whether the model was trained on it, None if unknown; `row`: its line."""

    id: str
    line: QuestionAnswer
    seen: bool | None
    row: int


class Benchmark(NamedTuple):
    """The items of a benchmark and their file. Either all items have the truth `seen`, or none has."""

    path: Path
    items: tuple[BenchmarkItem, ...]

    @property
    def lines(self) -> list[QuestionAnswer]:
        """The items' texts."""
        return [item.line for item in self.items]

    @property
    def has_truth(self) -> bool:
        """Whether it is known which items the model was trained on."""
        return self.items[0].seen is not None


class TextPrefix(NamedTuple):
    """Texts that are put before every item, and the file that lists them."""

    path: Path
    lines: tuple[QuestionAnswer, ...]


def read_benchmark(path: Path) -> Benchmark:
    """The items of a CSV with the columns id, question, answer and, where the truth is known, seen.

    Question and answer are read as they are, and a space is put between them where neither has one there. An item may
    lack either. Further columns are ignored. Raises `UserError` for a file that is missing, not UTF-8, empty or without
    a column, for a row without an id or without a text, or with the id or the text of an earlier row, and for a truth
    that is neither true nor false, that some items lack, or that fewer than three items have.
    """
    return checked_benchmark(read_rows(path, COLUMNS, "items"), path)


def checked_benchmark(rows: Iterable[tuple[int, Row]], path: Path) -> Benchmark:
    """The items of the rows of such a CSV, each with its number; messages call them by `path`.

    Raises `UserError` for a row that cannot be used.
    """
    items, first_row = [], dict[tuple[str, str], int]()
    for number, row in rows:
        item = _read_item(row, path, number)
        check_repeated({"id": item.id, "text": item.line.text}, first_row, path, number)
        items.append(item)
    if not items:
        raise UserError(f"{path}: no items; add some")
    _check_truth(items, path)
    return Benchmark(path, tuple(items))


def read_prefix(path: Path) -> TextPrefix:
    """The texts in the column `text` of a CSV. Raises `UserError` for a file that cannot be used or an empty text."""
    lines = []
    for number, row in read_rows(path, (TEXT,), "texts"):
        text = (row[TEXT] or "").strip()
        if not text:
            raise UserError(f"{path}, row {number}: empty text; fill it in or remove the row")
        lines.append(QuestionAnswer("", text))
    return TextPrefix(path, tuple(lines))


def check_prefix(benchmark: Benchmark, prefix: TextPrefix) -> None:
    """Raise `UserError` for a prefix that holds an item: the item would be scored right after a copy of itself."""
    texts = {normalised(line.text) for line in prefix.lines}
    for item in benchmark.items:
        if normalised(item.line.text) in texts:
            raise UserError(
                f"{benchmark.path}, row {item.row}: also a text of {prefix.path}; take it out of one of them"
            )


def corpus_texts(path: Path) -> Iterator[str]:
    """The texts of a corpus, one a line; empty lines are passed over.

    Raises `UserError` for a line that is not UTF-8, and at the end of a file without a text.
    """
    empty = True
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                text = line.decode().removeprefix("\ufeff").strip()  # Windows editors write a byte-order mark
            except UnicodeDecodeError:
                raise UserError(f"{path}, line {number}: not UTF-8; save the file as UTF-8") from None
            if text:
                empty = False
                yield text
    if empty:
        raise UserError(f"{path}: no text; write one text a line")


def _read_item(row: Row, path: Path, number: int) -> BenchmarkItem:
    name, question, answer, seen = ((row.get(column) or "") for column in (*COLUMNS, SEEN))
    if not name.strip():
        raise UserError(f"{path}, row {number}: empty id; fill it in or remove the row")
    if not (question + answer).strip():
        raise UserError(f"{path}, row {number}: empty question and answer; fill one of them in or remove the row")
    truth = seen.strip().lower()
    if truth and truth not in _TRUTH:
        raise UserError(f"{path}, row {number}: {SEEN} '{seen.strip()}'; write true or false")
    return BenchmarkItem(name.strip(), _join(question, answer), _TRUTH.get(truth), number)


def _join(question: str, answer: str) -> QuestionAnswer:
    """Question and answer with a space between them; a text without a question, or without an answer, is one part."""
    if not question.strip() or not answer.strip():
        return QuestionAnswer(question if question.strip() else "", answer if answer.strip() else "")
    separated = question[-1].isspace() or answer[0].isspace()
    return QuestionAnswer(question, answer if separated else f" {answer}")


def _check_truth(items: Sequence[BenchmarkItem], path: Path) -> None:
    """Refuse a truth that some items lack, or that too few items have for a comparison of seen with unseen ones."""
    counts = Counter(item.seen for item in items)
    if counts.keys() == {None}:
        return
    if None in counts:
        row = next(item.row for item in items if item.seen is None)
        raise UserError(f"{path}, row {row}: no {SEEN}, which other items have; fill it in, or empty the whole column")
    for name, truth in _TRUTH.items():
        if counts[truth] < MIN_ITEMS:
            raise UserError(
                f"{path}: {counts[truth]} of {len(items)} items have {SEEN} {name}; detectors are compared on "
                f"{MIN_ITEMS} or more of either: add items, or empty the column"
            )
