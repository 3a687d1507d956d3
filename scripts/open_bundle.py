"""Opens the bundle of a finished run in a fresh clone, the working directory: `make unbundle BUNDLE=bundle.tar.gz`."""

import sys
from pathlib import Path

import tyro

from mechaware.core.bundle import open_bundle
from mechaware.core.errors import UserError


def main(*, bundle: Path) -> None:
    """Unpack the bundle with the dates of its files, once all have the checksums that it lists."""
    n_files = open_bundle(bundle)
    print(f"{n_files} files have their checksums")


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(f"error: {error}")
