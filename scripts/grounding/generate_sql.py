"""Generate NL-to-SQL rows from the vocabulary, in three splits."""

from itertools import islice
from pathlib import Path

from mechaware.grounding.data.generation import generate_rows, read_vocabulary
from mechaware.grounding.data.rows import write_rows
from scripts.command import Output, run


def main(
    *,
    vocabulary: Path,
    rows: tuple[int, int, int],
    tables: int,
    fields: int,
    max_columns: int,
    table_synonym_probability: float,
    field_synonym_probability: float,
    seed: int,
    train: Output,
    valid: Output,
    test: Output,
) -> None:
    """Write the splits, which share no row; `rows` are the sizes of train, valid and test."""
    generated = iter(
        generate_rows(
            read_vocabulary(vocabulary, tables=tables, fields=fields),
            sum(rows),
            max_columns=max_columns,
            table_synonym_probability=table_synonym_probability,
            field_synonym_probability=field_synonym_probability,
            seed=seed,
        )
    )
    for path, size in zip((train, valid, test), rows, strict=True):
        write_rows(islice(generated, size), path)


if __name__ == "__main__":
    run(main)
