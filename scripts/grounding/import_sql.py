"""Take NL-to-SQL rows, in three splits, from a dataset in TinySQL's form."""

from pathlib import Path

from mechaware.grounding.data.rows import SPLITS, import_rows, write_rows
from scripts.command import Output, run


def main(*, dataset: Path, rows: tuple[int, int, int], train: Output, valid: Output, test: Output) -> None:
    """Check the rows one by one and write the splits; `rows` are the sizes of train, valid and test."""
    sizes = dict(zip(SPLITS, rows, strict=True))
    splits = {split: import_rows(dataset, split, sizes) for split in SPLITS}
    for path, imported in zip((train, valid, test), splits.values(), strict=True):
        write_rows(imported, path)


if __name__ == "__main__":
    run(main)
