"""Reads the article of a web page. What the page marks as hidden is dropped; words to the judge are flagged anywhere.

Style sheets are not resolved: text that one of them hides is read as if it could be seen.
"""

import html.parser
import re
from collections import Counter
from pathlib import Path
from typing import Any

import trafilatura

from mechaware.claims.reading.addressing import addresses_judge, addressing_sentences
from mechaware.claims.reading.readings import Hidden, Reading, UnreadableError, check_not_empty, unseen_tags

CODE = ("script", "style")
CONTROLS = ("nav", "footer", "dialog", "menu", "button", "select", "textarea", "noscript", "iframe", "svg")
INLINE = {"a", "abbr", "b", "code", "em", "font", "i", "mark", "q", "s", "small", "span", "strong", "sub", "sup", "u"}
ZERO = r"[0.]*0[0.]*(?:%|[a-z]+)?"
HIDES = {"display": "none", "visibility": "hidden", "opacity": ZERO, "font-size": ZERO}  # in a `style` attribute
MAX_DEPTH = 250  # elements within each other; lxml gives up at 256 and leaves out the rest of the page
MAX_LOST = 0.02  # share of a marked article's words that trafilatura may leave out
LIKE_CODE = re.compile(r"[{}<>=]")
# Four or more words in a row. Repetitions are bounded, since scripts may hold megabytes of encoded data.
WORD = r"[\"“(]?[^\W_]{1,40}(?:['\u2019/-][^\W_]{1,40}){0,3}[,.:!?\"'”)]{0,3}"
PROSE = re.compile(rf"(?<![^\W_])(?:{WORD}\s{{1,40}}){{3,}}{WORD}")


class _Source(html.parser.HTMLParser):
    """All words of a page's source, at any depth: text, comments, and in `unread` attributes and code."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.parts, self.comments, self.unread = list[str](), list[str](), list[str]()
        self.in_code = False
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.unread += [value for _, value in attrs if value]
        self.parts += [] if tag in INLINE else ["\n\n"]
        self.in_code = tag in CODE

    def handle_endtag(self, tag: str) -> None:
        self.handle_starttag(tag, [])
        self.in_code = False

    def handle_data(self, data: str) -> None:
        (self.unread if self.in_code else self.parts).append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def read_html(document: Path) -> Reading:
    """The article's text without readers' comments, and the text that was dropped.

    Dropped are comments of the source, `script`, `style`, `template`, elements with a `hidden` attribute, and those
    with an inline style of `display:none`, `visibility:hidden`, `opacity:0` or `font-size:0`. Their text is recorded
    as `not visible` if it addresses a judge, else as `dropped`, which raises no alarm. Sentences that address a judge
    are found anywhere in the source, attributes and scripts included. trafilatura makes no request here.
    Raises `UnreadableError` of kind empty, encoding, no_text, or corrupt if elements are nested more than 250 deep.
    """
    data = document.read_bytes()
    check_not_empty(data)
    decoded = _decoded(data)
    source, tree = _Source(decoded), trafilatura.load_html(decoded)
    if tree is None:
        raise UnreadableError("no_text", "it holds no HTML; enter an intact copy")
    deep = tree.xpath(f"boolean(//*[count(ancestor::*) > {MAX_DEPTH}])")
    everything = "".join(source.parts)
    unseen = [*source.comments, *unseen_tags(everything), *_drop_hidden(tree)]
    unseen += addressing_sentences(piece for value in source.unread for piece in _prose(value))
    hidden = [Hidden(1, "not visible" if addresses_judge(one) else "dropped", one) for one in unseen]
    if deep:
        raise UnreadableError("corrupt", f"its elements are nested more than {MAX_DEPTH} deep; enter a PDF", hidden)
    text = re.sub(r"\n+", "\n\n", _article(tree))  # a block ends a sentence, as a blank line does
    if not any(map(str.isalnum, text)):
        raise UnreadableError("no_text", "no article was found in it; it may need scripts to run: enter a PDF", hidden)
    known = "\n".join(addressing_sentences([text, *unseen]))
    # Also what trafilatura leaves out, such as a footer, and what only its own block sets apart from a heading.
    return Reading([text], hidden, elsewhere=[one for one in addressing_sentences([everything]) if one not in known])


def _prose(value: str) -> list[str]:
    """What may be sentences in an attribute or a script, whose own words (`return`, `accept`) look like commands."""
    return PROSE.findall(value) if LIKE_CODE.search(value) else [value]


def _drop_hidden(tree: Any) -> list[str]:
    """Drop what is hidden from an lxml tree, and code and controls. Gives the text of hidden elements."""
    found = []
    for element in [*tree.iterdescendants(*CODE, *CONTROLS)]:
        element.drop_tree()
    for element in reversed([*tree.iterdescendants()]):  # from within, so that no text is found twice
        hidden = element.tag == "template" or "hidden" in element.attrib or _hides(element.get("style", ""))
        if hidden and element.tag != "body":  # which many pages hide until their scripts have run
            found.append("".join(element.itertext()))
            element.drop_tree()
    return found[::-1]


def _hides(style: str) -> bool:
    """Whether an inline style hides its element; of two values the last counts, or the important one."""
    settings = [setting.partition(":")[::2] for setting in style.lower().split(";")]
    settings.sort(key=lambda setting: "!important" in setting[1])  # stable: the order is kept otherwise
    values = {name.strip(): value.replace("!important", "").strip() for name, value in settings}
    return any(re.fullmatch(hiding, values.get(name, "")) for name, hiding in HIDES.items())


def _article(tree: Any) -> str:
    """The text that trafilatura finds, or that of the only `main` or `article` where trafilatura loses 2% of its words.

    trafilatura drops formulas, captions and text that stands in a bare `div`.
    """
    for formula in tree.iter("math"):
        formula.text = formula.get("alttext") or formula.findtext(".//annotation") or " ".join(formula.itertext())
        formula.tag, formula[:] = "span", []
    text = trafilatura.extract(tree, include_comments=False, include_tables=True) or ""
    article = next((found[0] for tag in ("main", "article") if len(found := [*tree.iter(tag)]) == 1), None)
    if article is None:
        return text or _lines_of(tree)
    whole = _lines_of(article)
    lost = Counter(re.findall(r"\w+", whole)) - Counter(re.findall(r"\w+", text))
    return whole if lost.total() > MAX_LOST * len(whole.split()) else text


def _lines_of(element: Any) -> str:
    """The text of an element, one line for each block. Changes the element."""
    for one in element.iter():
        if one.tag not in INLINE:
            one.text, one.tail = f"\n{one.text or ''}", f"\n{one.tail or ''}"
    lines = (" ".join(line.split()) for line in "".join(element.itertext()).split("\n"))
    return "\n".join(filter(None, lines))


def _decoded(data: bytes) -> str:
    """By byte-order mark, the page's own declaration, or UTF-8; a page that is none of them is refused."""
    declared = re.search(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", data[:4096], re.I)
    names = [declared[1].decode()] if declared and not data.startswith(b"\xef\xbb\xbf") else []
    for name in [*names, "utf-8-sig"]:
        try:
            # lxml refuses a declared encoding in a text that is decoded already.
            return re.sub(r"^\s*<\?xml[^>]*\?>", "", data.decode(name))
        except (LookupError, UnicodeError):
            continue
    raise UnreadableError("encoding", f"its letters are not in {[*names, 'UTF-8'][0]}; save it as UTF-8")
