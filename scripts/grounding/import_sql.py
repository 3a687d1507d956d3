"""Take one split of NL-to-SQL rows from a dataset in TinySQL's form."""

from pathlib import Path
from typing import Literal

from mechaware.instruments.grounding.data.importing import import_rows
from mechaware.instruments.grounding.data.rows import SPLITS, write_rows
from scripts.command import Output


def main(
    *, dataset: Path, split: Literal["train", "valid", "test"], rows: tuple[int, ...], out: Output
) -> None:
    """Check the rows of `split` one by one and write them;
    `rows` are the sizes of train, valid and test up to it.
    """
    write_rows(import_rows(dataset, split, dict(zip(SPLITS, rows, strict=False))), out)
