"""A user's matched pairs as a long table, one row for each prompt of a pair.

Only the standard library is imported: a config's tables are read before anything runs.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mechaware.errors import UserError
from mechaware.rows import Row, cell_text, list_faults, read_rows

COLUMNS = ("pair", "prompt", "text", "wanted", "against", "options")
PROMPTS = ("clean", "corrupted", "third", "irrelevant", "unasked", "both")
JUDGED = ("clean", "corrupted", "third")  # the prompts whose answers a pair is judged by, where an answer is wanted
_SHORTCUT = "shortcut_"  # begins the name of a column


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
    prompt may want `against` alone. `unasked` exchanges one option of the clean prompt, `third` another for `wanted`.
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


def read_task(path: Path, rows: Iterable[tuple[int, Row]] | None = None) -> list[TaskPair]:
    """The pairs of a CSV, JSON-lines or Parquet file, or of numbered rows that messages call by `path`.

    Columns: pair (an id), prompt (of `PROMPTS`), text, wanted (the right answer; empty where none or several are
    right), against (the other answer of the logit difference), options (the possible answers, separated by `|` or as a
    list; by default wanted and against), and perhaps category and place, read in the clean row, and `shortcut_*`, the
    answer that a shortcut gives. Texts and answers are read as they are: an answer includes the space before it.

    Raises one `UserError` with all faults, a line each (`_pair_faults`).
    """
    faults: list[str] = []
    numbered = read_rows(path, COLUMNS, "pairs", faults) if rows is None else rows
    prompts: dict[str, dict[str, _Prompt]] = {}
    for number, row in numbered:
        try:
            pair, name = (cell_text(row.get(column), column).strip() for column in ("pair", "prompt"))
            if not pair:
                raise ValueError("empty pair; give the pair's id")
            if name not in PROMPTS:
                raise ValueError(f"prompt '{name}'; write one of {', '.join(PROMPTS)}")
            if name in prompts.setdefault(pair, {}):
                raise ValueError(f"pair '{pair}' has a {name} prompt in row {prompts[pair][name].row}; remove one")
            prompts[pair][name] = _read_prompt(row, number)
        except ValueError as error:
            faults.append(f"{path}, row {number}: {error}")
    pairs = [
        TaskPair(pair, given["clean"].category, given["clean"].place, given)
        for pair, given in prompts.items()
        if {"clean", "corrupted"} <= set(given)
    ]
    faults += [f"{path}, row {row}: {fault}" for pair in pairs for row, fault in _pair_faults(pair)]
    whole = {pair.id for pair in pairs}
    faults += [f"{path}, pair '{pair}': a pair has a clean and a corrupted prompt" for pair in prompts.keys() - whole]
    for name in ("irrelevant", "unasked"):  # a rule that is asked in some pairs alone would fail in the others
        lacking = [pair.id for pair in pairs if name not in pair.prompts]
        if 0 < len(lacking) < len(pairs):
            faults.append(f"{path}, pair '{lacking[0]}': no {name} prompt, which other pairs have; give it to all")
    if not pairs and not faults:
        faults.append(f"{path}: no pairs; add some")
    if faults:
        raise UserError(list_faults(faults))
    return pairs


def _read_prompt(row: Row, number: int) -> _Prompt:
    """The prompt of a row. Raises `ValueError` for one that cannot be used."""
    text, wanted, against, category, place = (
        cell_text(row.get(column), column) for column in ("text", "wanted", "against", "category", "place")
    )
    if not text.strip():
        raise ValueError("empty text; fill it in or remove the row")
    listed = row.get("options")
    cells = listed if isinstance(listed, list | tuple) else cell_text(listed, "options").split("|")
    options = tuple(filter(None, (cell_text(cell, "options") for cell in cells)))
    options = options or tuple(filter(None, (wanted, against)))
    if len(options) < 2 or len(set(options)) < len(options):
        raise ValueError("options needs two or more different answers, separated by |")
    if wanted and wanted not in options:
        raise ValueError(f"wanted '{wanted}' is none of the options '{'|'.join(options)}'; add it, or empty wanted")
    shortcuts = {name: cell_text(cell, name) for name, cell in row.items() if str(name).startswith(_SHORTCUT)}
    return _Prompt(number, text, wanted, against, options, shortcuts, category.strip(), place.strip())


def _pair_faults(pair: TaskPair) -> Iterator[tuple[int, str]]:
    """Rows of a pair and why they cannot be used."""
    clean, corrupted, third = (pair.prompts.get(name) for name in JUDGED)
    assert clean is not None  # noqa: S101 - a pair has both
    assert corrupted is not None  # noqa: S101
    if not clean.wanted or not clean.against or clean.wanted == clean.against:
        yield clean.row, "a clean prompt needs two different answers, wanted and against"
    if corrupted.text == clean.text:
        yield corrupted.row, f"the text of row {clean.row}; exchange the word that the answer depends on"
    if corrupted.wanted not in ("", clean.against):
        yield corrupted.row, f"wanted '{corrupted.wanted}' is not row {clean.row}'s against; exchange them, or empty it"
    if third is not None and third.wanted in ("", clean.wanted, clean.against):
        yield third.row, "a third prompt needs an answer that is neither of the clean prompt's two"
    if "unasked" in pair.prompts:
        try:
            _ = pair.exchanged
        except ValueError:
            yield pair.prompts["unasked"].row, f"options must be row {clean.row}'s with one of them exchanged"


def shortcut_shares(pairs: Sequence[TaskPair]) -> dict[str, float]:
    """The share of pairs that each shortcut answers rightly in all `JUDGED` prompts, the best place among them.

    A copier of one place answers the pairs that want it; pairs without a place count as none of them.
    """
    shares = {}
    if places := Counter(pair.place for pair in pairs if pair.place):
        place, count = max(places.items(), key=lambda entry: (entry[1], entry[0]))
        shares[f"place {place}"] = count / len(pairs)
    for name in sorted({name for pair in pairs for prompt in pair.prompts.values() for name in prompt.shortcuts}):
        right = [
            all(prompt.shortcuts.get(name) == prompt.wanted for prompt in _judged(pair) if prompt.wanted)
            for pair in pairs
        ]
        shares[name.removeprefix(_SHORTCUT).replace("_", " ")] = sum(right) / len(pairs)
    return shares


def _judged(pair: TaskPair) -> list[_Prompt]:
    return [pair.prompts[name] for name in JUDGED if name in pair.prompts]
