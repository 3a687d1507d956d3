"""The sentences of a text, for searches that look at one sentence at a time."""

import re
import unicodedata

HYPHEN = re.compile(r"(?<=\w)[-\u00ad][ \t]*\n\s*(?=[a-z])")
END = re.compile(r"(?<=[.!?])\s+(?=[^a-z])|\n\s*\n")


def sentences_of(text: str) -> list[str]:
    """Sentences with single spaces, compatibility characters replaced (NFKC), words joined that a line end cut."""
    unhyphenated = HYPHEN.sub("", unicodedata.normalize("NFKC", text))
    return [sentence for piece in END.split(unhyphenated) if (sentence := " ".join(piece.split()))]
