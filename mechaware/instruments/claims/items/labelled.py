"""Labelled items: what a judge is asked on a criterion of any rubric,
and the status that a person gave.
"""

from pathlib import Path
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.levels import MIN_GROUPS
from mechaware.core.rows import Row, cell_text, list_faults, read_rows
from mechaware.instruments.claims.rubric.rubric import Rubric

COLUMNS = ("id", "group", "criterion", "claim", "text", "label")
SECOND = "second_label"  # a column that a file may lack
# A judge's card (`verdicts.judge_cards`) fits rules to the labels of some groups and has them
# predict the others'.
LEAST_GROUPS = 2


class LabelledItem(NamedTuple):
    """A row of items.csv.

    - `id`: the item's name. `group`: what it shares with items that are not independent of it, such
      as its paper.
    - `criterion`: a code of the rubric. `claim`: what is judged; may be empty.
    - `text`: passages, separated by line feeds.
    - `label`: the status that a person gave. `second`: the status that a second person gave, or
      empty.
    """

    id: str
    group: str
    criterion: str
    claim: str
    text: str
    label: str
    second: str

    @property
    def passages(self) -> list[str]:
        """The passages of the text: its lines, without empty lines."""
        return [line.strip() for line in self.text.splitlines() if line.strip()]


def read_items(path: Path, rubric: Rubric) -> list[LabelledItem]:
    """The items of a CSV, JSON lines or Parquet file (`read_rows`) with `COLUMNS` and perhaps
    `SECOND`.

    Labels are read as `Rubric.status_named` does.

    Raises:
        UserError: The file cannot be read; or rows are faulty, with a line for each fault (no id,
            an id twice, no group, a criterion or a label that the rubric does not have, an empty
            text); or there are fewer than two groups.
    """
    faults: list[str] = []
    items: dict[str, LabelledItem] = {}
    for number, row in read_rows(path, COLUMNS, "items", faults):
        where = f"{path}, row {number}"
        try:
            item = _read_item(row, rubric)
        except ValueError as error:
            faults.append(f"{where}: {error}")
            continue
        if item.id in items:
            faults.append(f"{where}: a second item '{item.id}'; give each its own id")
        items.setdefault(item.id, item)
    if faults:
        raise UserError(list_faults(faults))
    groups = {item.group for item in items.values()}
    if len(groups) < LEAST_GROUPS:
        raise UserError(
            f"{path}: one group, '{min(groups)}'; a card needs two or more, and {MIN_GROUPS} for a verdict: write in "
            "'group' what items share, such as their paper"
        )
    return list(items.values())


def _read_item(row: Row, rubric: Rubric) -> LabelledItem:
    """The item of a row. Raises ValueError with what is wrong and what to do."""
    cells = {name: cell_text(row.get(name), name).strip() for name in (*COLUMNS, SECOND)}
    for name in ("id", "group", "text"):
        if not cells[name]:
            raise ValueError(f"no {name}; write one, or remove the row")
    if cells["criterion"] not in rubric.criteria:
        known = ", ".join(rubric.criteria)
        raise ValueError(f"criterion '{cells['criterion']}' is not in the rubric; it has {known}")
    return LabelledItem(
        id=cells["id"],
        group=cells["group"],
        criterion=cells["criterion"],
        claim=cells["claim"],
        text=cells["text"],
        label=_status(cells["label"], "label", rubric),
        second=_status(cells[SECOND], SECOND, rubric) if cells[SECOND] else "",
    )


def _status(text: str, column: str, rubric: Rubric) -> str:
    """The status that a cell names. Raises ValueError if it names none."""
    status = rubric.status_named(text)
    if status is None:
        raise ValueError(
            f"{column} '{text}' is none of the statuses; write {' or '.join(rubric.statuses)}"
        )
    return status
