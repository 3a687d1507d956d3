"""Structured replies: the JSON schema that a request carries, and the text that comes back read as a pydantic model.

What surrounds the JSON of a reply does not matter (reasoning, fences), nor do line feeds inside strings and marks of
names: "**C1**" and "C-1:" are C1. Broken JSON is mended by json-repair if only quotation marks, commas, colons or
spaces are wrong.
"""

import json
import re
from collections.abc import Container
from typing import Any, TypeVar

import json_repair
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from mechaware.instruments.claims.judges.judge import Unscored
from mechaware.instruments.claims.judges.settings import StructuredOutput

MAX_ERRORS_NAMED = 5  # errors that are named when a reply is asked for again

# Keywords that tell the model nothing, or that strict mode refuses.
_OMITTED_KEYWORDS = ("title", "default")

# The beginning of an object or of a list of objects.
OPENING = re.compile(r"""\{\s*["'“}]|\[\s*\{""")  # braces in prose have no quote behind them
REASONED = re.compile(r"\s*(?:```\w*\s*)?[^\s`{\[]")  # a reply that does not begin with its JSON
CODE = re.compile(r"\W*([CIMEV])[\W_]?(\d)(?!\d)", re.IGNORECASE)
# What a repair may change: anything but letters, digits and brackets.
CHANGEABLE = re.compile(r"""\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]|[^][{}A-Za-z0-9]""")
# A key inside a string: the repair has taken the rest of a broken object for a part of this string.
KEY_IN_TEXT = re.compile(r"""\\["']\s*:""")


class StructuredReply(BaseModel):
    """A reply. Fields that nobody asked for are ignored; the schema that a model gets allows none."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, value: object) -> object:
        return unwrapped(value, cls.model_fields)


M = TypeVar("M", bound=StructuredReply)


def response_format(reply: type[BaseModel], how: StructuredOutput) -> dict[str, Any] | None:
    """The request's parameter that asks for a `reply`; None if only the prompt asks for it."""
    if how == "json_schema":
        schema = _strict(reply.model_json_schema())
        named = {"name": reply.__name__, "strict": True, "schema": schema}
        return {"type": "json_schema", "json_schema": named}
    if how == "json_object":
        return {"type": "json_object"}
    return None


def _strict(node: Any) -> Any:
    """A schema as strict mode wants it: every property required, no other allowed, nothing next to a reference."""
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    strict: dict[str, Any] = {}
    for key, value in node.items():
        # Names of fields and types may be spelt like keywords, so they are kept as they are.
        if key in ("properties", "$defs"):
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
        values, repaired = _read_json(text)
    except ValueError as error:
        raise Unscored("invalid", str(error)) from None
    replies: list[M] = []
    faults: list[str] = []
    for value in values:
        # Without lone surrogates.
        legible = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        try:
            replies.append(reply.model_validate_json(legible))
        except ValidationError as error:
            faults.append(complaint(error))

    if not replies:
        raise Unscored("invalid", faults[0])
    if any(other != replies[0] for other in replies):
        raise Unscored(
            "invalid", f"the reply has {len(replies)} JSON objects that differ; it should have one"
        )
    return replies[0], repaired


def complaint(error: ValidationError) -> str:
    """The errors in one line, without the values, which are the model's own words."""
    errors = error.errors(include_url=False, include_input=False, include_context=False)
    named = []
    for detail in errors[:MAX_ERRORS_NAMED]:
        where = ".".join(map(str, detail["loc"])) or "reply"
        named.append(f"{where}: {detail['msg']}")
    more = len(errors) - len(named)
    if more:
        named.append(f"and {more} more")
    return "; ".join(named)


def unwrapped(value: object, fields: Container[str]) -> object:
    """The reply without a list of one around it, or a field of the model's own as in {"result": {...}}.

    `fields` are the names of the reply's own fields, which are no wrapping.
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict) and len(value) == 1:
        ((name, inner),) = value.items()
        if name not in fields and isinstance(inner, dict | list):
            return inner
    return value


def field_name(text: str) -> str:
    """The criterion's code that a text begins with, or the name of a field: in small letters, with underscores."""
    code = CODE.match(text)
    if code:
        return f"{code[1]}{code[2]}".upper()
    return re.sub(r"[\W_]+", "_", text).strip("_").lower()


def _read_json(text: str) -> tuple[list[Any], bool]:
    """The outermost JSON objects and lists of objects in a reply, and whether one was repaired. Raises `ValueError`."""
    answer = text.split("</think>", 1)[-1] if REASONED.match(text) else text
    values: list[Any] = []
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_named)
    opening = OPENING.search(answer)
    while opening:
        try:
            value, end = decoder.raw_decode(answer, opening.start())
        except (ValueError, RecursionError) as error:
            return [*values, _repaired(answer[opening.start() :], str(error))], True
        values.append(value)
        opening = OPENING.search(answer, end)
    if values:
        return values, False
    raise ValueError("the reply has no JSON object")


def _repaired(broken: str, fault: str) -> Any:
    """The value of the broken JSON that ends at the last bracket of a text.

    Raises `ValueError` if a part of it is missing, or if the repair would change a letter, a digit or a bracket
    (`CHANGEABLE`) or take a part of the object for text.
    """
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", broken, flags=re.DOTALL)
    opened = outside.count("{") + outside.count("[")
    closed = outside.count("}") + outside.count("]")
    if ".." in outside or "…" in outside or opened > closed:
        raise ValueError(
            "the reply ends before its JSON object is complete, or leaves out a part of it"
        )

    last_bracket = max(broken.rfind("}"), broken.rfind("]"))
    broken = broken[: last_bracket + 1]
    repaired = json.dumps(json_repair.loads(broken, skip_json_loads=True), ensure_ascii=False)
    swallowed = len(KEY_IN_TEXT.findall(repaired)) > len(KEY_IN_TEXT.findall(broken))
    if swallowed or CHANGEABLE.sub("", repaired) != CHANGEABLE.sub("", broken):
        raise ValueError(f"the JSON object is broken ({fault})")
    return json.loads(repaired, object_pairs_hook=_named)


def _named(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON with its names as `field_name` reads them. Raises `ValueError` if two are the same."""
    named = {field_name(name): value for name, value in pairs}
    if len(named) < len(pairs):
        raise ValueError(f"a name twice among {', '.join(name for name, _ in pairs)}")
    return named
