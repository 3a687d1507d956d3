"""A benchmark that a model is suspected of having seen: its items, prefix texts, and a reference corpus."""

import json
import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.samples import LogItem, is_log, read_items
from mechaware.core.rows import Row, cell_text, list_faults, read_rows
from mechaware.instruments.radar.prompts import QuestionAnswer, check_repeated, normalised

ID = "id"  # a table without this column has the numbers of its rows
TEXTS = ("question", "answer")
COLUMNS = (ID, *TEXTS)
# Columns that a benchmark may lack.
SEEN = "seen"
CHOICES = "choices"
CORRECT = "correct"
TEXT = "text"  # the column of a prefix
# Of seen items, and of unseen ones: a detector fitted on the truth needs two of each outside every fold.
MIN_ITEMS = 3
_TRUTH = {"true": True, "false": False}
# Choices that must be JSON; `[0, 1]|[1, 2]` need not.
_JSON = re.compile(r"""\s*[\[{](\s*["']|[^|]*$)""")
# The Unicode names of letters in scripts that put no space between words.
_UNSPACED = re.compile("CJK|IDEOGRAPHIC|HIRAGANA|KATAKANA|THAI|LAO|KHMER|MYANMAR|TIBETAN")


class BenchmarkItem(NamedTuple):
    """A row of a benchmark, or a sample of an evaluation log.

    - `seen`: whether the model was trained on it; None if unknown.
    - `row`: its line in the file.
    - `correct`: the mark of the model's answer, 0 (wrong) to 1 (right) in most logs; None if unknown.
    - `stem`, `options`: for an item with choices, the question without them, and the choices.
    - `right`: the place, from 0, of the answer among the choices; None if unknown.
    """

    id: str
    line: QuestionAnswer
    seen: bool | None
    row: int
    is_sample: bool = False
    correct: float | None = None
    stem: str = ""
    options: tuple[str, ...] = ()
    right: int | None = None

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
        """The items that have no entry, by id, in `faults`. Raises `UserError` for faults that may not be skipped."""
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
    (`_join`). An item may lack either. Choices go into the text (`with_options`). A cell of correct that is no number
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
    """The items of such rows, each with its number; messages call them by `path`. `faults` were found before.

    `are_samples`: whether they are the samples of a log, which messages call by their ids.
    """
    items = []
    found = list(faults)
    first_place: dict[tuple[str, str], str] = {}
    for number, row in rows:
        place = f"sample {row['id']}" if are_samples else f"row {number}"
        try:
            item = _read_item(row, number)._replace(is_sample=are_samples)
            check_repeated({"id": item.id, "text": item.line.text}, first_place, path, place)
        except ValueError as error:
            # A cell may have several lines.
            found.append(f"{path}, {place}: {' '.join(str(error).split())}")
        except UserError as error:
            found.append(str(error))
        else:
            items.append(item)

    with_truth = [item for item in items if item.seen is not None]
    if with_truth:
        remedy = f"no {SEEN}, which other items have; fill it in, or empty the whole column"
        found += [f"{path}, {item.place}: {remedy}" for item in items if item.seen is None]
        items = with_truth

    if found and not (skip_faulty and items):
        raise UserError(list_faults(found))
    if not items:
        raise UserError(f"{path}: no items; add some")
    _check_truth(items, path)
    return Benchmark(path, tuple(items), skip_faulty, tuple(found))


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
        remedy = f"also a text of {prefix.path}; take it out of one of them"
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
    """The item of a row. Raises `ValueError` for one that cannot be used."""
    name = cell_text(row.get("id"), "id").strip()
    question = cell_text(row.get("question"), "question")
    answer = cell_text(row.get("answer"), "answer")
    truth = cell_text(row.get(SEEN), SEEN).strip()
    if not name:
        raise ValueError("empty id; fill it in or remove the row")
    if not (question + answer).strip():
        raise ValueError("empty question and answer; fill one of them in or remove the row")

    choices, labels = _choices(row.get(CHOICES))
    options: tuple[str, ...] = ()
    right = None
    line = _join(question, answer)
    if choices:
        options, right = _checked_options(row["answer"], choices, labels)
        line = with_options(question, options, right)

    if truth and truth.lower() not in _TRUTH:
        raise ValueError(f"{SEEN} '{truth}'; write true or false")
    return BenchmarkItem(
        name,
        line,
        _TRUTH.get(truth.lower()),
        number,
        correct=_mark(row.get(CORRECT)),
        stem=question if options else "",
        options=options,
        right=right,
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


def _choices(cell: Any) -> tuple[list[object], list[object]]:
    """The choices of a cell and their labels; no choices if it is empty, no labels if it has none.

    A cell is a list, a mapping with lists `text` and perhaps `label` (as ARC has them), JSON text of either, or texts
    separated by `|`. Raises `ValueError` for others.
    """
    parsed = cell
    if isinstance(cell, str) or not hasattr(cell, "__len__"):
        text = cell_text(cell, CHOICES).strip() or "[]"
        with suppress(ValueError, RecursionError):  # broken JSON stays text and is refused below
            parsed = json.loads(text) if _JSON.match(text) else text.split("|")

    choices = parsed
    labels: Any = []
    if isinstance(parsed, Mapping):
        choices = parsed.get("text")
        labels = parsed.get("label", [])
    if not _are_choices(choices, labels):
        raise ValueError(
            f"{CHOICES} {str(cell)[:60]}; write a JSON list of 2 to 26 texts, or separate them by |"
        )
    return list(choices), list(labels)


def _are_choices(choices: Any, labels: Any) -> bool:
    """Whether these are lists: of no choices or 2 to 26, one a letter, and of no labels or one for each choice."""
    if not _is_list(choices) or not _is_list(labels):
        return False
    n_choices = len(choices)
    if n_choices == 1 or n_choices > len(string.ascii_uppercase):
        return False
    return len(labels) in (0, n_choices)


def _is_list(cell: object) -> bool:
    """Whether it is a list, a tuple, or an array as pandas reads one from Parquet."""
    return isinstance(cell, list | tuple) or hasattr(cell, "tolist")


def _checked_options(
    answer: object, choices: list[object], labels: list[object]
) -> tuple[tuple[str, ...], int | None]:
    """The choices as texts, and the place of the answer among them from 0.

    `answer` is a choice or, if it equals none, a choice's letter or its number from 0; with labels it is a label or, if
    it equals none, a choice. It may be empty. A number equals no text: as in MMLU, 1 is the second of the texts "1" and
    "2" in JSON lines and Parquet; in a CSV all is text. The place is None for an empty answer. Raises `ValueError` for
    others and for empty or equal choices.
    """
    texts = [cell_text(choice, "choice").strip() for choice in choices]
    names = [cell_text(label, "choice").strip() for label in labels]
    if not all(texts) or not all(names):
        raise ValueError("empty choice; fill it in or take it out")
    for cells in (texts, names):
        repeated = [cell for cell in cells if cells.count(cell) > 1]
        if repeated:
            raise ValueError(f"choice '{repeated[0]}' twice; change or remove one of them")

    by_text = {text: place for place, text in enumerate(texts)}
    by_label = {name: place for place, name in enumerate(names)}
    by_letter = {string.ascii_uppercase[place]: place for place in range(len(texts))}
    by_number = {str(place): place for place in range(len(texts))}
    may_be_text = isinstance(answer, str) or not all(isinstance(choice, str) for choice in choices)

    # What an answer may be, and the place that it means; where two readings are equal, the later one holds.
    if names:
        meant = by_text | by_label
    elif may_be_text:
        meant = by_number | by_letter | by_text
    else:
        meant = by_number | by_letter

    given = cell_text(answer, "answer").strip()
    if not given:
        return tuple(texts), None
    if given not in meant:
        remedy = "or its label" if names else "its letter or its number"
        raise ValueError(
            f"answer '{given}' is none of the {len(texts)} {CHOICES}; write one, {remedy}"
        )
    return tuple(texts), meant[given]


def with_options(stem: str, options: Sequence[str], right: int | None) -> QuestionAnswer:
    """Question and answer as Hendrycks et al. 2021 (MMLU) put them: a lettered line per option, `Answer:`, the letter.

    `right`: the place of the answer from 0; without it there is no letter.
    """
    letters = string.ascii_uppercase[: len(options)]
    lines = [f"{letter}. {text}" for letter, text in zip(letters, options, strict=True)]
    answer = "" if right is None else string.ascii_uppercase[right]
    return _join("\n".join([stem, *lines, "Answer:"]), answer)


def _join(question: str, answer: str) -> QuestionAnswer:
    """Question and answer with a space between them; a text without a question, or without an answer, is one part.

    No space is put where white space already is, nor in scripts without spaces between words, such as Chinese, Japanese
    and Thai: the last letter of the question decides, or, if it has no letter, the first one of the answer.
    """
    if not question.strip():
        return QuestionAnswer("", answer if answer.strip() else "")
    if not answer.strip():
        return QuestionAnswer(question, "")

    letter = _letter_at_boundary(question, answer)
    is_unspaced = _UNSPACED.match(unicodedata.name(letter, "") if letter else "")
    has_space = question[-1].isspace() or answer[0].isspace()
    if is_unspaced or has_space:
        return QuestionAnswer(question, answer)
    return QuestionAnswer(question, f" {answer}")


def _letter_at_boundary(question: str, answer: str) -> str:
    """The question's last letter, else the answer's first; "" without any.

    Of "2 + 2 is?" it is the s, of "2 + 2?" and "four" the f.
    """
    question_backwards = question[::-1]
    for character in question_backwards + answer:
        if character.isalpha():
            return character
    return ""


def _check_truth(items: Sequence[BenchmarkItem], path: Path) -> None:
    """Refuse a truth that too few items have for a comparison of seen with unseen ones."""
    counts = Counter(item.seen for item in items)
    if None in counts:
        return
    for name, truth in _TRUTH.items():
        if counts[truth] < MIN_ITEMS:
            raise UserError(
                f"{path}: {counts[truth]} of {len(items)} items have {SEEN} {name}; detectors are compared on "
                f"{MIN_ITEMS} or more of either: add items, or empty the column"
            )
