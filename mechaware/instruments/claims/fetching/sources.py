"""Fetches a paper: from arXiv, OpenReview, the address of a PDF or a web page, or a local file."""

import fcntl
import re
import time
from pathlib import Path
from xml.etree import ElementTree

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write
from mechaware.instruments.claims.fetching.downloads import Document, Limits, download
from mechaware.instruments.claims.fetching.papers import (
    ARXIV_ID,
    STORED_AS,
    Source,
    check_file,
    document_path,
)

ARXIV = "https://export.arxiv.org"
OPENREVIEW = "https://openreview.net"
ARXIV_INTERVAL_S = 3.0  # between requests, as arXiv's terms of use ask
ATOM = "{http://www.w3.org/2005/Atom}"
MIN_SIMILARITY = 85.0  # percent, of two titles


def fetch(
    source: Source, location: str, title: str, out: Path, *, limits: Limits | None = None
) -> Path:
    """Fetch a paper into the folder `out`, as its only file.

    Processes that fetch into the same parent folder share a lock file there, so that their requests
    to arXiv keep arXiv's interval.

    Args:
        source: Where the paper is.
        location: An arXiv or OpenReview identifier, an http(s) address or a path.
        title: The expected title. A paper to which arXiv gives another title is refused: of the 13
            identifiers in the list of the reproduced paper, 2 named other papers (section 4.1).
        out: The folder.
        limits: Limits of a download; by default `Limits()`.

    Returns:
        The path of the file: document.pdf, document.html or document.txt in `out`.

    Raises:
        UserError: Whatever prevents it, in one line; nothing is left half-written.
    """
    limits = limits or Limits()
    if source == "file":
        document = _read_file(Path(location), limits)
    elif source == "arxiv":
        document = _from_arxiv(location, title, out.parent / ".arxiv", limits)
    elif source == "openreview":
        document = download(f"{OPENREVIEW}/pdf?id={location}", limits)
    else:
        document = download(location, limits)

    is_other_type = document.suffix == ""
    is_unexpected_page = document.suffix == ".html" and source not in ("html", "file")
    if is_other_type or is_unexpected_page:
        raise UserError(
            f"{location}: no PDF where one was expected, perhaps a log-in or a landing page; enter "
            "the address of the PDF itself, or that of a web page as source html"
        )
    with atomic_write(out) as folder:
        folder.mkdir()
        document_path(folder, document.suffix).write_bytes(document.content)
    return document_path(out, document.suffix)


def _read_file(path: Path, limits: Limits) -> Document:
    """A local file, with the suffix that it is stored under."""
    file = check_file(path)
    if file.stat().st_size > limits.max_bytes:
        raise UserError(
            f"{path}: more than {limits.max_bytes} bytes; raise the limit if so long a paper is "
            "wanted"
        )
    try:
        return Document(STORED_AS[file.suffix.lower()], file.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: cannot be opened ({error.strerror}); make it readable") from error


def _from_arxiv(location: str, title: str, lock: Path, limits: Limits) -> Document:
    """The PDF of an arXiv identifier, if its title at arXiv is the expected one.

    Requests wait for the file `lock` (`_ask_arxiv`).
    """
    if not re.fullmatch(ARXIV_ID, location):
        raise UserError(
            f"arXiv {location}: no arXiv identifier; write it as 2211.00593, 2211.00593v1 or "
            "cs/0112017"
        )
    answer = _ask_arxiv(f"/api/query?id_list={location}&max_results=1", lock, limits)
    try:
        # Safe: expat fetches no external entity, and stops at entities that expand beyond reason.
        feed = ElementTree.fromstring(answer.content)  # noqa: S314
        listed_title = feed.findtext(f"{ATOM}entry/{ATOM}title")
    except ElementTree.ParseError as error:
        raise UserError(
            f"arXiv {location}: its catalogue's answer cannot be read; run again later"
        ) from error
    if listed_title is None:
        raise UserError(f"arXiv {location}: arXiv has no such paper; correct the identifier")
    if not _is_same_title(title, listed_title):
        shown_title = " ".join(listed_title.split())
        raise UserError(
            f"arXiv {location}: its title is {shown_title!r}, expected {title!r}; correct the "
            "identifier or the title in the table"
        )
    return _ask_arxiv(f"/pdf/{location}", lock, limits)


def _ask_arxiv(path: str, lock: Path, limits: Limits) -> Document:
    """The answer to a request to arXiv, after the interval and without any other request meanwhile.

    Each process that asks locks the file `lock` for this time.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        time.sleep(ARXIV_INTERVAL_S)
        return download(ARXIV + path, limits)


def _is_same_title(first: str, second: str) -> bool:
    """Whether two titles have the same words in any order, except for slips.

    Either title may lack its subtitle, the part after a colon.
    """
    from rapidfuzz import fuzz, utils

    first_title = first.partition(":")[0]
    second_title = second.partition(":")[0]
    for left, right in ((first, second), (first_title, second), (first, second_title)):
        similarity = fuzz.token_sort_ratio(left, right, processor=utils.default_process)
        if similarity >= MIN_SIMILARITY:
            return True
    return False
