"""Text that can be written and shown, without letters that no font shows."""

import re

TAGS = re.compile("[\U000e0000-\U000e007f]+")  # letters that no font shows
UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


def clean(text: str) -> str:
    """Text without lone surrogates, control characters and letters that no font shows; lines end in a line feed."""
    text = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", text)
    text = UNWANTED.sub("", TAGS.sub("", text))
    text = "\n".join(line.rstrip(" \t") for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def unseen_tags(text: str) -> list[str]:
    """The words that are spelt in letters that no font shows."""
    words = (
        "".join(chr(ord(tag) - 0xE0000) for tag in tags if 0x20 <= ord(tag) - 0xE0000 < 0x7F)
        for tags in TAGS.findall(text)
    )
    return [word.strip() for word in words if word.strip()]
