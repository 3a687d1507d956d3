"""Which conditions of style sheets hold where a page is read: a screen of 1280 x 800 CSS pixels, light, with a mouse.

The answer is None where it is not known: both are then possible.
"""

import operator
import re
from collections.abc import Callable
from typing import Any

from mechaware.claims.reading.web.values.lengths import HEIGHT, WIDTH

TYPES = {"all": True, "screen": True, "print": False, "speech": False, "aural": False, "tty": False, "tv": False}
TYPES |= dict.fromkeys(("braille", "embossed", "handheld", "projection"), False)
KEYWORDS = {
    "orientation": "landscape", "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference",
    "prefers-contrast": "no-preference", "hover": "hover", "any-hover": "hover", "pointer": "fine",
    "any-pointer": "fine", "scripting": "enabled", "display-mode": "browser", "forced-colors": "none",
    "color-gamut": "srgb", "update": "fast", "dynamic-range": "standard", "video-dynamic-range": "standard",
    "overflow-block": "scroll", "overflow-inline": "scroll", "prefers-reduced-transparency": "no-preference",
    "prefers-reduced-data": "no-preference", "inverted-colors": "none", "scan": "progressive",
}  # fmt: skip
NONE = {"none", "no-preference"}  # what makes a feature without a value false
NUMBERS = {
    "width": WIDTH, "device-width": WIDTH, "height": HEIGHT, "device-height": HEIGHT, "aspect-ratio": WIDTH / HEIGHT,
    "device-aspect-ratio": WIDTH / HEIGHT, "resolution": 1.0, "-webkit-device-pixel-ratio": 1.0, "color": 8.0,
    "monochrome": 0.0, "color-index": 0.0, "grid": 0.0,
}  # fmt: skip
UNITS = {"px": 1.0, "em": 16.0, "rem": 16.0, "pt": 4 / 3, "pc": 16.0, "cm": 96 / 2.54, "mm": 9.6 / 2.54}
UNITS |= {"q": 2.4 / 2.54, "in": 96.0, "dpi": 1 / 96, "dpcm": 2.54 / 96, "dppx": 1.0, "x": 1.0, "vw": 12.8, "vh": 8.0}
COMPARISONS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "=": operator.eq}
FLIPPED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "=": "="}
Test = Callable[[Any], bool | None]


def all_of(answers: list[bool | None]) -> bool | None:
    """Whether all hold, where some are not known."""
    return False if False in answers else None if None in answers else True


def any_of(answers: list[bool | None]) -> bool | None:
    """Whether any holds, where some are not known."""
    return True if True in answers else None if None in answers else False


def media_matches(queries: str) -> bool | None:
    """Whether one of the queries, separated by commas, holds. An empty query holds; None where it is not known."""
    parts = re.split(r",(?![^(]*\))", queries.lower())
    return not queries.strip() or any_of([_query(query.strip()) for query in parts])


def _query(query: str) -> bool | None:
    if not query:
        return False
    negated = query.startswith("not ") and not query[4:].lstrip().startswith("(")
    answer = combined(query[4:] if negated else query.removeprefix("only "), _feature)
    return (None if answer is None else not answer) if negated else answer


def combined(text: str, test: Test) -> bool | None:
    """The answer for a condition with `not`, `and`, `or` and brackets, from the answers for its parts."""
    text = text.strip()
    if text.startswith("not") and text[3:4] in (" ", "(", "\n", "\t"):
        answer = combined(text[3:], test)
        return None if answer is None else not answer
    for word, join in (("or", any_of), ("and", all_of)):
        parts = _outside(text, word)
        if len(parts) > 1:
            return join([combined(part, test) for part in parts])
    if text.startswith("(") and _closes(text) == len(text) - 1:
        inner = text[1:-1].strip()
        return combined(inner, test) if re.match(r"\(|not\b", inner) else test(text)
    return test(text)


def _outside(text: str, word: str) -> list[str]:
    """The parts of a text between a word that stands outside of all brackets."""
    parts, depth, start = [], 0, 0
    for match in re.finditer(rf"[()]|(?<![\w-]){word}(?![\w-])", text):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if match[0] == word and depth == 0:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]


def _closes(text: str) -> int:
    depth = 0
    for place, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return place
    return -1


def _feature(condition: str) -> bool | None:
    if not condition.startswith("("):
        return TYPES.get(condition)
    feature = condition[1:-1].strip()
    if match := re.fullmatch(r"(min-|max-)?([\w-]+)\s*:\s*(.+)", feature):
        bound, name, value = match.groups()
        name = "-webkit-device-pixel-ratio" if name.endswith("device-pixel-ratio") else name
        if name in KEYWORDS:
            return KEYWORDS[name] == value
        return _compares(name, {"min-": ">=", "max-": "<=", None: "="}[bound], value)
    if match := re.fullmatch(r"(?:([^<>=]+)(<=|>=|<|>|=))?\s*([a-z-]+)\s*(?:(<=|>=|<|>|=)([^<>=]+))?", feature):
        low, left, name, right, high = match.groups()
        if not left and not right:
            known = name in KEYWORDS or name in NUMBERS
            return (KEYWORDS.get(name, "") not in NONE and bool(NUMBERS.get(name, 1))) if known else None
        after = _compares(name, right, high) if right else True
        return all_of([after, _compares(name, FLIPPED[left], low) if left else True])
    return None


def _compares(name: str, comparison: str, value: str) -> bool | None:
    value = re.sub(r"^calc\((.*)\)$", r"\1", value.strip())
    match = re.fullmatch(r"\s*(-?[\d.]+)\s*(?:/\s*([\d.]+)|([a-z]+))?\s*", value)
    if not match or name not in NUMBERS or (match[3] or "px") not in UNITS:
        return None
    try:
        number = float(match[1]) / float(match[2] or 1) * UNITS[match[3] or "px"]
    except (ValueError, ZeroDivisionError):
        return None
    return bool(COMPARISONS[comparison](NUMBERS[name], number))
