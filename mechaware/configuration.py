"""Checks a config against a JSON schema and says, in one line, which key is wrong and what to write instead."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import jsonschema

from mechaware.errors import UserError


def check(document: Mapping[str, Any], schema: Mapping[str, Any], name: str) -> None:
    """Raise `UserError` for the first fault of `document`, a file known to the user as `name`."""
    validator = jsonschema.Draft202012Validator(schema)
    faults = sorted(validator.iter_errors(document), key=lambda fault: list(map(str, fault.absolute_path)))
    if faults:
        # Of the branches of a `oneOf`, the one that the entry comes closest to tells what is wrong.
        fault = faults[0]
        raise UserError(_describe(jsonschema.exceptions.best_match([fault]), name))


def _describe(fault: jsonschema.ValidationError, name: str) -> str:
    path = "/".join(map(str, fault.absolute_path))
    where = f"{name}, {path}" if path else name
    if fault.validator == "additionalProperties":
        known = sorted(fault.schema["properties"])
        unknown = sorted(set(fault.instance) - set(known))[0]
        near = get_close_matches(unknown, known, n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}"
        return f"{where}: unknown key '{unknown}'; {hint}"
    if fault.validator == "required":
        missing = next(key for key in fault.validator_value if key not in fault.instance)
        return f"{where}: key '{missing}' is missing; add it"
    if fault.validator == "enum":
        choices = " or ".join(map(str, fault.validator_value))
        return f"{where}: {fault.instance!r}; write {choices}"
    return f"{where}: {fault.message}"


def check_choice(name: str, known: Mapping[str, Any], where: str, file: str) -> None:
    """Raise `UserError` if `name`, found at `where`, is not one of those in `file`."""
    if name not in known:
        near = get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}"
        raise UserError(f"{where}: '{name}' is not in {file}; {hint}")
