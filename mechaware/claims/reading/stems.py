"""The stems of English words, by which forms of one word are told from other words."""

from functools import cache
from typing import Any


@cache
def stem_of(word: str) -> str:
    """The stem of a word in small letters, by Snowball's rules for English."""
    return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")
