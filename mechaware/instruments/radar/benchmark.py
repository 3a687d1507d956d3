"""A benchmark that a model is suspected of having seen: its items, read from a file and checked.

`read_benchmark` reads a table or an evaluation log as rows, `checked_benchmark` makes the rows
items, and `_read_item` makes one row an item.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.samples import LogItem, is_log, read_items
from mechaware.core.own_folder import name_own_files
from mechaware.core.rows import Row, cell_text, list_faults, read_rows
from mechaware.instruments.radar.multiple_choice import CHOICES, read_options, with_options
from mechaware.instruments.radar.prompts import check_repeated
from mechaware.instruments.radar.question_answer import QuestionAnswer, join

ID = "id"  # in a table without this column, an item's id is the number of its row
TEXTS = ("question", "answer")
COLUMNS = (ID, *TEXTS)
# Further columns that a benchmark may lack.
SEEN = "seen"
CORRECT = "correct"
# The least number of seen items, and of unseen items: a detector that is fitted on the truth needs
# two of each in its training rows, besides those in the fold that is held out.
MIN_ITEMS = 3
_TRUTH = {"true": True, "false": False}


class BenchmarkItem(NamedTuple):
    """A row of a benchmark, or a sample of an evaluation log.

    - `line`: the item's question and answer, which a model reads as one text. The choices of an
      item are in its question.
    - `seen`: whether the model was trained on the item; None if unknown.
    - `row`: the item's number in the file, as `read_rows` counts.
    - `is_sample`: whether the item is a sample of a log.
    - `correct`: the mark of the model's answer, 0 (wrong) to 1 (right) in most logs; None if
      unknown.
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
        """The item's place in the file, as messages name it."""
        return _name_place(self.id, self.row, is_sample=self.is_sample)


class Benchmark(NamedTuple):
    """The items of a benchmark and their file. Either all items have the truth `seen`, or none has.

    - `skip_faulty`: whether items that cannot be used are left out, and not refused.
    - `skipped`: a message for each fault of an item that was left out.
    - `numbered`: whether the file has no ids, so that an item's id is the number of its row.
    - `question_from`: the fields of a log's samples that hold the questions, such as `question`, or
      `arguments` for the whole prompt; empty for a table.
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
        """The benchmark without the items in `faults`, which maps their ids to messages.

        Raises `UserError` if items may not be skipped, if none is left, or if the truth is known
        and too few seen or unseen items are left.
        """
        items = tuple(item for item in self.items if item.id not in faults)
        if faults and not (self.skip_faulty and items):
            raise UserError(list_faults(list(faults.values())))
        _check_truth(items, self.path)
        return self._replace(items=items, skipped=(*self.skipped, *faults.values()))

    @property
    def has_truth(self) -> bool:
        """Whether it is known which items the model was trained on."""
        return self.items[0].seen is not None


def read_benchmark(path: Path, *, skip_faulty: bool = False) -> Benchmark:
    """The items of a file with the columns question and answer, and perhaps four further columns.

    These are id, seen (the truth), choices and correct (marks of the model's answers). Any other
    column is ignored. The file is a CSV, JSON lines or Parquet (`read_rows`), or a log of lm-eval
    or Inspect (`is_log`), whose samples are read as `mechaware.read_log` does.

    - Without a column id, an item's id is the number of its row: in a CSV or JSON lines the line on
      which the row begins, in Parquet a count from 1.
    - Question and answer are read as they are (`cell_text`) and joined by a space (`join`). An item
      may lack either.
    - Choices go into the text (`with_options`).
    - The mark is unknown if the cell of correct is neither a number nor true or false (`_mark`).

    A row is faulty if

    - it cannot be read, or a cell that should be text is not;
    - its id is empty, or both of its texts are;
    - an earlier row has its id or its text;
    - `seen` is neither true nor false, or is empty where other rows have it;
    - its choices cannot be used.

    Raises:
        UserError: The file cannot be read, or it has no usable item. Or rows are faulty and
            `skip_faulty` does not leave them out; one message lists all faults. Or the truth is
            known, and fewer than `MIN_ITEMS` items are seen, or fewer are unseen.
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
    """The samples of an evaluation log as rows of a benchmark, each after its number."""
    rows: list[tuple[int, Row]] = []
    for sample in samples:
        texts = sample.texts
        row = {
            ID: sample.id,
            "question": texts.question,
            "answer": texts.answer,
            CHOICES: list(texts.choices),
            CORRECT: sample.correct,
        }
        rows.append((sample.row, row))
    return rows


def checked_benchmark(
    rows: Iterable[tuple[int, Row]],
    path: Path,
    *,
    skip_faulty: bool = False,
    faults: Sequence[str] = (),
    are_samples: bool = False,
) -> Benchmark:
    """The items of `rows`, checked as in `read_benchmark`, which also lists the errors.

    Args:
        rows: Each row after its number in the file.
        path: The file that messages name.
        skip_faulty: Whether faulty rows are left out, and not refused.
        faults: Messages from reading the rows, which are reported with the faults found here.
        are_samples: Whether the rows are the samples of a log, which messages call by their ids.
    """
    items = []
    all_faults = list(faults)
    first_place: dict[tuple[str, str], str] = {}
    for number, row in rows:
        place = _name_place(row.get(ID), number, is_sample=are_samples)
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
        for item in items:
            if item.seen is None:
                all_faults.append(f"{path}, {item.place}: {remedy}")
        items = with_truth

    all_faults = [name_own_files(fault) for fault in all_faults]
    if all_faults and not (skip_faulty and items):
        raise UserError(list_faults(all_faults))
    if not items:
        raise UserError(f"{path}: no items; add some")
    _check_truth(items, path)
    return Benchmark(path, tuple(items), skip_faulty=skip_faulty, skipped=tuple(all_faults))


def _name_place(item_id: object, row: int, *, is_sample: bool) -> str:
    """The place of an item as messages name it: a log's sample by its id, else a row's number."""
    return f"sample {item_id}" if is_sample else f"row {row}"


def _read_item(row: Row, number: int) -> BenchmarkItem:
    """The item of a row, without `is_sample`. Raises `ValueError` for a row that cannot be used."""
    item_id = cell_text(row.get(ID), ID).strip()
    question = cell_text(row.get("question"), "question")
    answer = cell_text(row.get("answer"), "answer")
    truth = cell_text(row.get(SEEN), SEEN).strip()
    if not item_id:
        raise ValueError("empty id; fill it in or remove the row")
    if not (question + answer).strip():
        raise ValueError("empty question and answer; fill one of them in or remove the row")

    options = read_options(row.get(CHOICES), row.get("answer"))
    if truth and truth.lower() not in _TRUTH:
        raise ValueError(f"{SEEN} '{truth}'; write true or false")

    item = BenchmarkItem(
        item_id,
        join(question, answer),
        seen=_TRUTH.get(truth.lower()),
        row=number,
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
    """The mark of an answer: a finite number, or 1 for true and 0 for false; None for other cells.

    Other cells are no faults, because the column `correct` of a file may hold the right answers.
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
    """Raise `UserError` if the truth is known and fewer than `MIN_ITEMS` are seen, or unseen."""
    counts = Counter(item.seen for item in items)
    if None in counts:
        return
    for cell, truth in _TRUTH.items():
        if counts[truth] < MIN_ITEMS:
            raise UserError(
                f"{path}: {counts[truth]} of {len(items)} items have {SEEN} {cell}; "
                f"detectors are compared on {MIN_ITEMS} or more of either: "
                "add items, or empty the column"
            )
