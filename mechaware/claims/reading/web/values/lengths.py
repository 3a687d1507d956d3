"""Lengths and numbers of CSS, and the tokens that they are written in."""

import math
from collections.abc import Sequence
from typing import Any

import tinycss2

WIDTH, HEIGHT = 1280.0, 800.0  # of the screen, in CSS pixels
Tokens = Sequence[Any]
PIXELS = {
    "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 9.6 / 2.54, "q": 2.4 / 2.54, "rem": 16.0,
    "rex": 8.0, "rch": 8.0, "rlh": 19.2, "rcap": 11.2, "ric": 16.0,
    "w": WIDTH / 100, "h": HEIGHT / 100, "i": WIDTH / 100, "b": HEIGHT / 100, "min": HEIGHT / 100, "max": WIDTH / 100,
}  # fmt: skip
OF_WINDOW = ("cq", "v", "sv", "lv", "dv")  # of a window or a query container, by width, height and so on
IN_EM = {"em": 1.0, "ex": 0.5, "ch": 0.5, "lh": 1.2, "ic": 1.0, "cap": 0.7}
ANGLES = {"deg": math.pi / 180, "grad": math.pi / 200, "rad": 1.0, "turn": 2 * math.pi}
CONSTANTS = {"pi": math.pi, "e": math.e, "infinity": math.inf, "-infinity": -math.inf}
MATHEMATICS: dict[str, Any] = {
    "calc": lambda a: a, "min": min, "max": max, "clamp": lambda a, b, c: max(a, min(b, c)), "abs": abs,
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "atan2": math.atan2, "pow": math.pow, "sqrt": math.sqrt, "hypot": math.hypot, "exp": math.exp,
    "log": math.log, "mod": lambda a, b: a % b, "rem": math.fmod, "sign": lambda a: math.copysign(1.0, a) if a else 0.0,
    "round": lambda a, b=1.0: round(a / b) * b,
}  # fmt: skip
DEEPEST = 16  # brackets in brackets


def scale_of(unit: str, em: float) -> float | None:
    """The CSS pixels, or for an angle the radians, of one unit; None for another unit."""
    for window in OF_WINDOW:
        if unit.startswith(window) and unit[len(window) :] in ("w", "h", "i", "b", "min", "max"):
            return PIXELS[unit[len(window) :]]
    if len(unit) == 1 and unit != "q":
        return None
    return em * IN_EM[unit] if unit in IN_EM else PIXELS.get(unit, ANGLES.get(unit))


def length(tokens: Tokens, em: float, whole: float) -> float | None:
    """A length in CSS pixels, from the font size and the length that 100% is; None if it is none."""
    parts = bare(tokens)
    return _sum(parts, em, whole, DEEPEST) if parts else None


def number(tokens: Tokens) -> float | None:
    """A number, or a percentage as a number; None if it is neither."""
    return length(tokens, 0.0, 1.0)


def _sum(parts: Tokens, em: float, whole: float, depth: int) -> float | None:
    """The value of products that are added, from left to right."""
    total, sign, product = 0.0, 1.0, list[Any]()
    for part in [*parts, None]:
        literal = part.value if part is not None and part.type == "literal" else None
        if part is None or (literal in ("+", "-") and product):
            value = _product(product, em, whole, depth)
            if value is None:
                return None
            total += sign * value
            sign, product = -1.0 if literal == "-" else 1.0, []
        else:
            product.append(part)
    return total


def _product(parts: Tokens, em: float, whole: float, depth: int) -> float | None:
    result, divide = None, False
    for part in parts:
        if part.type == "literal" and part.value in ("*", "/"):
            divide = part.value == "/"
            continue
        value = _number(part, em, whole, depth)
        if value is None or (divide and not value):
            return None
        result = value if result is None else result / value if divide else result * value
    return result


def _number(token: Any, em: float, whole: float, depth: int) -> float | None:
    if token.type == "number":
        return float(token.value)
    if token.type == "percentage":
        return float(token.value) * whole / 100
    if token.type == "dimension":
        scale = scale_of(token.lower_unit, em)
        return None if scale is None else float(token.value) * scale
    if token.type == "ident":
        return CONSTANTS.get(token.lower_value) if depth < DEEPEST else None
    if token.type == "() block" and depth:
        return _sum(bare(token.content), em, whole, depth - 1)
    if token.type == "function" and depth and token.lower_name in MATHEMATICS:
        values = [_sum(part, em, whole, depth - 1) for part in split(token.arguments)]
        known = [value for value in values if value is not None]
        try:
            return float(MATHEMATICS[token.lower_name](*known)) if len(known) == len(values) else None
        except (ArithmeticError, ValueError, TypeError):
            return None
    return None


def bare(tokens: Tokens) -> list[Any]:
    """The tokens without white space and comments."""
    return [token for token in tokens if token.type not in ("whitespace", "comment")]


def split(tokens: Tokens, mark: str = ",") -> list[list[Any]]:
    """Tokens between commas, or between other marks, without white space."""
    parts: list[list[Any]] = [[]]
    for token in bare(tokens):
        if token.type == "literal" and token.value == mark:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def words(tokens: Tokens) -> list[str]:
    """The keywords among some tokens, in lower case."""
    return [token.lower_value for token in tokens if token.type == "ident"]


def functions(tokens: Tokens) -> list[Any]:
    """The functions among some tokens."""
    return [token for token in tokens if token.type == "function"]


def written(text: str) -> list[Any]:
    """The tokens of a value that is no part of a style sheet."""
    return list(tinycss2.parse_component_value_list(text))
