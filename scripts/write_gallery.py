"""Copies the paper and the figures of a finished run to docs/gallery, which is committed.

It also writes three things that follow from the run:

- the findings in README.md and docs/findings.md, from the run's values;
- docs/gallery/values.json, the values that these findings use;
- docs/measured/claims_planted.csv, how often the run's judges were right on planted papers; the
  report on a user's own paper reads it.
"""

import json
import shutil
import sys
from pathlib import Path

import tyro

from exhibits.report.gallery import write_gallery
from exhibits.report.values import read_values
from mechaware.core.errors import UserError
from mechaware.core.git_repository import REPOSITORY
from scripts.write_docs import findings


def main(*, config: Path = REPOSITORY / "config/config.yaml") -> None:
    """Write the gallery from ./results, which was made with `config`."""
    # Beside the values of the studies lie their records, such as radar.provenance.json, and the
    # headlines, which are made from the values.
    values_files = []
    for path in Path("results/values").glob("*.json"):
        is_provenance = path.stem.endswith(".provenance")
        if not is_provenance and path.stem != "headlines":
            values_files.append(path)
    documents, used = findings(read_values(values_files))

    captions = REPOSITORY / "paper/captions"
    write_gallery(Path("results"), config, captions, REPOSITORY / "docs/gallery")
    used_values = json.dumps(used, indent=1, sort_keys=True) + "\n"
    (REPOSITORY / "docs/gallery/values.json").write_text(used_values, encoding="utf-8")

    for path, text in documents.items():
        path.write_text(text, encoding="utf-8")
    shutil.copy("results/tables/claims_planted.csv", REPOSITORY / "docs/measured")


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(f"error: {error}")
