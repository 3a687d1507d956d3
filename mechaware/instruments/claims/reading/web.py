"""Reads the article of a web page. Text that the page marks as hidden is dropped; words to a judge
are found anywhere.

Style sheets are not resolved: text that one of them hides is read as if it could be seen.
"""

import copy
import html.parser
import re
from pathlib import Path
from typing import Any

import trafilatura

from mechaware.instruments.claims.reading.addressing import addresses_judge, addressing_sentences
from mechaware.instruments.claims.reading.left_out import INLINE, find_left_out
from mechaware.instruments.claims.reading.readings import (
    DocumentText,
    Hidden,
    UnreadableError,
    check_not_empty,
    unseen_tags,
)

CODE = ("script", "style")
ZERO = r"[0.]*0[0.]*(?:%|[a-z]+)?"
HIDES = re.compile(
    rf"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:opacity|font-size)\s*:\s*{ZERO})\s*(?:!important\s*)?(?:;|$)",
    re.I,
)
LIKE_CODE = re.compile(r"[{}<>=]")
# Four or more words in a row, with their marks. Repetitions are bounded: scripts may hold megabytes
# of encoded data.
WORD = r"[\"“(]?[^\W_]{1,40}(?:['\u2019/-][^\W_]{1,40}){0,3}[,.:!?\"'”)]{0,3}"
PROSE = re.compile(rf"(?<![^\W_])(?:{WORD}\s{{1,40}}){{3,}}{WORD}")


class _Source(html.parser.HTMLParser):
    """All words of a page's source, at any depth."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.parts: list[str] = []  # text, with an empty line at each tag of a block
        self.comments: list[str] = []
        self.unread: list[str] = []  # values of attributes, and code
        self.in_code = False
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.unread += [value for _, value in attrs if value]
        if tag not in INLINE:
            self.parts.append("\n\n")
        self.in_code = tag in CODE

    def handle_endtag(self, tag: str) -> None:
        if tag not in INLINE:
            self.parts.append("\n\n")
        self.in_code = False

    def handle_data(self, data: str) -> None:
        if self.in_code:
            self.unread.append(data)
        else:
            self.parts.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def read_html(document: Path) -> DocumentText:
    """The article's text by trafilatura, without readers' comments, and the text that was dropped
    or left out.

    Dropped are comments of the source, `script`, `style`, `template`, elements with a `hidden`
    attribute, and those with an inline style of `display:none`, `visibility:hidden`, `opacity:0` or
    `font-size:0`. Their text is recorded as `not visible` if it addresses a judge, else as
    `dropped`, which raises no alarm. `left_out` lists what a reader sees and trafilatura takes for
    no part of the article, as a sidebar or a footer. Sentences that address a judge are found
    anywhere in the source, attributes and scripts included. trafilatura makes no request here.
    Raises `UnreadableError` of kind empty, encoding or no_text.
    """
    data = document.read_bytes()
    check_not_empty(data)
    decoded = _decoded(data)
    source = _Source(decoded)
    tree = trafilatura.load_html(decoded)
    if tree is None:
        raise UnreadableError("no_text", "it holds no HTML; enter an intact copy")

    everything = "".join(source.parts)
    unseen = [*source.comments, *unseen_tags(everything), *_drop_hidden(tree)]
    unread_prose: list[str] = []
    for value in source.unread:
        unread_prose += _prose(value)
    unseen += addressing_sentences(unread_prose)

    hidden = []
    for text in unseen:
        hidden.append(Hidden(1, "not visible" if addresses_judge(text) else "dropped", text))

    _write_out_formulas(tree)
    article = _article(copy.deepcopy(tree))
    if not any(map(str.isalnum, article)):
        raise UnreadableError(
            "no_text", "no article was found in it; it may need scripts to run: enter a PDF", hidden
        )
    left_out = find_left_out(tree, everything, article, unseen)

    text = re.sub(r"\n+", "\n\n", article)  # a block ends a sentence, as a blank line does
    known = "\n".join(addressing_sentences([text, *unseen]))
    # The source also has sentences that trafilatura leaves out, as in a footer, and sentences that
    # only the tag of their block separates from a heading.
    addressing = addressing_sentences([everything])
    elsewhere = [sentence for sentence in addressing if sentence not in known]
    return DocumentText([text], hidden, elsewhere=elsewhere, left_out=left_out)


def _prose(value: str) -> list[str]:
    """What may be sentences in an attribute or a script: the runs of words in code, anything else
    as a whole.

    Single words of code, such as `return` and `accept`, look like commands.
    """
    return PROSE.findall(value) if LIKE_CODE.search(value) else [value]


def _drop_hidden(tree: Any) -> list[str]:
    """Drop hidden elements and code from an lxml tree, in place.

    Returns the texts of the hidden elements.
    """
    hidden_texts = []
    for element in [*tree.iterdescendants(*CODE)]:
        element.drop_tree()
    # Inner elements first, so that no text is found twice.
    for element in reversed([*tree.iterdescendants()]):
        is_hidden = (
            element.tag == "template"
            or "hidden" in element.attrib
            or HIDES.search(element.get("style", ""))
        )
        # Many pages hide their body until their scripts have run.
        if is_hidden and element.tag != "body":
            hidden_texts.append("".join(element.itertext()))
            element.drop_tree()
    return hidden_texts[::-1]


def _write_out_formulas(tree: Any) -> None:
    """Put the source of each formula, or else its symbols, in the place of its markup."""
    for formula in tree.iter("math"):
        formula.text = formula.get("alttext") or " ".join(formula.itertext())
        formula[:] = []
        formula.tag = "span"


def _article(tree: Any) -> str:
    """The article's text. Changes the tree: trafilatura drops captions unless
    they are paragraphs.
    """
    for element in tree.iter("figure", "figcaption"):
        element.tag = "div" if element.tag == "figure" else "p"
    return trafilatura.extract(tree, include_comments=False, include_tables=True) or ""


def _decoded(data: bytes) -> str:
    """The text of a page in the encoding of its byte-order mark or of its own declaration, or else
    in UTF-8.

    Raises `UnreadableError` of kind encoding.
    """
    declared = re.search(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", data[:4096], re.I)
    has_mark = data.startswith(b"\xef\xbb\xbf")
    names = [declared[1].decode()] if declared and not has_mark else []
    for name in [*names, "utf-8-sig"]:
        try:
            text = data.decode(name)
        except (LookupError, UnicodeError):
            continue
        # lxml refuses a declared encoding in a text that is decoded already.
        return re.sub(r"^\s*<\?xml[^>]*\?>", "", text)
    expected = names[0] if names else "UTF-8"
    raise UnreadableError("encoding", f"its letters are not in {expected}; save it as UTF-8")
