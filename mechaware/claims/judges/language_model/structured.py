"""Structured replies: the JSON schema that a request carries, and the JSON object in the text that comes back."""

import json
from contextlib import suppress
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from mechaware.claims.judges.judge import Unscored
from mechaware.claims.judges.settings import StructuredOutput

M = TypeVar("M", bound=BaseModel)
LARGEST_COMPLAINT = 5  # errors that a repair round names
MOST_BRACES, MOST_READ = 1000, 10_000_000
LONGEST_REPLY = 2_000_000  # characters; 131,072 tokens, the most that a judge asks for, are half a million

# Keywords that tell the model nothing, or that strict mode refuses.
_OMITTED_KEYWORDS = ("title", "default")


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


def parse(text: str, reply: type[M]) -> M:
    """The first JSON object in `text` that is a valid `reply`; prose or a code fence around it is ignored.

    So is everything before `</think>`. A list of objects in front of all others is read as a `reply` may, too. Raises
    `Unscored` (invalid) with the errors of the first object.
    """
    if len(text) > LONGEST_REPLY:
        raise Unscored("invalid", f"the reply has more than {LONGEST_REPLY} characters")
    answer, fault = text.rpartition("</think>")[2], None
    if (listed := _list(answer)) is not None:
        with suppress(ValidationError):
            return reply.model_validate(listed)
    for candidate in _objects(answer):
        try:
            return reply.model_validate_json(candidate)
        except ValidationError as error:
            fault = fault or complaint(error)
    raise Unscored("invalid", fault or "the reply has no complete JSON object")


def _list(text: str) -> list[dict[str, Any]] | None:
    """The list of objects that begins before any object of its own; None if there is none."""
    start = text.find("[")
    if not 0 <= start < text.find("{"):
        return None
    try:
        listed = json.JSONDecoder().raw_decode(text, start)[0]
    except (json.JSONDecodeError, RecursionError):
        return None
    return listed if all(isinstance(entry, dict) for entry in listed) else None


def _objects(text: str) -> list[str]:
    """The outermost balanced JSON objects in `text`, found in a time that is linear in it.

    The search ends at an object that is nested too deeply, and after `MOST_BRACES` braces or `MOST_READ` characters
    that open no object.
    """
    decoder, objects, start = json.JSONDecoder(), [], text.find("{")
    read = braces = 0
    while start >= 0 and read < MOST_READ and braces < MOST_BRACES:
        try:
            end = decoder.raw_decode(text, start)[1]
        except RecursionError:
            break
        except json.JSONDecodeError as error:  # a brace in prose, or an object that is not closed
            end = start + 1
            read, braces = read + error.pos - start, braces + 1
        else:
            objects.append(text[start:end])
        start = text.find("{", end)
    return objects


def complaint(error: ValidationError) -> str:
    """The errors in one line, without the values, which are the model's own words."""
    errors = error.errors(include_url=False, include_input=False, include_context=False)
    named = [f"{'.'.join(map(str, error['loc'])) or 'reply'}: {error['msg']}" for error in errors[:LARGEST_COMPLAINT]]
    more = len(errors) - len(named)
    return "; ".join(named) + (f"; and {more} more" if more else "")
