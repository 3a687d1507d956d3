"""A PDF whose pages have what its reader must mend or withhold, and what is read of it."""

from functools import cache
from pathlib import Path
from typing import Any

_PDF = Path(__file__).with_name("paper.pdf")


@cache  # the same for every judge
def page_outcomes() -> list[Any]:
    """What is read of a PDF of three pages where two may be read: text, hidden prose, and the
    number of pages.

    Its pages have a running head and a page number, a word that a line end cuts, ligatures and an
    accent by their codes in TeX's fonts. Prose is hidden in white, in letters of 2.2 points and of
    size 0, and outside the page.
    """
    # The libraries that read a PDF are imported where one is read.
    from mechaware.instruments.claims.reading.pdf import read_pdf

    reading = read_pdf(_PDF, max_pages=2)
    hidden = [list(piece) for piece in reading.hidden]
    return [reading.texts, hidden, reading.pages]
