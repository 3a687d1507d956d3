"""Imports rows of NL-to-SQL data from the hub, or from the user's JSON lines or Parquet."""

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write
from mechaware.core.rows import ENTRY_READERS, one_line
from mechaware.instruments.grounding.data.rows import (
    CREATE_TABLE,
    SPLITS,
    Row,
    columns_and_types,
)

# The columns that a dataset must have.
TEXTS = ("english_prompt", "create_statement", "sql_statement")
# The name of a column; none of the words that begin a constraint of the table.
_COLUMN = re.compile(r"(?!(?:PRIMARY|FOREIGN|UNIQUE|CHECK|CONSTRAINT)$)\w+")
_SELECT = re.compile(r"SELECT (\w+(?:, \w+)*) FROM (\w+)")


def fetch_dataset(repo: str, revision: str, out: Path) -> None:
    """Download the Parquet and JSON-lines files of a hub dataset at a commit into the folder `out`.

    `revision` is the commit or its first digits; the file COMMIT in `out` holds all its digits.
    Raises `UserError` if the hub cannot provide the files, or unless exactly one commit begins with
    `revision`.
    """
    from httpx import HTTPError
    from huggingface_hub import HfApi, snapshot_download

    with atomic_write(out) as folder:
        try:
            # The first digits must fit a single commit, and COMMIT records all its digits.
            commits = HfApi().list_repo_commits(repo, repo_type="dataset")
            matching = [
                commit.commit_id for commit in commits if commit.commit_id.startswith(revision)
            ]
            if len(matching) != 1:
                raise UserError(
                    f"dataset {repo}: {len(matching)} commits begin with {revision}; "
                    "correct grounding/data/revision"
                )
            snapshot_download(
                repo,
                repo_type="dataset",
                revision=matching[0],
                local_dir=folder,
                allow_patterns=["*.parquet", "*.jsonl"],
            )
        # ValueError: an invalid name, or a reply that is not the hub's.
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

    `path` is a folder with files named after their splits (`train*`, `valid*`, `test*`), each
    Parquet or JSON lines; or one such file, whose first rows are train, the next valid and the next
    test.

    Raises `UserError` for a missing split or file, a file of another format, and too few rows. With
    the file and the row, it raises `UserError` for

    - a missing or empty column of `TEXTS`;
    - SQL of another form than `SELECT a, b FROM t`;
    - a schema of another form than `CREATE TABLE t ( a TYPE, ... )`, or one with quoted or repeated
      names or with constraints of the table;
    - a table or column of the SQL that the schema lacks.
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
            f"{path}: {len(requested)} rows for {split}, "
            f"but grounding/data/rows asks for {limits[split]}; ask for fewer"
        )
    return [_checked_row(entry, where) for where, entry in requested]


def split_files(folder: Path, split: str) -> list[Path]:
    """The files of a dataset's folder that have the rows of a split, sorted by path."""
    files = []
    for file in sorted(folder.rglob("*")):
        if file.name.startswith(split) and file.suffix in ENTRY_READERS:
            files.append(file)
    return files


def _read_entries(file: Path) -> Sequence[tuple[int, Mapping[str, Any]]]:
    """The entries of a file, each after its number.

    Raises `UserError` for a missing file and for another format.
    """
    if not file.exists():
        raise UserError(f"{file}: no such file; correct grounding/data/path in the config")
    if file.suffix not in ENTRY_READERS:
        raise UserError(f"{file}: neither .parquet nor .jsonl; convert it to one of them")
    return ENTRY_READERS[file.suffix](file)


def _checked_row(entry: Mapping[str, Any], where: str) -> Row:
    """The row that an entry holds.

    Raises `UserError`, beginning with `where`, for an entry of another form (`import_rows`).
    """
    for column in TEXTS:
        if not isinstance(entry.get(column), str) or not entry[column].strip():
            raise UserError(f"{where}: no text '{column}'; a row has {', '.join(TEXTS)}")
    sql = _SELECT.fullmatch(entry["sql_statement"].strip())
    create = CREATE_TABLE.fullmatch(entry["create_statement"])
    if sql is None:
        statement = one_line(entry["sql_statement"])
        raise UserError(
            f"{where}: SQL '{statement}' is not of the form SELECT a, b FROM t"  # noqa: S608
        )
    if create is None:
        raise UserError(
            f"{where}: schema '{one_line(entry['create_statement'])}' is not of the form "
            "CREATE TABLE t ( a TYPE, ... )"
        )

    select = sql[1].split(", ")
    table = sql[2]
    fields = [name for name, _ in columns_and_types(entry["create_statement"])]
    refused = []
    for name in fields:
        if _COLUMN.fullmatch(name) is None or fields.count(name) > 1:
            refused.append(name)
    if refused:
        raise UserError(
            f"{where}: the schema has '{refused[0]}' twice, or as something else than a column; "
            "list each column once, without quotes, and no constraint of the table"
        )
    if table != create[1]:
        raise UserError(f"{where}: the SQL reads table '{table}', the schema creates '{create[1]}'")
    absent = [name for name in select if name not in fields]
    if absent:
        raise UserError(f"{where}: the SQL selects '{absent[0]}', which the schema lacks")
    return Row(
        english_prompt=entry["english_prompt"].strip(),
        create_statement=entry["create_statement"],
        sql_statement=sql[0],
        table_name=table,
        table_fields=fields,
        select=select,
    )
