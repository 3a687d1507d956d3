"""The docstrings of installed packages as a corpus, without near-duplicates.

A passage is the beginning of a docstring; all passages have about the same length.
"""

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
MAX_LENGTH = 250  # characters of a passage
# A passage is at least this share of the maximal length.
_LEAST_LENGTH_SHARE = 0.9
_SHINGLE = 5  # words
# A passage that shares more of its shingles with earlier passages is a near-duplicate.
_MAX_SHARED = 0.2


class Passage(NamedTuple):
    """The beginning of a docstring, on one line, and the package that it is from."""

    package: str
    text: str


def installed_passages(
    packages: Sequence[str] = PACKAGES, length: int = MAX_LENGTH
) -> list[Passage]:
    """The passages of the packages, without near-duplicates.

    The packages are in the given order, and the passages of each in alphabetical order. A docstring
    of at least `length` characters, put on one line, gives one passage: as many of its first words
    as fit into `length` characters, unless these fill less than nine tenths of it (`_beginning`).
    Docstrings of tests are left out. Raises `UserError` for a package that is not installed.
    """
    passages = []
    for package in packages:
        codes = (source.read_text(encoding="utf-8") for source in _sources(package))
        passages += passages_of(package, codes, length)
    return without_near_duplicates(passages)


def passages_of(package: str, codes: Iterable[str], length: int = MAX_LENGTH) -> list[Passage]:
    """The passages of a package, sorted, each once; `codes` are the texts of its Python files."""
    texts = set[str]()
    for code in codes:
        for docstring in _docstrings(code):
            texts.add(_beginning(docstring, length))
    texts.discard("")  # the beginning of a docstring that gives no passage
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
    """The passages that share at most a fifth of their shingles with the kept passages before them.

    A shingle is five words in a row. Docstrings of one package repeat each other's paragraphs: a
    model that has read one passage would have read its near-duplicate under another name.
    """
    known: set[tuple[str, ...]] = set()
    kept = []
    for passage in passages:
        shingles = _shingles(passage.text.lower().split())
        if len(shingles & known) <= _MAX_SHARED * len(shingles):
            known |= shingles
            kept.append(passage)
    return kept


def _shingles(words: Sequence[str]) -> set[tuple[str, ...]]:
    """All runs of five words; one run of all words if there are fewer."""
    n_shingles = max(1, len(words) - _SHINGLE + 1)
    return {tuple(words[start : start + _SHINGLE]) for start in range(n_shingles)}


def _sources(package: str) -> Iterator[Path]:
    """The Python files of an installed package, without its tests."""
    try:
        files = metadata.files(package)
    except metadata.PackageNotFoundError:
        files = None
    if files is None:
        raise UserError(
            f"the planted docstrings need {package}, which is not installed; "
            "install requirements.lock"
        )
    distribution = metadata.distribution(package)
    for file in sorted(map(str, files)):
        if is_source(file):
            yield Path(str(distribution.locate_file(file)))


def is_source(file: str) -> bool:
    """Whether a file of a package is Python, and none of its tests."""
    parts = Path(file).parts
    is_test = any(part.startswith(("test", "_test", "conftest")) for part in parts)
    return file.endswith(".py") and not is_test


def _docstrings(code: str) -> Iterator[str]:
    """The docstrings of a Python file's text, each on one line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of the packages' own strings
        tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if docstring:
                yield " ".join(docstring.split())


def _beginning(docstring: str, length: int) -> str:
    """The first words of a docstring that fit into `length` characters, each followed by another.

    A docstring of exactly `length` characters therefore loses its last word. "" for a docstring
    that is shorter, or whose first words fill less than nine tenths of `length`.
    """
    if len(docstring) < length:
        return ""
    passage, _, _ = docstring[: length + 1].rpartition(" ")
    if len(passage) < _LEAST_LENGTH_SHARE * length:
        return ""
    return passage
