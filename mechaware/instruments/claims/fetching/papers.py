"""The papers that may be judged: the list of config/papers.csv, or one that a user names;
and where they are stored.
"""

import json
import re
from collections.abc import Collection
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple, get_args
from unicodedata import normalize
from urllib.parse import parse_qs, urlsplit

from mechaware.core.errors import UserError
from mechaware.core.files import file_name, name_key
from mechaware.core.own_folder import missing_file
from mechaware.core.rows import Row, read_csv_rows
from mechaware.instruments.claims.rubric.criteria import TIERS

ARXIV_ID = r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?"
IDENTIFIER = re.compile(rf"(?:(?i:arxiv:))?({ARXIV_ID})")
ARXIV_ADDRESS = re.compile(
    rf"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/({ARXIV_ID})(?:\.pdf)?"
)
# The suffixes of a fetched document; each paper has a folder with document.pdf, document.html or
# document.txt.
SUFFIXES = (".pdf", ".html", ".txt")
# The suffix of the stored document, by the suffix of the user's file.
STORED_AS = {
    ".pdf": ".pdf",
    ".html": ".html",
    ".htm": ".html",
    ".txt": ".txt",
    ".md": ".txt",
    ".tex": ".txt",
}
PDF_MAGIC = b"%PDF-"
PDF_MAGIC_WITHIN = 1024  # bytes: readers accept a few before the magic number
FETCHED = Path("results/claims/sources")  # the fetched papers, in the working directory
Source = Literal["arxiv", "openreview", "pdf", "html", "file"]
SOURCES: tuple[Source, ...] = get_args(Source)
COLUMNS = ("id", "source", "location", "title", "expected_tier", "label_source")
ENDINGS = (".html", ".json")  # of the files next to the papers' folders
PLANTED_PREFIX = "planted-"
# Characters. Names of files begin with the id and have at most 255 characters.
MAX_ID_LENGTH = 100
HASH_DIGITS = 6  # of the location, behind an id that would not be free
# Folders of results/claims that belong to no paper.
RESERVED = (
    "sources",
    "papers",
    "reading",
    "judgements",
    "summary",
    "trust",
    "trials",
    "judge_cards",
    "by_rubric",
)


class Paper(NamedTuple):
    """A row of the list: the paper's source and location, its title, and its reference tier, empty
    if it has none.

    arXiv must confirm the title. `label_source` names who gave the reference tier.
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


def _is_free_id(name: str) -> bool:
    """Whether a paper may have this id, which names its files and its folder among the results."""
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name) or len(name) > MAX_ID_LENGTH:
        return False
    key = name_key(name)
    if key in RESERVED or key.startswith(PLANTED_PREFIX):
        return False
    return not key.endswith(ENDINGS)


def read_papers(path: Path) -> dict[str, Paper]:
    """The papers by id, in the file's order. Raises `UserError` with file and row for the first
    unusable row.

    Empty rows are left out; a column that is not in `COLUMNS` is refused.
    """
    papers: dict[str, Paper] = {}
    for line, row in read_csv_rows(path, COLUMNS):
        where = f"{path}, row {line}"
        if unknown := [column for column in row if column not in COLUMNS]:
            raise UserError(
                f"{path}, row 1: unknown column '{unknown[0]}'; the columns are {','.join(COLUMNS)}"
            )
        paper = _paper(row, where)
        if paper.id in papers:
            raise UserError(f"{where}: id {paper.id!r} appears twice; rename one")
        papers[paper.id] = paper
    return papers


def _paper(row: Row, where: str) -> Paper:
    """The paper of a row. Raises `UserError`, which begins with `where`,
    for the first thing that is wrong.
    """
    if None in row.values():
        raise UserError(f"{where}: {len(COLUMNS)} fields are needed; add commas at the end")
    paper = Paper(**{name: value.strip() for name, value in row.items()})
    if not _is_free_id(paper.id):
        raise UserError(
            f"{where}: id {paper.id!r} cannot name a folder here; use at most {MAX_ID_LENGTH} letters, digits, '-', "
            f"'_' and '.', but not {', '.join(RESERVED)}, {PLANTED_PREFIX}..., ...html or ...json"
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
        raise UserError(
            f"{where}: expected_tier {paper.expected_tier!r}; write one of {tiers}, or nothing"
        )
    return paper


def own_paper(location: str, taken: Collection[str]) -> Paper:
    """The paper at a path, an http(s) address or an arXiv identifier, with or without "arXiv:"
    before it.

    A location that is both a file and an identifier is the file. The paper's id is its name. If
    that cannot be an id, is in `taken` (in whatever case), or belongs to another paper among the
    results in the working directory, `my-` is put before it and six digits of a hash after it. No
    service is asked for the title.

    Raises `UserError` for a file that is missing or has an unknown suffix.
    """
    taken = {name_key(name) for name in taken}
    address = urlsplit(location)
    if address.scheme not in ("http", "https"):
        path = Path(location)
        identifier = IDENTIFIER.fullmatch(location)
        if identifier is None or path.is_file():
            file = str(check_file(path))
            return _own(name=path.stem, source="file", location=file, title=path.name, taken=taken)
        return _on_arxiv(identifier[1], taken)

    if on_arxiv := ARXIV_ADDRESS.fullmatch(location):
        return _on_arxiv(on_arxiv[1], taken)
    query = parse_qs(address.query)
    if address.hostname == "openreview.net" and "id" in query:
        note = query["id"][0]
        return _own(
            name=f"openreview-{note}",
            source="pdf",
            location=f"https://openreview.net/pdf?id={note}",
            title=f"OpenReview {note}",
            taken=taken,
        )

    name = Path(address.path).name or str(address.hostname)
    source = "pdf" if name.lower().endswith(".pdf") else "html"
    return _own(name=Path(name).stem, source=source, location=location, title=name, taken=taken)


def _on_arxiv(identifier: str, taken: Collection[str]) -> Paper:
    return _own(
        name=f"arxiv-{identifier}",
        source="pdf",
        location=f"https://arxiv.org/pdf/{identifier}",
        title=f"arXiv {identifier}",
        taken=taken,
    )


def _own(*, name: str, source: str, location: str, title: str, taken: Collection[str]) -> Paper:
    """A paper of the user's own, without a reference tier,
    under an id that is free (`own_paper`).
    """
    ascii_name = normalize("NFKD", name).encode("ascii", "ignore").decode()
    slug = file_name(ascii_name)
    is_taken = name_key(slug) in taken or not _is_free_id(slug)
    if is_taken or _is_of_another(slug, source, location):
        digits = sha256(str(_place(source, location)).encode()).hexdigest()[:HASH_DIGITS]
        most = MAX_ID_LENGTH - len("my-") - len("-") - HASH_DIGITS
        beginning = f"my-{slug[:most]}".rstrip("-._")
        slug = f"{beginning}-{digits}"
    if set("{}") & set(location):
        raise UserError(f"{location}: a brace in the name; rename the file")
    return Paper(
        id=slug,
        source=source,
        location=location,
        title=title,
        expected_tier="",
        label_source="",
    )


def _is_of_another(slug: str, source: str, location: str) -> bool:
    """Whether the results have a paper of this id that was fetched from elsewhere."""
    record = FETCHED / f"{slug}.provenance.json"
    if not record.exists():
        return False
    fetched = json.loads(record.read_text(encoding="utf-8"))["steps"][0]["parameters"]
    return _place(fetched["source"], fetched["location"]) != _place(source, location)


def _place(source: str, location: str) -> str | Path:
    """What tells one location from another: the full path of a file, or the address as it is."""
    return Path(location).expanduser().resolve() if source == "file" else location


def check_file(path: Path) -> Path:
    """The file at `path`, with ~ for the home folder.

    Raises `UserError` unless it is of a kind that can be read.
    """
    file = path.expanduser()
    if file.is_dir():
        raise UserError(f"{path}: a folder; name a file in it")
    if not file.is_file():
        raise missing_file(path, "correct the path, or write an address or arXiv id")
    if file.suffix.lower() not in STORED_AS:
        raise UserError(
            f"{path}: not one of {', '.join(STORED_AS)}; convert it, or give it the suffix of what it is"
        )
    return file


def document_path(folder: Path, suffix: str) -> Path:
    """The path of the document of a paper's folder."""
    return folder / f"document{suffix}"


def find_document(folder: Path) -> Path:
    """The document in a paper's folder. Raises `UserError` unless there is exactly one."""
    documents = sorted(folder.glob("document.*"))
    if len(documents) != 1:
        raise UserError(
            f"{folder}: {len(documents)} documents where one is expected; fetch the paper again"
        )
    return documents[0]


def begins_as_pdf(data: bytes) -> bool:
    """Whether the magic number of a PDF is near the beginning."""
    return PDF_MAGIC in data[:PDF_MAGIC_WITHIN]
