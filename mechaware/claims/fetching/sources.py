"""Fetches a paper from its source: arXiv, OpenReview, the address of a PDF or of a web page, or a local file."""

import fcntl
import json
import os
import re
import shutil
import time
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote
from xml.etree import ElementTree

from mechaware.claims.fetching.documents import begins_as_pdf, document_path
from mechaware.claims.fetching.downloads import Download, Limits, MissingError, UnreachableError, download
from mechaware.claims.fetching.papers import Source
from mechaware.errors import UserError
from mechaware.files import atomic_write

ARXIV_ID = re.compile(r"(\d{4}\.\d{4,5}|[a-z-]+(\.[A-Z]{2})?/\d{7})(v\d+)?")
OPENREVIEW_ID = re.compile(r"[A-Za-z0-9_-]{6,24}")
ATOM = "{http://www.w3.org/2005/Atom}"
PDF_TYPES = ("application/pdf", "application/x-pdf", "application/octet-stream", "binary/octet-stream")
HTML_TYPES = ("text/html", "application/xhtml+xml")
STORED_AS = {".pdf": ".pdf", ".html": ".html", ".htm": ".html", ".txt": ".txt", ".md": ".txt"}  # suffixes
LEAST_SIMILARITY = 85.0  # percent, of two titles


@dataclass(frozen=True)
class Services:
    """Base addresses of the services, and arXiv's least time between two requests in seconds."""

    arxiv: str = "https://export.arxiv.org"
    openreview: str = "https://openreview.net"
    openreview_apis: tuple[str, ...] = ("https://api2.openreview.net", "https://api.openreview.net")
    arxiv_interval_s: float = 3.0


class Fetched(NamedTuple):
    """The stored document, the address that served it, and the service's title for it; None where it gave none."""

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
    answer: Download
    confirmed: str | None = None
    if source == "arxiv":
        answer, confirmed = _from_arxiv(location, title, out, limits, services)
    elif source == "openreview":
        answer, confirmed = _from_openreview(location, title, limits, services)
    else:
        answer = download(location, limits)
    suffix, body = (".html", _web_page(answer)) if source == "html" else (".pdf", _pdf(answer))
    with atomic_write(out) as folder:
        folder.mkdir()
        document_path(folder, suffix).write_bytes(body)
    return Fetched(document_path(out, suffix), answer.url, confirmed)


def _copy(path: Path, out: Path, limits: Limits) -> Fetched:
    if path.suffix.lower() not in STORED_AS:
        raise UserError(f"{path}: not one of {', '.join(STORED_AS)}; convert it, or give it the suffix of what it is")
    if not path.is_file():
        raise UserError(f"{path}: no such file; correct `location`")
    if path.stat().st_size > limits.max_bytes:
        raise UserError(f"{path}: more than {limits.max_bytes} bytes; raise the limit if such a long paper is wanted")
    suffix = STORED_AS[path.suffix.lower()]
    try:
        with atomic_write(out) as folder:
            folder.mkdir()
            shutil.copyfile(path, document_path(folder, suffix))
    except OSError as error:
        raise UserError(f"{path}: cannot be copied ({error.strerror}); make it readable") from error
    return Fetched(document_path(out, suffix), str(path), None)


def _pdf(answer: Download) -> bytes:
    if answer.media_type in HTML_TYPES:
        raise UserError(
            f"{answer.url}: a web page where a PDF was expected, perhaps a log-in or a landing page; enter the address "
            "of the PDF itself, or the page as source html"
        )
    if answer.media_type not in PDF_TYPES:
        raise UserError(f"{answer.url}: {answer.media_type} where a PDF was expected; enter the address of the PDF")
    if not begins_as_pdf(answer.body):
        raise UserError(
            f"{answer.url}: declared to be a PDF but does not begin as one (%PDF-); check it in a browser and enter "
            "the address of the PDF itself"
        )
    return answer.body


def _web_page(answer: Download) -> bytes:
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
    confirmed = _arxiv_title(location, download(query, limits, before_request=pace).body)
    _check_title(f"arXiv {location}", title, confirmed)
    return download(f"{services.arxiv}/pdf/{location}", limits, before_request=pace), confirmed


def _keep_interval(stamp: Path, interval_s: float) -> None:
    """Wait until the interval since the last request of any process is over: a file is lock and clock in one."""
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
    try:  # expat fetches no external entity, and ends what expands beyond reason
        entries = ElementTree.fromstring(feed).findall(f"{ATOM}entry")  # noqa: S314
    except ElementTree.ParseError as error:
        raise UserError(f"arXiv {location}: its catalogue's answer cannot be read; run again later") from error
    for entry in entries:
        identifier = (entry.findtext(f"{ATOM}id") or "").rpartition("/abs/")[2]
        if identifier == location or re.sub(r"v\d+$", "", identifier) == location:
            return " ".join((entry.findtext(f"{ATOM}title") or "").split())
    raise UserError(f"arXiv {location}: arXiv has no such paper; correct the identifier")


def _from_openreview(location: str, title: str, limits: Limits, services: Services) -> tuple[Download, str | None]:
    if not OPENREVIEW_ID.fullmatch(location):
        raise UserError(
            f"OpenReview {location}: no OpenReview identifier; write what follows `id=` in the address of its page"
        )
    confirmed = _openreview_title(location, limits, services)
    if confirmed is not None:
        _check_title(f"OpenReview {location}", title, confirmed)
    return download(f"{services.openreview}/pdf?id={location}", limits), confirmed


def _openreview_title(location: str, limits: Limits, services: Services) -> str | None:
    """The title by the first of the two generations of the API that knows the paper; None if neither does."""
    for api in services.openreview_apis:
        try:
            answer: Any = json.loads(download(f"{api}/notes?id={location}", limits).body)
            title = answer["notes"][0]["content"]["title"]
            return str(title["value"] if isinstance(title, dict) else title)
        except (MissingError, UnreachableError, ValueError, LookupError, TypeError, RecursionError):
            continue
    return None


def _check_title(paper: str, expected: str, confirmed: str) -> None:
    if not normalised_title(expected):
        raise UserError(f"{paper}: no title to check against; enter `title`, which the service gives as {confirmed!r}")
    if title_similarity(expected, confirmed) < LEAST_SIMILARITY:
        raise UserError(
            f"{paper}: its title is {confirmed!r}, expected {expected!r}; correct the identifier or the title in the "
            "table"
        )


def title_similarity(first: str, second: str) -> float:
    """How alike two titles are, 0 to 100 percent, by their words in any order; either may lack the other's subtitle."""
    from rapidfuzz import fuzz

    def forms(title: str) -> set[str]:
        return {normalised_title(title), normalised_title(title.split(":")[0])} - {""}

    whole = {normalised_title(first), normalised_title(second)}
    return max(
        (fuzz.token_sort_ratio(a, b) for a in forms(first) for b in forms(second) if {a, b} & whole), default=0.0
    )


def normalised_title(title: str) -> str:
    """The words of a title in lower case, without accents, punctuation and TeX."""
    decomposed = unicodedata.normalize("NFKD", re.sub(r"\\[a-zA-Z]+|[${}]", " ", title)).casefold()
    unaccented = "".join(character for character in decomposed if not unicodedata.combining(character))
    return " ".join(re.findall(r"\w+", unaccented))
