"""A user's matched pairs as a long table, one row for each prompt of a pair.

Light to import: a config's tables are read before anything runs.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mechaware.errors import UserError
from mechaware.rows import Row, cell_text, list_faults, read_rows

if TYPE_CHECKING:
    import pandas as pd

PROMPTS = ("clean", "corrupted", "third", "unasked", "both", "irrelevant", "other")
_COLUMNS = ("pair", "prompt", "text", "wanted", "against", "options")
SHORTCUT = "shortcut_"  # begins the name of a column, here and in the table of answers (`answers.answers_to`)


class _Prompt(NamedTuple):
    """A row. `options`: the possible answers, `wanted` the right one ("" for none); `shortcuts`: answers by name."""

    row: int
    text: str
    wanted: str
    against: str
    options: tuple[str, ...]
    shortcuts: dict[str, str]
    category: str
    place: str


class TaskPair(NamedTuple):
    """Prompts of one pair by name (of `PROMPTS`), the clean and the corrupted one among them.

    The logit difference of all prompts is that of `wanted` and `against` of the clean one, of which the corrupted
    prompt may want `against` alone. `unasked` exchanges one option of the clean prompt, `third` another for `wanted`;
    `other` asks the clean context for another option.
    """

    id: str
    category: str
    place: str
    prompts: dict[str, _Prompt]

    @property
    def exchanged(self) -> tuple[str, str]:
        """The option that the unasked prompt takes away, and the one that it has in its place."""
        before, after = (self.prompts[name].options for name in ("clean", "unasked"))
        (gone,), (new,) = set(before) - set(after), set(after) - set(before)
        return gone, new


def read_task(path: Path, table: "pd.DataFrame | None" = None) -> list[TaskPair]:
    """The pairs of a CSV, JSON-lines or Parquet file, or of a table that messages call `path`.

    Columns: pair (an id), prompt (of `PROMPTS`), text, wanted (the right answer; empty where none or several are
    right), against (the other answer of the logit difference), options (the possible answers, separated by `|` or as a
    list; by default wanted and against), and perhaps category and place, read in the clean row, and `shortcut_*`, the
    answer that a shortcut gives. Texts and answers are read as they are: an answer includes the space before it.

    Raises one `UserError` with all faults, a line each.
    """
    faults: list[str] = []
    if table is None:
        rows = read_rows(path, _COLUMNS, "pairs", faults)
    else:
        cells = table.astype(object).where(table.notna(), None).itertuples(index=False, name=None)
        rows = [(number, dict(zip(map(str, table), row, strict=True))) for number, row in enumerate(cells, start=1)]
    prompts: dict[str, dict[str, _Prompt]] = {}
    for number, row in rows:
        try:
            pair, name = (cell_text(row.get(column), column).strip() for column in ("pair", "prompt"))
            if not pair or name not in PROMPTS:
                raise ValueError(f"pair '{pair}', prompt '{name}'; write an id, and one of {', '.join(PROMPTS)}")
            if name in prompts.setdefault(pair, {}):
                raise ValueError(f"pair '{pair}' has a {name} prompt in row {prompts[pair][name].row}; remove one")
            prompts[pair][name] = _read_prompt(row, number)
        except ValueError as error:
            faults.append(f"{path}, row {number}: {error}")
    pairs = []
    for pair, given in prompts.items():
        if lacking := {"clean", "corrupted"} - set(given):
            faults.append(f"{path}, pair '{pair}': no {min(lacking)} prompt; add its row, or mend it")
        else:
            pairs.append(TaskPair(pair, given["clean"].category, given["clean"].place, given))
            faults += [f"{path}, row {given[name].row}: {fault}" for name, fault in _pair_faults(pairs[-1])]
    for name in ("irrelevant", "unasked"):  # a rule that is asked in some pairs alone would fail in the others
        without = [pair.id for pair in pairs if name not in pair.prompts]
        if 0 < len(without) < len(pairs):
            faults.append(f"{path}, pair '{without[0]}': no {name} prompt, which other pairs have; give it to all")
    if faults or not pairs:
        raise UserError(list_faults(faults) or f"{path}: no pairs; add some")
    return pairs


def _read_prompt(row: Row, number: int) -> _Prompt:
    """The prompt of a row. Raises `ValueError` for one that cannot be used."""
    columns = ("text", "wanted", "against", "category", "place")
    text, wanted, against, category, place = (cell_text(row.get(column), column) for column in columns)
    if not text.strip():
        raise ValueError("empty text; fill it in or remove the row")
    listed = row.get("options")
    cells = listed if isinstance(listed, list | tuple) else cell_text(listed, "options").split("|")
    options = tuple(filter(None, (cell_text(cell, "options") for cell in cells)))
    options = options or tuple(filter(None, (wanted, against)))
    if len(set(options)) < max(2, len(options)) or wanted not in ("", *options):
        raise ValueError(f"options '{'|'.join(options)}'; write two or more, all different, wanted among them")
    shortcuts = {name: cell_text(cell, name) for name, cell in row.items() if str(name).startswith(SHORTCUT)}
    return _Prompt(number, text, wanted, against, options, shortcuts, category.strip(), place.strip())


def _pair_faults(pair: TaskPair) -> Iterator[tuple[str, str]]:
    """Prompts of a pair, and why they cannot be used."""
    clean, corrupted = pair.prompts["clean"], pair.prompts["corrupted"]
    if not clean.wanted or not clean.against or clean.wanted == clean.against:
        yield "clean", "needs two different answers, wanted and against"
    if corrupted.text == clean.text:
        yield "corrupted", f"the text of row {clean.row}; exchange the word that the answer depends on"
    if corrupted.wanted not in ("", clean.against):
        yield "corrupted", f"wants '{corrupted.wanted}', not row {clean.row}'s against; exchange them, or empty it"
    if "third" in pair.prompts and pair.prompts["third"].wanted in ("", clean.wanted, clean.against):
        yield "third", f"needs a wanted answer other than the two of row {clean.row}"
    if "other" in pair.prompts and pair.prompts["other"].wanted in ("", clean.wanted):
        yield "other", f"needs another wanted answer than row {clean.row}"
    if "unasked" in pair.prompts:
        try:
            _ = pair.exchanged
        except ValueError:
            yield "unasked", f"needs the options of row {clean.row} with one of them exchanged"
