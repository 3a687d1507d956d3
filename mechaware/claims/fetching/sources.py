"""Where papers come from: arXiv, OpenReview, an address of a PDF or of a web page, a file of the user's."""

import fcntl
import json
import os
import re
import shutil
import time
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from mechaware.claims.fetching.downloads import Download, Limits, MissingError, UnreachableError, download
from mechaware.errors import UserError
from mechaware.files import replacing

Source = Literal["arxiv", "openreview", "pdf", "html", "file"]

ARXIV_ID = re.compile(r"(\d{4}\.\d{4,5}|[a-z-]+(\.[A-Z]{2})?/\d{7})(v\d+)?")
OPENREVIEW_ID = re.compile(r"[A-Za-z0-9_-]{6,24}")
ATOM = "{http://www.w3.org/2005/Atom}"
PDF_TYPES = ("application/pdf", "application/x-pdf", "application/octet-stream", "binary/octet-stream")
HTML_TYPES = ("text/html", "application/xhtml+xml")
MAGIC = b"%PDF-"
MAGIC_WITHIN = 1024  # bytes; readers accept a few before it
SUFFIXES = {".pdf": ".pdf", ".html": ".html", ".htm": ".html", ".txt": ".txt", ".md": ".txt"}
LEAST_SIMILARITY = 85.0  # per cent of two titles


@dataclass(frozen=True)
class Services:
    """Base addresses of the services, and arXiv's least time between two requests in seconds."""

    arxiv: str = "https://export.arxiv.org"
    openreview: str = "https://openreview.net"
    openreview_apis: tuple[str, ...] = ("https://api2.openreview.net", "https://api.openreview.net")
    arxiv_interval_s: float = 3.0


class Fetched(NamedTuple):
    """The stored document, the address that gave it, and the title that the service has for it, if it said."""

    document: Path
    url: str
    title: str | None


def fetch(
    source: Source,
    location: str,
    title: str,
    out: Path,
    *,
    limits: Limits | None = None,
    services: Services | None = None,
) -> Fetched:
    """Put a paper into the folder `out` as its one file, document.pdf, document.html or document.txt.

    `location` is an arXiv or OpenReview identifier, an http(s) address or a path; `title` is the paper's expected
    title: arXiv and OpenReview are asked for theirs, and a paper of another title is refused (2 of 13 identifiers of
    the paper's own list named other papers, section 4.1). If OpenReview's API gives no answer, the paper is taken with
    its title unchecked and `Fetched.title` is None. Requests to arXiv of all processes that fetch into the same parent
    folder keep arXiv's interval. Text and Markdown files are stored as document.txt.

    Raises `UserError`, in one line, for whatever stands in the way; nothing is left half-written.
    """
    limits, services = limits or Limits(), services or Services()
    if source == "file":
        return _copy(Path(location).expanduser(), out, limits)
    found: tuple[Download, str | None]
    if source == "arxiv":
        found = _from_arxiv(location, title, out, limits, services)
    elif source == "openreview":
        found = _from_openreview(location, title, limits, services)
    else:
        found = download(location, limits), None
    answer, known_title = found
    suffix, body = (".html", _page(answer)) if source == "html" else (".pdf", _pdf(answer))
    with replacing(out) as folder:
        folder.mkdir()
        (folder / f"document{suffix}").write_bytes(body)
    return Fetched(out / f"document{suffix}", answer.url, known_title)


def _copy(path: Path, out: Path, limits: Limits) -> Fetched:
    if path.suffix.lower() not in SUFFIXES:
        raise UserError(f"{path}: not one of {', '.join(SUFFIXES)}; convert it, or give it the suffix of what it is")
    if not path.is_file():
        raise UserError(f"{path}: no such file; correct `location`")
    if path.stat().st_size > limits.max_bytes:
        raise UserError(f"{path}: more than {limits.max_bytes} bytes; raise the limit if such a long paper is wanted")
    name = f"document{SUFFIXES[path.suffix.lower()]}"
    try:
        with replacing(out) as folder:
            folder.mkdir()
            shutil.copyfile(path, folder / name)
    except OSError as error:
        raise UserError(f"{path}: cannot be copied ({error.strerror}); make it readable") from error
    return Fetched(out / name, str(path), None)


def _pdf(answer: Download) -> bytes:
    if answer.media_type in HTML_TYPES:
        raise UserError(
            f"{answer.url}: a web page where a PDF was expected, perhaps a log-in or a landing page; enter the address "
            "of the PDF itself, or the page as source html"
        )
    if answer.media_type not in PDF_TYPES:
        raise UserError(f"{answer.url}: {answer.media_type} where a PDF was expected; enter the address of the PDF")
    if MAGIC not in answer.body[:MAGIC_WITHIN]:
        raise UserError(
            f"{answer.url}: said to be a PDF but does not begin as one (%PDF-); check it in a browser and enter the "
            "address of the PDF itself"
        )
    return answer.body


def _page(answer: Download) -> bytes:
    """The page as UTF-8 with a byte-order mark where the server names a character set: a file has no such header."""
    if answer.media_type not in HTML_TYPES:
        hint = "enter it as source pdf" if answer.media_type in PDF_TYPES else "enter the address of a web page"
        raise UserError(f"{answer.url}: {answer.media_type} where a web page was expected; {hint}")
    try:
        return answer.body.decode(answer.charset).encode("utf-8-sig") if answer.charset else answer.body
    except (LookupError, UnicodeError) as error:
        raise UserError(
            f"{answer.url}: the page is not in {answer.charset}, the character set that its server names; save it by "
            "hand and enter it as a local file"
        ) from error


def _from_arxiv(location: str, title: str, out: Path, limits: Limits, services: Services) -> tuple[Download, str]:
    if not ARXIV_ID.fullmatch(location):
        raise UserError(f"arXiv {location}: no arXiv identifier; write it as 2211.00593, 2211.00593v1 or cs/0112017")

    def pace() -> None:
        _keep_interval(out.parent / ".arxiv", services.arxiv_interval_s)

    query = f"{services.arxiv}/api/query?id_list={quote(location)}&max_results=1"
    found = _arxiv_title(location, download(query, limits, before_request=pace).body)
    _check_title(f"arXiv {location}", title, found)
    return download(f"{services.arxiv}/pdf/{location}", limits, before_request=pace), found


def _keep_interval(stamp: Path, interval_s: float) -> None:
    """Wait until the interval since the last request of any process is over; the file is its lock and its clock."""
    stamp.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(stamp, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        since = time.time() - os.fstat(descriptor).st_mtime if os.fstat(descriptor).st_size else interval_s
        if since < interval_s:
            time.sleep(min(interval_s - since, interval_s))  # a clock may have been set back
        os.pwrite(descriptor, b"last request to arXiv\n", 0)
        os.utime(descriptor)
    finally:
        os.close(descriptor)


def _arxiv_title(location: str, feed: bytes) -> str:
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        entries = etree.fromstring(feed, parser).findall(f"{ATOM}entry")
    except etree.XMLSyntaxError as error:
        raise UserError(f"arXiv {location}: its catalogue's answer cannot be read; run again later") from error
    for entry in entries:
        identifier = (entry.findtext(f"{ATOM}id") or "").rpartition("/abs/")[2]
        if identifier == location or re.sub(r"v\d+$", "", identifier) == location:
            return " ".join((entry.findtext(f"{ATOM}title") or "").split())
    raise UserError(f"arXiv {location}: arXiv has no such paper; correct the identifier")


def _from_openreview(location: str, title: str, limits: Limits, services: Services) -> tuple[Download, str | None]:
    if not OPENREVIEW_ID.fullmatch(location):
        raise UserError(f"OpenReview {location}: no OpenReview identifier; write what stands after `id=` on its page")
    found = _openreview_title(location, limits, services)
    if found is not None:
        _check_title(f"OpenReview {location}", title, found)
    return download(f"{services.openreview}/pdf?id={location}", limits), found


def _openreview_title(location: str, limits: Limits, services: Services) -> str | None:
    """The title by the first of the two generations of the API that knows the paper; None if neither tells."""
    for api in services.openreview_apis:
        try:
            answer: Any = json.loads(download(f"{api}/notes?id={location}", limits).body)
            found = answer["notes"][0]["content"]["title"]
            return str(found["value"] if isinstance(found, dict) else found)
        except (MissingError, UnreachableError, ValueError, LookupError, TypeError, RecursionError):
            continue
    return None


def _check_title(paper: str, expected: str, found: str) -> None:
    if not normalised_title(expected):
        raise UserError(f"{paper}: no title to check against; enter `title`, which there is {found!r}")
    if title_similarity(expected, found) < LEAST_SIMILARITY:
        raise UserError(
            f"{paper}: its title is {found!r}, expected {expected!r}; correct the identifier or the title in the table"
        )


def title_similarity(first: str, second: str) -> float:
    """How alike two titles are in per cent, by their words in any order; one may leave out the other's subtitle."""
    from rapidfuzz import fuzz

    def forms(title: str) -> set[str]:
        return {normalised_title(title), normalised_title(title.split(":")[0])} - {""}

    whole = {normalised_title(first), normalised_title(second)}
    return max(
        (fuzz.token_sort_ratio(a, b) for a in forms(first) for b in forms(second) if {a, b} & whole), default=0.0
    )


def normalised_title(title: str) -> str:
    """Words of a title in lower case, without accents, punctuation and TeX."""
    plain = unicodedata.normalize("NFKD", re.sub(r"\\[a-zA-Z]+|[${}]", " ", title)).casefold()
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return " ".join(re.findall(r"\w+", plain))
