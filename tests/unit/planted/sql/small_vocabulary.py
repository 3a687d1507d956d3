"""Vocabularies of generated SQL: the shipped file, and a table with fields that a test chooses."""

from mechaware.planted.sql.generation import Vocabulary
from tests.checkout import REPOSITORY

SHIPPED = REPOSITORY / "config/sql/vocabulary.yaml"


def small_vocabulary(fields: dict[str, tuple[str, str]]) -> Vocabulary:
    """One phrasing and one table, with its synonyms, and these fields with theirs."""
    return Vocabulary(("{fields} | {table}",), {"orders": ("purchases", "requests")}, fields)
