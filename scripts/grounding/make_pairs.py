"""Make the matched pairs of clean and corrupted prompts."""

from pathlib import Path

from mechaware.grounding.data.pairs import is_one_token, make_pairs, tokenise_pairs, write_pairs
from mechaware.grounding.data.rows import read_rows
from mechaware.grounding.data.vocabulary import read_vocabulary
from mechaware.models.registry import load_tokenizer
from scripts.command import Output, run


def main(
    *,
    vocabulary: Path,
    training: Path,
    base: Path,
    tables: int,
    fields: int,
    pairs_per_category: int,
    max_columns: int,
    table_synonym_probability: float,
    seed: int,
    out: Output,
) -> None:
    """Write the pairs as JSON lines; their words are single tokens of the tokenizer in `base`."""
    tokenizer = load_tokenizer(base)
    pairs = make_pairs(
        read_vocabulary(vocabulary, tables=tables, fields=fields),
        {field for row in read_rows(training) for field in row.table_fields},
        lambda word: is_one_token(tokenizer, word),
        per_category=pairs_per_category,
        max_columns=max_columns,
        table_synonym_probability=table_synonym_probability,
        seed=seed,
    )
    tokenise_pairs(pairs, tokenizer)  # refuses a pair that differs in more than its word
    write_pairs(pairs, out)


if __name__ == "__main__":
    run(main)
