"""A file of replies: the statuses of a judge that was asked elsewhere, by item and edit."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.rows import Row, cell_text, list_faults, read_rows
from mechaware.instruments.claims.items.edits import EDITS, UNEDITED
from mechaware.instruments.claims.items.labelled import LabelledItem
from mechaware.instruments.claims.rubric.rubric import Rubric

COLUMNS = ("id", "status")
EDIT = "edit"  # a column that a file may lack


class Answer(NamedTuple):
    """A judge's answer to a question, by the id of its item and the edit of its text.

    `status` is None without a usable reply. `evidence` is the judge's reason for the status, or
    what was wrong with its reply.
    """

    id: str
    edit: str
    status: str | None
    evidence: str = ""


def read_replies(path: Path, items: Sequence[LabelledItem], rubric: Rubric) -> list[Answer]:
    """The answers in a CSV, JSON lines or Parquet file with the columns id and status, and perhaps
    edit.

    An empty edit is the item as it is. A status is read as `Rubric.status_named` does. A status
    that the rubric does not have is kept as an answer without a status. An item whose unedited text
    has no reply also has an answer without a status; an edit without a reply has no answer.

    Raises:
        UserError: The file cannot be read; or replies are faulty, with a line for each fault (an id
            that no item has, an unknown edit, a second reply to one question); or no reply has a
            status of the rubric.
    """
    known = {item.id for item in items}
    edits = (UNEDITED, *EDITS)
    faults: list[str] = []
    answers: dict[tuple[str, str], Answer] = {}
    for number, row in read_rows(path, COLUMNS, "replies", faults):
        where = f"{path}, row {number}"
        try:
            item_id = _cell(row, "id")
            word = _cell(row, "status")
            edit = _cell(row, EDIT)
        except ValueError as error:
            faults.append(f"{where}: {error}")
            continue
        if item_id not in known:
            faults.append(f"{where}: no item '{item_id}'; remove the reply, or correct its id")
        elif edit not in edits:
            names = ", ".join(f"'{name}'" for name in EDITS)
            faults.append(
                f"{where}: no edit '{edit}'; write one of {names}, or leave the cell empty"
            )
        elif (item_id, edit) in answers:
            asked = f"item '{item_id}', edit '{edit}'" if edit else f"item '{item_id}'"
            faults.append(f"{where}: a second reply to {asked}; remove one")
        else:
            status = rubric.status_named(word)
            evidence = "" if status else f"no status: {word}"
            answers[item_id, edit] = Answer(item_id, edit, status, evidence)
    if faults:
        raise UserError(list_faults(faults))

    if not any(answer.status for answer in answers.values()):
        raise UserError(
            f"{path}: no reply is one of the statuses {', '.join(rubric.statuses)}; correct the column 'status'"
        )
    for item in items:
        missing = Answer(item.id, UNEDITED, None, "no reply")
        answers.setdefault((item.id, UNEDITED), missing)
    return list(answers.values())


def _cell(row: Row, name: str) -> str:
    """The text of a cell, empty where the row has none. Raises ValueError for what is no text."""
    return cell_text(row.get(name), name).strip()
