"""Structured replies: the JSON schema that a request carries, and the text that comes back read as a pydantic model."""

import json
from collections.abc import Container
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from mechaware.claims.judges.judge import Unscored
from mechaware.claims.judges.language_model.normalising import read_json
from mechaware.claims.judges.settings import StructuredOutput

LARGEST_COMPLAINT = 5  # errors that are named when a reply is asked for again

# Keywords that tell the model nothing, or that strict mode refuses.
_OMITTED_KEYWORDS = ("title", "default")


class StructuredReply(BaseModel):
    """A reply. Fields that nobody asked for are ignored; the schema that a model gets allows none."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, value: object) -> object:
        return unwrapped(value, cls.model_fields)


M = TypeVar("M", bound=StructuredReply)


def response_format(reply: type[BaseModel], how: StructuredOutput) -> dict[str, Any] | None:
    """The request's parameter that asks for a `reply`; None if the prompt alone asks for it."""
    if how == "json_schema":
        schema = _strict(reply.model_json_schema())
        return {"type": "json_schema", "json_schema": {"name": reply.__name__, "strict": True, "schema": schema}}
    return {"type": "json_object"} if how == "json_object" else None


def _strict(node: Any) -> Any:
    """A schema as strict mode wants it: every property required, no other allowed, nothing beside a reference."""
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    strict: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):  # names, which may be those of keywords
            strict[key] = {name: _strict(schema) for name, schema in value.items()}
        elif key not in _OMITTED_KEYWORDS:
            strict[key] = value if key in ("enum", "const") else _strict(value)
    if "properties" in strict:
        strict |= {"additionalProperties": False, "required": list(strict["properties"])}
    return strict


def parse(text: str, reply: type[M]) -> tuple[M, bool]:
    """The one `reply` in a text, and whether its JSON was broken and repaired.

    Other JSON objects around it are ignored. Raises `Unscored` (invalid) if the JSON cannot be read, if no object of it
    is a `reply`, with the errors of the first, or if several are and differ.
    """
    try:
        values, repaired = read_json(text)
    except ValueError as error:
        raise Unscored("invalid", str(error)) from None
    replies, faults = [], []
    for value in values:
        legible = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")  # without lone surrogates
        try:
            replies.append(reply.model_validate_json(legible))
        except ValidationError as error:
            faults.append(complaint(error))
    if not replies:
        raise Unscored("invalid", faults[0])
    if any(other != replies[0] for other in replies):
        raise Unscored("invalid", f"the reply has {len(replies)} JSON objects that differ; it should have one")
    return replies[0], repaired


def complaint(error: ValidationError) -> str:
    """The errors in one line, without the values, which are the model's own words."""
    errors = error.errors(include_url=False, include_input=False, include_context=False)
    named = [f"{'.'.join(map(str, error['loc'])) or 'reply'}: {error['msg']}" for error in errors[:LARGEST_COMPLAINT]]
    more = len(errors) - len(named)
    return "; ".join(named) + (f"; and {more} more" if more else "")


def unwrapped(value: object, fields: Container[str]) -> object:
    """What a model puts into a list of one, or into a field of its own as {"result": {...}}, is the reply."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict) and len(value) == 1:
        ((name, inner),) = value.items()
        if name not in fields and isinstance(inner, dict | list):
            return inner
    return value
