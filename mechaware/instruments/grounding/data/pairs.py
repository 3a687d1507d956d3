"""Matched pairs of prompts, of the study or of a user's task, read from a table and written to one.

The table is long: a row for each prompt. `read_pairs` reads and checks it, `write_pairs` writes it,
and the functions after them select and change pairs.

Light to import: a config's tables are read before anything runs.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.files import write_json_lines
from mechaware.core.rows import Row, cell_text, list_faults, read_rows

if TYPE_CHECKING:
    import pandas as pd

PROMPTS = ("clean", "corrupted", "third", "unasked", "both", "irrelevant", "other")
# Begins the name of a column, here and in the table of answers (`answers.answer_table`).
SHORTCUT = "shortcut_"
_REQUIRED_COLUMNS = ("pair", "prompt", "text", "wanted", "against", "options")
# All columns but those of shortcuts.
TEXT_COLUMNS = (*_REQUIRED_COLUMNS, "category", "place", "request")
# Prompts that a table has for all of its pairs or for none: G1 needs the irrelevant one, G4 the
# unasked one.
_ALL_OR_NONE = ("irrelevant", "unasked")

# Choices of an option by nothing but its place or its name. Of equally long options the first is
# chosen.
PLACE_SHORTCUTS: Mapping[str, Callable[[Sequence[str]], str]] = {
    "first": lambda options: options[0],
    "last": lambda options: options[-1],
    "middle": lambda options: options[(len(options) - 1) // 2],
    "longest": lambda options: max(options, key=len),
    "alphabetical": min,
}


class Prompt(NamedTuple):
    """A row of the table. An answer includes the space before it.

    - `wanted`: the right answer; "" where none or several are right.
    - `against`: the other answer of the logit difference.
    - `options`: the possible answers.
    - `category`: a name for pairs of one kind; "" without one.
    - `place`: the place of the wanted answer, as text; "" without one.
    - `request`: the word that asks for the wanted answer, where a control must know it.
    - `shortcuts`: the answer of each shortcut that the table has, by its name.
    - `row`: the row's number in the file, for messages.
    """

    text: str
    wanted: str
    against: str
    options: tuple[str, ...]
    category: str
    place: str
    request: str
    shortcuts: dict[str, str]
    row: int = 0


class Pair(NamedTuple):
    """The prompts of one pair by name (of `PROMPTS`), at least the clean and the corrupted one.

    The logit difference compares the same two answers in all prompts, the clean prompt's `wanted`
    and `against`. The other prompts are changes of the clean one:

    - `corrupted`: has `against` in place of `wanted`, and wants either `against` or nothing.
    - `third`: has a third word in place of `wanted`, and wants it.
    - `unasked`: has a new option in place of one that is not wanted.
    - `both`: has `against` in place of one that is not wanted, and so both answers.
    - `irrelevant`: has a change on which no answer depends.
    - `other`: asks for another option in the clean context.
    """

    id: str
    prompts: dict[str, Prompt]

    @property
    def category(self) -> str:
        """The category of the clean prompt."""
        return self.prompts["clean"].category

    @property
    def place(self) -> int | str:
        """The place of the clean prompt's wanted answer; an integer if the text is a number."""
        place = self.prompts["clean"].place
        return int(place) if place.isdecimal() else place

    @property
    def exchanged(self) -> tuple[str, ...]:
        """The option that the unasked prompt replaces, and the new one; empty without that prompt.

        Raises `ValueError` unless exactly one option is replaced.
        """
        if "unasked" not in self.prompts:
            return ()
        before = set(self.prompts["clean"].options)
        after = set(self.prompts["unasked"].options)
        (old,) = before - after
        (new,) = after - before
        return old, new


class _Fault(NamedTuple):
    """Why a row or a pair cannot be used, in a line; `pair` is the pair's id, "" without one."""

    pair: str
    message: str


def read_pairs(
    path: Path,
    table: "pd.DataFrame | None" = None,
    *,
    options: Sequence[str] = (),
    faults_by_pair: dict[str, list[str]] | None = None,
) -> list[Pair]:
    """The pairs of a CSV, JSON-lines or Parquet file, or of a table.

    Columns that a file must have: pair (an id), prompt (of `PROMPTS`), text, wanted, against and
    options (separated by `|` or as a list). Further columns: category, place, request and
    `shortcut_*`. Texts and answers are read as they are. A row without options has the common
    `options`, or without them its wanted and against.

    Args:
        path: The file. With `table`, what messages call it.
        table: The rows, in place of the file's.
        options: The common options. With them the column of options may be missing.
        faults_by_pair: A mapping to which the faults are added, a list by pair (id), and under ""
            those of rows that belong to no pair. Faulty pairs are then left out. Default: any fault
            is raised.

    Raises:
        UserError: The file cannot be read (`read_rows`); else all faults together, a line each.
            With `faults_by_pair`: no pair is left, or only some of the pairs that are left have an
            irrelevant or an unasked prompt.
    """
    unreadable: list[str] = []
    rows = _read_table(path, table, options, unreadable)
    prompts_by_pair, row_faults = _read_prompts(rows, path, options)
    faults = [_Fault("", message) for message in unreadable]
    faults += row_faults

    pairs = []
    for pair_id, prompts in prompts_by_pair.items():
        missing = [name for name in ("clean", "corrupted") if name not in prompts]
        if missing:
            message = f"{path}, pair '{pair_id}': no {missing[0]} prompt; add its row, or mend it"
            faults.append(_Fault(pair_id, message))
            continue
        pair = Pair(pair_id, prompts)
        pairs.append(pair)
        for name, reason in _pair_faults(pair):
            faults.append(_Fault(pair_id, f"{location_of(pair, name, path)}: {reason}"))

    if faults_by_pair is not None:
        for fault in faults:
            faults_by_pair.setdefault(fault.pair, []).append(fault.message)
        pairs = [pair for pair in pairs if pair.id not in faults_by_pair]
    uneven = _uneven_faults(pairs, path)
    if uneven or not pairs or (faults and faults_by_pair is None):
        messages = [fault.message for fault in faults] + uneven
        raise UserError(list_faults(messages) or f"{path}: no pairs; add some")
    return pairs


def location_of(pair: Pair, name: str, path: Path) -> str:
    """Where a prompt is in its table, for messages: file, row, the prompt's name, the pair's id."""
    return f"{path}, row {pair.prompts[name].row}, {name} prompt of pair '{pair.id}'"


def _read_table(
    path: Path, table: "pd.DataFrame | None", options: Sequence[str], faults: list[str]
) -> list[tuple[int, Row]]:
    """The rows of a file or of a table, with their numbers; a missing cell of a table is None.

    Why a row of a file cannot be read is appended to `faults`. With common `options` the column of
    options may be missing.
    """
    if table is None:
        required = [column for column in _REQUIRED_COLUMNS if column != "options" or not options]
        return read_rows(path, required, "pairs", faults)

    columns = [str(column) for column in table]
    values = table.astype(object).where(table.notna(), None)
    rows: list[tuple[int, Row]] = []
    for number, cells in enumerate(values.itertuples(index=False, name=None), start=1):
        rows.append((number, dict(zip(columns, cells, strict=True))))
    return rows


def _read_prompts(
    rows: Iterable[tuple[int, Row]], path: Path, options: Sequence[str]
) -> tuple[dict[str, dict[str, Prompt]], list[_Fault]]:
    """The prompts by pair (id) and name, and the faults of rows.

    A pair whose rows are all faulty may have an entry without prompts.
    """
    prompts: dict[str, dict[str, Prompt]] = {}
    faults = []
    for number, row in rows:
        pair = ""
        try:
            pair = cell_text(row.get("pair"), "pair").strip()
            name = cell_text(row.get("prompt"), "prompt").strip()
            if not pair or name not in PROMPTS:
                raise ValueError(
                    f"pair '{pair}', prompt '{name}'; write an id, and one of {', '.join(PROMPTS)}"
                )
            if name in prompts.setdefault(pair, {}):
                first_row = prompts[pair][name].row
                raise ValueError(
                    f"pair '{pair}' has a {name} prompt in row {first_row}; remove one"
                )
            prompts[pair][name] = _read_prompt(row, number, options)
        except ValueError as error:
            faults.append(_Fault(pair, f"{path}, row {number}: {error}"))
    return prompts, faults


def _read_prompt(row: Row, number: int, common_options: Sequence[str]) -> Prompt:
    """The prompt of the row `number`, with `common_options` if the row names none.

    Raises `ValueError` for a row that cannot be used.
    """

    def text_of(column: str) -> str:
        return cell_text(row.get(column), column)

    text = text_of("text")
    wanted = text_of("wanted")
    against = text_of("against")
    category = text_of("category").strip()
    place = text_of("place").strip()
    request = text_of("request")
    if not text.strip():
        raise ValueError("empty text; fill it in or remove the row")

    options = _read_options(row.get("options"))
    if not options:
        options = tuple(common_options)
    if not options:
        options = tuple(answer for answer in (wanted, against) if answer)
    all_different = len(set(options)) == len(options)
    if len(options) < 2 or not all_different or wanted not in ("", *options):
        raise ValueError(
            f"options '{'|'.join(options)}'; write two or more, all different, wanted among them"
        )

    shortcuts = {}
    for column in map(str, row):
        if column.startswith(SHORTCUT):
            shortcuts[column.removeprefix(SHORTCUT)] = text_of(column)
    return Prompt(
        text=text,
        wanted=wanted,
        against=against,
        options=options,
        category=category,
        place=place,
        request=request,
        shortcuts=shortcuts,
        row=number,
    )


def _read_options(cell: object) -> tuple[str, ...]:
    """The options in a cell, a list or a text such as `dog|red`; empty ones are left out."""
    listed = cell if isinstance(cell, list | tuple) else cell_text(cell, "options").split("|")
    texts = [cell_text(option, "options") for option in listed]
    return tuple(text for text in texts if text)


def _pair_faults(pair: Pair) -> Iterator[tuple[str, str]]:
    """The names of a pair's prompts that cannot be used, each with the reason."""
    clean = pair.prompts["clean"]
    corrupted = pair.prompts["corrupted"]
    if not clean.wanted or not clean.against or clean.wanted == clean.against:
        yield "clean", "needs two different answers, wanted and against"
    if corrupted.text == clean.text:
        remedy = "exchange the word that the answer depends on"
        yield "corrupted", f"the text of row {clean.row}; {remedy}"
    if corrupted.wanted not in ("", clean.against):
        remedy = "exchange them, or empty it"
        yield "corrupted", f"wants '{corrupted.wanted}', not row {clean.row}'s against; {remedy}"

    third = pair.prompts.get("third")
    if third and third.wanted in ("", clean.wanted, clean.against):
        yield "third", f"needs a wanted answer other than the two of row {clean.row}"

    other = pair.prompts.get("other")
    if other and other.wanted in ("", clean.wanted):
        yield "other", f"needs another wanted answer than row {clean.row}"

    try:
        _ = pair.exchanged
    except ValueError:
        yield "unasked", f"needs the options of row {clean.row} with one of them exchanged"


def _uneven_faults(pairs: Sequence[Pair], path: Path) -> list[str]:
    """A fault for each prompt of `_ALL_OR_NONE` that only some pairs have, in the first without it.

    A rule that reads the prompt would fail in the pairs without it.
    """
    faults = []
    for name in _ALL_OR_NONE:
        without = [pair.id for pair in pairs if name not in pair.prompts]
        if 0 < len(without) < len(pairs):
            reason = f"no {name} prompt, which other pairs have; give it to all"
            faults.append(f"{path}, pair '{without[0]}': {reason}")
    return faults


def write_pairs(pairs: Iterable[Pair], path: Path) -> None:
    """Write the pairs as JSON lines that `read_pairs` reads; the file is whole or absent."""
    records = []
    for pair in pairs:
        records += [_record(pair, name) for name in pair.prompts]
    write_json_lines(records, path)


def _record(pair: Pair, name: str) -> dict[str, object]:
    """The row of a prompt in a table that `read_pairs` reads."""
    fields = pair.prompts[name]._asdict()
    del fields["row"]
    shortcuts = fields.pop("shortcuts")
    record: dict[str, object] = {"pair": pair.id, "prompt": name, **fields}
    for shortcut, answer in shortcuts.items():
        record[SHORTCUT + shortcut] = answer
    return record


def first_of_each_category(pairs: Sequence[Pair], count: int) -> list[Pair]:
    """The first `count` pairs of each category, or all that it has, in the order given."""
    used: Counter[str] = Counter()
    first_pairs = []
    for pair in pairs:
        if used[pair.category] < count:
            first_pairs.append(pair)
            used[pair.category] += 1
    return first_pairs


def wanted_by_request(pairs: Iterable[Pair]) -> dict[str, set[str]]:
    """The answers that each request word may mean, without the space before them."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        for prompt in pair.prompts.values():
            if prompt.wanted:
                wanted[prompt.request].add(prompt.wanted.strip())
    return dict(wanted)


def with_examples(pairs: Iterable[Pair], examples: str) -> list[Pair]:
    """The pairs with `examples` before each of their prompts."""
    longer_pairs = []
    for pair in pairs:
        prompts = {}
        for name, prompt in pair.prompts.items():
            prompts[name] = prompt._replace(text=examples + prompt.text)
        longer_pairs.append(Pair(pair.id, prompts))
    return longer_pairs
