"""Opens the bundle of a finished run in a fresh clone, the working directory:
`make unbundle BUNDLE=bundle.tar.gz`.
"""

import sys
from pathlib import Path

import tyro

from mechaware.core.bundle import CONFIG, open_bundle
from mechaware.core.errors import UserError

LIST_JOBS = "snakemake -n --quiet rules host reason --cores all --resources gpu=1"


def main(*, bundle: Path) -> None:
    """Unpack the bundle with the dates of its files, once all have the checksums that it lists."""
    n_files = open_bundle(bundle)
    print(f"{n_files} files have their checksums")
    if Path(CONFIG).exists():
        print(
            f"the run had a config of its own, now {CONFIG}: read it, since a config can run commands"
        )
        print("then list what is left to run:")
        print(f"{LIST_JOBS} --configfile {CONFIG}")


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(f"error: {error}")
