"""A benchmark that a model is suspected of having seen: its items, prefix texts, and a reference corpus."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.samples import LogItem, is_log, read_items
from mechaware.core.own_folder import name_own_files
from mechaware.core.rows import Row, cell_text, list_faults, read_rows
from mechaware.instruments.radar.multiple_choice import CHOICES, read_options, with_options
from mechaware.instruments.radar.prompts import check_repeated, normalised
from mechaware.instruments.radar.question_answer import QuestionAnswer, join

ID = "id"  # a table without this column has the numbers of its rows
TEXTS = ("question", "answer")
COLUMNS = (ID, *TEXTS)
# Columns that a benchmark may lack.
SEEN = "seen"
CORRECT = "correct"
TEXT = "text"  # the column of a prefix
# The least number of seen items, and of unseen ones: a detector fitted on the truth needs two of each outside every
# fold.
MIN_ITEMS = 3
_TRUTH = {"true": True, "false": False}


class BenchmarkItem(NamedTuple):
    """A row of a benchmark, or a sample of an evaluation log.

    - `line`: its question and answer as the one text that a model reads; with choices, they are in the question.
    - `seen`: whether the model was trained on it; None if unknown.
    - `row`: its number in the file, as `read_rows` counts.
    - `is_sample`: whether it is a sample of a log, which messages call by its id.
    - `correct`: the mark of the model's answer, 0 (wrong) to 1 (right) in most logs; None if unknown.
    - `stem`, `options`: for an item with choices, the question without them, and the choices.
    - `answer_place`: the place of the answer among the options, from 0; None if unknown.
    """

    id: str
    line: QuestionAnswer
    seen: bool | None
    row: int
    is_sample: bool = False
    correct: float | None = None
    stem: str = ""
    options: tuple[str, ...] = ()
    answer_place: int | None = None

    @property
    def place(self) -> str:
        """Its place in the file, as messages name it."""
        return f"sample {self.id}" if self.is_sample else f"row {self.row}"


class Benchmark(NamedTuple):
    """The items of a benchmark and their file. Either all items have the truth `seen`, or none has.

    - `skip_faulty`: whether items that cannot be used are left out.
    - `skipped`: the faults of items that were left out.
    - `numbered`: whether the file has no ids, so that an item's id is the number of its row.
    - `question_from`: where the questions are in the samples of a log, as `mechaware.read_log` names it.
    """

    path: Path
    items: tuple[BenchmarkItem, ...]
    skip_faulty: bool = False
    skipped: tuple[str, ...] = ()
    numbered: bool = False
    question_from: frozenset[str] = frozenset()

    @property
    def lines(self) -> list[QuestionAnswer]:
        """The items' texts."""
        return [item.line for item in self.items]

    def without(self, faults: Mapping[str, str]) -> "Benchmark":
        """The benchmark without the items whose ids are in `faults`; raises `UserError` if they may not be skipped."""
        items = tuple(item for item in self.items if item.id not in faults)
        if faults and not (self.skip_faulty and items):
            raise UserError(list_faults(list(faults.values())))
        _check_truth(items, self.path)
        return self._replace(items=items, skipped=(*self.skipped, *faults.values()))

    @property
    def has_truth(self) -> bool:
        """Whether it is known which items the model was trained on."""
        return self.items[0].seen is not None


class TextPrefix(NamedTuple):
    """Texts that are put before every item, and the file that lists them."""

    path: Path
    lines: tuple[QuestionAnswer, ...]


def read_benchmark(path: Path, *, skip_faulty: bool = False) -> Benchmark:
    """The items of a file with the columns question, answer and perhaps id, seen (the truth), choices and correct.

    The file is a CSV, JSON lines or Parquet (`read_rows`), or a log of lm-eval or Inspect (`is_log`), whose samples are
    read as `mechaware.read_log` does. In a table without a column id, an item's id is the number of its row, in a text
    the line on which the row begins. Question and answer are read as they are (`cell_text`) and joined by a space
    (`join`). An item may lack either. Choices go into the text (`with_options`). A cell of correct that is no number
    is passed over (`_mark`). Further columns are ignored.

    A row is faulty if

    - it cannot be read, or a cell that should be text is none;
    - its id is empty, or both of its texts are;
    - an earlier row has its id or its text;
    - `seen` is neither true nor false, or is empty where other rows have it;
    - its choices cannot be used.

    Raises:
        UserError: The file cannot be read or has no usable item; rows are faulty, all of them in one message, unless
            `skip_faulty` leaves them out; or the truth is known, and too few items are seen, or too few are unseen, for
            a comparison.
    """
    faults: list[str] = []
    if not is_log(path):
        rows = read_rows(path, TEXTS, "items", faults)
        numbered = not any(ID in row for _, row in rows)
        if numbered:
            rows = [(number, {**row, ID: number}) for number, row in rows]
        benchmark = checked_benchmark(rows, path, skip_faulty=skip_faulty, faults=faults)
        return benchmark._replace(numbered=numbered)

    samples = read_items(path, faults=faults)
    benchmark = checked_benchmark(
        _log_rows(samples), path, skip_faulty=skip_faulty, faults=faults, are_samples=True
    )
    fields = {sample.texts.question_from for sample in samples if sample.texts.question}
    return benchmark._replace(question_from=frozenset(fields))


def _log_rows(samples: Iterable[LogItem]) -> list[tuple[int, Row]]:
    """The samples of an evaluation log as rows of a benchmark, with their numbers."""
    rows: list[tuple[int, Row]] = []
    for item in samples:
        texts = item.texts
        row = {
            "id": item.id,
            "question": texts.question,
            "answer": texts.answer,
            CHOICES: list(texts.choices),
            CORRECT: item.correct,
        }
        rows.append((item.row, row))
    return rows


def checked_benchmark(
    rows: Iterable[tuple[int, Row]],
    path: Path,
    *,
    skip_faulty: bool = False,
    faults: Sequence[str] = (),
    are_samples: bool = False,
) -> Benchmark:
    """The items of `rows`, each row after its number in the file `path`, checked as in `read_benchmark`.

    `faults` were found while the rows were read, and are reported with the faults found here. `are_samples`: whether
    the rows are the samples of a log, which messages call by their ids.
    """
    items = []
    all_faults = list(faults)
    first_place: dict[tuple[str, str], str] = {}
    for number, row in rows:
        place = f"sample {row['id']}" if are_samples else f"row {number}"
        try:
            item = _read_item(row, number)._replace(is_sample=are_samples)
            check_repeated({"id": item.id, "text": item.line.text}, first_place, path, place)
        except ValueError as error:
            # The error may quote a cell of several lines.
            message = " ".join(str(error).split())
            all_faults.append(f"{path}, {place}: {message}")
        except UserError as error:
            all_faults.append(str(error))
        else:
            items.append(item)

    with_truth = [item for item in items if item.seen is not None]
    if with_truth:
        remedy = f"no {SEEN}, which other items have; fill it in, or empty the whole column"
        all_faults += [f"{path}, {item.place}: {remedy}" for item in items if item.seen is None]
        items = with_truth

    all_faults = [name_own_files(fault) for fault in all_faults]
    if all_faults and not (skip_faulty and items):
        raise UserError(list_faults(all_faults))
    if not items:
        raise UserError(f"{path}: no items; add some")
    _check_truth(items, path)
    return Benchmark(path, tuple(items), skip_faulty, tuple(all_faults))


def read_prefix(path: Path) -> TextPrefix:
    """The texts in the column `text` of a file as `read_rows` reads it. Raises `UserError` for an empty text."""
    lines = []
    for number, row in read_rows(path, (TEXT,), "texts"):
        try:
            text = cell_text(row[TEXT], TEXT).strip()
            if not text:
                raise ValueError("empty text; fill it in or remove the row")
        except ValueError as error:
            raise UserError(f"{path}, row {number}: {error}") from None
        lines.append(QuestionAnswer("", text))
    return TextPrefix(path, tuple(lines))


def check_prefix(benchmark: Benchmark, prefix: TextPrefix) -> None:
    """Raise `UserError` for a prefix that holds an item: the item would be scored right after a copy of itself."""
    texts = {normalised(line.text) for line in prefix.lines}
    held = [item.place for item in benchmark.items if normalised(item.line.text) in texts]
    if held:
        remedy = f"also a text of {prefix.path}; remove it from one of them"
        raise UserError(list_faults([f"{benchmark.path}, {place}: {remedy}" for place in held]))


def corpus_texts(path: Path) -> Iterator[str]:
    """The texts of a corpus, one a line; empty lines are passed over.

    Raises `UserError` for a line that is not UTF-8, and at the end of a file without a text.
    """
    has_text = False
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                # Windows editors write a byte-order mark.
                text = line.decode().removeprefix("\ufeff").strip()
            except UnicodeDecodeError:
                raise UserError(
                    f"{path}, line {number}: not UTF-8; save the file as UTF-8"
                ) from None
            if text:
                has_text = True
                yield text
    if not has_text:
        raise UserError(f"{path}: no text; write one text a line")


def _read_item(row: Row, number: int) -> BenchmarkItem:
    """The item of a row. Raises `ValueError` for a row that cannot be used."""
    name = cell_text(row.get("id"), "id").strip()
    question = cell_text(row.get("question"), "question")
    answer = cell_text(row.get("answer"), "answer")
    truth = cell_text(row.get(SEEN), SEEN).strip()
    if not name:
        raise ValueError("empty id; fill it in or remove the row")
    if not (question + answer).strip():
        raise ValueError("empty question and answer; fill one of them in or remove the row")

    options = read_options(row.get(CHOICES), row.get("answer"))
    if truth and truth.lower() not in _TRUTH:
        raise ValueError(f"{SEEN} '{truth}'; write true or false")

    item = BenchmarkItem(
        name,
        join(question, answer),
        _TRUTH.get(truth.lower()),
        number,
        correct=_mark(row.get(CORRECT)),
    )
    if options is None:
        return item
    return item._replace(
        line=with_options(question, options.texts, options.answer_place),
        stem=question,
        options=options.texts,
        answer_place=options.answer_place,
    )


def _mark(cell: object) -> float | None:
    """The mark of an answer: a number, or 1 and 0 for true and false; None for any other cell.

    A column of this name may well hold the right answers.
    """
    text = str(cell).strip().lower()
    if text in _TRUTH:
        return float(_TRUTH[text])
    try:
        mark = float(text)
    except ValueError:
        return None
    return mark if math.isfinite(mark) else None


def _check_truth(items: Sequence[BenchmarkItem], path: Path) -> None:
    """Raise `UserError` if the truth is known and fewer than `MIN_ITEMS` items are seen, or fewer are unseen."""
    counts = Counter(item.seen for item in items)
    if None in counts:
        return
    for name, truth in _TRUTH.items():
        if counts[truth] < MIN_ITEMS:
            raise UserError(
                f"{path}: {counts[truth]} of {len(items)} items have {SEEN} {name}; detectors are compared on "
                f"{MIN_ITEMS} or more of either: add items, or empty the column"
            )
