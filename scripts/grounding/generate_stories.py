"""Generate the stories that the base reads before any SQL."""

from collections.abc import Sequence
from pathlib import Path

from mechaware.core.files import atomic_write
from mechaware.planted.sql.generation import read_vocabulary
from mechaware.planted.sql.stories import generate_stories
from scripts.command import Output


def main(
    *,
    vocabulary: Path,
    tables: int,
    fields: int,
    steps: int,
    batch_size: int,
    held_out: int,
    seed: int,
    stories: Output,
    held_out_stories: Output,
) -> None:
    """Write a story for each place in `steps` batches to a file, one a line,
    and `held_out` others to another.
    """
    words = read_vocabulary(vocabulary, tables=tables, fields=fields)
    n_read = steps * batch_size
    generated = generate_stories(words, n_read + held_out, seed=seed)
    _write_lines(generated[:n_read], stories)
    _write_lines(generated[n_read:], held_out_stories)


def _write_lines(lines: Sequence[str], path: Path) -> None:
    with atomic_write(path) as partial:
        partial.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
