"""Reads a web page: its visible article text, and apart from it the text that its own styles hide."""

import re
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

from lxml import etree, html  # type: ignore[import-untyped]
from trafilatura import extract

from mechaware.claims.reading.addressing import addresses_judge
from mechaware.claims.reading.cleaning import TAGS, unseen_tags
from mechaware.claims.reading.readings import Hidden, Reading, UnreadableError, check_not_empty
from mechaware.claims.reading.web.folding import LONGEST_LABEL, records
from mechaware.claims.reading.web.furniture import article_of, heading_of, plain_text
from mechaware.claims.reading.web.shadow import flatten
from mechaware.claims.reading.web.styles.scopes import SCOPE
from mechaware.claims.reading.web.styles.sheets import Sheets, data_text
from mechaware.claims.reading.web.walk import take_out_hidden

# Elements that show no text of the page, whatever its styles say, or show it as a control or a graphic.
NOT_TEXT = (
    "noscript", "template", "iframe", "object", "embed", "audio", "video", "canvas", "svg", "select", "datalist",
    "textarea", "noembed", "noframes", "annotation", "annotation-xml", "mjx-assistive-mml", "meter", "progress",
)  # fmt: skip
OWN_WORLD = ("template", "noscript", "iframe", "object", "noembed", "noframes")  # style sheets in these do not apply
LONGEST_UNREAD = 10_000  # characters of a comment or script that are searched for words to a judge
MOST_SECONDS = 10.0  # of the processor, for the style sheets
SECONDS_UNTIL_AGAIN = 0.5  # between attempts to stop it
MOST_STARTING, LEAST_SEEN = 25, 0.2  # words, and share of all words, that a page shows before its scripts run
MOST_LOST = 0.02  # share of the article's words that trafilatura may leave out
MARKS = {"mfrac": "/", "msup": "^", "msub": "_"}  # between the two parts of a formula
SIDES = ("width", "height")
MOST_PAINTED = 0.8  # of each side of a drawing
ABOUT_STYLE = ("style", "class", "id", "hidden", "aria-hidden", "role", "inert", "popover")


def read_html(document: Path) -> Reading:
    """The article's text without comments, and apart from it the text that the page's own styles hide.

    trafilatura finds the article in what is seen as the page opens; it gets no address and makes no request, and none
    of the attributes by which it would guess what is seen. If it leaves out more than 2% of the article's words, the
    text is all that is seen of the article. If next to nothing is seen as the page opens, it is read as if its script
    had run: what covers or hides all of it is passed over. Linked style sheets and fonts are not fetched, and scripts
    do not run. Text in closed `details` is text: a reader opens them. Raises `UnreadableError` of kind empty, encoding,
    no_text, or styles if the style sheets take too long.
    """
    data = document.read_bytes()
    check_not_empty(data)
    source = _decoded(data)
    try:
        tree = html.document_fromstring(source)
    except (etree.ParserError, ValueError) as error:
        raise UnreadableError("no_text", "it holds no HTML; enter an intact copy") from error
    flatten(tree)
    for unseen in tree.xpath("//body//title | //mphantom | //maction/*[position() > 1]"):
        unseen.tag = "noembed"
    texts = [_text_within(element) for element in tree.iter(*NOT_TEXT, "script", etree.Comment)]
    unread = [Hidden(1, "not visible", text) for text in texts if addresses_judge(text)]
    unread += [Hidden(1, "not visible", tags) for tags in unseen_tags("".join(tree.itertext()))]
    with _limited(MOST_SECONDS):
        sheets = _sheets(tree, quirks=not re.match(r"\s*(?:<!--.*?-->\s*)*<!doctype", source, re.I | re.S))
        _strip(tree)
        waiting = deepcopy(tree)
        text, hidden = _read(tree, sheets)
        if _is_a_start(tree, waiting):
            text, hidden = _read(waiting, sheets, waits=True)
    if not _has_words(text):
        message = "no article text was found in the page; it may need scripts to run: save its text by hand"
        raise UnreadableError("no_text", message, unread + hidden)
    return Reading(text, unread + hidden)


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Ends what takes longer by an `UnreadableError`: the selectors of a small page can ask for hours.

    Python ignores an error that is raised while it collects garbage, so it is raised again until it stops the work.
    """
    too_large = UnreadableError("styles", "its style sheets are too large to resolve; enter a PDF")
    late = over = False

    def stop(*_: Any) -> None:
        nonlocal late
        if not over:
            late = True
            raise too_large

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, SECONDS_UNTIL_AGAIN)
    try:
        try:
            yield
        except Exception as error:  # code that the end is raised in may turn it into another error
            over = True
            if late or isinstance(error, RecursionError):  # brackets in brackets, a thousand deep
                raise too_large from error
            raise
        finally:
            over = True
    finally:  # also if the end is raised in the line above
        over = True
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _sheets(tree: Any, *, quirks: bool) -> Sheets:
    """The style sheets that are in the page. In quirks mode case does not tell classes and identifiers apart."""
    found = []
    for element in tree.iter("style", "link"):
        if any(one.tag in OWN_WORLD for one in element.iterancestors()):
            continue
        address = re.fullmatch(r"\s*data:([^,]*),(.*)", element.get("href", ""), re.S)
        if element.tag == "style" and element.get("type", "").strip().lower() in ("", "text/css"):
            found.append((element.text or "", element.get("media", ""), element.get(SCOPE, "")))
        elif element.tag == "link" and address and "stylesheet" in element.get("rel", "").lower().split():
            found.append((data_text(*address.groups()), element.get("media", ""), element.get(SCOPE, "")))
    present = set()
    for element in tree.iter(etree.Element):
        for name in ("class", "id") if quirks else ():
            if name in element.attrib:
                element.set(name, element.get(name).lower())
        present |= {element.tag, f"#{element.get('id')}", *(f".{one}" for one in element.get("class", "").split())}
    styles = [text for text, *_ in found] + [str(style) for style in tree.xpath("//@style")]
    sheets = Sheets(
        present, quirks=quirks, contained=any(re.search(r"container(?:-type)?\s*:", text, re.I) for text in styles)
    )
    for text, media, scope in found:
        sheets.add(text, media, scope)
    return sheets


def _strip(tree: Any) -> None:
    """Take out what shows no text. A drawing that is painted over leaves its box."""
    for drawing in tree.iter("svg"):
        if _is_painted(drawing):
            drawing.tag = "picture"
            sizes = (
                f"{side}:{drawing.get(side)}{'px' if drawing.get(side).isdecimal() else ''}"
                for side in SIDES
                if drawing.get(side)
            )
            drawing.set("style", ";".join([*sizes, drawing.get("style", "")]))
            drawing.text, drawing[:] = None, []
    etree.strip_elements(tree, *NOT_TEXT, etree.Comment, etree.ProcessingInstruction, with_tail=False)


def _is_painted(drawing: Any) -> bool:
    """Whether a rectangle fills most of a drawing."""
    box = re.findall(r"[\d.]+", drawing.get("viewbox", drawing.get("viewBox", "")))
    whole = dict(zip(SIDES, box[2:4] if len(box) == 4 else [drawing.get(side, "") for side in SIDES], strict=True))
    for shape in drawing.iter("rect"):
        clear = {shape.get("fill"), shape.get("fill-opacity"), shape.get("opacity")} & {"none", "transparent", "0"}
        shares = []
        for side in SIDES:
            size, percent = re.fullmatch(r"\s*([\d.]*)(%?).*", shape.get(side, ""), re.S).groups()  # type: ignore[union-attr]
            full = 100.0 if percent else float((re.match(r"[\d.]+", whole[side]) or ["0"])[0])
            shares.append(float(size or 0) / full if full else 0.0)
        if not clear and min(shares) >= MOST_PAINTED:
            return True
    return False


def _read(tree: Any, sheets: Sheets, *, waits: bool = False) -> tuple[str, list[Hidden]]:
    """The text of an article that is seen, and the records of what is hidden."""
    pieces, page = take_out_hidden(tree, sheets, waits=waits)
    hidden = records(pieces, page)
    for button in list(tree.iter("button")):
        button.tag = "span"
        if len("".join(button.itertext()).split()) <= LONGEST_LABEL:
            button.drop_tree()
    etree.strip_elements(tree, "script", "style", with_tail=False)
    _write_out(tree)
    article = article_of(tree)
    heading = heading_of(tree, article)
    seen = ("" if heading is None else f"{plain_text(heading)}\n") + plain_text(article)
    for element in tree.iter(etree.Element):
        for name in ABOUT_STYLE:
            element.attrib.pop(name, None)
    text = extract(tree, include_comments=False, include_tables=True) or ""
    wanted, found = (Counter(re.findall(r"\w+", one)) for one in (seen, text))
    return TAGS.sub("", seen if (wanted - found).total() > MOST_LOST * wanted.total() else text), hidden


def _is_a_start(tree: Any, whole: Any) -> bool:
    """Whether next to nothing of a page is seen: what covers or hides it waits for a script or an answer to go away."""
    seen, words = (len(re.findall(r"\w{2,}", plain_text(article_of(one)))) for one in (tree, whole))
    return seen < MOST_STARTING and seen < LEAST_SEEN * words


def _write_out(tree: Any) -> None:
    """Replace formulas by their text, in which a fraction or a power keeps its mark: trafilatura drops symbols."""
    for part in tree.iter(*MARKS):
        for child in list(part)[1:2]:
            child.text = MARKS[part.tag] + (child.text or "")
    etree.strip_tags(tree, *{part.tag for formula in tree.iter("math") for part in formula.iter(etree.Element)})


def _text_within(element: Any) -> str:
    """The beginning of an element's or a comment's text, bullets between its parts."""
    pieces = [element.text or ""] if element.tag is etree.Comment else element.itertext()
    return " \u2022 ".join(part for piece in pieces if (part := " ".join(piece.split())))[:LONGEST_UNREAD]


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


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
    declared_name = "UTF-8" if names[0] == "utf-8-sig" else names[0]
    raise UnreadableError(
        "encoding", f"its letters are not in {declared_name}, which it should be in; save it as UTF-8"
    )
