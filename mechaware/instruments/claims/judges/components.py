"""Finds the model components that a text names: single ones and classes of them.

Single components are heads, MLPs, neurons, features and layers: "L9H6", "MLP 8", "neurons 12 and
40". A class is named by the words before a noun: "name mover heads".
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# What is between two items of a list, or between the ends of a range.
_SEPARATOR = r"\s*(?:,|/|&|[-\u2013]|\band\b|\bor\b|\bto\b)\s*(?:and\s+)?"


def _list_of(item: str) -> str:
    """A pattern for one item or a list of items, such as "9.9, 9.6 and 10.0".

    `item` is the pattern of one item.
    """
    return rf"{item}(?:{_SEPARATOR}{item})*"


PAIR = r"\d{1,2}\.\d{1,2}"
NUMBERS = _list_of(r"\d+")
NEURONS = _list_of(r"(?:L?\d+[.N])?\d+")
HEAD_LIST = re.compile(rf"\b[Hh]eads?\s+\(?({_list_of(PAIR)})")
# A pair anywhere, with or without "heads" before it. Numbers with a unit are no pairs, as in "9.9%"
# and "9.9 points"; nor are parts of longer numbers and names, as in "9.9.1" and "v9.9".
BARE_PAIR = re.compile(rf"(?<![\w.])({PAIR})(?![\w.]*\d|\s*(?:%|percent|points|logits))")
HEAD_FORMS = (
    re.compile(r"\bL(?P<layer>\d+)[.\s]?H(?P<head>\d+)\b"),
    re.compile(r"\ba(?P<layer>\d+)\.h(?P<head>\d+)\b"),
    re.compile(r"(?i)\blayer (?P<layer>\d+),? head (?P<head>\d+)\b"),
    re.compile(r"(?i)\bhead (?P<head>\d+) (?:of|in) layer (?P<layer>\d+)\b"),
)
# The kind of component, and how a text names components of this kind by their numbers. The first
# group of each pattern is a number or a list of numbers.
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
    r"(?i)(?<![\w-])([a-z][\w'-]{0,40})\s+(?:([a-z][\w'-]{0,40})\s+)?"
    r"(heads?|neurons?|mlps?|units|features?|latents?|direction|subspace)\b"
)
# Words before a noun of `CLASS` that do not name a class: "other heads", "ablated neurons".
NO_CLASS_WORDS = """
    the a an this these those that such each every all other any some many few most several both
    attention transformer model random randomly single individual same different one two three
    four five six seven eight nine ten of and or in on at to from by with for as per its their
    our are is was were no non remaining important key relevant more less only specific
    particular top full total between across which where when while if than then also earlier
    later early late previous-layer ablating ablated ablation patching patched removing removed
    scaling probing probed training steering zeroing replacing selected chosen equal equally
    large small matched circuit network intact reported certain its whole entire first second
    third last final middle hidden mlp layer within among these named call called we residual
    output input read write value query key equal-sized control unrelated"""
NO_CLASS = frozenset(NO_CLASS_WORDS.split())


class _Mention(NamedTuple):
    """A place [start, end) in a text that names components, and the keys of these components.

    For the keys see `ComponentNames`.
    """

    start: int
    end: int
    keys: frozenset[str]


class ClassName(NamedTuple):
    """A place [start, end) in a text that names a class of components, and the name of the class.

    The name is in lower case and singular. It may have one or two words before the noun: for "Name
    mover heads" `two_words` is "name mover head" and `one_word` is "mover head". `two_words` is
    empty if only one word before the noun can be part of the name.
    """

    start: int
    end: int
    two_words: str
    one_word: str


class ComponentNames:
    """Finds the components of one paper in its sentences, and gives each component a key.

    Keys are "L9H6" for a head, "MLP 10", "neuron 4.1180", "feature 12" or "layer 9", and "name
    mover head" for a class. A component has the same key in each of its forms, except a neuron,
    whose key has the number as written: "neuron L4N1180" is another key than "neuron 4.1180".
    Of a range only its ends are found: "MLPs 8-11" are MLP 8 and MLP 11. A class counts only if the
    paper names it more than once.

    `text`, usually the whole paper, decides which pairs of numbers are heads and which names are
    classes.
    """

    def __init__(self, text: str) -> None:
        flat = " ".join(text.split())
        # By key, the component as it is written where `mentions` first found it.
        self._first_written: dict[str, str] = {}
        # The pairs in lists of heads: "9.9" is a head anywhere if a list of heads has it.
        self._pairs: set[str] = set()
        for listed in HEAD_LIST.findall(flat):
            self._pairs.update(re.findall(PAIR, listed))

        # How often the paper has each name of a class, by the two forms of `ClassName`.
        self._by_one_word = Counter[str]()
        self._by_two_words = Counter[str]()
        for name in find_classes(flat):
            self._by_one_word[name.one_word] += 1
            if name.two_words:
                self._by_two_words[name.two_words] += 1

    def mentions(self, text: str) -> list[_Mention]:
        """The mentions of components in `text`, in its order, without overlaps.

        A mention that begins within an earlier mention is left out, such as the layer in "head 3
        of layer 5"; of mentions that begin at the same place the longest is kept. How each
        component is written for the first time is remembered for `as_written`.
        """
        kept: list[_Mention] = []
        for mention in sorted(self._find(text), key=lambda found: (found.start, -found.end)):
            if kept and mention.start < kept[-1].end:
                continue
            kept.append(mention)
            written = text[mention.start : mention.end]
            for key in mention.keys:
                # A list such as "MLPs 8 and 9" is the name of neither: each gets its key.
                self._first_written.setdefault(key, written if len(mention.keys) == 1 else key)
        return kept

    def keys_in(self, text: str) -> frozenset[str]:
        """The keys of the components that `text` names."""
        return frozenset().union(*(mention.keys for mention in self.mentions(text)))

    def as_written(self, keys: Iterable[str]) -> list[str]:
        """The components as they were first written, in the order of their keys.

        "First" is in the order of the calls of `mentions` and `keys_in`. Raises `KeyError` for a
        key that none of these calls has found.
        """
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
        """The heads in each of their forms, then the pairs that a list of heads has, as "9.9"."""
        for form in HEAD_FORMS:
            for match in form.finditer(text):
                key = f"L{match['layer']}H{match['head']}"
                yield _Mention(*match.span(), frozenset({key}))

        for match in BARE_PAIR.finditer(text):
            if match[1] in self._pairs:
                layer, head = match[1].split(".")
                yield _Mention(*match.span(), frozenset({f"L{layer}H{head}"}))

    def _find_classes(self, text: str) -> Iterator[_Mention]:
        """The classes that the paper names more than once.

        The key has two words before the noun if the paper has both at least every second time
        that it has the last one: "name mover head" if half of all "mover heads" or more are "name
        mover heads".
        """
        for name in find_classes(text):
            count = self._by_one_word[name.one_word]
            if count < 2:
                continue
            two_are_usual = name.two_words and self._by_two_words[name.two_words] * 2 >= count
            key = name.two_words if two_are_usual else name.one_word
            yield _Mention(name.start, name.end, frozenset({key}))


def find_classes(text: str) -> Iterator[ClassName]:
    """The classes of components that a text names, in its order."""
    for match in CLASS.finditer(text):
        words = [word.lower() for word in match.groups()[:2] if word]
        noun = match[3].lower().rstrip("s")
        # `CLASS` also matches words with letters outside ASCII, which name no class.
        if words[-1] in NO_CLASS or not words[-1].isascii():
            continue

        start = match.start()
        two_words = ""
        if len(words) == 2 and words[0] in NO_CLASS:
            start = match.start(2)
        elif len(words) == 2:
            two_words = f"{words[0]} {words[1]} {noun}"
        yield ClassName(start, match.end(), two_words, f"{words[-1]} {noun}")
