"""What text extraction leaves out of a web page: passages that its readers see and a judge does not get."""

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from mechaware.instruments.claims.reading.readings import MIN_PROSE_WORDS, LeftOut
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
# Elements that are shown outside the page's text, only without scripts, or as a control.
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
# Letters of scripts that put no space between words, each counted as a word: Thai, Lao, Tibetan, Burmese, Khmer, kana,
# and Han characters. Korean has spaces.
UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
)
WORD = re.compile(rf"(?=[^\W_])(?:[{UNSPACED}]|[^\W_{UNSPACED}]+)")
# As in the search for flags, and after the stops, exclamation and question marks of Chinese and Japanese.
SENTENCE_END = re.compile(rf"{BEFORE_CAPITAL.pattern}|(?<=[\u3002\uff01\uff1f])")
CHUNK = 8  # letters
DEEPEST = 255  # elements around an element: there lxml stops reading


class _Block(NamedTuple):
    """The text between two tags that are not inline."""

    element: Any  # of lxml: the innermost one that is not inline
    text: str


class _ReadText:
    """The text that was read, and which sentences of the page it lacks.

    Every sentence of a page is looked for. Only the shortest are searched in the whole text; all others are looked up,
    by runs of four words and by chunks of `CHUNK` letters.
    """

    def __init__(self, text: str) -> None:
        words = _words(text)
        self.letters = "".join(words)
        self.runs = set(_runs(words))
        self.chunks: dict[str, list[int]] = {}  # where each chunk begins in the letters
        for place in range(0, len(self.letters) - CHUNK + 1, CHUNK):
            chunk = self.letters[place : place + CHUNK]
            self.chunks.setdefault(chunk, []).append(place)

    def unread_sentences(self, text: str) -> str:
        """The sentences of a text that were not read; empty if they have fewer than four unread words together.

        A sentence was not read if four of its words or more were not, or if none of its words was. But a sentence whose
        letters were read in a row was read: extraction may join or cut words at a tag.
        """
        spans = sentence_spans(text, SENTENCE_END)
        words = [_words(text[start:end]) for start, end in spans]
        unread_words = [self._not_in_runs(sentence) for sentence in words]
        if sum(unread_words) < MIN_PROSE_WORDS:
            return ""

        n_unread_words = 0
        passage = ""
        previous_end = 0
        for (start, end), sentence, n_unread in zip(spans, words, unread_words, strict=True):
            none_was_read = 0 < n_unread == len(sentence)
            is_left_out = n_unread >= MIN_PROSE_WORDS or none_was_read
            if not is_left_out or self._has_letters("".join(sentence)):
                continue
            n_unread_words += n_unread
            space = " " if passage and start > previous_end else ""
            passage += space + text[start:end]
            previous_end = end
        return passage if n_unread_words >= MIN_PROSE_WORDS else ""

    def _not_in_runs(self, words: Sequence[str]) -> int:
        """How many of some words are in no run of four words that was read."""
        read = set[int]()
        for start, run in enumerate(_runs(words)):
            if run in self.runs:
                read.update(range(start, start + MIN_PROSE_WORDS))
        return len(words) - len(read)

    def _has_letters(self, letters: str) -> bool:
        """Whether letters were read in a row.

        The text is cut into chunks of `CHUNK` letters. If it has `2 * CHUNK - 1` letters or more in a row, one whole
        chunk is within them, and the place of this chunk shows where to compare them.
        """
        if len(letters) < 2 * CHUNK - 1:
            return letters in self.letters
        for start in range(CHUNK):
            for place in self.chunks.get(letters[start : start + CHUNK], ()):
                if place >= start and self.letters.startswith(letters, place - start):
                    return True
        return False


def find_left_out(tree: Any, source: str, article: str, hidden: Iterable[str]) -> list[LeftOut]:
    """The passages of a page, of four words or more, that are neither in its article nor hidden, in the page's order.

    Not listed are buttons, lists to select from, `noscript`, and words that the article has elsewhere.

    Args:
        tree: What lxml read of the page, without code and hidden elements.
        source: All text of the page, with a blank line between its elements. lxml stops at elements that are nested too
            deep: only the source has their words, and all words that follow them.
        article: The text that was read.
        hidden: The texts of the hidden elements.
    """
    read = _ReadText(article)
    unread_blocks = []
    for block in _blocks(tree):
        if unread := read.unread_sentences(block.text):
            unread_blocks.append(_Block(_telling(block.element), unread))

    left_out = []
    for element, blocks in itertools.groupby(unread_blocks, key=lambda block: block.element):
        left_out.append(LeftOut(element.tag, "\n".join(block.text for block in blocks)))

    if tree.xpath(f"boolean(//*[count(ancestor::*) >= {DEEPEST}])"):
        known = _ReadText("\n".join([article, *hidden, *(passage.text for passage in left_out)]))
        for text in source.split("\n\n"):
            if unread := known.unread_sentences(text):
                left_out.append(LeftOut("body", unread))
    return left_out


def _blocks(tree: Any) -> Iterator[_Block]:
    """The text between the tags of elements that are not inline, in the page's order; a table's rows are one block."""
    block = tree
    texts: list[str] = []
    for node in tree.xpath(SHOWN):
        is_text = isinstance(node, str)
        if is_text:
            # Text of lxml knows its element: it is in it, or after it.
            parent = node.getparent()
            element = parent.getparent() if node.is_tail else parent
            text = re.sub(r"\s+", " ", node)
        else:
            element = node
            text = _separator(node.tag)

        around = next(each for each in _with_ancestors(element) if each.tag not in WITHIN_BLOCK)
        if around is not block:
            yield _Block(block, "".join(texts))
            block = around
            texts = []
        texts.append(text)
    yield _Block(block, "".join(texts))


def _separator(tag: str) -> str:
    """What stands for the start of an element between the text before it and the text in it."""
    if tag in LINES:
        return "\n\n"
    return " " if tag in CELLS else ""


def _telling(element: Any) -> Any:
    """The nearest element of `TELLING` around an element, or the element itself if there is none."""
    return next((each for each in _with_ancestors(element) if each.tag in TELLING), element)


def _with_ancestors(element: Any) -> Iterator[Any]:
    """An element, its parent, the parent's parent and so on."""
    yield element
    yield from element.iterancestors()


def _words(text: str) -> list[str]:
    """The words of a text as they are compared: without capitals, compatibility characters and unseen marks."""
    return WORD.findall(unicodedata.normalize("NFKC", without_marks(text)).casefold())


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """All runs of four neighbouring words: (a, b, c, d) and (b, c, d, e) of a, b, c, d, e."""
    return zip(*(words[start:] for start in range(MIN_PROSE_WORDS)), strict=False)
