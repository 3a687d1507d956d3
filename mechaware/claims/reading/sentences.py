"""The sentences of a text, for searches that look at one sentence at a time."""

import re
import unicodedata

HYPHEN = re.compile(r"(?<=\w)[-\u00ad][ \t]*\n\s*(?=[a-z])")
END = re.compile(r"(?<=[.!?])\s+(?=[^a-z])|\n\s*\n")


def sentences_of(text: str) -> list[str]:
    """Sentences with single spaces, compatibility characters replaced (NFKC), words joined that a line end cut."""
    unhyphenated = HYPHEN.sub("", unicodedata.normalize("NFKC", text))
    return [sentence for piece in END.split(unhyphenated) if (sentence := " ".join(piece.split()))]


def without_marks(text: str) -> str:
    """The text without characters that take no room (category Cf), by which words can be cut unseen."""
    return text if text.isascii() else "".join(one for one in text if unicodedata.category(one) != "Cf")
