"""Prompt sets: reading a CSV and refusing, by file and row, what the study cannot use."""

import csv
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mechaware.errors import UserError

LABELS = ("recall", "reasoning")
COLUMNS = ("id", "prompt", "label", "category", "source")


class Prompt(NamedTuple):
    """One prompt. `label` is `recall` or `reasoning`; `category` and `source` are free words; `row` is its line."""

    id: str
    prompt: str
    label: str
    category: str
    source: str
    row: int


def pair_of(prompt_id: str, label: str) -> str:
    """What must stay on one side of a split: the id without a closing `-recall` or `-reasoning`, which names a pair."""
    return prompt_id.removesuffix(f"-{label}")


def read_prompts(path: Path) -> list[Prompt]:
    """The prompts of a CSV with (at least) the columns id, prompt, label, category and source.

    Raises `UserError` for a file that is missing, not UTF-8, empty or without a column, and for a row with an empty
    field, an unknown label, or an id or a prompt (letter case and spaces aside) of an earlier row.
    """
    rows = _read_rows(path)
    prompts, first_row = [], dict[tuple[str, str], int]()
    for number, row in rows:
        prompt = Prompt(**{column: (row[column] or "").strip() for column in COLUMNS}, row=number)
        _check_fields(prompt, path, number)
        for column, key in (("id", prompt.id), ("prompt", _normalised(prompt.prompt))):
            earlier = first_row.setdefault((column, key), number)
            if earlier != number:
                raise UserError(
                    f"{path}, row {number}: the same {column} as row {earlier}; remove or change one of them"
                )
        prompts.append(prompt)
    return prompts


def check_folds(prompts: Sequence[Prompt], folds: int, path: Path, *, needs_both_classes: bool) -> None:
    """Refuse a set whose classes are too small for cross-validation in `folds` folds.

    Each class needs a prompt in every fold and, since the SVM's probabilities are calibrated by a cross-validation of
    their own, two prompts outside any fold. A set for evaluation alone may lack a class altogether: it is predicted but
    not cross-validated.
    """
    counts = Counter(prompt.label for prompt in prompts)
    if not needs_both_classes and len(counts) == 1:
        return
    for label in LABELS:
        if counts[label] < folds or counts[label] - math.ceil(counts[label] / folds) < 2:
            raise UserError(
                f"{path}: {counts[label]} {label} prompts, but radar/folds is {folds}; "
                f"add {label} prompts or lower radar/folds in the config"
            )


def check_disjoint(training: Sequence[Prompt], evaluation: Sequence[Prompt], training_path: Path, path: Path) -> None:
    """Refuse an evaluation set that holds a training prompt: its accuracy would be contaminated."""
    trained_on = {_normalised(prompt.prompt): prompt.row for prompt in training}
    for prompt in evaluation:
        if _normalised(prompt.prompt) in trained_on:
            twin = trained_on[_normalised(prompt.prompt)]
            raise UserError(
                f"{path}, row {prompt.row}: also a training prompt ({training_path}, row {twin}); remove one of them"
            )


def _read_rows(path: Path) -> list[tuple[int, dict[str, str | None]]]:
    """The rows of a CSV with their line numbers, as a person sees them in an editor."""
    line = 0
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, strict=True)
            missing = [column for column in COLUMNS if column not in (reader.fieldnames or [])]
            if missing:
                found = ",".join(reader.fieldnames or [])
                wanted = ",".join(COLUMNS)
                raise UserError(
                    f"{path}, row 1: no column '{missing[0]}' in '{found}'; write {wanted}, separated by commas"
                )
            rows, line = list[tuple[int, dict[str, str | None]]](), reader.line_num
            for row in reader:
                if None in row:
                    raise UserError(
                        f"{path}, row {line + 1}: more fields than columns; put a field with a comma in quotes"
                    )
                rows.append((line + 1, row))
                line = reader.line_num
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; add it, or take '{path.stem}' out of the config") from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        byte = f"0x{error.object[error.start]:02X}"
        raise UserError(f"{path}, row {line}: not UTF-8 (byte {byte}); save the file as UTF-8") from None
    except csv.Error as error:
        raise UserError(
            f"{path}, row {line + 1}: {error}; close each quote, and double the quotes inside a field"
        ) from None
    except IsADirectoryError:
        raise UserError(f"{path}: a folder; a prompt set is a file") from None
    if not rows:
        raise UserError(f"{path}: no prompts; add rows below the header")
    return rows


def _check_fields(prompt: Prompt, path: Path, row: int) -> None:
    for column in ("id", "prompt", "label", "category"):
        if not getattr(prompt, column):
            raise UserError(f"{path}, row {row}: empty {column}; fill it in or remove the row")
    if prompt.label not in LABELS:
        raise UserError(f"{path}, row {row}: label '{prompt.label}'; write {' or '.join(LABELS)}")


def _normalised(prompt: str) -> str:
    return " ".join(prompt.casefold().split())
