"""Which media queries hold where the page is read: a screen of 1280 x 800 CSS pixels, light, with a mouse."""

import operator
import re

WIDTH, HEIGHT = 1280.0, 800.0
TYPES = {"all": True, "screen": True}
KEYWORDS = {
    "orientation": "landscape",
    "prefers-color-scheme": "light",
    "prefers-reduced-motion": "no-preference",
    "prefers-contrast": "no-preference",
    "hover": "hover",
    "any-hover": "hover",
    "pointer": "fine",
    "any-pointer": "fine",
    "scripting": "enabled",
    "display-mode": "browser",
}
NUMBERS = {
    "width": WIDTH,
    "device-width": WIDTH,
    "height": HEIGHT,
    "device-height": HEIGHT,
    "aspect-ratio": WIDTH / HEIGHT,
    "resolution": 1.0,
    "-webkit-device-pixel-ratio": 1.0,
    "color": 8.0,
    "monochrome": 0.0,
}
UNITS = {"px": 1.0, "em": 16.0, "rem": 16.0, "pt": 4 / 3, "cm": 37.8, "in": 96.0, "dpi": 1 / 96, "dppx": 1.0, "x": 1.0}
COMPARISONS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "=": operator.eq}
FLIPPED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "=": "="}


def media_matches(queries: str) -> bool:
    """Whether one of the queries, separated by commas, holds. An empty query holds; an unknown one does not."""
    return not queries.strip() or any(_query(query.strip().lower()) for query in queries.split(","))


def _query(query: str) -> bool:
    if query.startswith("not ") and not query.startswith("not ("):
        return not _query(query[4:].strip())
    if " or " in query:
        return any(_query(part.strip()) for part in query.split(" or "))
    return all(_condition(part.strip()) for part in re.split(r"\s+and\s+", query.removeprefix("only ")))


def _condition(condition: str) -> bool:
    if condition.startswith("not "):
        return not _condition(condition[4:].strip())
    if not condition.startswith("("):
        return TYPES.get(condition, False)
    feature = condition.strip("() \t\n")
    if match := re.fullmatch(r"(min-|max-)?([\w-]+)\s*:\s*(.+)", feature):
        bound, name, value = match.groups()
        name = "-webkit-device-pixel-ratio" if name.endswith("device-pixel-ratio") else name
        if name in KEYWORDS:
            return KEYWORDS[name] == value
        return _compares(name, {"min-": ">=", "max-": "<=", None: "="}[bound], value)
    if match := re.fullmatch(r"(?:([^<>=]+)(<=|>=|<|>|=))?\s*([a-z-]+)\s*(?:(<=|>=|<|>|=)([^<>=]+))?", feature):
        low, left, name, right, high = match.groups()
        if not left and not right:
            return bool(NUMBERS.get(name)) or name in KEYWORDS
        after = not right or _compares(name, right, high)
        return after and (not left or _compares(name, FLIPPED[left], low))
    return False


def _compares(name: str, comparison: str, value: str) -> bool:
    match = re.fullmatch(r"\s*(-?[\d.]+)\s*(?:/\s*([\d.]+)|([a-z]+))?\s*", value)
    if not match or name not in NUMBERS:
        return False
    try:
        number = float(match[1]) / float(match[2] or 1) * UNITS.get(match[3] or "px", 1.0)
    except (ValueError, ZeroDivisionError):
        return False
    return bool(COMPARISONS[comparison](NUMBERS[name], number))
