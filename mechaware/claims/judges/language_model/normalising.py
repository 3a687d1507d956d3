"""The JSON of a reply, whatever stands around it and however its names are marked.

Reasoning, fences, line feeds inside strings and markers around names do not matter: "**C1**" and "C-1:" are C1. Broken
JSON is mended by json-repair where only quotation marks, commas, colons or spaces are wrong.
"""

import json
import re
from typing import Any

import json_repair

OPENING = re.compile(r"""\{\s*["'“}]|\[\s*\{""")  # of an object or a list of objects; braces in prose have no quote
REASONED = re.compile(r"\s*(?:```\w*\s*)?[^\s`{\[]")  # a reply that does not begin with its JSON
CODE = re.compile(r"\W*([CIMEV])[\W_]?(\d)(?!\d)", re.IGNORECASE)
CHANGEABLE = re.compile(r"""\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]|[^][{}A-Za-z0-9]""")  # by a repair
KEY_IN_TEXT = re.compile(r"""\\["']\s*:""")  # the rest of a broken object, taken for a part of one string


def field_name(text: str) -> str:
    """The criterion's code that a text begins with, or the name of a field: in small letters, with underscores."""
    code = CODE.match(text)
    return f"{code[1]}{code[2]}".upper() if code else re.sub(r"[\W_]+", "_", text).strip("_").lower()


def read_json(text: str) -> tuple[list[Any], bool]:
    """The outermost JSON objects and lists of objects in a reply, and whether one was repaired. Raises `ValueError`."""
    answer = text.split("</think>", 1)[-1] if REASONED.match(text) else text
    values: list[Any] = []
    opening, decoder = OPENING.search(answer), json.JSONDecoder(strict=False, object_pairs_hook=_named)
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
    """The value of the broken JSON that ends at the last bracket of a text."""
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", broken, flags=re.DOTALL)
    if ".." in outside or "…" in outside or sum(map(outside.count, "{[")) > sum(map(outside.count, "}]")):
        raise ValueError("the reply ends before its JSON object is complete, or leaves out a part of it")
    broken = broken[: max(map(broken.rfind, "}]")) + 1]
    repaired = json.dumps(json_repair.loads(broken, skip_json_loads=True), ensure_ascii=False)
    swallowed = len(KEY_IN_TEXT.findall(repaired)) > len(KEY_IN_TEXT.findall(broken))
    if swallowed or CHANGEABLE.sub("", repaired) != CHANGEABLE.sub("", broken):
        raise ValueError(f"the JSON object is broken ({fault})")
    return json.loads(repaired, object_pairs_hook=_named)


def _named(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    named = {field_name(name): value for name, value in pairs}
    if len(named) < len(pairs):
        raise ValueError(f"a name twice among {', '.join(name for name, _ in pairs)}")
    return named
