"""Copies the paper and the figures of the finished default run to docs/gallery, which is committed.

What its judges got right on planted papers goes to docs/measured, where the report of a user's own paper reads it.
"""

import shutil
import sys
from pathlib import Path

from mechaware.errors import UserError
from mechaware.provenance import REPOSITORY
from mechaware.report.gallery import write_gallery


def main() -> None:
    """Write the gallery from ./results."""
    config, captions = REPOSITORY / "config/config.yaml", REPOSITORY / "paper/captions"
    write_gallery(Path("results"), config, captions, REPOSITORY / "docs/gallery")
    shutil.copy("results/tables/claims_planted.csv", REPOSITORY / "docs/measured")


if __name__ == "__main__":
    try:
        main()
    except UserError as error:
        sys.exit(f"error: {error}")
