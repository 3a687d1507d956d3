"""Reads a web page: its visible article text, and apart from it the text that its own styles hide."""

import re
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import cssselect2
from lxml import etree, html  # type: ignore[import-untyped]
from trafilatura import extract

from mechaware.claims.reading.addressing import ADDRESSES_JUDGE
from mechaware.claims.reading.readings import Hidden, Reading, UnreadableError, check_not_empty
from mechaware.claims.reading.web.cascade import Cascade
from mechaware.claims.reading.web.seen import Appearance, appearance, covers
from mechaware.claims.rubric.text_flags import HiddenReason

# Elements that show no text of the page, whatever its styles say, or show it as a control or a graphic.
NOT_TEXT = (
    "script", "noscript", "template", "iframe", "object", "embed", "audio", "video", "canvas", "svg", "select",
    "datalist", "textarea", "button", "noembed", "noframes", "annotation", "annotation-xml", "mjx-assistive-mml",
)  # fmt: skip
UNREAD = {"head", "title", "meta", "link", "style", "base"}
# A page's furniture hides words as it pleases: menus, dialogues, banners of cookies. It is no part of the article.
FURNITURE = {"nav", "footer", "aside", "form", "dialog", "menu"}
ROLES = {"navigation", "banner", "dialog", "alertdialog", "menu", "menubar", "search", "contentinfo", "tooltip"}
NAMES = re.compile(
    r"(?:^|[-_\s])(?:nav\w*|menu|cookies?|consent|modal|popup|tooltip|dropdown|sidebar|print)(?:$|[-_\s])", re.I
)
LONGEST_UNREAD = 10_000  # characters of a comment or script that are searched for words to a judge
LONGEST_LABEL = 5  # words: labels for screen readers ("opens in a new window") are hidden from the eye
WORD = re.compile(r"\w{2,}")


class Piece(NamedTuple):
    """Hidden text with the element that holds it."""

    element: Any
    reason: HiddenReason
    text: str
    formula: bool  # all of it is mathematics


def read_html(document: Path) -> Reading:
    """The article's text without comments, and apart from it the text that the page's own styles hide.

    trafilatura finds the article in what is seen as the page opens; it gets no address and makes no request. Linked
    style sheets and fonts are not fetched, and scripts do not run. trafilatura also drops elements marked
    `aria-hidden`, although a reader sees them: as a rule the second rendering of a formula.
    Raises `UnreadableError` of kind empty, encoding or no_text.
    """
    data = document.read_bytes()
    check_not_empty(data)
    try:
        tree = html.document_fromstring(_decoded(data))
    except (etree.ParserError, ValueError) as error:
        raise UnreadableError("no_text", "it holds no HTML; enter an intact copy") from error
    texts = [_text_within(element) for element in tree.iter(*NOT_TEXT, etree.Comment)]
    unread = [Hidden(1, "not visible", text) for text in texts if ADDRESSES_JUDGE.search(text)]
    etree.strip_elements(tree, *NOT_TEXT, etree.Comment, etree.ProcessingInstruction, with_tail=False)
    waiting = deepcopy(tree)
    pieces = take_out_hidden(tree)
    text = _article(tree)
    if not _has_words(text):  # all is hidden: the page waits for its scripts
        tree, pieces = waiting, take_out_hidden(waiting, waits=True)
        text = _article(tree)
    hidden = unread + [Hidden(1, piece.reason, piece.text) for piece in pieces if _belongs(piece, tree)]
    if not _has_words(text):
        message = "no article text was found in the page; it may need scripts to run: save its text by hand"
        raise UnreadableError("no_text", message, hidden)
    return Reading(text, hidden)


def _article(tree: Any) -> str:
    return extract(tree, include_comments=False, include_tables=True) or ""


def _text_within(element: Any) -> str:
    """The beginning of an element's or a comment's text, bullets between its parts."""
    pieces = [element.text or ""] if element.tag is etree.Comment else element.itertext()
    return " \u2022 ".join(part for piece in pieces if (part := " ".join(piece.split())))[:LONGEST_UNREAD]


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


def take_out_hidden(tree: Any, *, waits: bool = False) -> list[Piece]:
    """Take the text that a reader does not see out of an lxml tree; give it in the order of the page.

    What hides the root or the body as a whole is passed over in a page that waits for its scripts.
    """
    cascade = Cascade([(style.get("media", ""), style.text or "") for style in tree.iter("style")])
    pieces: list[Piece | None] = []
    _walk(cssselect2.ElementWrapper.from_html_root(tree), Appearance(), cascade, pieces, waits)
    return [piece for piece in pieces if piece]


def _walk(wrapper: Any, around: Appearance, cascade: Cascade, pieces: list[Piece | None], waits: bool) -> bool:
    """Take out what is hidden within an element; whether the element covers what stands before it."""
    element = wrapper.etree_element
    style = cascade.style(wrapper, _presentation(element), around.variables)
    own = appearance(element.tag, style, around)
    if waits and element.tag in ("html", "body"):
        own = replace(own, hidden=None, visible=True, opacity=1.0)
    if own.hidden:
        _take_all(element, own.hidden, pieces)
        return False
    closed = element.tag == "details" and "open" not in element.attrib
    reason = "not visible" if closed else own.reason()
    element.text = _take(element, reason, element.text, pieces)
    for child in wrapper.iter_children():
        if child.etree_element.tag in UNREAD:
            continue
        if _walk(child, own, cascade, pieces, waits):
            element.text = _take(element, "not visible", element.text, pieces)
            for before in child.etree_element.itersiblings(preceding=True):
                _take_all(before, "not visible", pieces)
        child.etree_element.tail = _take(element, reason, child.etree_element.tail, pieces)
    return covers(style, own)


def _take(
    element: Any, reason: HiddenReason | None, text: str | None, pieces: list[Piece | None], formula: bool = False
) -> str | None:
    """What a reader sees of a text. A hidden one is recorded, with the one before it if both belong together.

    None among the pieces stands for text that is seen.
    """
    if not text or not text.strip():
        return text
    if reason is None:
        pieces.append(None)
        return text
    piece = Piece(element, reason, " ".join(text.split()), formula)
    last = pieces[-1] if pieces else None
    if last and last.reason == reason and _together(last.element, element):
        pieces[-1] = last._replace(text=f"{last.text} {piece.text}", formula=last.formula and formula)
    else:
        pieces.append(piece)
    return " "


def _together(first: Any, second: Any) -> bool:
    return first is second or first.getparent() is second or second.getparent() in (first, first.getparent())


def _take_all(element: Any, reason: HiddenReason, pieces: list[Piece | None]) -> None:
    formulas = [element] if element.tag == "math" else element.iter("math")
    mathematics = "".join("".join(formula.itertext()) for formula in formulas)
    text = "".join(element.itertext())
    _take(element, reason, text, pieces, len(mathematics.split()) == len(text.split()))
    for child in list(element):
        element.remove(child)
    element.text = None


def _presentation(element: Any) -> str:
    """The declarations that old attributes of an element stand for."""
    names = {"bgcolor": "background-color", "color" if element.tag == "font" else "text": "color"}
    return ";".join(f"{style}:{element.get(name)}" for name, style in names.items() if element.get(name))


def _belongs(piece: Piece, tree: Any) -> bool:
    """Whether a hidden text stands in the article and is longer than a label. What addresses a judge always does."""
    if ADDRESSES_JUDGE.search(piece.text):
        return True
    around = [piece.element, *piece.element.iterancestors()]
    article = next(tree.iter("article", "main"), None)
    if article is not None and article not in around and piece.element not in article.iter():
        return False
    names = (f"{one.get('class', '')} {one.get('id', '')}" for one in around if one.tag not in ("html", "body"))
    if any(one.tag in FURNITURE or one.get("role") in ROLES for one in around) or any(map(NAMES.search, names)):
        return False
    return not piece.formula and len(WORD.findall(piece.text)) > LONGEST_LABEL


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
