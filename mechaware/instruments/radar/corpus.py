"""A corpus of texts that a model was trained on, read from a file with one text a line."""

from collections.abc import Iterator
from pathlib import Path

from mechaware.core.errors import UserError


def corpus_texts(path: Path) -> Iterator[str]:
    """The texts of a corpus, one a line, without spaces around them; empty lines are passed over.

    Raises `UserError` for a line that is not UTF-8, and at the end of a file without a text.
    """
    has_text = False
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                # Windows editors write a byte-order mark.
                text = line.decode().removeprefix("\ufeff").strip()
            except UnicodeDecodeError:
                raise UserError(
                    f"{path}, line {number}: not UTF-8; save the file as UTF-8"
                ) from None
            if text:
                has_text = True
                yield text
    if not has_text:
        raise UserError(f"{path}: no text; write one text a line")
