"""Generate the stories that the base reads before any SQL."""

from pathlib import Path

from mechaware.files import atomic_write
from mechaware.grounding.data.generation import read_vocabulary
from mechaware.grounding.data.stories import generate_stories
from scripts.command import Output, run


def main(
    *, vocabulary: Path, tables: int, fields: int, train: int, held_out: int, seed: int, stories: Output, rest: Output
) -> None:
    """Write `train` stories to the file `stories`, one a line, and `held_out` others to the file `rest`."""
    told = generate_stories(read_vocabulary(vocabulary, tables=tables, fields=fields), train + held_out, seed=seed)
    for path, part in ((stories, told[:train]), (rest, told[train:])):
        with atomic_write(path) as partial:
            partial.write_text("".join(f"{story}\n" for story in part))


if __name__ == "__main__":
    run(main)
