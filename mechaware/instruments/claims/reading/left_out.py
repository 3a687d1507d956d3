"""What text extraction leaves out of a web page: passages that its readers see and a judge does not get."""

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from mechaware.instruments.claims.reading.readings import FEWEST_WORDS, LeftOut
from mechaware.instruments.claims.reading.sentences import (
    BEFORE_CAPITAL,
    sentence_spans,
    without_marks,
)

INLINE = {
    "a",
    "abbr",
    "b",
    "code",
    "em",
    "font",
    "i",
    "mark",
    "q",
    "s",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "u",
}
CELLS = {"td", "th"}
LINES = {"br", "tr", "tbody", "thead", "tfoot"}  # each begins a line
WITHIN_BLOCK = INLINE | CELLS | LINES
# Elements that are shown beside the page, without scripts alone, or as a control.
NOT_SHOWN = ("title", "noscript", "button", "select")
SHOWN = f"descendant-or-self::node()[not({' or '.join(f'ancestor-or-self::{tag}' for tag in NOT_SHOWN)})]"
# A passage is named by the nearest of these around it, which says more than a `p`; neighbours in one are one passage.
TELLING = {
    "aside",
    "blockquote",
    "details",
    "dialog",
    "figcaption",
    "footer",
    "form",
    "header",
    "nav",
    "svg",
    "table",
}
WORD = re.compile(r"[^\W_]+")
DEEPEST = 255  # elements around one: there lxml stops reading


class _Block(NamedTuple):
    element: Any  # of lxml: the innermost one that is not inline
    text: str


class _ReadText:
    """The text that was read, to be asked which words of the page are in it."""

    def __init__(self, text: str) -> None:
        words = _words(text)
        self.letters = "".join(words)
        self.runs = set(_runs(words))

    def lacks(self, words: Sequence[str]) -> int:
        """How many of some words were not read: they are in no run of four words that was.

        Word boundaries do not matter where all were read: extraction may join or cut words at a tag.
        """
        if "".join(words) in self.letters:
            return 0
        read = set[int]()
        for start, run in enumerate(_runs(words)):
            if run in self.runs:
                read.update(range(start, start + FEWEST_WORDS))
        return len(words) - len(read)

    def left_out(self, text: str) -> str:
        """The sentences of a text that were not read; empty if they lack fewer than four words together.

        A sentence was not read if four of its words or more were not, or none was.
        """
        missing, sentences = 0, []
        for start, end in sentence_spans(text, BEFORE_CAPITAL):
            words = _words(text[start:end])
            lacking = self.lacks(words)
            if lacking >= FEWEST_WORDS or 0 < lacking == len(words):
                missing += lacking
                sentences.append(text[start:end])
        return " ".join(sentences) if missing >= FEWEST_WORDS else ""


def find_left_out(tree: Any, source: str, article: str, hidden: Iterable[str]) -> list[LeftOut]:
    """The passages of a page, of four words or more, that are neither in its article nor hidden, in the page's order.

    `tree` is what lxml read of the page, without code and hidden elements, whose texts are `hidden`. `source` is all
    text of the page, a blank line between its elements: of elements that are nested too deep for lxml, and of all that
    follows them, it has the only words. Not listed are buttons, lists to select from, `noscript`, and words that the
    article has elsewhere.
    """
    read = _ReadText(article)
    found = []
    for block in _blocks(tree):
        if text := read.left_out(block.text):
            found.append(_Block(_telling(block.element), text))

    left_out = []
    for element, blocks in itertools.groupby(found, key=lambda block: block.element):
        left_out.append(LeftOut(element.tag, "\n".join(block.text for block in blocks)))

    if tree.xpath(f"boolean(//*[count(ancestor::*) >= {DEEPEST}])"):
        known = _ReadText("\n".join([article, *hidden, *(passage.text for passage in left_out)]))
        unread = filter(None, map(known.left_out, source.split("\n\n")))
        left_out += [LeftOut("body", text) for text in unread]
    return left_out


def _blocks(tree: Any) -> Iterator[_Block]:
    """The text between the tags of elements that are not inline, in the page's order; a table's rows are one block."""
    block, texts = tree, list[str]()
    for node in tree.xpath(SHOWN):
        is_text = isinstance(
            node, str
        )  # of lxml, which knows the element: the text is in it, or behind it
        if is_text:
            parent = node.getparent()
            element = parent.getparent() if node.is_tail else parent
            text = re.sub(r"\s+", " ", node)
        else:
            element = node
            text = "\n\n" if node.tag in LINES else " " if node.tag in CELLS else ""

        around = next(each for each in _with_ancestors(element) if each.tag not in WITHIN_BLOCK)
        if around is not block:
            yield _Block(block, "".join(texts))
            block, texts = around, []
        texts.append(text)
    yield _Block(block, "".join(texts))


def _telling(element: Any) -> Any:
    """The nearest element of `TELLING` around an element, or the element itself if there is none."""
    return next((each for each in _with_ancestors(element) if each.tag in TELLING), element)


def _with_ancestors(element: Any) -> Iterator[Any]:
    yield element
    yield from element.iterancestors()


def _words(text: str) -> list[str]:
    return WORD.findall(unicodedata.normalize("NFKC", without_marks(text)).casefold())


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """All runs of four neighbouring words."""
    return zip(*(words[start:] for start in range(FEWEST_WORDS)), strict=False)
