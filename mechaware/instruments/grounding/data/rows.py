"""Rows of NL-to-SQL data: their form, their prompts, and their import from the hub, JSON lines or Parquet."""

import random
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write, read_json_lines, write_json_lines
from mechaware.core.rows import ENTRY_READERS, one_line

SPLITS = ("train", "valid", "test")
TEXTS = ("english_prompt", "create_statement", "sql_statement")
# The marks around the schema of a prompt.
OPENING = " ### Context:"
CLOSING = " ### Response:"
_CREATE = re.compile(r"\s*CREATE TABLE (\w+)\s*\((.*)\)\s*;?\s*", re.DOTALL)
# A column, not a constraint of the table.
_NAME = re.compile(r"(?!(?:PRIMARY|FOREIGN|UNIQUE|CHECK|CONSTRAINT)$)\w+")
_SELECT = re.compile(r"SELECT (\w+(?:, \w+)*) FROM (\w+)")


class Row(NamedTuple):
    """One request in English, the schema, and the SQL that answers it; the form of TinySQL's command set 1.

    `table_fields` are all columns of the schema, `select` those that the SQL selects, each in the order of its text.
    """

    english_prompt: str
    create_statement: str
    sql_statement: str
    table_name: str
    table_fields: list[str]
    select: list[str]


def prompt_of(english_prompt: str, create_statement: str) -> str:
    """The prompt in the paper's form, up to where decoding begins; empty `create_statement` for no schema."""
    return f"### Instruction: {english_prompt}{OPENING} {create_statement}{CLOSING}"


def create_statement(table: str, columns: list[tuple[str, str]]) -> str:
    """The schema as SQL, from names and types. The space before a name makes it the same token as in the answer."""
    entries = [f"{name} {type_text}" for name, type_text in columns]
    return f"CREATE TABLE {table} ( {', '.join(entries)} )"


def columns_and_types(create_statement: str) -> list[tuple[str, str]]:
    """Name and type of each column, in order; a column without a type has "". Text of another form has no columns.

    `CREATE TABLE t ( a INTEGER, b DECIMAL(10, 2) )` gives (a, INTEGER) and (b, DECIMAL(10, 2)).
    """
    statement = _CREATE.fullmatch(create_statement)
    if statement is None:
        return []
    columns = []
    # Not at a comma in parentheses.
    for entry in re.split(r",(?![^(]*\))", statement[2]):
        if entry.strip():
            name, *rest = entry.split(maxsplit=1)
            type_text = rest[0].strip() if rest else ""
            columns.append((name, type_text))
    return columns


def tokenizer_texts(rows: Iterable[Row], words: Iterable[str]) -> Iterator[str]:
    """The texts whose words a tokenizer must know: each word after a space, and each row with and without schema."""
    yield from (f" {word}" for word in words)
    for row in rows:
        for schema in (row.create_statement, ""):
            yield f"{prompt_of(row.english_prompt, schema)} {row.sql_statement}"


def write_rows(rows: Iterable[Row], path: Path) -> None:
    """Write rows as JSON lines, whole or not at all."""
    write_json_lines((row._asdict() for row in rows), path)


def read_rows(path: Path) -> list[Row]:
    """The rows that `write_rows` wrote."""
    return [Row(**record) for record in read_json_lines(path)]


def worked_examples(rows: Sequence[Row], count: int, *, seed: int) -> str:
    """`count` answered requests of one column each, one on a line; their columns' places are used in turn.

    Raises `UserError` if the rows have fewer requests of one column at some place.
    """
    by_place: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if len(row.select) == 1:
            by_place[row.table_fields.index(row.select[0])].append(row)
    places = sorted(by_place)

    chosen: list[Row] = []
    generator = random.Random(seed)  # noqa: S311
    for number in range(count):
        # In turn over the places, or the examples would teach the model to copy one of them.
        place = places[number % len(places)] if places else 0
        unused = [row for row in by_place[place] if row not in chosen]
        if not unused:
            raise UserError(
                f"grounding/pretrained/examples: {count} worked examples, but the training rows have fewer requests of "
                f"one column at place {place + 1}; ask for fewer"
            )
        chosen.append(generator.choice(unused))

    lines = []
    for row in chosen:
        prompt = prompt_of(row.english_prompt, row.create_statement)
        lines.append(f"{prompt} {row.sql_statement}\n")
    return "".join(lines)


def fetch_dataset(repo: str, revision: str, out: Path) -> None:
    """Download the Parquet and JSON-lines files of a hub dataset at a commit into the folder `out`.

    `revision` is the commit or its first digits; the file COMMIT in `out` holds all digits. Raises `UserError` if the
    hub cannot be reached or if not exactly one commit begins so.
    """
    from httpx import HTTPError
    from huggingface_hub import HfApi, snapshot_download

    with atomic_write(out) as folder:
        try:
            # The first digits are resolved here: they must fit a single commit, and COMMIT records all its digits.
            commits = HfApi().list_repo_commits(repo, repo_type="dataset")
            matching = [
                commit.commit_id for commit in commits if commit.commit_id.startswith(revision)
            ]
            if len(matching) != 1:
                raise UserError(
                    f"dataset {repo}: {len(matching)} commits begin with {revision}; correct grounding/data/revision"
                )
            snapshot_download(
                repo,
                repo_type="dataset",
                revision=matching[0],
                local_dir=folder,
                allow_patterns=["*.parquet", "*.jsonl"],
            )
        # ValueError: an invalid name, or a reply of something else.
        except (OSError, HTTPError, ValueError) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise UserError(
                f"dataset {repo} at {revision}: the hub cannot provide it ({reason}); set "
                "grounding/data/source to generated, or to local with a copy of the dataset"
            ) from error
        shutil.rmtree(folder / ".cache", ignore_errors=True)
        (folder / "COMMIT").write_text(f"{matching[0]}\n", encoding="utf-8")


def import_rows(path: Path, split: str, limits: Mapping[str, int]) -> list[Row]:
    """The first `limits[split]` rows of a split of a dataset in TinySQL's form, checked one by one.

    `path` is a folder with files named after their splits (`train*`, `valid*`, `test*`), each Parquet or JSON lines,
    or one such file whose first rows are train, the next valid and the next test. Raises `UserError`, with the file
    and the row, for a missing column, SQL of another form than `SELECT a, b FROM t`, a schema with quoted or
    repeated names or constraints of the table, and a table or field of the SQL that the schema lacks.
    """
    if path.is_dir():
        files = split_files(path, split)
        start = 0
    else:
        files = [path]
        start = sum(limits[name] for name in SPLITS[: SPLITS.index(split)])
    if not files:
        raise UserError(
            f"{path}: no {split}*.parquet or {split}*.jsonl; name the file of each split after it"
        )
    entries = []
    for file in files:
        for number, entry in _read_entries(file):
            entries.append((f"{file}, row {number}", entry))
    requested = entries[start : start + limits[split]]
    if len(requested) < limits[split]:
        raise UserError(
            f"{path}: {len(requested)} rows for {split}, but grounding/data/rows asks for {limits[split]}; "
            "ask for fewer"
        )
    return [_checked(entry, where) for where, entry in requested]


def split_files(folder: Path, split: str) -> list[Path]:
    """The files of a dataset's folder that have the rows of a split, sorted by path."""
    files = []
    for file in sorted(folder.rglob("*")):
        if file.name.startswith(split) and file.suffix in ENTRY_READERS:
            files.append(file)
    return files


def _read_entries(file: Path) -> Sequence[tuple[int, Mapping[str, Any]]]:
    """The entries of a file with their numbers. Raises `UserError` for a missing file, and for another format."""
    if not file.exists():
        raise UserError(f"{file}: no such file; correct grounding/data/path in the config")
    if file.suffix not in ENTRY_READERS:
        raise UserError(f"{file}: neither .parquet nor .jsonl; convert it to one of them")
    return ENTRY_READERS[file.suffix](file)


def _checked(entry: Mapping[str, Any], where: str) -> Row:
    """The row of an entry; raises `UserError`, which begins with `where`, for one of another form (`import_rows`)."""
    for column in TEXTS:
        if not isinstance(entry.get(column), str) or not entry[column].strip():
            raise UserError(f"{where}: no text '{column}'; a row has {', '.join(TEXTS)}")
    sql = _SELECT.fullmatch(entry["sql_statement"].strip())
    create = _CREATE.fullmatch(entry["create_statement"])
    if sql is None:
        raise UserError(
            f"{where}: SQL '{one_line(entry['sql_statement'])}' is not of the form SELECT a, b FROM t"  # noqa: S608
        )
    if create is None:
        raise UserError(
            f"{where}: schema '{one_line(entry['create_statement'])}' is not of the form "
            "CREATE TABLE t ( a TYPE, ... )"
        )

    select = sql[1].split(", ")
    table = sql[2]
    fields = [name for name, _ in columns_and_types(entry["create_statement"])]
    odd = [name for name in fields if _NAME.fullmatch(name) is None or fields.count(name) > 1]
    if odd:
        raise UserError(
            f"{where}: the schema has '{odd[0]}' twice, or as something else than a column; list each column once, "
            "without quotes, and no constraint of the table"
        )
    if table != create[1]:
        raise UserError(f"{where}: the SQL reads table '{table}', the schema creates '{create[1]}'")
    absent = [name for name in select if name not in fields]
    if absent:
        raise UserError(f"{where}: the SQL selects '{absent[0]}', which the schema lacks")
    return Row(
        entry["english_prompt"].strip(), entry["create_statement"], sql[0], table, fields, select
    )
