"""Finds the model components that a text names: heads, neurons, MLPs, layers, features, and classes of them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_SEPARATOR = r"\s*(?:,|/|&|[-\u2013]|\band\b|\bor\b|\bto\b)\s*(?:and\s+)?"


def _list_of(item: str) -> str:
    """A pattern for one item or a list of items, as "9.9, 9.6 and 10.0"; `item` is the pattern of one."""
    return rf"{item}(?:{_SEPARATOR}{item})*"


PAIR = r"\d{1,2}\.\d{1,2}"
NUMBERS = _list_of(r"\d+")
NEURONS = _list_of(r"(?:L?\d+[.N])?\d+")
HEAD_LIST = re.compile(rf"\b[Hh]eads?\s+\(?({_list_of(PAIR)})")
# A pair that no word introduces, unless it is a number with a unit: "9.9", not "9.9%".
BARE_PAIR = re.compile(rf"(?<![\w.])({PAIR})(?![\w.]*\d|\s*(?:%|percent|points|logits))")
HEAD_FORMS = (
    re.compile(r"\bL(?P<layer>\d+)[.\s]?H(?P<head>\d+)\b"),
    re.compile(r"\ba(?P<layer>\d+)\.h(?P<head>\d+)\b"),
    re.compile(r"(?i)\blayer (?P<layer>\d+),? head (?P<head>\d+)\b"),
    re.compile(r"(?i)\bhead (?P<head>\d+) (?:of|in) layer (?P<layer>\d+)\b"),
)
# By kind, what names components by numbers; the first group is a number or a list of them.
NUMBERED = (
    ("MLP", re.compile(rf"\bMLPs?(?:[ -]layers?)?[ -]?({NUMBERS})")),
    ("MLP", re.compile(r"(?i)\blayer[- ](\d+) MLP\b")),
    ("MLP", re.compile(r"(?i)\b(?:feed-?forward|FFN)(?: (?:block|layer|network)s?)? (\d+)\b")),
    ("neuron", re.compile(rf"(?i)\bneurons?\s+({NEURONS})\b")),
    ("feature", re.compile(r"(?i)\b(?:features?|latents?)\s+#?(\d+)\b")),
    ("layer", re.compile(rf"(?i)\blayers?\s+({NUMBERS})\b(?!,? (?:heads?|MLP)\b)")),
)
# One or two words and a noun: "name mover heads".
CLASS = re.compile(
    r"(?i)(?<![\w-])([a-z][\w'-]{0,40})\s+(?:([a-z][\w'-]{0,40})\s+)?(heads?|neurons?|mlps?|units|features?|latents?|direction|"
    r"subspace)\b"
)
# Words before "heads" that do not name a class of heads.
NO_CLASS_WORDS = """
    the a an this these those that such each every all other any some many few most several both attention transformer
    model random randomly single individual same different one two three four five six seven eight nine ten of and
    or in on at to from by with for as per its their our are is was were no non remaining important key relevant
    more less only specific particular top full total between across which where when while if than then also
    earlier later early late previous-layer ablating ablated ablation patching patched removing removed scaling
    probing probed training steering zeroing replacing selected chosen equal equally large small matched circuit
    network intact reported certain its whole entire first second third last final middle hidden mlp layer within
    among these named call called we residual output input read write value query key equal-sized control unrelated"""
NO_CLASS = frozenset(NO_CLASS_WORDS.split())


class _Mention(NamedTuple):
    """A place [start, end) in a text that names components, and the keys of these components."""

    start: int
    end: int
    keys: frozenset[str]


class ClassName(NamedTuple):
    """A place [start, end) in a text that names a class of components, and the name in small letters, singular.

    "Name mover heads" is "name mover head" by two words before the noun and "mover head" by one. `two_words` is empty
    if only one word before the noun can be part of the name.
    """

    start: int
    end: int
    two_words: str
    one_word: str


class ComponentNames:
    """The components that a paper names, each under one key, whichever form a sentence uses.

    Keys are "L9H6" for a head, "MLP 10", "neuron 4.1180", "feature 12" or "layer 9", and "name mover head" for a class.
    A class counts only if the paper names it more than once.
    """

    def __init__(self, text: str) -> None:
        flat = " ".join(text.split())
        self._first_written: dict[str, str] = {}  # by key
        # "9.9" is a head wherever it is written, once a list of heads has it.
        self._pairs: set[str] = set()
        for listed in HEAD_LIST.findall(flat):
            self._pairs.update(re.findall(PAIR, listed))

        self._by_one_word = Counter[str]()
        self._by_two_words = Counter[str]()
        for name in find_classes(flat):
            self._by_one_word[name.one_word] += 1
            if name.two_words:
                self._by_two_words[name.two_words] += 1

    def mentions(self, text: str) -> list[_Mention]:
        """The mentions of components in `text`, in its order; of overlapping ones the first and longest."""
        kept: list[_Mention] = []
        for mention in sorted(self._find(text), key=lambda mention: (mention.start, -mention.end)):
            if kept and mention.start < kept[-1].end:
                continue  # the layer in "head 3 of layer 5"
            kept.append(mention)
            written = text[mention.start : mention.end]
            for key in mention.keys:
                # "heads 9.6 and 9.9" is not how either of the two is written.
                self._first_written.setdefault(key, written if len(mention.keys) == 1 else key)
        return kept

    def keys_in(self, text: str) -> frozenset[str]:
        """The keys of the components that `text` names."""
        return frozenset().union(*(mention.keys for mention in self.mentions(text)))

    def as_written(self, keys: Iterable[str]) -> list[str]:
        """The components as the paper first writes them, in the order of their keys. Each must have been mentioned."""
        return [self._first_written[key] for key in sorted(keys)]

    def _find(self, text: str) -> Iterator[_Mention]:
        """All mentions, even if they overlap."""
        yield from self._find_heads(text)
        for kind, form in NUMBERED:
            for match in form.finditer(text):
                numbers = re.findall(r"L?\d+(?:[.N]\d+)?", match[1])
                yield _Mention(*match.span(), frozenset(f"{kind} {number}" for number in numbers))
        yield from self._find_classes(text)

    def _find_heads(self, text: str) -> Iterator[_Mention]:
        """The heads in each of their forms, then bare pairs as "9.9" that a list of heads has."""
        for form in HEAD_FORMS:
            for match in form.finditer(text):
                key = f"L{match['layer']}H{match['head']}"
                yield _Mention(*match.span(), frozenset({key}))

        for match in BARE_PAIR.finditer(text):
            if match[1] in self._pairs:
                layer, head = match[1].split(".")
                yield _Mention(*match.span(), frozenset({f"L{layer}H{head}"}))

    def _find_classes(self, text: str) -> Iterator[_Mention]:
        """The classes that the paper names more than once, by two words if at least half of these names have both."""
        for name in find_classes(text):
            number = self._by_one_word[name.one_word]
            if number < 2:
                continue
            two_are_usual = name.two_words and self._by_two_words[name.two_words] * 2 >= number
            key = name.two_words if two_are_usual else name.one_word
            yield _Mention(name.start, name.end, frozenset({key}))


def find_classes(text: str) -> Iterator[ClassName]:
    """The classes of components that a text names, in its order."""
    for match in CLASS.finditer(text):
        words = [word.lower() for word in match.groups()[:2] if word]
        noun = match[3].lower().rstrip("s")
        if words[-1] in NO_CLASS or not words[-1].isascii():
            continue

        start = match.start()
        two_words = ""
        if len(words) == 2 and words[0] in NO_CLASS:
            start = match.start(2)
        elif len(words) == 2:
            two_words = f"{words[0]} {words[1]} {noun}"
        yield ClassName(start, match.end(), two_words, f"{words[-1]} {noun}")
