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
    """Write the rows of `split`, which follow the rows of the splits before it.

    `rows` has the sizes of the splits in the order train, valid, test; `split` is the last. No row
    is in two splits.
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

    # With `rows` 80, 10 and 10 the split `test` is the generated rows 90 to 99, counted from 0.
    first_row = sum(rows[: SPLITS.index(split)])
    write_rows(generated[first_row:], out)
