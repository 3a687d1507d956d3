"""A fetched paper on disk: a folder with one file, document.pdf, document.html or document.txt."""

from pathlib import Path

from mechaware.errors import UserError

SUFFIXES = (".pdf", ".html", ".txt")
PDF_MAGIC = b"%PDF-"
PDF_MAGIC_WITHIN = 1024  # bytes: readers accept a few before the magic number


def document_path(folder: Path, suffix: str) -> Path:
    """The path of the document of a paper's folder."""
    return folder / f"document{suffix}"


def find_document(folder: Path) -> Path:
    """The document in a paper's folder. Raises `UserError` unless there is exactly one."""
    documents = sorted(folder.glob("document.*"))
    if len(documents) != 1:
        raise UserError(f"{folder}: {len(documents)} documents where one is expected; fetch the paper again")
    return documents[0]


def begins_as_pdf(data: bytes) -> bool:
    """Whether the magic number of a PDF is near the beginning."""
    return PDF_MAGIC in data[:PDF_MAGIC_WITHIN]
