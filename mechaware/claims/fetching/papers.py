"""The list of papers that may be judged: config/papers.csv."""

import csv
import re
from pathlib import Path
from typing import NamedTuple

from mechaware.claims.rubric.criteria import TIERS
from mechaware.errors import UserError

SOURCES = ("arxiv", "openreview", "pdf", "html", "file")
COLUMNS = ("id", "source", "location", "title", "expected_tier", "label_source")
# Folders beside those of the papers in results/claims.
RESERVED = ("sources", "papers", "judgements", "summary")


class Paper(NamedTuple):
    """A paper: where it is found, its title (which the source must confirm) and a reference tier, if it has one."""

    id: str
    source: str
    location: str
    title: str
    expected_tier: str
    label_source: str


def planted_ids(number: int) -> list[str]:
    """The names of the planted papers."""
    return [f"planted-{place:02d}" for place in range(1, number + 1)]


def read_papers(path: Path) -> dict[str, Paper]:
    """The papers by id. Raises `UserError`, which names file and line, for a row that cannot be used."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            if tuple(reader.fieldnames or ()) != COLUMNS:
                raise UserError(f"{path}, line 1: the columns must be {','.join(COLUMNS)}")
            rows = [(reader.line_num, row) for row in reader]
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; restore it") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path}: not a CSV file in UTF-8 ({error}); save it as one") from None
    papers: dict[str, Paper] = {}
    for line, row in rows:
        paper = _paper(row, f"{path}, line {line}")
        if paper.id in papers:
            raise UserError(f"{path}, line {line}: id '{paper.id}' stands twice; rename one")
        papers[paper.id] = paper
    return papers


def _paper(row: dict[str, str], where: str) -> Paper:
    if None in row or None in row.values():
        raise UserError(f"{where}: {len(COLUMNS)} fields are needed; quote a field that holds a comma")
    paper = Paper(**{name: value.strip() for name, value in row.items()})
    taken = paper.id in RESERVED or paper.id.startswith("planted-") or paper.id.endswith((".html", ".json"))
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", paper.id) or taken:
        raise UserError(
            f"{where}: id '{paper.id}' cannot name a folder here; use letters, digits, '-', '_' and '.', "
            f"but not {', '.join(RESERVED)}, planted-..., ...html or ...json"
        )
    if paper.source not in SOURCES:
        raise UserError(f"{where}: source '{paper.source}'; write {' or '.join(SOURCES)}")
    if paper.source == "file" and set("{}") & set(paper.location):
        raise UserError(f"{where}: location '{paper.location}' has a brace; rename the file")
    if not paper.location:
        raise UserError(f"{where}: no location; write the identifier, URL or file of {paper.id}")
    if paper.source == "arxiv" and not paper.title:
        raise UserError(f"{where}: no title; arXiv identifiers are checked against it")
    if paper.expected_tier not in ("", *(tier.name for tier in TIERS)):
        tiers = ", ".join(tier.name for tier in TIERS)
        raise UserError(f"{where}: expected_tier '{paper.expected_tier}'; write one of {tiers}, or nothing")
    return paper
