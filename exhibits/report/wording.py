"""The Jinja environment for sentences that print the numbers of a run."""

import fnmatch
from collections.abc import Mapping

import jinja2

from exhibits.report.values import Value

_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def wording(
    values: Mapping[str, Value], used: dict[str, Value] | None = None
) -> jinja2.Environment:
    """An environment whose templates read `values`, the entries of results/values by key.

    Functions that templates can call:

    - `value(key)`: an entry. Raises `LookupError` if the run has none of this key. The entry is
      added to `used`.
    - `count(pattern)`: the number of keys that match the pattern and whose entry has a value that
      is not None; `*` stands for any characters. Adds nothing to `used`.

    Filters that print:

    - `percent` and `decimals(2)`, of an entry or a number: `54%`, `0.54`.
    - `interval(2)` and `k_of_n`, of an entry: `0.52 to 0.56`, `4 of 7`.
    - `in_words`, of a whole number that is not negative: `none` for 0, `four`, `11` from eleven on.
    """

    def value(key: str) -> Value:
        if key not in values:
            raise LookupError(
                f"no value '{key}' in results/values; "
                "correct the name, or take a run that has this value"
            )
        if used is not None:
            used[key] = values[key]
        return values[key]

    def count(pattern: str) -> int:
        matching = fnmatch.filter(values, pattern)
        return sum(values[key]["value"] is not None for key in matching)

    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - Markdown, typst
    )
    environment.globals["value"] = value
    environment.globals["count"] = count
    environment.filters["percent"] = _percent
    environment.filters["decimals"] = _decimals
    environment.filters["interval"] = _interval
    environment.filters["k_of_n"] = _k_of_n
    environment.filters["in_words"] = _in_words
    return environment


def _percent(entry: Value | float) -> str:
    return f"{100 * _number(entry):.0f}%"


def _decimals(entry: Value | float, places: int) -> str:
    return f"{_number(entry):.{places}f}"


def _interval(entry: Value, places: int) -> str:
    return f"{entry['low']:.{places}f} to {entry['high']:.{places}f}"


def _k_of_n(entry: Value) -> str:
    return f"{entry['value']:.0f} of {entry['n']}"


def _in_words(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def _number(entry: Value | float) -> float:
    """The value of an entry, or the number itself."""
    return float(entry["value"] if isinstance(entry, dict) else entry)
