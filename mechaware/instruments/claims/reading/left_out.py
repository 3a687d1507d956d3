"""What text extraction leaves out of a web page, so that readers see it and a judge does not."""

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
# Elements that are no part of the text on the page: the title of its window, text for readers
# without scripts, and controls.
NOT_IN_TEXT = ("title", "noscript", "button", "select")
# An XPath of all other nodes.
_IS_NOT_IN_TEXT = " or ".join(f"ancestor-or-self::{tag}" for tag in NOT_IN_TEXT)
NODES_IN_TEXT = f"descendant-or-self::node()[not({_IS_NOT_IN_TEXT})]"
# Elements that describe a passage better than `p` or `div` would. A passage is named after the
# nearest of these elements around it. Consecutive unread blocks in one element are one passage.
DESCRIPTIVE = {
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
# Letters of scripts that put no space between words: Thai, Lao, Tibetan, Burmese, Khmer, kana, and
# Han characters. Each letter counts as a word. Korean has spaces.
UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
)
WORD = re.compile(rf"(?=[^\W_])(?:[{UNSPACED}]|[^\W_{UNSPACED}]+)")
# As `BEFORE_CAPITAL`, and after the stops, exclamation and question marks of Chinese and Japanese.
SENTENCE_END = re.compile(rf"{BEFORE_CAPITAL.pattern}|(?<=[\u3002\uff01\uff1f])")
# Letters in a chunk (`_ReadText`). Longer chunks recur less often, but texts of fewer than
# 2 * CHUNK - 1 letters are searched in the whole text.
CHUNK = 8
DEEPEST = 255  # lxml stops reading at an element that has this many elements around it


class _Block(NamedTuple):
    """The text between two tags of elements outside `WITHIN_BLOCK`.

    `element` is the innermost such element around the text, as lxml represents it.
    """

    element: Any
    text: str


class _UnreadBlock(NamedTuple):
    """The unread sentences of a block, and the element after which their passage is named."""

    element: Any
    text: str


class _Sentence(NamedTuple):
    """A sentence: the characters [start, end) of a text, its words, and how many are unread."""

    start: int
    end: int
    words: list[str]
    n_unread: int


class _ReadText:
    """The text that was read, and which sentences of the page it lacks.

    Every sentence of a page is looked for. Only the shortest are searched in the whole text; all
    others are looked up, by their 4-grams (four consecutive words) and by chunks of `CHUNK`
    letters.
    """

    def __init__(self, text: str) -> None:
        words = _words(text)
        self.letters = "".join(words)
        self.four_grams = set(_four_grams(words))
        self.chunks: dict[str, list[int]] = {}  # where each chunk begins in the letters
        for start in range(0, len(self.letters) - CHUNK + 1, CHUNK):
            chunk = self.letters[start : start + CHUNK]
            self.chunks.setdefault(chunk, []).append(start)

    def unread_sentences(self, text: str) -> str:
        """The sentences of a text that were not read; empty if they have fewer than 4 unread words.

        A word is unread if none of the 4-grams that contain it was read. A sentence was not read if
        it has 4 unread words (`MIN_PROSE_WORDS`) or more, or if all its words are unread. One
        exception: if the text that was read has the same letters without a gap, the sentence was
        read, because extraction may join or cut words at a tag.
        """
        sentences = []
        for start, end in sentence_spans(text, SENTENCE_END):
            words = _words(text[start:end])
            sentences.append(_Sentence(start, end, words, self._count_unread(words)))
        # Saves the search of short sentences in the whole text.
        if sum(sentence.n_unread for sentence in sentences) < MIN_PROSE_WORDS:
            return ""

        unread = [sentence for sentence in sentences if self._is_unread(sentence)]
        if sum(sentence.n_unread for sentence in unread) < MIN_PROSE_WORDS:
            return ""

        passage = ""
        previous_end = 0
        for sentence in unread:
            # Chinese and Japanese have no space between sentences.
            has_space = sentence.start > previous_end
            if passage and has_space:
                passage += " "
            passage += text[sentence.start : sentence.end]
            previous_end = sentence.end
        return passage

    def _count_unread(self, words: Sequence[str]) -> int:
        """How many of the words are in no 4-gram that was read."""
        read = set[int]()
        for start, four_gram in enumerate(_four_grams(words)):
            if four_gram in self.four_grams:
                read.update(range(start, start + MIN_PROSE_WORDS))
        return len(words) - len(read)

    def _is_unread(self, sentence: _Sentence) -> bool:
        """Whether a sentence was not read (see `unread_sentences`)."""
        none_was_read = 0 < sentence.n_unread == len(sentence.words)
        if sentence.n_unread < MIN_PROSE_WORDS and not none_was_read:
            return False
        return not self._has_letters("".join(sentence.words))

    def _has_letters(self, letters: str) -> bool:
        """Whether the text that was read has these letters without a gap.

        `2 * CHUNK - 1` consecutive letters of the text that was read contain a whole chunk, which
        begins at one of the first `CHUNK` of these letters. So a piece of `CHUNK` letters is looked
        up from each of the first `CHUNK` offsets. Where the piece is a chunk, all letters are
        compared.
        """
        if len(letters) < 2 * CHUNK - 1:
            return letters in self.letters
        for offset in range(CHUNK):
            for chunk_start in self.chunks.get(letters[offset : offset + CHUNK], ()):
                start = chunk_start - offset
                if start >= 0 and self.letters.startswith(letters, start):
                    return True
        return False


def find_left_out(tree: Any, source: str, article: str, hidden: Iterable[str]) -> list[LeftOut]:
    """The passages of a page that are neither in its article nor hidden, in the page's order.

    A passage has four words or more. Elements of `NOT_IN_TEXT` are not listed, nor are words that
    the article has elsewhere.

    Args:
        tree: What lxml read of the page, without code and hidden elements.
        source: All text of the page, with a blank line between its elements. lxml stops reading at
            elements that are nested too deep (`DEEPEST`): only the source has their words, and all
            words after them.
        article: The text that was read.
        hidden: The texts of the hidden elements.
    """
    read = _ReadText(article)
    unread_blocks = []
    for block in _blocks(tree):
        if unread := read.unread_sentences(block.text):
            unread_blocks.append(_UnreadBlock(_descriptive_element(block.element), unread))

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
    """The blocks of a page, in its order, each with the innermost block element around it.

    All rows of a table are one block.
    """
    block_element = tree
    texts: list[str] = []
    for node in tree.xpath(NODES_IN_TEXT):
        is_text = isinstance(node, str)
        if is_text:
            # The parent of text after an end tag (a tail) is the element that ends there; the text
            # is in the parent of this element.
            parent = node.getparent()
            element = parent.getparent() if node.is_tail else parent
            text = re.sub(r"\s+", " ", node)
        else:
            element = node
            text = _separator(node.tag)

        around = next(outer for outer in _with_ancestors(element) if outer.tag not in WITHIN_BLOCK)
        if around is not block_element:
            yield _Block(block_element, "".join(texts))
            block_element = around
            texts = []
        texts.append(text)
    yield _Block(block_element, "".join(texts))


def _separator(tag: str) -> str:
    """What separates the text before the start tag of an element from the text in the element.

    A blank line, which ends a sentence; a space; or nothing.
    """
    if tag in LINES:
        return "\n\n"
    return " " if tag in CELLS else ""


def _descriptive_element(element: Any) -> Any:
    """The nearest element of `DESCRIPTIVE`, from the element itself outwards.

    If there is none, the element itself.
    """
    for outer in _with_ancestors(element):
        if outer.tag in DESCRIPTIVE:
            return outer
    return element


def _with_ancestors(element: Any) -> Iterator[Any]:
    """An element, its parent, the parent's parent and so on."""
    yield element
    yield from element.iterancestors()


def _words(text: str) -> list[str]:
    """The words of a text as they are compared: without capitals and unseen marks, in NFKC."""
    return WORD.findall(unicodedata.normalize("NFKC", without_marks(text)).casefold())


def _four_grams(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """All 4-grams: (a, b, c, d) and (b, c, d, e) of a, b, c, d, e."""
    return zip(*(words[start:] for start in range(MIN_PROSE_WORDS)), strict=False)
