"""Any rubric, as data: criteria with their definitions, statuses in rising order,
and guidance for a judge.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.schema import check
from mechaware.core.yaml_files import read_yaml

# A code is the name of a column and of a row; a status is a word that a judge replies with.
_CODE = {
    "description": "A code of letters, digits, dots, hyphens and underscores.",
    "type": "string",
    "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$",
}
_TEXT = {"type": "string", "minLength": 1}
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["name", "statuses", "criteria"],
    "additionalProperties": False,
    "properties": {
        "name": _TEXT,
        "statuses": {"type": "array", "minItems": 2, "uniqueItems": True, "items": _TEXT},
        "guidance": {"type": "string"},
        "criteria": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["code", "name", "definition"],
                "additionalProperties": False,
                "properties": {
                    "code": _CODE,
                    "name": _TEXT,
                    "definition": _TEXT,
                    "statuses": {"type": "object", "additionalProperties": _TEXT},
                },
            },
        },
    },
}


class Criterion(NamedTuple):
    """A criterion: its code, its name, its definition,
    and what counts for each status that the rubric explains.
    """

    code: str
    name: str
    definition: str
    statuses: Mapping[str, str]


class Rubric(NamedTuple):
    """A rubric: what is asked of a claim.

    - `name`: of the rubric, for people.
    - `statuses`: the possible answers, in rising order: the lowest first.
    - `guidance`: what holds for all criteria, in words to a judge; may be empty.
    - `criteria`: by code, in the rubric's order.
    """

    name: str
    statuses: tuple[str, ...]
    guidance: str
    criteria: Mapping[str, Criterion]

    def rank(self, status: str) -> int:
        """The rank of a status, 0 for the lowest. Raises ValueError for another word."""
        return self.statuses.index(status)

    def status_named(self, text: str) -> str | None:
        """The status that a text names, whatever its case and the signs between its words; None if
        it names none.

        "Needs_work" and "needs-work" name the status `needs work`.
        """
        wanted = _letters(text)
        matching = [status for status in self.statuses if _letters(status) == wanted]
        return matching[0] if matching else None


def read_rubric(path: Path) -> Rubric:
    """The rubric in a YAML file: name, statuses (the lowest first), criteria and, if given,
    guidance.

    Raises `UserError` for a file that is missing or not YAML, for a key that is unknown or missing,
    for two criteria with one code, for two statuses that differ only in case or signs, and for a
    criterion that explains a status which the rubric does not have.
    """
    content = read_yaml(path, str(path))
    if not isinstance(content, dict):
        raise UserError(f"{path}: no rubric; write name, statuses and criteria")
    check(content, _SCHEMA, str(path))

    statuses = tuple(content["statuses"])
    _refuse_alike(statuses, path)
    criteria: dict[str, Criterion] = {}
    for entry in content["criteria"]:
        criterion = Criterion(**{"statuses": {}} | entry)
        if criterion.code in criteria:
            raise UserError(
                f"{path}: two criteria '{criterion.code}'; rename or remove one of them"
            )
        for status in criterion.statuses:
            if status not in statuses:
                raise UserError(
                    f"{path}, criterion {criterion.code}: '{status}' is not among the statuses "
                    f"({', '.join(statuses)}); correct it"
                )
        criteria[criterion.code] = criterion
    return Rubric(content["name"], statuses, content.get("guidance", "").strip(), criteria)


def _refuse_alike(statuses: tuple[str, ...], path: Path) -> None:
    """Raise `UserError` for two statuses that differ only in case or signs,
    and for one without a letter or digit.
    """
    for status in statuses:
        if not _letters(status):
            raise UserError(f"{path}, statuses: '{status}' has no letter or digit; write a word")

    first: dict[str, str] = {}
    for status in statuses:
        before = first.setdefault(_letters(status), status)
        if before != status:
            raise UserError(
                f"{path}, statuses: '{before}' and '{status}' differ only in case or punctuation; rename one"
            )


def _letters(text: str) -> str:
    """The letters and digits of a text, in lower case."""
    return "".join(character for character in text.casefold() if character.isalnum())
