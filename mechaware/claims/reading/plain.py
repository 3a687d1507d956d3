"""Reads a plain-text document, in which nothing is hidden."""

from pathlib import Path

from mechaware.claims.reading.readings import Reading, UnreadableError, check_not_empty


def read_plain(document: Path) -> Reading:
    """The text of a UTF-8 file. Raises `UnreadableError` of kind encoding or empty."""
    try:
        text = document.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError("encoding", f"it is not UTF-8 from byte {error.start} on; save it as UTF-8") from error
    check_not_empty(text)
    return Reading(text, [])
