"""Splits a text into sentences, prepares sentences and words for comparison, and finds the stems of
words.

The caller gives the boundary between sentences, because its results depend on it:

- searches for flags and for sentences that address a judge, and the passages of `passages`, split
  before capitals (`BEFORE_CAPITAL`);
- the passages that a small model is shown split after every stop (`AFTER_STOP`); they are part of
  prompts, which are the keys of its stored replies;
- the lexical judge does not split after abbreviations (`judges.lexical_sentences`), nor does the
  search for denials in the sentence around a quote (`judges.denials`).
"""

import re
import unicodedata
from functools import cache
from itertools import pairwise

Span = tuple[int, int]

# The hyphen and line end within a word that is split over two lines: "cir-\ncuit".
HYPHEN = re.compile(r"(?<=\w)[-\u00ad][ \t]*\n\s*(?=[a-z])")
# Boundaries between sentences: after every stop; after a stop unless a small letter follows, and at
# a blank line.
AFTER_STOP = re.compile(r"(?<=[.!?])\s+")
BEFORE_CAPITAL = re.compile(r"(?<=[.!?])\s+(?=[^a-z])|\n\s*\n")
# A stem of one syllable, whose likely ending is "e": one vowel and one consonant, as "rat" of
# "rating" and "rates".
_SHORT = re.compile("[^aeiouy]*[aeiouy][^aeiouwxy]")


def sentence_spans(text: str, boundary: re.Pattern[str]) -> list[Span]:
    """The places [start, end) of the sentences between the matches of `boundary`, without white
    space around them.

    If a match has other characters than white space, they belong to the sentence before it.
    """
    ends = [match.end() for match in boundary.finditer(text)]
    spans = []
    for start, end in pairwise([0, *ends, len(text)]):
        piece = text[start:end]
        if piece.strip():
            n_leading = len(piece) - len(piece.lstrip())
            n_trailing = len(piece) - len(piece.rstrip())
            spans.append((start + n_leading, end - n_trailing))
    return spans


def search_sentences(text: str) -> list[str]:
    """The sentences of a text, prepared for a search.

    White space becomes single spaces, compatibility characters such as ligatures are replaced
    (NFKC), and words that are split over two lines are joined.
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
    """The text without invisible format characters (Unicode category Cf).

    Such a character, for example a zero-width space, can split a word without a trace on the page.
    """
    if text.isascii():
        return text
    return "".join(character for character in text if unicodedata.category(character) != "Cf")


@cache
def stem_of(word: str) -> str:
    """The stem of a word in small letters.

    "rates", "rated" and "rating" have the stem "rate"; "ablation" and "ablates" have "ablat". A
    word of fewer than 4 letters is its own stem.

    The rules are Porter's rules for inflections, and for derived words only those for -ly, -ion and
    -ive.
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

    # "copy" becomes "copi", and "ablate" becomes "ablat". After one syllable "e" stays: "rate".
    stem = re.sub("(?<=[^aeiou])y$", "i", stem)
    if _SHORT.fullmatch(stem.removesuffix("e")):
        return stem
    return re.sub("(?<=..)e$", "", stem)
