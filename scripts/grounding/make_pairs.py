"""Make the matched pairs of clean and corrupted prompts."""

import sys
from pathlib import Path

from mechaware.instruments.grounding.data.pairs import write_pairs
from mechaware.instruments.grounding.data.rows import read_rows
from mechaware.instruments.grounding.readable_pairs import word_tokens
from mechaware.models.registry import load_tokenizer
from mechaware.planted.sql.matching import make_pairs
from mechaware.planted.sql.pair_source import read_source
from scripts.command import Output


def main(
    *,
    training: Path,
    base: Path,
    categories: list[str],
    pairs_per_category: int,
    seed: int,
    pairs: Output,
) -> None:
    """Write the pairs as a table; words that take each other's place have equally many tokens
    of `base`'s tokenizer.
    """
    tokenizer = load_tokenizer(base)
    source = read_source(read_rows(training), lambda word: word_tokens(tokenizer, word))
    print(source.described(), file=sys.stderr)
    write_pairs(make_pairs(source, categories, per_category=pairs_per_category, seed=seed), pairs)
