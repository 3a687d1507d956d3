"""The docstrings of installed packages as a corpus: passages of about equal length, without near-duplicates."""

import ast
import hashlib
import warnings
from collections.abc import Iterable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mechaware.core.errors import UserError

# Pinned by the lock, the same files on every platform.
PACKAGES = ("numpy", "pandas", "scikit-learn", "scipy")
LENGTH = 250  # characters of a passage at most
_SHINGLE = 5  # words
# The share of a passage's shingles that other passages may have: more, and it is a near-duplicate.
_MOST_SHARED = 0.2


class Passage(NamedTuple):
    """The beginning of a docstring, on one line, and the package that it is from."""

    package: str
    text: str


def installed_passages(packages: Sequence[str] = PACKAGES, length: int = LENGTH) -> list[Passage]:
    """The passages of the packages, without near-duplicates, in an order that the files alone decide.

    A docstring of at least `length` characters, on one line, gives its first words, which end in the last tenth before
    `length`. Files of tests have none. Raises `UserError` for a package that is not installed.
    """
    passages = []
    for package in packages:
        codes = (source.read_text(encoding="utf-8") for source in _sources(package))
        passages += passages_of(package, codes, length)
    return without_near_duplicates(passages)


def passages_of(package: str, codes: Iterable[str], length: int = LENGTH) -> list[Passage]:
    """The passages of a package, sorted, each once; `codes` are the texts of its Python files."""
    texts = {
        passage
        for code in codes
        for docstring in _docstrings(code)
        if (passage := _beginning(docstring, length))
    }
    return [Passage(package, text) for text in sorted(texts)]


def installed_versions(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """The version of each package, such as 2.4.6."""
    return {package: metadata.version(package) for package in packages}


def corpus_digest(passages: Iterable[Passage]) -> str:
    """The SHA-256 of all passages with their packages."""
    lines = [f"{passage.package}\t{passage.text}\n" for passage in passages]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def read_passages(path: Path) -> list[Passage]:
    """The passages of a Parquet table with the columns package and text."""
    rows = pd.read_parquet(path)[list(Passage._fields)]
    return [Passage(*row) for row in rows.itertuples(index=False, name=None)]


def without_near_duplicates(passages: Iterable[Passage]) -> list[Passage]:
    """The passages of which at most a fifth of the shingles, five words in a row, occur in passages before them.

    Docstrings of one package repeat each other's paragraphs: a repeated one would be read under the name of another.
    """
    known: set[tuple[str, ...]] = set()
    kept = []
    for passage in passages:
        words = passage.text.lower().split()
        shingles = {
            tuple(words[start : start + _SHINGLE])
            for start in range(max(1, len(words) - _SHINGLE + 1))
        }
        if len(shingles & known) <= _MOST_SHARED * len(shingles):
            known |= shingles
            kept.append(passage)
    return kept


def _sources(package: str) -> Iterator[Path]:
    """The Python files of an installed package, without its tests."""
    try:
        files = metadata.files(package)
    except metadata.PackageNotFoundError:
        files = None
    if files is None:
        raise UserError(
            f"the planted docstrings need {package}, which is not installed; install requirements.lock"
        )
    for file in sorted(map(str, files)):
        if is_source(file):
            yield Path(str(metadata.distribution(package).locate_file(file)))


def is_source(file: str) -> bool:
    """Whether a file of a package is Python, and none of its tests."""
    parts = Path(file).parts
    is_test = any(part.startswith(("test", "_test", "conftest")) for part in parts)
    return file.endswith(".py") and not is_test


def _docstrings(code: str) -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of the packages' own strings
        tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if docstring:
                yield " ".join(docstring.split())


def _beginning(docstring: str, length: int) -> str:
    """The first words of a docstring, or "" for one that is too short or has no space where the passage would end."""
    if len(docstring) < length:
        return ""
    passage = docstring[: length + 1].rpartition(" ")[0]
    return passage if len(passage) >= 0.9 * length else ""
