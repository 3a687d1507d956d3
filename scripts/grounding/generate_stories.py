"""Generate the stories that the base reads before any SQL."""

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
    """Write a story for each place in `steps` batches to a file, one a line, and `held_out` others to another."""
    read = steps * batch_size
    made = generate_stories(
        read_vocabulary(vocabulary, tables=tables, fields=fields), read + held_out, seed=seed
    )
    for path, part in ((stories, made[:read]), (held_out_stories, made[read:])):
        with atomic_write(path) as partial:
            partial.write_text("".join(f"{story}\n" for story in part), encoding="utf-8")
