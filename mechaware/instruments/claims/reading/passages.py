"""The passages of a paper that are likeliest to bear on a question, by Okapi BM25.

    score(q, d) = sum over the words t of q of  idf(t) w(t, d)
    idf(t) = ln(1 + (N - n(t) + 1/2) / (n(t) + 1/2))
    w(t, d) = f(t, d) (K1 + 1) / (f(t, d) + K1 (1 - B + B |d| / mean |d|))

f(t, d) is the number of times that the passage d has the word t, |d| the number of its words, N the
number of passages, and n(t) the number of passages with the word t. Only the words of
`search_words` count: stems, without stop words. K1 and B have their usual values and are not fitted
to any paper.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mechaware.instruments.claims.reading.places import reference_spans
from mechaware.instruments.claims.reading.sentences import (
    BEFORE_CAPITAL,
    Span,
    sentence_spans,
    stem_of,
)

K1 = 1.2
B = 0.75
# The words of a passage, stop words included: at most `PASSAGE_WORDS`, unless a single sentence is
# longer, and at least `MIN_WORDS`, more than a heading or a number has.
PASSAGE_WORDS = 40
MIN_WORDS = 5
WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
PARAGRAPH = re.compile(r"\n\s*\n")
# Words that occur in texts on every subject. They are not searched.
_STOP_WORDS = (
    "a about all also an and any are as at be been between both but by can could do does each for "
    "from had has have how if in into is it its may more most much no not of on one only or other "
    "our over same should so some such than that the their them then there these they this those "
    "through to under up was we were what when where which while who whose will with within "
    "without would"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())


class Passage(NamedTuple):
    """Consecutive whole sentences of a paper: the place [start, end) in characters, and the text.

    The text is on one line, with single spaces.
    """

    start: int
    end: int
    text: str


def split_passages(text: str) -> list[Passage]:
    """The passages of a text, in its order: consecutive sentences of one paragraph.

    A passage has `MIN_WORDS` to `PASSAGE_WORDS` words. A longer sentence is a passage by itself;
    what would be shorter, such as a heading, is left out. The list of references has no passages.
    """
    references = reference_spans(text)
    spans: list[Span] = []
    for start, end in sentence_spans(text, BEFORE_CAPITAL):
        if any(first <= start < last for first, last in references):
            continue
        if spans and _belong_together(text, spans[-1], (start, end)):
            first_of_passage, _ = spans[-1]
            spans[-1] = (first_of_passage, end)
        else:
            spans.append((start, end))

    passages = []
    for start, end in spans:
        on_one_line = " ".join(text[start:end].split())
        if len(on_one_line.split()) >= MIN_WORDS:
            passages.append(Passage(start, end, on_one_line))
    return passages


def _belong_together(text: str, passage: Span, sentence: Span) -> bool:
    """Whether a sentence continues the passage before it.

    It does if both are in one paragraph and together have at most `PASSAGE_WORDS` words.
    """
    passage_start, passage_end = passage
    sentence_start, sentence_end = sentence
    if PARAGRAPH.search(text, passage_end, sentence_start):
        return False
    return len(text[passage_start:sentence_end].split()) <= PASSAGE_WORDS


def search_words(text: str) -> list[str]:
    """The stems of a text's words in small letters, without `STOP_WORDS` and single letters."""
    words = []
    for match in WORD.finditer(text):
        word = match[0].lower()
        if len(word) > 1 and word not in STOP_WORDS:
            words.append(stem_of(word))
    return words


class PassageRanking:
    """The passages of one paper, ranked for any number of questions."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = passages
        self._counts = [Counter(search_words(passage.text)) for passage in passages]
        self._lengths = [counts.total() for counts in self._counts]
        mean_length = sum(self._lengths) / max(len(passages), 1)
        # 1 if there is no passage, or no word in any: nothing is divided by zero.
        self._mean_length = mean_length or 1.0
        # n(t): the number of passages with each word.
        self._n_with_word = Counter[str]()
        for counts in self._counts:
            self._n_with_word.update(counts.keys())

    def best(self, question: str, number: int) -> list[Passage]:
        """The `number` passages with the highest scores, the best first.

        There are fewer if fewer passages share a word with the question. Of equal scores the
        earlier passage comes first. A word counts once, however often the question has it.
        """
        # Sorted: the order of a set differs between processes, and sums of floats depend on the
        # order.
        words = sorted(set(search_words(question)))
        scores = [self._score(index, words) for index in range(len(self.passages))]
        # A score is above 0 if and only if the passage shares a word with the question.
        matching = [index for index, score in enumerate(scores) if score > 0]
        best_first = sorted(matching, key=lambda index: (-scores[index], index))
        return [self.passages[index] for index in best_first[:number]]

    def _score(self, index: int, words: Iterable[str]) -> float:
        """score(q, d), where q is the words of a question and d the passage at `index`."""
        counts = self._counts[index]
        relative_length = self._lengths[index] / self._mean_length
        score = 0.0
        for word in words:
            count = counts[word]
            if count:
                weight = count * (K1 + 1) / (count + K1 * (1 - B + B * relative_length))
                score += self._rarity(word) * weight
        return score

    def _rarity(self, word: str) -> float:
        """idf(t) of a word t."""
        number_with_word = self._n_with_word[word]
        number_without = len(self.passages) - number_with_word
        return math.log(1 + (number_without + 0.5) / (number_with_word + 0.5))
