"""Fetch a paper from arXiv, OpenReview, the address of a PDF or of a web page, or a local file."""

from mechaware.instruments.claims.fetching.downloads import Limits
from mechaware.instruments.claims.fetching.papers import Source
from mechaware.instruments.claims.fetching.sources import fetch
from scripts.command import Output


def main(
    *,
    source: Source,
    location: str,
    title: str,
    max_bytes: int,
    timeout_s: float,
    attempts: int,
    allow_private_addresses: bool,
    out: Output,
) -> None:
    """Write the paper to the folder `out` as document.pdf, document.html or document.txt."""
    limits = Limits(
        max_bytes=max_bytes,
        timeout_s=timeout_s,
        attempts=attempts,
        allow_private_addresses=allow_private_addresses,
    )
    fetch(source, location, title, out, limits=limits)
