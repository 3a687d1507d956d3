"""The list of papers that may be judged: config/papers.csv."""

import csv
import re
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from mechaware.claims.rubric.criteria import TIERS
from mechaware.errors import UserError

Source = Literal["arxiv", "openreview", "pdf", "html", "file"]
SOURCES: tuple[Source, ...] = get_args(Source)
COLUMNS = ("id", "source", "location", "title", "expected_tier", "label_source")
PLANTED_PREFIX = "planted-"
LONGEST_ID = 100  # characters: files are called by it, and their names have at most 255 with what follows it
# Folders of results/claims beside those of the papers.
RESERVED = ("sources", "papers", "judgements", "summary", "trust", "trials")


class Paper(NamedTuple):
    """A row of the list: the paper's source and location, its title, and its reference tier, empty if it has none.

    arXiv and OpenReview must confirm the title. `label_source` names who gave the reference tier.
    """

    id: str
    source: str
    location: str
    title: str
    expected_tier: str
    label_source: str


def planted_ids(number: int) -> list[str]:
    """The ids of `number` planted papers, `planted-01` on."""
    return [f"{PLANTED_PREFIX}{index:02d}" for index in range(1, number + 1)]


def read_papers(path: Path) -> dict[str, Paper]:
    """The papers by id, in the file's order. Raises `UserError` with file and line for the first unusable row."""
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
            raise UserError(f"{path}, line {line}: id {paper.id!r} stands twice; rename one")
        papers[paper.id] = paper
    return papers


def _paper(row: dict[str, str], where: str) -> Paper:
    if None in row or None in row.values():
        raise UserError(f"{where}: {len(COLUMNS)} fields are needed; quote a field that holds a comma")
    paper = Paper(**{name: value.strip() for name, value in row.items()})
    reserved = paper.id in RESERVED or paper.id.startswith(PLANTED_PREFIX) or paper.id.endswith((".html", ".json"))
    if len(paper.id) > LONGEST_ID:
        raise UserError(f"{where}: an id of {len(paper.id)} characters; write at most {LONGEST_ID}")
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", paper.id) or reserved:
        raise UserError(
            f"{where}: id {paper.id!r} cannot name a folder here; use letters, digits, '-', '_' and '.', "
            f"but not {', '.join(RESERVED)}, {PLANTED_PREFIX}..., ...html or ...json"
        )
    if paper.source not in SOURCES:
        raise UserError(f"{where}: source {paper.source!r}; write {' or '.join(SOURCES)}")
    if paper.source == "file" and set("{}") & set(paper.location):
        raise UserError(f"{where}: location {paper.location!r} has a brace; rename the file")
    if not paper.location:
        raise UserError(f"{where}: no location; write the identifier, URL or file of {paper.id}")
    if paper.source == "arxiv" and not paper.title:
        raise UserError(f"{where}: no title; arXiv identifiers are checked against it")
    if paper.expected_tier not in ("", *(tier.name for tier in TIERS)):
        tiers = ", ".join(tier.name for tier in TIERS)
        raise UserError(f"{where}: expected_tier {paper.expected_tier!r}; write one of {tiers}, or nothing")
    return paper
