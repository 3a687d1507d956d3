"""Reads the article of a web page, without text that the page hides.

The whole source of the page is searched for sentences that address a judge. Style sheets are not
resolved: text that only a style sheet hides counts as visible.
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
from mechaware.instruments.claims.rubric.text_flags import HiddenReason

CODE = ("script", "style")
# Zero in a style, with or without a unit: "0", "0.0", "0px", "0%".
ZERO = r"[0.]*0[0.]*(?:%|[a-z]+)?"
# A declaration of an inline style that hides its element, such as "display:none" in
# "color: red; display:none".
HIDES = re.compile(
    rf"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:opacity|font-size)\s*:\s*{ZERO})\s*(?:!important\s*)?(?:;|$)",
    re.I,
)
LIKE_CODE = re.compile(r"[{}<>=]")
# A word with its quotation marks and punctuation, and four or more such words in a row. Repetitions
# are bounded: scripts may hold megabytes of encoded data.
WORD = r"[\"“(]?[^\W_]{1,40}(?:['\u2019/-][^\W_]{1,40}){0,3}[,.:!?\"'”)]{0,3}"
PROSE = re.compile(rf"(?<![^\W_])(?:{WORD}\s{{1,40}}){{3,}}{WORD}")


class _Source(html.parser.HTMLParser):
    """All text of a page's source, however deep its elements are nested.

    - `parts`: the text outside of code, with a blank line at each tag that is not inline.
    - `comments`: the comments.
    - `unread`: the values of attributes, and code.
    """

    def __init__(self, source: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.comments: list[str] = []
        self.unread: list[str] = []
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
    """The article's text, without readers' comments, and the text that was hidden or left out.

    trafilatura, which makes no request here, finds the article. Before that, these are dropped:

    - comments of the source, `script`, `style` and `template`;
    - elements with a `hidden` attribute;
    - elements with an inline style of `display:none`, `visibility:hidden`, `opacity:0` or
      `font-size:0`.

    Hidden text is recorded as `not visible` if it addresses a judge, else as `dropped`, which
    raises no flag. It is the text of the dropped comments and elements, the words in Unicode's tag
    characters, and, of attributes, scripts and style sheets, only sentences that address a judge.
    `left_out` lists passages that a reader sees but trafilatura does not count as part of the
    article, such as a sidebar or a footer. `elsewhere` lists the sentences of the source that
    address a judge and are neither in the article nor hidden.

    Raises `UnreadableError` of kind empty, encoding or no_text.
    """
    data = document.read_bytes()
    check_not_empty(data)
    page = _decode(data)
    source = _Source(page)
    tree = trafilatura.load_html(page)
    if tree is None:
        raise UnreadableError("no_text", "it holds no HTML; enter an intact copy")

    source_text = "".join(source.parts)
    unseen = [*source.comments, *unseen_tags(source_text), *_drop_hidden(tree)]
    unread_prose: list[str] = []
    for value in source.unread:
        unread_prose += _find_prose(value)
    unseen += addressing_sentences(unread_prose)

    hidden = []
    for text in unseen:
        reason: HiddenReason = "not visible" if addresses_judge(text) else "dropped"
        hidden.append(Hidden(page=1, reason=reason, text=text))

    _write_out_formulas(tree)
    article = _extract_article(copy.deepcopy(tree))
    if not any(map(str.isalnum, article)):
        raise UnreadableError(
            "no_text", "no article was found in it; it may need scripts to run: enter a PDF", hidden
        )
    left_out = find_left_out(tree, source_text, article, unseen)

    # trafilatura separates blocks by line feeds. A sentence ends at a blank line, not at a line
    # feed.
    text = re.sub(r"\n+", "\n\n", article)
    # The source also has sentences that trafilatura leaves out, such as those of a footer, and
    # sentences that are separated from a heading only by the tag of their block.
    known = "\n".join(addressing_sentences([text, *unseen]))
    addressing = addressing_sentences([source_text])
    elsewhere = [sentence for sentence in addressing if sentence not in known]
    return DocumentText([text], hidden, elsewhere=elsewhere, left_out=left_out)


def _find_prose(value: str) -> list[str]:
    """The texts in the value of an attribute or in a script that may hold sentences.

    If the value looks like code, these are its runs of four or more words: single words of code,
    such as `return` and `accept`, would look like commands. Any other value is given as a whole.
    """
    return PROSE.findall(value) if LIKE_CODE.search(value) else [value]


def _drop_hidden(tree: Any) -> list[str]:
    """Drop hidden elements and code from an lxml tree, in place.

    Returns the texts of the hidden elements, in the order of the page. The text of an element does
    not include that of hidden elements within it.
    """
    hidden_texts = []
    for element in [*tree.iterdescendants(*CODE)]:
        element.drop_tree()
    # Inner elements first: once they are dropped, outer elements no longer have their text.
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
    return list(reversed(hidden_texts))


def _write_out_formulas(tree: Any) -> None:
    """Replace the markup of each formula by the formula's source, or by its symbols if it has no
    source. Changes the tree.
    """
    for formula in tree.iter("math"):
        formula.text = formula.get("alttext") or " ".join(formula.itertext())
        formula[:] = []
        formula.tag = "span"


def _extract_article(tree: Any) -> str:
    """The article's text; empty if trafilatura finds none.

    Changes the tree: captions become paragraphs, because trafilatura drops other captions.
    """
    for element in tree.iter("figure", "figcaption"):
        element.tag = "div" if element.tag == "figure" else "p"
    return trafilatura.extract(tree, include_comments=False, include_tables=True) or ""


def _decode(data: bytes) -> str:
    """The text of a page: in UTF-8 if it has UTF-8's byte-order mark, else in the encoding that it
    declares, else in UTF-8.

    Raises `UnreadableError` of kind encoding.
    """
    declared = re.search(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", data[:4096], re.I)
    has_mark = data.startswith(b"\xef\xbb\xbf")
    declared_names = [declared[1].decode()] if declared and not has_mark else []
    for name in [*declared_names, "utf-8-sig"]:
        try:
            text = data.decode(name)
        except (LookupError, UnicodeError):
            continue
        # lxml refuses a decoded text whose XML declaration names an encoding.
        return re.sub(r"^\s*<\?xml[^>]*\?>", "", text)
    expected = declared_names[0] if declared_names else "UTF-8"
    raise UnreadableError("encoding", f"its letters are not in {expected}; save it as UTF-8")
