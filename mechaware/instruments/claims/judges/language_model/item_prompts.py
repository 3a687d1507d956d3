"""The prompt of a judge's method `judge_passages`, and the form of its reply.

The prompt asks which status of a criterion the passages show, given the criterion's definition.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, create_model

from mechaware.core.errors import UserError
from mechaware.instruments.claims.items.edits import Question
from mechaware.instruments.claims.judges.language_model.prompts import (
    Messages,
    check_placeholders,
    fence_around,
)
from mechaware.instruments.claims.judges.language_model.structured import StructuredReply
from mechaware.instruments.claims.rubric.rubric import Rubric

SYSTEM = "system.md"
ITEM = "item.md"
# The templates with their placeholders.
_TEMPLATES = {
    SYSTEM: frozenset({"rubric", "statuses", "guidance", "reply"}),
    ITEM: frozenset({"code", "name", "definition", "levels", "fence", "claim", "passages"}),
}
# What the reply must hold: the two values of the placeholder `reply` of `SYSTEM`.
_WITH_EVIDENCE = (
    '"evidence": the words of the passages that decide, in one short sentence; then "status": one '
    "of the statuses."
)
_STATUS_ALONE = '"status": one of the statuses.'


@dataclass(frozen=True)
class ItemPrompts:
    """The two templates: the rubric as the system's message, the item as the user's.

    With one value of `evidence`, all items of a rubric have the same system message, so that a
    provider that caches prefixes processes it once.
    """

    system: Template
    item: Template

    @classmethod
    def load(cls, files: Iterable[Path]) -> "ItemPrompts":
        """Read config/judge_prompts/items. Raises `UserError` for a missing file or placeholder."""
        paths = {path.name: path for path in files}
        templates = {}
        for name, placeholders in _TEMPLATES.items():
            if name not in paths:
                raise UserError(
                    f"judge prompts, {name}: missing; restore config/judge_prompts/items"
                )
            text = paths[name].read_text(encoding="utf-8")
            check_placeholders(paths[name], text, placeholders)
            templates[name] = Template(text)
        return cls(templates[SYSTEM], templates[ITEM])

    def judge_passages(self, question: Question, rubric: Rubric, *, evidence: bool) -> Messages:
        """The messages that ask which status the passages of a question show (`question.text`).

        With `evidence` the reply quotes the words that decide, before its status.
        """
        criterion = rubric.criteria[question.criterion]
        levels = [f"{status}: {meaning}" for status, meaning in criterion.statuses.items()]
        system = self.system.substitute(
            rubric=rubric.name,
            statuses=", ".join(rubric.statuses),
            guidance=rubric.guidance,
            reply=_WITH_EVIDENCE if evidence else _STATUS_ALONE,
        )
        item = self.item.substitute(
            code=criterion.code,
            name=criterion.name,
            definition=criterion.definition,
            levels="\n".join(levels),
            fence=fence_around(f"{question.claim}\n{question.text}"),
            claim=question.claim or "(none)",
            passages=question.text or "(none)",
        )
        return [
            {"role": "system", "content": system.strip()},
            {"role": "user", "content": item.strip()},
        ]


@cache
def item_reply(statuses: tuple[str, ...], *, evidence: bool) -> type[StructuredReply]:
    """The form of a reply: one of the statuses, after its evidence if asked for.

    Case, spaces and punctuation of a status do not count (`Rubric.status_named`).
    """
    # `status_named` needs only the statuses.
    rubric = Rubric(name="", statuses=statuses, guidance="", criteria={})

    def read(value: object) -> object:
        if not isinstance(value, str):
            return value
        return rubric.status_named(value) or value

    status = Annotated[Literal[statuses], BeforeValidator(read)]  # type: ignore[valid-type]
    fields: dict[str, Any] = {"evidence": (str, ...)} if evidence else {}
    return create_model("ItemStatus", __base__=StructuredReply, **fields, status=(status, ...))
