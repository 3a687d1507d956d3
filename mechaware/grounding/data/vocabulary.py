"""The words of generated SQL: tables and fields with their synonyms, and the phrasings that ask for them."""

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from mechaware.configuration import check, read_yaml
from mechaware.errors import UserError

WORD = {"type": "string", "pattern": "^[a-z]+$", "description": "one lower-case word of the letters a to z"}
SYNONYMS = {
    "type": "object",
    "propertyNames": WORD,
    "additionalProperties": {"type": "array", "items": WORD},
}
PHRASING = {
    "type": "string",
    "pattern": r"^(?=.*\{fields\})(?=.*\{table\})[^{}]*\{\w+\}[^{}]*\{\w+\}[^{}]*$",
    "description": "a request with {fields} and {table}, once each",
}
SCHEMA = {
    "type": "object",
    "required": ["phrasings", "tables", "fields"],
    "additionalProperties": False,
    "properties": {
        "phrasings": {"type": "array", "items": PHRASING, "minItems": 1, "uniqueItems": True},
        "tables": SYNONYMS,
        "fields": SYNONYMS,
    },
}


class Vocabulary(NamedTuple):
    """Phrasings of a request, and the two synonyms of each table and field. A field's synonym may itself be a field."""

    phrasings: tuple[str, ...]
    tables: dict[str, tuple[str, str]]
    fields: dict[str, tuple[str, str]]

    def related(self, field: str, other: str) -> bool:
        """Whether one of two fields is a synonym of the other."""
        return other in self.fields[field] or field in self.fields[other]

    def words(self) -> set[str]:
        """Every table, field and synonym."""
        entries = [*self.tables.items(), *self.fields.items()]
        return {word for base, synonyms in entries for word in (base, *synonyms)}


def read_vocabulary(path: Path, *, tables: int, fields: int) -> Vocabulary:
    """The phrasings and the first `tables` tables and `fields` fields of a YAML file.

    Raises `UserError` for a file of another form, a synonym of two bases, a word that names a table and a field, and
    fewer tables or fields than asked for.
    """
    document = read_yaml(path, str(path))
    check(document if isinstance(document, dict) else {}, SCHEMA, str(path))
    for kind in ("tables", "fields"):
        _check_synonyms(document[kind], kind, path)
    _check_disjoint(document["tables"], document["fields"], path)
    chosen: list[dict[str, tuple[str, str]]] = []
    for kind, required in (("tables", tables), ("fields", fields)):
        entries = document[kind]
        if len(entries) < required:
            raise UserError(
                f"{path}: {len(entries)} {kind}, but grounding/data/{kind} asks for {required}; "
                "add some or ask for fewer"
            )
        chosen.append({base: (first, second) for base, (first, second) in islice(entries.items(), required)})
    return Vocabulary(tuple(document["phrasings"]), *chosen)


def _check_synonyms(entries: Mapping[str, list[str]], kind: str, path: Path) -> None:
    """Refuse any number of synonyms but two, and a synonym of two bases: a request with it would have two answers."""
    owner: dict[str, str] = {}
    for base, synonyms in entries.items():
        if len(synonyms) != 2 or len(set(synonyms)) != 2:
            raise UserError(f"{path}, {kind}/{base}: [{', '.join(synonyms)}]; write two different synonyms")
        for synonym in synonyms:
            if synonym == base:
                raise UserError(f"{path}, {kind}/{base}: '{base}' is its own synonym; write another")
            earlier = owner.setdefault(synonym, base)
            if earlier != base:
                raise UserError(
                    f"{path}, {kind}/{base}: '{synonym}' is a synonym of '{earlier}' too; write another for one of them"
                )


def _check_disjoint(tables: Mapping[str, list[str]], fields: Mapping[str, list[str]], path: Path) -> None:
    names = [{word for base, synonyms in kind.items() for word in (base, *synonyms)} for kind in (tables, fields)]
    if shared := sorted(names[0] & names[1]):
        raise UserError(f"{path}: '{shared[0]}' names a table and a field; keep it for one of them")
