"""Reads a web page: its visible article text, and apart from it the text that its own styles hide."""

import re
from pathlib import Path

from lxml import etree, html  # type: ignore[import-untyped]
from trafilatura import extract

from mechaware.claims.reading.html_hidden_text import take_out_hidden
from mechaware.claims.reading.readings import Reading, UnreadableError, check_not_empty


def read_html(document: Path) -> Reading:
    """The article's text without comments, and apart from it the text that the page's own styles hide.

    trafilatura finds the article after `take_out_hidden`; it gets no address and makes no request. Linked style sheets
    are not fetched, and scripts do not run. trafilatura also drops elements marked `aria-hidden`, although a reader
    sees them: as a rule the second rendering of a formula.
    Raises `UnreadableError` of kind empty, encoding or no_text.
    """
    data = document.read_bytes()
    check_not_empty(data)
    try:
        tree = html.document_fromstring(_decoded(data))
    except (etree.ParserError, ValueError) as error:
        raise UnreadableError("no_text", "it holds no HTML; enter an intact copy") from error
    etree.strip_elements(tree, "script", "noscript", "template", etree.Comment, with_tail=False)
    hidden = take_out_hidden(tree)
    text = extract(tree, include_comments=False, include_tables=True) or ""
    if not any(character.isalnum() for character in text):
        message = "no article text was found in the page; it may need scripts to run: save its text by hand"
        raise UnreadableError("no_text", message)
    return Reading(text, hidden)


def _decoded(data: bytes) -> str:
    """By byte-order mark, the page's own declaration, or UTF-8; a page that is none of them is refused."""
    declared = re.search(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", data[:4096], re.I)
    names = ["utf-8-sig"] if data.startswith(b"\xef\xbb\xbf") or not declared else [declared[1].decode(), "utf-8"]
    for name in names:
        try:
            # lxml refuses a declared encoding in a text that is decoded already.
            return re.sub(r"^\s*<\?xml[^>]*\?>", "", data.decode(name))
        except (LookupError, UnicodeError):
            continue
    raise UnreadableError("encoding", f"it is not in {names[0]}; save it as UTF-8")
