"""Checks a config against a JSON schema.

An error is one line, which names the wrong key and what to write instead.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import jsonschema

from mechaware.core.errors import UserError
from mechaware.core.yaml_files import read_word

# The JSON types as messages name them.
TYPE_WORDS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "boolean": "true or false",
    "array": "a list in square brackets",
    "object": "keys with values",
}

# The bounds of a number as messages name them; {} is the bound.
BOUND_WORDS = {
    "minimum": "{} or more",
    "maximum": "{} or less",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
}


def _is_integer(_checker: object, value: object) -> bool:
    """JSON Schema's type integer, without 5.0: the flag of a command does not accept that."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_finite_number(_checker: object, value: object) -> bool:
    """JSON's type number; as in JSON itself, infinity and NaN are none."""
    if isinstance(value, bool):  # in Python an integer
        return False
    return isinstance(value, int | float) and math.isfinite(value)


def _check_pattern(
    _validator: object, pattern: str, value: object, _schema: object
) -> Iterator[jsonschema.ValidationError]:
    """The schema's keyword `pattern`; text with a control character, such as a newline, never fits.

    Python's `$` would also match before a newline at the end.
    """
    if not isinstance(value, str):
        return
    has_control_character = re.search(r"[\x00-\x1f\x7f]", value)
    if has_control_character or not re.search(pattern, value):
        yield jsonschema.ValidationError(f"{value!r} does not have the form {pattern}")


_TYPE_CHECKER = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
    {"integer": _is_integer, "number": _is_finite_number}
)
Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator, {"pattern": _check_pattern}, type_checker=_TYPE_CHECKER
)


def read_numbers(document: Any, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:
    """The document, with texts read as numbers, true or false where the schema has such a type.

    Snakemake gives every value inside `--config 'radar={folds: 5}'` as text. Text that is
    neither a number nor true or false stays text, and `check` refuses it.

    Args:
        document: The config, or a part of it.
        schema: Its JSON Schema.
        definitions: The entries of `$defs`, to which the schema refers.
    """
    if "$ref" in schema:
        schema = definitions[schema["$ref"].removeprefix("#/$defs/")]

    if isinstance(document, Mapping):
        schemas = schema.get("properties", {})  # by key
        # May be false, for no other keys.
        schema_of_other_keys = schema.get("additionalProperties", {}) or {}
        read = {}
        for key, value in document.items():
            read[key] = read_numbers(value, schemas.get(key, schema_of_other_keys), definitions)
        return read

    if isinstance(document, list):
        schema_of_entries = schema.get("items", {})
        return [read_numbers(value, schema_of_entries, definitions) for value in document]

    if isinstance(document, str) and schema.get("type") in ("integer", "number", "boolean"):
        return read_word(document)
    return document


def check(document: Mapping[str, Any], schema: Mapping[str, Any], name: str) -> None:
    """Raise `UserError` for the first fault of a document, which messages call `name`.

    Faults are ordered by their paths in the document: jsonschema reports them in the order of the
    schema's keywords, which a user does not know.
    """

    def path(fault: jsonschema.ValidationError) -> list[str]:
        return [str(part) for part in fault.absolute_path]

    faults = sorted(Validator(schema).iter_errors(document), key=path)
    if faults:
        raise UserError(_describe(faults[0], name))


def _describe(fault: jsonschema.ValidationError, name: str) -> str:
    """What is wrong, where, and what to write instead, in one line."""
    path = "/".join(map(str, fault.absolute_path))
    where = f"{name}, {path}" if path else name
    if fault.validator == "additionalProperties":
        known = sorted(fault.schema["properties"])
        unknown = min(set(map(str, fault.instance)) - set(known))
        return f"{where}: unknown key '{unknown}'; {_suggest(unknown, known)}"
    if fault.validator == "required":
        missing = next(key for key in fault.validator_value if key not in fault.instance)
        return f"{where}: key '{missing}' is missing; add it"
    if fault.validator == "enum":
        choices = " or ".join(map(str, fault.validator_value))
        return f"{where}: {fault.instance!r}; write {choices}"
    if fault.validator == "type":
        value = "nothing" if fault.instance is None else repr(fault.instance)
        return f"{where}: {value}; write {TYPE_WORDS[fault.validator_value]}{_type_hint(fault)}"
    if fault.validator in BOUND_WORDS:
        bound = BOUND_WORDS[fault.validator].format(fault.validator_value)
        return f"{where}: {fault.instance}; write {bound}"
    if fault.validator == "minItems":
        return f"{where}: empty; write at least one entry"
    if fault.validator == "minLength":
        return f"{where}: empty; write at least one character"
    if fault.validator == "uniqueItems":
        repeated = _first_repeated(fault.instance)
        return f"{where}: {repeated!r} is listed twice; remove one"
    if fault.validator == "pattern":
        description = fault.schema.get("description", fault.validator_value)
        return f"{where}: {fault.instance!r} does not fit; write: {description}"
    return f"{where}: {fault.message}"


def _first_repeated(entries: Sequence[Any]) -> Any:
    """The first entry that equals an earlier entry, of a list that has such an entry.

    Entries may be lists, which cannot be hashed.
    """
    return next(entry for index, entry in enumerate(entries) if entry in entries[:index])


def _type_hint(fault: jsonschema.ValidationError) -> str:
    """How to write a value of the right type, if the wrong value looks like one; otherwise ""."""
    required_type = fault.validator_value
    value = fault.instance
    is_number_required = required_type in ("integer", "number")
    if is_number_required and isinstance(value, str) and re.search("[0-9]", value):
        return " in decimal digits, without a leading zero, underscores or quotes"
    if required_type == "string" and isinstance(value, bool | int | float):
        return " in quotes"
    return ""


def check_choice(name: str, known: Mapping[str, Any], where: str, file: str) -> None:
    """Raise `UserError` if `name` is not among the `known` entries of `file`.

    `where` is the place in the config that has the name.
    """
    if name not in known:
        raise UserError(f"{where}: '{name}' is not in {file}; {_suggest(name, known)}")


def _suggest(name: str, known: Collection[str]) -> str:
    """The known name that is most similar to a wrong one, or all known names if none is similar."""
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    if near:
        return f"did you mean '{near[0]}'?"
    return f"known: {', '.join(known)}"
