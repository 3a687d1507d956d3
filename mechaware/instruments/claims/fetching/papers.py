"""The papers that may be judged, and where they are stored.

The file has three parts:

    read_papers                                     the list of papers in config/papers.csv
    own_paper                                       a paper that a user names
    check_file, document_path, find_document, ...   the documents
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

# Identifiers of arXiv, such as 2211.00593, 2211.00593v1 and cs/0112017.
ARXIV_ID = r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?"
IDENTIFIER = re.compile(rf"(?:(?i:arxiv:))?({ARXIV_ID})")
ARXIV_ADDRESS = re.compile(
    rf"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/({ARXIV_ID})(?:\.pdf)?"
)
# The suffixes of a stored document. Each paper has a folder with document.pdf, document.html or
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
PDF_MAGIC_WITHIN = 1024  # bytes; readers of PDF accept other bytes before the magic number
FETCHED = Path("results/claims/sources")  # the fetched papers, in the working directory
Source = Literal["arxiv", "openreview", "pdf", "html", "file"]
SOURCES: tuple[Source, ...] = get_args(Source)
COLUMNS = ("id", "source", "location", "title", "expected_tier", "label_source")
# Limits of a paper's id (`_is_free_id`). Names of files begin with the id, and have at most 255
# characters.
MAX_ID_LENGTH = 100  # characters
PLANTED_PREFIX = "planted-"
# Next to the folder of a paper are files with the paper's id and one of these endings.
ENDINGS = (".html", ".json")
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
# Hexadecimal digits of the hash of a location. They end the id of a user's paper whose name is not
# free.
HASH_DIGITS = 6


class Paper(NamedTuple):
    """A row of the list of papers.

    - `source`, `location`: one of `SOURCES`, and the identifier, address or path there.
    - `title`: the title. If the source is arxiv, arXiv must confirm it.
    - `expected_tier`: the paper's reference tier; empty if it has none.
    - `label_source`: who gave the reference tier.
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
    """The papers by id, in the file's order. Empty rows are left out.

    Raises `UserError` with file and row for the first unusable row, and for a column that is not in
    `COLUMNS`.
    """
    papers: dict[str, Paper] = {}
    for line, row in read_csv_rows(path, COLUMNS):
        where = f"{path}, row {line}"
        unknown = [column for column in row if column not in COLUMNS]
        if unknown:
            raise UserError(
                f"{path}, row 1: unknown column '{unknown[0]}'; the columns are {','.join(COLUMNS)}"
            )
        paper = _read_row(row, where)
        if paper.id in papers:
            raise UserError(f"{where}: id {paper.id!r} appears twice; rename one")
        papers[paper.id] = paper
    return papers


def _read_row(row: Row, where: str) -> Paper:
    """The paper of a row. Raises `UserError`, which begins with `where`, for its first fault."""
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
    # Snakemake reads braces in a path as wildcards.
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

    A location that is both a file and an identifier is the file. The paper's id is made of a name:
    "arxiv-2211.00593" for an identifier or address of arXiv, "openreview-..." for an address of
    OpenReview, else the name of the file, or the last part of the address (its host, if it has no
    path), without its suffix. If the name cannot be the id, "my-" is put before it and
    `HASH_DIGITS` digits of a hash of the location after it. That is so if the name

    - is not a free id (`_is_free_id`);
    - is in `taken`, ignoring case;
    - is the id of another paper among the results in the working directory.

    No service is asked for the title.

    Raises `UserError` for a file that is missing or has an unknown suffix, and for a location with
    a brace.
    """
    taken = {name_key(name) for name in taken}
    if urlsplit(location).scheme in ("http", "https"):
        return _own_paper_at_address(location, taken)

    path = Path(location)
    identifier = IDENTIFIER.fullmatch(location)
    if identifier is not None and not path.is_file():
        return _own_arxiv_paper(identifier[1], taken)
    file = str(check_file(path))
    return _own_entry(name=path.stem, source="file", location=file, title=path.name, taken=taken)


def _own_paper_at_address(location: str, taken: Collection[str]) -> Paper:
    """The paper at an http(s) address: of arXiv, of OpenReview, or any other PDF or web page."""
    on_arxiv = ARXIV_ADDRESS.fullmatch(location)
    if on_arxiv is not None:
        return _own_arxiv_paper(on_arxiv[1], taken)

    address = urlsplit(location)
    query = parse_qs(address.query)
    if address.hostname == "openreview.net" and "id" in query:
        identifier = query["id"][0]
        return _own_entry(
            name=f"openreview-{identifier}",
            source="pdf",
            location=f"https://openreview.net/pdf?id={identifier}",
            title=f"OpenReview {identifier}",
            taken=taken,
        )

    title = Path(address.path).name or str(address.hostname)
    source = "pdf" if title.lower().endswith(".pdf") else "html"
    name = Path(title).stem
    return _own_entry(name=name, source=source, location=location, title=title, taken=taken)


def _own_arxiv_paper(identifier: str, taken: Collection[str]) -> Paper:
    """The paper with an arXiv identifier. Its source is pdf: arXiv's title is not checked."""
    return _own_entry(
        name=f"arxiv-{identifier}",
        source="pdf",
        location=f"https://arxiv.org/pdf/{identifier}",
        title=f"arXiv {identifier}",
        taken=taken,
    )


def _own_entry(
    *, name: str, source: str, location: str, title: str, taken: Collection[str]
) -> Paper:
    """A user's paper, without a reference tier. Its id is made of `name` (`own_paper`)."""
    ascii_name = normalize("NFKD", name).encode("ascii", "ignore").decode()
    paper_id = file_name(ascii_name)
    is_taken = name_key(paper_id) in taken or not _is_free_id(paper_id)
    if is_taken or _belongs_to_another_paper(paper_id, source, location):
        full_location = str(_full_location(source, location))
        digits = sha256(full_location.encode()).hexdigest()[:HASH_DIGITS]
        max_name_length = MAX_ID_LENGTH - len("my-") - len("-") - HASH_DIGITS
        beginning = f"my-{paper_id[:max_name_length]}".rstrip("-._")
        paper_id = f"{beginning}-{digits}"
    # Snakemake reads braces in a path as wildcards.
    if set("{}") & set(location):
        raise UserError(f"{location}: a brace in the name; rename the file")
    return Paper(
        id=paper_id,
        source=source,
        location=location,
        title=title,
        expected_tier="",
        label_source="",
    )


def _belongs_to_another_paper(paper_id: str, source: str, location: str) -> bool:
    """Whether the results have a paper with this id that was fetched from another location."""
    record = FETCHED / f"{paper_id}.provenance.json"
    if not record.exists():
        return False
    fetched = json.loads(record.read_text(encoding="utf-8"))["steps"][0]["parameters"]
    fetched_location = _full_location(fetched["source"], fetched["location"])
    return fetched_location != _full_location(source, location)


def _full_location(source: str, location: str) -> str | Path:
    """The full path of a file; any other location as it is."""
    return Path(location).expanduser().resolve() if source == "file" else location


def check_file(path: Path) -> Path:
    """The file at `path`, in which ~ stands for the home folder.

    Raises `UserError` for a missing file, a folder, and a suffix that is not in `STORED_AS`.
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
    """The path of the document in a paper's folder, by its suffix."""
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
    """Whether the magic number of a PDF is among the first `PDF_MAGIC_WITHIN` bytes."""
    return PDF_MAGIC in data[:PDF_MAGIC_WITHIN]
