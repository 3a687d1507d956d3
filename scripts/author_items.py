"""Writes the audits by the Claim Validity Score's author as labelled items, to test judges on.

    python -m scripts.author_items --out items.csv
    python -m scripts.author_items --audits FOLDER --out items.csv
    python -m scripts.author_items --criteria may --out items.csv
    python -m scripts.author_items --number 177 --seed 0 --out items.csv

The audits are of August 2026, by 36 criteria: their rubric is `config/rubrics/audits.yaml`. The 27
criteria of the score are of May 2026. `--criteria may` is for a judge that knows only the 27: it
keeps the items whose criterion has a counterpart among the 27
(`config/reported/claims_mapping.csv`), under the counterpart's code.

`config/reported/claims_files.csv` lists the files of the audits with their commit and SHA-256. They
are read from `--audits`, a local folder of `elliottower/mechanistic-validity`, or else fetched at
that commit; either way they are checked against the SHA-256.

`--number` is for a judge that would take too long for all items: it draws that many, with `--seed`.
The file of items has quotations from papers: keep it, and do not publish it.
"""

import sys
from pathlib import Path
from typing import Literal

import tyro

from exhibits.author.extraction import ListedFile, read_file, text_of_version
from exhibits.author.items import audit_items, by_counterpart, draw_items
from exhibits.claims.schemas import REPORTED_FILES, REPORTED_MAPPING, REPORTED_WORDS
from mechaware.core.errors import UserError
from mechaware.core.frames import read_csv, write_csv
from mechaware.core.git_repository import REPOSITORY
from mechaware.instruments.claims.fetching.downloads import Limits, download

REPORTED = REPOSITORY / "config/reported"
ADDRESS = "https://raw.githubusercontent.com"


def main(
    *,
    out: Path,
    audits: Path | None = None,
    criteria: Literal["august", "may"] = "august",
    number: int | None = None,
    seed: int = 0,
) -> None:
    """Write the items to `out`, from the files in the local folder `audits`, or else fetched."""
    rows = read_csv(REPORTED / "claims_files.csv", REPORTED_FILES).to_dict("records")
    listed_files = [ListedFile(**row) for row in rows]
    words = read_csv(REPORTED / "claims_words.csv", REPORTED_WORDS)

    def read(file: ListedFile) -> str:
        return fetch_file(file) if audits is None else read_file(audits, file)

    items = audit_items(listed_files, words, read)
    if criteria == "may":
        mapping = read_csv(REPORTED / "claims_mapping.csv", REPORTED_MAPPING)
        items = by_counterpart(items, mapping)
    if number is not None:
        items = draw_items(items, number, seed)
    write_csv(items, out)


def fetch_file(file: ListedFile) -> str:
    """The text of a file at its commit.

    Raises:
        UserError: The file cannot be fetched, or its content is not the listed version.
    """
    url = f"{ADDRESS}/{file.repository}/{file.commit}/{file.file}"
    _, content = download(url, Limits())
    return text_of_version(content, file, origin=url, advice="take a local folder with --audits")


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(f"error: {error}")
