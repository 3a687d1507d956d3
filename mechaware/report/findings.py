"""The README's findings: a template whose numbers are those of a finished run."""

import json
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import jinja2

from mechaware.errors import UserError
from mechaware.report.values import Value

BEGIN, END = "<!-- findings: made by `make gallery` from docs/findings.md.j2 -->\n", "<!-- end of findings -->\n"
WIDTH = 130
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def write_findings(template: str, values: Mapping[str, Value]) -> tuple[str, dict[str, Value]]:
    """The findings as Markdown, and the values that they use.

    In the template `value(key)` is an entry of `values`, `values_of(start, end)` a list of those whose key begins and
    ends so; the filters `percent`, `points` and `decimals` print an entry or a number. Raises `UserError` for a key
    that `values` lacks.
    """
    used: dict[str, Value] = {}

    def value(key: str) -> Value:
        if key not in values:
            raise UserError(f"docs/findings.md.j2: no value '{key}' in results/values; the template names another run")
        used[key] = values[key]
        return used[key]

    def values_of(start: str, end: str) -> list[Value]:
        return [value(key) for key in values if key.startswith(start) and key.endswith(end)]

    text = _environment(value, values_of).from_string(template).render()
    return _wrapped(text), used


def read_values(paths: Iterable[Path]) -> dict[str, Value]:
    """The values of all studies, by key."""
    found: dict[str, Value] = {}
    for path in paths:
        found |= json.loads(path.read_text())["values"]
    return found


def replace_findings(readme: str, findings: str) -> str:
    """The README with the findings between its two marks."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + findings + END + after


def _wrapped(text: str) -> str:
    """The Markdown with its paragraphs and list entries filled to `WIDTH`; headings, tables and images as they are."""
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        if block.lstrip().startswith(("#", "|", "!", "```")):
            blocks.append(block)
            continue
        entries = re.split(r"\n(?=- )", block)
        blocks.append("\n".join(_filled(entry, "  " if entry.startswith("- ") else "") for entry in entries))
    return "\n\n".join(blocks) + "\n"


def _filled(text: str, indent: str) -> str:
    return textwrap.fill(
        " ".join(text.split()), WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _environment(value: Callable[[str], Value], values_of: Callable[[str, str], list[Value]]) -> jinja2.Environment:
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)  # noqa: S701 - Markdown
    environment.globals |= {"value": value, "values_of": values_of}
    environment.filters |= {
        "percent": lambda entry, places=0: f"{100 * _number(entry):.{places}f}%",
        "points": lambda entry: f"{100 * _number(entry):.0f}",
        "decimals": lambda entry, places: f"{_number(entry):.{places}f}",
        "word": lambda number: WORDS[number] if number < len(WORDS) else str(number),
        "least": lambda entries: min(map(_number, entries)),
        "most": lambda entries: max(map(_number, entries)),
    }
    return environment


def _number(entry: Any) -> float:
    return float(entry["value"] if isinstance(entry, dict) else entry)
