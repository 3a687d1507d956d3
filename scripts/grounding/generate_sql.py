"""Generate one split of NL-to-SQL rows from the vocabulary."""

from pathlib import Path
from typing import Literal

from mechaware.instruments.grounding.data.rows import SPLITS, write_rows
from mechaware.planted.sql.generation import generate_rows, read_vocabulary, share_words
from scripts.command import Output


def main(
    *,
    vocabulary: Path,
    split: Literal["train", "valid", "test"],
    rows: tuple[int, ...],
    tables: int,
    fields: int,
    max_columns: int,
    table_synonym_probability: float,
    field_synonym_probability: float,
    shared_words: bool,
    seed: int,
    out: Output,
) -> None:
    """Write the rows of `split`; `rows` are the sizes of train,
    valid and test up to it. They share no row.
    """
    words = read_vocabulary(vocabulary, tables=tables, fields=fields)
    if shared_words:
        words = share_words(words)
    generated = generate_rows(
        words,
        sum(rows),
        max_columns=max_columns,
        table_synonym_probability=table_synonym_probability,
        field_synonym_probability=field_synonym_probability,
        seed=seed,
    )

    # Of sizes 80, 10 and 10, the split test begins at row 90.
    first_row = sum(rows[: SPLITS.index(split)])
    write_rows(generated[first_row:], out)
