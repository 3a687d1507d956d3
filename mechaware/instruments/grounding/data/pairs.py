"""Matched pairs of prompts, of the study or of a user's task, as a long table with a row for each prompt.

Light to import: a config's tables are read before anything runs.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.files import write_json_lines
from mechaware.core.rows import Row, cell_text, list_faults, read_rows

if TYPE_CHECKING:
    import pandas as pd

PROMPTS = ("clean", "corrupted", "third", "unasked", "both", "irrelevant", "other")
SHORTCUT = "shortcut_"  # begins the name of a column, here and in the table of answers (`answers.answer_table`)
_COLUMNS = ("pair", "prompt", "text", "wanted", "against", "options")
TEXT_COLUMNS = (*_COLUMNS, "category", "place", "request")  # without the columns of shortcuts

# Choices of an option by nothing but its place or its name. Of equally long options the first is chosen.
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
    - `place`: the place of the wanted answer.
    - `request`: the word that asks for it, where a control must know it.
    - `shortcuts`: by shortcut, its answer.
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
    """Prompts of one pair by name (of `PROMPTS`), the clean and the corrupted one among them.

    The logit difference is the same in all prompts: between the clean prompt's `wanted` and `against`.

    - `corrupted`: has `against` in place of `wanted`, and wants either `against` or nothing.
    - `third`: has a third word in place of `wanted`.
    - `unasked`: another option of the clean prompt is exchanged.
    - `both`: has `against` in place of another option.
    - `irrelevant`: has a change on which no answer depends.
    - `other`: asks the clean context for another option.
    """

    id: str
    prompts: dict[str, Prompt]

    @property
    def category(self) -> str:
        """The category of the clean prompt."""
        return self.prompts["clean"].category

    @property
    def place(self) -> int | str:
        """The place of the clean prompt; an integer if the text is a number."""
        place = self.prompts["clean"].place
        return int(place) if place.isdecimal() else place

    @property
    def exchanged(self) -> tuple[str, ...]:
        """The option that the unasked prompt takes away, and the option in its place; empty without that prompt.

        Raises `ValueError` if the unasked prompt differs from the clean one in more or fewer options.
        """
        if "unasked" not in self.prompts:
            return ()
        before = set(self.prompts["clean"].options)
        after = set(self.prompts["unasked"].options)
        (gone,) = before - after
        (new,) = after - before
        return gone, new


def read_pairs(
    path: Path,
    table: "pd.DataFrame | None" = None,
    *,
    options: Sequence[str] = (),
    faults_by_pair: dict[str, list[str]] | None = None,
) -> list[Pair]:
    """The pairs of a CSV, JSON-lines or Parquet file, or of a table that messages call `path`.

    Columns: pair (an id), prompt (of `PROMPTS`), text, wanted, against, options (separated by `|` or as a list; by
    default `options`, or wanted and against), and perhaps category, place, request and `shortcut_*`. Category and place
    of a pair are those in the row of its clean prompt. Texts and answers are read as they are. With `options` the
    column may be missing.

    Raises one `UserError` with all faults, a line each. If `faults_by_pair` is given, the faults of a
    pair are put there under its id, and the faults of rows that belong to no pair under ""; the
    pairs without faults are returned, of which there must be one.
    """
    unreadable: list[str] = []
    rows = _read_table(path, table, options, unreadable)
    prompts, faults_of_rows = _read_prompts(rows, path, options)
    faults = [("", fault) for fault in unreadable]  # each with the id of its pair
    faults += faults_of_rows

    pairs = []
    for pair_id, by_name in prompts.items():
        lacking = {"clean", "corrupted"} - set(by_name)
        if lacking:
            missing = f"{path}, pair '{pair_id}': no {min(lacking)} prompt; add its row, or mend it"
            faults.append((pair_id, missing))
            continue
        pair = Pair(pair_id, by_name)
        pairs.append(pair)
        for name, fault in _pair_faults(pair):
            faults.append((pair_id, f"{location_of(pair, name, path)}: {fault}"))

    if faults_by_pair is not None:
        for pair_id, fault in faults:
            faults_by_pair.setdefault(pair_id, []).append(fault)
        pairs = [pair for pair in pairs if pair.id not in faults_by_pair]
    texts = [fault for _, fault in faults]
    uneven = _uneven_faults(pairs, path)
    if uneven or not pairs or (texts and faults_by_pair is None):
        raise UserError(list_faults([*texts, *uneven]) or f"{path}: no pairs; add some")
    return pairs


def location_of(pair: Pair, name: str, path: Path) -> str:
    """Where a prompt is in its table, for messages: file, row, name of the prompt and id of its pair."""
    return f"{path}, row {pair.prompts[name].row}, {name} prompt of pair '{pair.id}'"


def _read_table(
    path: Path, table: "pd.DataFrame | None", options: Sequence[str], faults: list[str]
) -> list[tuple[int, Row]]:
    """The rows of a file or of a table, with their numbers; a row that cannot be read is appended to `faults`."""
    if table is None:
        columns = [column for column in _COLUMNS if column != "options" or not options]
        return read_rows(path, columns, "pairs", faults)

    names = [str(name) for name in table]
    cells = table.astype(object).where(table.notna(), None)
    rows: list[tuple[int, Row]] = []
    for number, row in enumerate(cells.itertuples(index=False, name=None), start=1):
        rows.append((number, dict(zip(names, row, strict=True))))
    return rows


def _read_prompts(
    rows: Iterable[tuple[int, Row]], path: Path, options: Sequence[str]
) -> tuple[dict[str, dict[str, Prompt]], list[tuple[str, str]]]:
    """The prompts by pair and name; and the faults of rows, each with the id of its pair, "" if it has none."""
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
                raise ValueError(
                    f"pair '{pair}' has a {name} prompt in row {prompts[pair][name].row}; remove one"
                )
            prompts[pair][name] = _read_prompt(row, number, options)
        except ValueError as error:
            faults.append((pair, f"{path}, row {number}: {error}"))
    return prompts, faults


def _uneven_faults(pairs: Sequence[Pair], path: Path) -> list[str]:
    """A fault for each kind of prompt that only some pairs have: a rule that needs it would fail in the other pairs."""
    faults = []
    for name in ("irrelevant", "unasked"):
        without = [pair.id for pair in pairs if name not in pair.prompts]
        if 0 < len(without) < len(pairs):
            faults.append(
                f"{path}, pair '{without[0]}': no {name} prompt, which other pairs have; give it to all"
            )
    return faults


def _read_prompt(row: Row, number: int, common_options: Sequence[str]) -> Prompt:
    """The prompt of a row, with `common_options` if it names none. Raises `ValueError` for one that cannot be used."""

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

    listed = row.get("options")
    if not isinstance(listed, list | tuple):
        listed = cell_text(listed, "options").split("|")
    texts = [cell_text(cell, "options") for cell in listed]
    options = tuple(option for option in texts if option)
    if not options:
        options = tuple(common_options)
    if not options:
        options = tuple(answer for answer in (wanted, against) if answer)
    if len(set(options)) < max(2, len(options)) or wanted not in ("", *options):
        raise ValueError(
            f"options '{'|'.join(options)}'; write two or more, all different, wanted among them"
        )

    shortcuts = {}
    for column in map(str, row):
        if column.startswith(SHORTCUT):
            shortcuts[column.removeprefix(SHORTCUT)] = text_of(column)
    return Prompt(text, wanted, against, options, category, place, request, shortcuts, number)


def _pair_faults(pair: Pair) -> Iterator[tuple[str, str]]:
    """The names of a pair's prompts that cannot be used, each with the reason."""
    clean = pair.prompts["clean"]
    corrupted = pair.prompts["corrupted"]
    if not clean.wanted or not clean.against or clean.wanted == clean.against:
        yield "clean", "needs two different answers, wanted and against"
    if corrupted.text == clean.text:
        yield (
            "corrupted",
            f"the text of row {clean.row}; exchange the word that the answer depends on",
        )
    if corrupted.wanted not in ("", clean.against):
        yield (
            "corrupted",
            f"wants '{corrupted.wanted}', not row {clean.row}'s against; exchange them, or empty it",
        )

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


def write_pairs(pairs: Iterable[Pair], path: Path) -> None:
    """Write pairs as JSON lines that `read_pairs` reads, whole or not at all."""
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
    ids: dict[str, list[str]] = defaultdict(list)
    for pair in pairs:
        ids[pair.category].append(pair.id)
    first = {category: set(of_category[:count]) for category, of_category in ids.items()}
    return [pair for pair in pairs if pair.id in first[pair.category]]


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
    longer = []
    for pair in pairs:
        prompts = {}
        for name, prompt in pair.prompts.items():
            prompts[name] = prompt._replace(text=examples + prompt.text)
        longer.append(Pair(pair.id, prompts))
    return longer
