"""Sentences with numbers of a run: templates of Jinja,
in which `value(key)` is an entry of results/values.
"""

import fnmatch
from collections.abc import Mapping
from typing import Any

import jinja2

from exhibits.report.values import Value

_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def wording(
    values: Mapping[str, Value], used: dict[str, Value] | None = None
) -> jinja2.Environment:
    """An environment for the sentences of a run.

    In a template `value(key)` is the entry of that name, which raises `LookupError` where the run
    has none. Filters print an entry or a number: `percent` (`54%`), `decimals(2)` (`0.54`),
    `interval(2)` (`0.52 to 0.56`), `k_of_n` (`4 of 7`) and `in_words` (`four`, from eleven on
    `11`). `count(pattern)` is how many entries with a value have names like the pattern, in which
    `*` stands for any letters. The entries that a template names are put into `used`.
    """

    def value(key: str) -> Value:
        if key not in values:
            raise LookupError(f"no value '{key}' in results/values; the template names another run")
        if used is not None:
            used[key] = values[key]
        return values[key]

    def count(pattern: str) -> int:
        named = fnmatch.filter(values, pattern)
        return sum(values[name]["value"] is not None for name in named)

    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)  # noqa: S701 - Markdown, typst
    environment.globals["value"] = value
    environment.globals["count"] = count
    environment.filters["percent"] = _percent
    environment.filters["decimals"] = _decimals
    environment.filters["interval"] = _interval
    environment.filters["k_of_n"] = _k_of_n
    environment.filters["in_words"] = _in_words
    return environment


def _percent(entry: Any) -> str:
    return f"{100 * _number(entry):.0f}%"


def _decimals(entry: Any, places: int) -> str:
    return f"{_number(entry):.{places}f}"


def _interval(entry: Value, places: int) -> str:
    return f"{entry['low']:.{places}f} to {entry['high']:.{places}f}"


def _k_of_n(entry: Value) -> str:
    return f"{entry['value']:.0f} of {entry['n']}"


def _in_words(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def _number(entry: Any) -> float:
    return float(entry["value"] if isinstance(entry, dict) else entry)
