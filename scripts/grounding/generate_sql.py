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
    """Write the rows of `split`; `rows` are the sizes of train, valid and test up to it. They share no row."""
    words = read_vocabulary(vocabulary, tables=tables, fields=fields)
    generated = generate_rows(
        share_words(words) if shared_words else words,
        sum(rows),
        max_columns=max_columns,
        table_synonym_probability=table_synonym_probability,
        field_synonym_probability=field_synonym_probability,
        seed=seed,
    )
    write_rows(generated[sum(rows[: SPLITS.index(split)]) :], out)
