"""A paper that a user names by its file, its address or its arXiv identifier, without a row in config/papers.csv."""

import json
import re
from collections.abc import Container
from hashlib import sha256
from pathlib import Path
from unicodedata import normalize
from urllib.parse import parse_qs, urlsplit

from mechaware.claims.fetching.papers import LONGEST_ID, Paper, is_free_id
from mechaware.claims.fetching.sources import ARXIV_ID, check_file
from mechaware.errors import UserError

FETCHED = Path("results/claims/sources")  # of the working directory
ON_ARXIV = re.compile(
    rf"(?:(?i:arxiv:)|https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/)?({ARXIV_ID})(?:\.pdf)?"
)


def own_paper(location: str, taken: Container[str]) -> Paper:
    """The paper at a path, an http(s) address or an arXiv identifier, with or without "arXiv:" before it.

    Its id is its name. If that cannot be an id, is in `taken`, or is another paper's among the results in the working
    directory, `my-` stands before it and six digits of a hash behind. Its title is not checked against a service.

    Raises `UserError` for a file that is missing or has an unknown suffix.
    """
    if arxiv := ON_ARXIV.fullmatch(location):
        return _paper(f"arxiv-{arxiv[1]}", "pdf", f"https://arxiv.org/pdf/{arxiv[1]}", f"arXiv {arxiv[1]}", taken)
    address = urlsplit(location)
    if address.scheme not in ("http", "https"):
        path = Path(location)
        return _paper(path.stem, "file", str(check_file(path)), path.name, taken)
    if address.hostname == "openreview.net" and "id" in (query := parse_qs(address.query)):
        note = query["id"][0]
        return _paper(f"openreview-{note}", "pdf", f"https://openreview.net/pdf?id={note}", f"OpenReview {note}", taken)
    name = Path(address.path).name or str(address.hostname)
    return _paper(Path(name).stem, "pdf" if name.lower().endswith(".pdf") else "html", location, name, taken)


def _paper(name: str, source: str, location: str, title: str, taken: Container[str]) -> Paper:
    ascii_name = normalize("NFKD", name).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", ascii_name).strip("-._")
    if slug in taken or not is_free_id(slug) or _is_of_another(slug, source, location):
        digits = sha256(str(_place(source, location)).encode()).hexdigest()[:6]
        slug = f"my-{slug[: LONGEST_ID - 10]}".rstrip("-._") + f"-{digits}"
    if set("{}") & set(location):
        raise UserError(f"{location}: a brace in the name; rename the file")
    return Paper(slug, source, location, title, "", "")


def _is_of_another(slug: str, source: str, location: str) -> bool:
    """Whether the results have a paper of this id that was fetched from elsewhere."""
    record = FETCHED / f"{slug}.provenance.json"
    if not record.exists():
        return False
    fetched = json.loads(record.read_text())["steps"][0]["parameters"]
    return _place(fetched["source"], fetched["location"]) != _place(source, location)


def _place(source: str, location: str) -> str | Path:
    return Path(location).expanduser().resolve() if source == "file" else location
