"""Writes the author's audits as labelled items, on which a judge of any rubric can be tested.

    python -m scripts.author_items --out items.csv
    python -m scripts.author_items --audits FOLDER --out items.csv
    python -m scripts.author_items --criteria may --out items.csv
    python -m scripts.author_items --number 177 --seed 0 --out items.csv

Without a local folder of `elliottower/mechanistic-validity` its files are fetched at the commit that
`config/reported/claims_files.csv` names, and checked against the SHA-256 there. The rubric of the items is
`config/rubrics/audits.yaml`.

`--criteria may` is for a judge that knows only the 27 criteria: it keeps the items whose criterion has a counterpart
among the 27 (`config/reported/claims_mapping.csv`), under the counterpart's code. `--number` is for a judge that would
take too long for all items: it draws that many, with `--seed`. The file has quotations from papers: keep it, and do not
publish it.
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
from mechaware.core.provenance import REPOSITORY
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
    """Write the items to `out`, from a local folder of the repository or from its pinned commit."""
    rows = read_csv(REPORTED / "claims_files.csv", REPORTED_FILES).to_dict("records")
    words = read_csv(REPORTED / "claims_words.csv", REPORTED_WORDS)

    def read(file: ListedFile) -> str:
        return fetch_file(file) if audits is None else read_file(audits, file)

    items = audit_items([ListedFile(**row) for row in rows], words, read)
    if criteria == "may":
        items = by_counterpart(items, read_csv(REPORTED / "claims_mapping.csv", REPORTED_MAPPING))
    if number is not None:
        items = draw_items(items, number, seed)
    write_csv(items, out)


def fetch_file(file: ListedFile) -> str:
    """The text of a file at its commit.

    Raises:
        UserError: It cannot be fetched, or what came is not the listed version.
    """
    url = f"{ADDRESS}/{file.repository}/{file.commit}/{file.file}"
    _, content = download(url, Limits())
    return text_of_version(content, file, origin=url, advice="take a local folder with --audits")


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(f"error: {error}")
