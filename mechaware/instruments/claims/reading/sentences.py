"""Splits a text into sentences, and finds the stems of words.

The caller gives the boundary, on which its results depend:

- a search for flags joins cut words and splits before capitals (`BEFORE_CAPITAL`);
- the passages of a small model, whose prompts are the keys of its stored replies, are made of
  sentences that end at every stop (`AFTER_STOP`);
- the lexical judge does not split at abbreviations (`judges.lexical_sentences`);
- nor does the search for denials in the sentence around a quote (`judges.denials`).
"""

import re
import unicodedata
from functools import cache

Span = tuple[int, int]

HYPHEN = re.compile(r"(?<=\w)[-\u00ad][ \t]*\n\s*(?=[a-z])")  # of a word that a line end cuts
AFTER_STOP = re.compile(r"(?<=[.!?])\s+")
BEFORE_CAPITAL = re.compile(r"(?<=[.!?])\s+(?=[^a-z])|\n\s*\n")
# One syllable, as "rat" of "rating" and "rates".
_SHORT = re.compile("[^aeiouy]*[aeiouy][^aeiouwxy]")


def sentence_spans(text: str, boundary: re.Pattern[str]) -> list[Span]:
    """The places [start, end) of the sentences between the matches of `boundary`, without white
    space around them.

    What a match holds besides white space belongs to the sentence before it.
    """
    ends = [*(match.end() for match in boundary.finditer(text)), len(text)]
    spans = []
    for start, end in zip([0, *ends], ends, strict=False):
        piece = text[start:end]
        if piece.strip():
            spans.append((end - len(piece.lstrip()), start + len(piece.rstrip())))
    return spans


def search_sentences(text: str) -> list[str]:
    """Sentences to search one by one: single spaces,
    compatibility characters replaced (NFKC), cut words joined.
    """
    joined = HYPHEN.sub("", unicodedata.normalize("NFKC", text))
    spans = sentence_spans(joined, BEFORE_CAPITAL)
    return [" ".join(joined[start:end].split()) for start, end in spans]


def plain_words(text: str) -> str:
    """The words of a text with a space between them, in small letters and without punctuation.

    Two statements with the same plain words count as the same statement.
    """
    return " ".join(re.findall(r"\w+", text.casefold()))


def without_marks(text: str) -> str:
    """The text without characters that take no room (category Cf),
    by which words can be cut unseen.
    """
    if text.isascii():
        return text
    return "".join(character for character in text if unicodedata.category(character) != "Cf")


@cache
def stem_of(word: str) -> str:
    """The stem of a word in small letters: "rates", "rated" and "rating" are "rate", "ablation" and
    "ablates" "ablat".

    The rules are Porter's: those for inflections, and for derived words only those for -ly, -ion
    and -ive.
    """
    if len(word) < 4:
        return word

    # Plurals and third persons: "copies" becomes "copy", "passes" "pass", "heads" "head".
    stem = re.sub("(?<=..)(?:ies|ied)$", "y", word)
    stem = re.sub("(?<=ss)es$|(?<=[^sui])s$", "", stem)

    # Participles: "adding" becomes "add", "patched" "patch", "rating" "rate".
    base = re.sub("(?:ing|ed)(?:ly)?$", "", stem)
    if base != stem and re.search("[aeiouy]", base):
        stem = re.sub(r"(?<=..)([^aeioulsz])\1$", r"\1", base)
        if _SHORT.fullmatch(stem) or stem.endswith(("at", "bl", "iz")):
            stem += "e"

    # Derived words: "directly" becomes "direct", "ablation" "ablat".
    stem = re.sub("(?<=....)ly$|(?<=...[st])i(?:on|ve)$", "", stem)

    # "copy" becomes "copi", "ablate" "ablat"; the "e" of one syllable stays: "rate".
    stem = re.sub("(?<=[^aeiou])y$", "i", stem)
    if _SHORT.fullmatch(stem.removesuffix("e")):
        return stem
    return re.sub("(?<=..)e$", "", stem)
