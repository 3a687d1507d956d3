"""Extracts the author's statuses and verdicts again, from local clones of two repositories.

    python -m scripts.author_statuses --case-pages FOLDER --audits FOLDER

The author is the author of the framework with the 27 criteria. The folders hold
`mechanistic-validity/mechanistic-validity` (the case pages) and `elliottower/mechanistic-validity`
(the audits and quotations), at the commits of `config/reported/claims_files.csv`, which also has
each file's SHA-256. The command writes claims_statuses.csv and claims_verdicts.csv next to that
list.
"""

import sys
from pathlib import Path

import tyro

from exhibits.author.extraction import PAGES, ListedFile, extract
from exhibits.claims.schemas import REPORTED_FILES
from mechaware.core.errors import UserError
from mechaware.core.frames import read_csv, write_csv
from mechaware.core.git_repository import REPOSITORY

REPORTED = REPOSITORY / "config/reported"


def main(*, case_pages: Path, audits: Path, out: Path = REPORTED) -> None:
    """Write the two tables to the folder `out`, from the clones with the case pages and the audits.

    Raises `UserError` if a listed file is missing, or is not the listed version.
    """
    rows = read_csv(REPORTED / "claims_files.csv", REPORTED_FILES).to_dict("records")
    files = [ListedFile(**row) for row in rows]
    folder_of_repository = {}
    for file in files:
        folder_of_repository[file.repository] = case_pages if file.kind == PAGES else audits
    statuses, verdicts = extract(files, folder_of_repository)
    write_csv(statuses, out / "claims_statuses.csv")
    write_csv(verdicts, out / "claims_verdicts.csv")


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(f"error: {error}")
