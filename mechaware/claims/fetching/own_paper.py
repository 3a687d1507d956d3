"""A paper that a user names by its file, its address or its arXiv identifier, without a row in config/papers.csv."""

import json
import re
from collections.abc import Container
from hashlib import sha256
from pathlib import Path
from unicodedata import combining, normalize
from urllib.parse import parse_qs, urlsplit

from mechaware.claims.fetching.documents import PDF_MAGIC_WITHIN, begins_as_pdf
from mechaware.claims.fetching.papers import LONGEST_ID, PLANTED_PREFIX, RESERVED, Paper
from mechaware.claims.fetching.sources import ARXIV_ID, STORED_AS
from mechaware.errors import UserError

FETCHED = Path("results/claims/sources")  # of the working directory


def own_paper(location: str, taken: Container[str]) -> Paper:
    """The paper with an id made of its name, which is not in `taken`. Its title is not checked against a service.

    If the results in the working directory have another paper of that id, or if it is longer than `LONGEST_ID`, six
    digits of a hash follow it.

    `location` is a path, an http(s) address, or an arXiv identifier, with or without "arXiv:" before it.
    Raises `UserError` for a file that is missing, cannot be opened, has an unknown suffix, or is no PDF although it is
    called one.
    """
    address = urlsplit(location)
    host = (address.hostname or "").removeprefix("www.")
    arxiv = ARXIV_ID.fullmatch(re.sub(r"(?i)^arxiv:|\.pdf$", "", _arxiv_part(location, host, address.path)))
    if arxiv:
        return _paper(f"arxiv-{arxiv[0]}", "pdf", f"https://arxiv.org/pdf/{arxiv[0]}", f"arXiv {arxiv[0]}", taken)
    if address.scheme not in ("http", "https"):
        return _paper(Path(location).stem, "file", str(_checked(Path(location))), Path(location).name, taken)
    if host == "openreview.net" and "id" in (query := parse_qs(address.query)):
        note = query["id"][0]
        return _paper(f"openreview-{note}", "pdf", f"https://openreview.net/pdf?id={note}", f"OpenReview {note}", taken)
    name = Path(address.path).name or host
    source = "pdf" if name.lower().endswith(".pdf") else "html"
    return _paper(Path(name).stem, source, location, name, taken)


def _arxiv_part(location: str, host: str, path: str) -> str:
    on_arxiv = host in ("arxiv.org", "export.arxiv.org")
    return re.sub(r"^/(?:abs|pdf|html)/", "", path) if on_arxiv else location


def _checked(path: Path) -> Path:
    """The path, once it is known to be a file of a kind that can be read."""
    try:
        file = path.expanduser()
        if file.is_dir():
            raise UserError(f"{path}: a folder; name a file in it")
        if not file.is_file():
            raise UserError(
                f"{path}: no such file (from {Path.cwd()}); correct the path, or write an address or arXiv id"
            )
        if file.suffix.lower() not in STORED_AS:
            raise UserError(
                f"{path}: not one of {', '.join(STORED_AS)}; convert it, or give it the suffix of what it is"
            )
        with file.open("rb") as stream:
            if file.suffix.lower() == ".pdf" and not begins_as_pdf(stream.read(PDF_MAGIC_WITHIN)):
                raise UserError(f"{path}: not a PDF, although it is named one; give it the suffix of what it is")
    except OSError as error:
        raise UserError(f"{path}: cannot be opened ({error.strerror}); rename it, or make it readable") from error
    return file


def _paper(name: str, source: str, location: str, title: str, taken: Container[str]) -> Paper:
    slug = _slug(name)
    if slug in taken or slug in RESERVED or slug.startswith(PLANTED_PREFIX) or slug.endswith((".html", ".json")):
        slug = f"my-{slug}".replace(".", "-")
    if not slug or len(slug) > LONGEST_ID or _is_of_another(slug, source, location):
        digits = sha256(str(_place(source, location)).encode()).hexdigest()[:6]
        slug = f"{slug[: LONGEST_ID - 7].rstrip('-._') or 'paper'}-{digits}"
    if set("{}") & set(location):
        raise UserError(f"{location}: a brace in the name; rename the file")
    return Paper(slug, source, location, title, "", "")


def _slug(name: str) -> str:
    """The name in ASCII, without accents; empty if nothing is left of it."""
    letters = (letter for letter in normalize("NFKD", name) if not combining(letter))
    return re.sub(r"[^A-Za-z0-9._-]+", "-", "".join(letters)).strip("-._")


def _is_of_another(slug: str, source: str, location: str) -> bool:
    """Whether the results have a paper of this id that was fetched from elsewhere."""
    record = FETCHED / f"{slug}.provenance.json"
    if not record.exists():
        return False
    fetched = json.loads(record.read_text())["steps"][0]["parameters"]
    return _place(fetched["source"], fetched["location"]) != _place(source, location)


def _place(source: str, location: str) -> str | Path:
    return Path(location).expanduser().resolve() if source == "file" else location
