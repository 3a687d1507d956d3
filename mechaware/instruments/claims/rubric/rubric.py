"""Any rubric, as data: criteria with their definitions, statuses in rising order,
and guidance for a judge.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.schema import check
from mechaware.core.yaml_files import read_yaml

# The code of a criterion, which names columns and rows of tables.
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
    """A criterion: its code, its name, its definition, and the meanings of its statuses.

    `statuses` has a meaning by status, only for the statuses that the rubric explains.
    """

    code: str
    name: str
    definition: str
    statuses: Mapping[str, str]


class Rubric(NamedTuple):
    """The criteria that a claim is judged by, and the statuses that it can have for each.

    - `name`: the rubric's name in prompts and tables.
    - `statuses`: the words that a judge replies with, the lowest first.
    - `guidance`: instructions to a judge for all criteria; may be empty.
    - `criteria`: the criteria by code, in the rubric's order.
    """

    name: str
    statuses: tuple[str, ...]
    guidance: str
    criteria: Mapping[str, Criterion]

    def rank(self, status: str) -> int:
        """The rank of a status, 0 for the lowest. Raises ValueError for another word."""
        return self.statuses.index(status)

    def status_named(self, text: str) -> str | None:
        """The status that a text names; None if it names none.

        Case, spaces and punctuation do not count: "Needs_work" and "needs-work" name the status
        `needs work`.
        """
        wanted = _letters(text)
        matching = [status for status in self.statuses if _letters(status) == wanted]
        return matching[0] if matching else None


def read_rubric(path: Path) -> Rubric:
    """The rubric in a YAML file: name, statuses (the lowest first), criteria and, if given,
    guidance.

    Raises `UserError` for a file that is missing or not YAML, for a key that is unknown or missing,
    for two criteria with one code, for statuses that cannot be told apart by their letters and
    digits (`_check_statuses`), and for a criterion that explains a status which the rubric does not
    have.
    """
    content = read_yaml(path, str(path))
    if not isinstance(content, dict):
        raise UserError(f"{path}: no rubric; write name, statuses and criteria")
    check(content, _SCHEMA, str(path))

    statuses = tuple(content["statuses"])
    _check_statuses(statuses, path)
    criteria: dict[str, Criterion] = {}
    for entry in content["criteria"]:
        criterion = Criterion(
            code=entry["code"],
            name=entry["name"],
            definition=entry["definition"],
            statuses=entry.get("statuses", {}),
        )
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
    guidance = content.get("guidance", "").strip()
    return Rubric(content["name"], statuses, guidance, criteria)


def _check_statuses(statuses: tuple[str, ...], path: Path) -> None:
    """Raise `UserError` for two statuses that differ only in case, spaces or punctuation,
    and for a status without a letter or digit.
    """
    for status in statuses:
        if not _letters(status):
            raise UserError(f"{path}, statuses: '{status}' has no letter or digit; write a word")

    by_letters: dict[str, str] = {}
    for status in statuses:
        first = by_letters.setdefault(_letters(status), status)
        if first != status:
            raise UserError(
                f"{path}, statuses: '{first}' and '{status}' differ only in case or punctuation; rename one"
            )


def _letters(text: str) -> str:
    """The letters and digits of a text, in lower case."""
    return "".join(character for character in text.casefold() if character.isalnum())
