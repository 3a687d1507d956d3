"""Structured replies: the JSON schema of a request, and the reply's text read as a pydantic model.

Text around the JSON of a reply (reasoning, fences) is ignored. Line feeds inside strings are
accepted, and names may be marked: "**C1**" and "C-1:" are C1. Broken JSON is repaired by
json-repair if only quotation marks, commas, colons or spaces are wrong.
"""

import json
import re
from collections.abc import Container
from typing import Any, TypeVar

import json_repair
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from mechaware.instruments.claims.judges.judge import Unscored
from mechaware.instruments.claims.judges.settings import StructuredOutput

MAX_ERRORS_NAMED = 5  # the most errors that a complaint lists

# Keywords of a JSON schema that are of no use to the model, or that strict mode refuses.
_OMITTED_KEYWORDS = ("title", "default")

# The beginning of an object or of a list of objects. After a brace in prose comes no quotation
# mark.
OPENING = re.compile(r"""\{\s*["'“}]|\[\s*\{""")
# Matches a reply that does not begin with its JSON: it begins with reasoning.
REASONED = re.compile(r"\s*(?:```\w*\s*)?[^\s`{\[]")
# The code of a criterion, with or without marks: "C1", "**C1**", "C-1".
CODE = re.compile(r"\W*([CIMEV])[\W_]?(\d)(?!\d)", re.IGNORECASE)
# What a repair may change: anything but letters, digits and brackets.
CHANGEABLE = re.compile(r"""\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]|[^][{}A-Za-z0-9]""")
# A key inside a string, such as `"a\": 1"`: the sign that a repair has put the rest of a broken
# object into this string.
KEY_IN_TEXT = re.compile(r"""\\["']\s*:""")


class StructuredReply(BaseModel):
    """A reply. Fields that were not asked for are ignored, though the schema allows none."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, value: object) -> object:
        return unwrapped(value, cls.model_fields)


M = TypeVar("M", bound=StructuredReply)


def response_format(
    reply_type: type[BaseModel], structured_output: StructuredOutput
) -> dict[str, Any] | None:
    """The request's parameter that asks for a `reply_type`; None if only the prompt asks for it."""
    if structured_output == "json_schema":
        schema = _strict(reply_type.model_json_schema())
        strict_schema = {"name": reply_type.__name__, "strict": True, "schema": schema}
        return {"type": "json_schema", "json_schema": strict_schema}
    if structured_output == "json_object":
        return {"type": "json_object"}
    return None


def _strict(node: Any) -> Any:
    """A part of a schema in the form that strict mode requires.

    Every property is required and no other is allowed; nothing stands beside a reference.
    """
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    strict: dict[str, Any] = {}
    for key, value in node.items():
        # Names of fields and types are kept, though they may be spelt like omitted keywords.
        if key in ("properties", "$defs"):
            strict[key] = {name: _strict(schema) for name, schema in value.items()}
        elif key not in _OMITTED_KEYWORDS:
            strict[key] = value if key in ("enum", "const") else _strict(value)
    if "properties" in strict:
        strict |= {"additionalProperties": False, "required": list(strict["properties"])}
    return strict


def parse(text: str, reply_type: type[M]) -> tuple[M, bool]:
    """The one reply in a text that fits `reply_type`, and whether its JSON was repaired.

    A reply is a JSON object or a list of objects; values that do not fit are ignored. Raises
    `Unscored` (invalid) if the JSON cannot be read, if no value fits (with the errors of the
    first), or if several values fit and differ.
    """
    try:
        values, repaired = _read_json(text)
    except ValueError as error:
        raise Unscored("invalid", str(error)) from None
    replies: list[M] = []
    faults: list[str] = []
    for value in values:
        # Lone surrogates, which UTF-8 cannot encode, become "?".
        encoded = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        try:
            replies.append(reply_type.model_validate_json(encoded))
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
    """The first `MAX_ERRORS_NAMED` errors in one line, without the faulty values.

    In a reply these values are the model's own words.
    """
    errors = error.errors(include_url=False, include_input=False, include_context=False)
    parts = []
    for detail in errors[:MAX_ERRORS_NAMED]:
        where = ".".join(map(str, detail["loc"])) or "reply"
        parts.append(f"{where}: {detail['msg']}")
    n_more = len(errors) - len(parts)
    if n_more:
        parts.append(f"and {n_more} more")
    return "; ".join(parts)


def unwrapped(value: object, fields: Container[str]) -> object:
    """A reply without a wrapping that the model has added: [{...}] and {"result": {...}} are {...}.

    `fields` are the names of the fields that were asked for. None of them is a wrapping, even if it
    is the only field.
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict) and len(value) == 1:
        ((name, inner),) = value.items()
        if name not in fields and isinstance(inner, dict | list):
            return inner
    return value


def field_name(text: str) -> str:
    """The name of a field without marks.

    A name that begins with the code of a criterion is the code: "**c-1**: yes" is C1. Any other
    name is in lower case, with underscores: "Claim Number" is claim_number.
    """
    code = CODE.match(text)
    if code:
        return f"{code[1]}{code[2]}".upper()
    return re.sub(r"[\W_]+", "_", text).strip("_").lower()


def _read_json(text: str) -> tuple[list[Any], bool]:
    """The outermost JSON objects and lists of objects in a reply, and whether one was repaired.

    Raises `ValueError` if there is none, or if it is broken and cannot be repaired.
    """
    answer = text.split("</think>", 1)[-1] if REASONED.match(text) else text
    values: list[Any] = []
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_with_field_names)
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
    """The value of the broken JSON from the beginning of a text to its last bracket.

    `fault` is what the decoder found wrong. Raises `ValueError` if a part of the JSON is missing or
    replaced by dots, if the repair changes a letter, a digit or a bracket (`CHANGEABLE`), or if it
    puts a part of the object into a string (`KEY_IN_TEXT`).
    """
    outside_strings = re.sub(r'"(?:[^"\\]|\\.)*"', "", broken, flags=re.DOTALL)
    opened = outside_strings.count("{") + outside_strings.count("[")
    closed = outside_strings.count("}") + outside_strings.count("]")
    has_dots = ".." in outside_strings or "…" in outside_strings
    if has_dots or opened > closed:
        raise ValueError(
            "the reply ends before its JSON object is complete, or leaves out a part of it"
        )

    last_bracket = max(broken.rfind("}"), broken.rfind("]"))
    broken = broken[: last_bracket + 1]
    repaired = json.dumps(json_repair.loads(broken, skip_json_loads=True), ensure_ascii=False)
    has_new_key_in_text = len(KEY_IN_TEXT.findall(repaired)) > len(KEY_IN_TEXT.findall(broken))
    if has_new_key_in_text or CHANGEABLE.sub("", repaired) != CHANGEABLE.sub("", broken):
        raise ValueError(f"the JSON object is broken ({fault})")
    return json.loads(repaired, object_pairs_hook=_with_field_names)


def _with_field_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object with its names as `field_name` reads them.

    Raises `ValueError` if two names are then the same.
    """
    values = {field_name(name): value for name, value in pairs}
    if len(values) < len(pairs):
        raise ValueError(f"a name twice among {', '.join(name for name, _ in pairs)}")
    return values
