r"""Adds a judge's card on the author's audits to docs/measured/claims_prose_judges.csv.

    python -m scripts.author_items --number 177 --seed 0 --out items.csv
    mechaware judge items.csv --rubric config/rubrics/audits.yaml --judge smollm2
    python -m scripts.author_judges --card verdict.json --judge smollm2 \
        --items="--number 177 --seed 0"

`--card` is the verdict.json that `mechaware judge` writes. `--items` are the flags of
scripts/author_items.py with which the items were drawn. `--device` names the machine on which the
judge answered, if that was not this one.
"""

import json
import sys
from pathlib import Path

import tyro

from exhibits.author.prose_judges import judge_row, with_row
from exhibits.claims.schemas import PROSE_JUDGES
from exhibits.report.origin import origin_today
from mechaware.core.errors import UserError
from mechaware.core.frames import read_csv, write_csv
from mechaware.core.git_repository import REPOSITORY, git_state


def main(
    *,
    card: Path,
    judge: str,
    items: str = "",
    rubric: str = "config/rubrics/audits.yaml",
    device: str | None = None,
    out: Path = REPOSITORY / "docs/measured/claims_prose_judges.csv",
) -> None:
    """Put the judge's row into the table `out`, in place of its former row on the same items.

    The row has the numbers of the card (a verdict.json), the day, the machine, the commit, and the
    commands that make the card.
    """
    # Split and joined, since `items` may be empty: one space between words.
    drawing = " ".join(f"python -m scripts.author_items {items} --out items.csv".split())
    command = f"{drawing}; mechaware judge items.csv --rubric {rubric} --judge {judge}"
    origin = origin_today(git_state(), out.name, command, device=device)

    evidence = json.loads(card.read_text(encoding="utf-8"))["evidence"]
    row = {"judge": judge, "items": items, **judge_row(evidence), **origin._asdict()}
    write_csv(with_row(read_csv(out, PROSE_JUDGES), row), out)


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(f"error: {error}")
