"""Lengths, colours and transformations of CSS as numbers."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import tinycss2
from jaxtyping import Float
from tinycss2.color4 import parse_color

from mechaware.claims.reading.web.media import HEIGHT, WIDTH

Tokens = Sequence[Any]
PIXELS = {
    "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 9.6 / 2.54, "q": 2.4 / 2.54, "rem": 16.0,
    "vw": WIDTH / 100, "vh": HEIGHT / 100, "vi": WIDTH / 100, "vb": HEIGHT / 100, "vmin": HEIGHT / 100,
    "vmax": WIDTH / 100,
}  # fmt: skip
IN_EM = {"em": 1.0, "ex": 0.5, "ch": 0.5, "lh": 1.2, "ic": 1.0, "cap": 0.7}
TURNS = {"deg": 1 / 360, "grad": 1 / 400, "rad": 0.5 / math.pi, "turn": 1.0}
# From CIE XYZ under two white points to linear red, green and blue of sRGB (CSS Color 4, section 17).
FROM_D65 = np.array([[3.2410, -1.5374, -0.4986], [-0.9692, 1.8760, 0.0416], [0.0556, -0.2040, 1.0570]])
FROM_D50 = np.array([[3.1339, -1.6169, -0.4906], [-0.9788, 1.9161, 0.0335], [0.0719, -0.2290, 1.4052]])
DEEPEST = 16  # brackets in brackets


class Colour(NamedTuple):
    """A colour in linear red, green and blue, and its opacity."""

    rgb: Float[np.ndarray, " 3"]
    alpha: float

    def over(self, ground: Float[np.ndarray, " 3"], opacity: float = 1.0) -> Float[np.ndarray, " 3"]:
        """The colour on an opaque one. Browsers mix the colours of sRGB as they are written."""
        alpha = self.alpha * opacity
        return linear(alpha * encoded(self.rgb) + (1 - alpha) * encoded(ground))


def linear(shades: Float[np.ndarray, " 3"]) -> Float[np.ndarray, " 3"]:
    """Linear light of sRGB shades, both from 0 to 1."""
    return np.where(shades <= 0.04045, shades / 12.92, ((shades + 0.055) / 1.055) ** 2.4)


def encoded(light: Float[np.ndarray, " 3"]) -> Float[np.ndarray, " 3"]:
    """The inverse of `linear`."""
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055)


def colour(tokens: Tokens, current: Colour) -> Colour | None:
    """The colour that one of the tokens is; None if none is one."""
    for token in tokens:
        parsed = parse_color(token)
        if parsed == "currentcolor":
            return current
        if parsed is not None:
            return Colour(np.clip(_light(parsed), 0, 1), float(parsed.alpha))
        if token.type == "function" and token.lower_name in ("color-mix", "light-dark"):
            return _mixed(token, current)
    return None


def _mixed(function: Any, current: Colour) -> Colour | None:
    """The first of two colours by light, or the mixture of two in sRGB, in equal parts if no share is given."""
    parts = [part for part in split(function.arguments) if colour(part, current)]
    mixed = [each for part in parts if (each := colour(part, current))]
    if len(mixed) < 2 or function.lower_name == "light-dark":
        return next(iter(mixed), None)
    shares = [[token.value / 100 for token in part if token.type == "percentage"] for part in parts]
    first = shares[0][0] if shares[0] else 1 - shares[1][0] if shares[1] else 0.5
    alpha = first * mixed[0].alpha + (1 - first) * mixed[1].alpha
    return Colour(linear(first * encoded(mixed[0].rgb) + (1 - first) * encoded(mixed[1].rgb)), alpha)


def _light(parsed: Any) -> Float[np.ndarray, " 3"]:
    """A colour of tinycss2 in linear red, green and blue of sRGB; those of wider spaces are taken as sRGB."""
    if parsed.space in ("lab", "lch"):
        return np.asarray(FROM_D50 @ np.array(parsed.to("xyz-d50").coordinates))
    if parsed.space in ("oklab", "oklch"):
        return np.asarray(FROM_D65 @ np.array(parsed.to("xyz-d65").coordinates))
    shades = np.array(
        [part or 0.0 for part in (parsed.to("srgb") if parsed.space in ("hsl", "hwb") else parsed).coordinates]
    )
    if parsed.space.startswith("xyz"):
        return np.asarray((FROM_D50 if parsed.space == "xyz-d50" else FROM_D65) @ shades)
    return shades if parsed.space == "srgb-linear" else linear(np.clip(shades, 0, 1))


def colours_within(tokens: Tokens, current: Colour) -> Iterator[Colour]:
    """All colours of the tokens, those of a gradient included."""
    for token in tokens:
        if found := colour([token], current):
            yield found
        elif token.type == "function":
            yield from colours_within(token.arguments, current)


def length(tokens: Tokens, em: float, whole: float) -> float | None:
    """A length in CSS pixels, from the font size and the length that 100% is; None if it is none."""
    parts = [token for token in tokens if token.type not in ("whitespace", "comment")]
    return _sum(parts, em, whole, DEEPEST) if parts else None


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
        unit = token.lower_unit
        if unit[-2:] in ("vw", "vh"):  # of a small, large or dynamic window
            unit = unit[-2:]
        scale = em * IN_EM[unit] if unit in IN_EM else PIXELS.get(unit)
        return None if scale is None else float(token.value) * scale
    if token.type == "() block" and depth:
        return _sum(_bare(token.content), em, whole, depth - 1)
    if token.type == "function" and depth:
        values = [_sum(part, em, whole, depth - 1) for part in split(token.arguments)]
        known = [value for value in values if value is not None]
        if not known or len(known) < len(values):
            return None
        if token.lower_name == "clamp" and len(known) == 3:
            return max(known[0], min(known[1], known[2]))
        return {"calc": known[0], "min": min(known), "max": max(known)}.get(token.lower_name)
    return None


def _bare(tokens: Tokens) -> list[Any]:
    return [token for token in tokens if token.type not in ("whitespace", "comment")]


def split(tokens: Tokens, mark: str = ",") -> list[list[Any]]:
    """Tokens between commas, without white space."""
    parts: list[list[Any]] = [[]]
    for token in _bare(tokens):
        if token.type == "literal" and token.value == mark:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


class Transform(NamedTuple):
    """How a transformation scales, the smaller way, and where it moves, in CSS pixels."""

    scale: float = 1.0
    x: float = 0.0
    y: float = 0.0


def transform(tokens: Tokens, em: float) -> Transform:
    """What a list of transformations does; a percentage is of a box of 600 x 100 pixels, for sizes are not known."""
    across, down, x, y = 1.0, 1.0, 0.0, 0.0
    for token in tokens:
        if token.type != "function":
            continue
        name = token.lower_name
        arguments = split(token.arguments)
        numbers = [
            length(part, em, 600.0 if index == 0 and name != "translatey" else 100.0) or 0.0
            for index, part in enumerate(arguments)
        ]
        turn = math.cos(2 * math.pi * _turns(arguments[0])) if arguments[0] else 1.0
        if name in ("scale", "scale3d", "scalex", "scaley"):
            numbers = [_share(part) for part in arguments]
            across *= 1.0 if name == "scaley" else numbers[0]
            down *= numbers[min(1, len(numbers) - 1)] if name != "scalex" else 1.0
        elif name in ("translate", "translate3d", "translatex", "translatey"):
            x += across * (0.0 if name == "translatey" else numbers[0])
            y += down * (
                numbers[0] if name == "translatey" else numbers[1] if len(numbers) > 1 and name != "translatex" else 0.0
            )
        elif name == "matrix" and len(numbers) == 6:
            across *= math.hypot(numbers[0], numbers[1])
            down *= math.hypot(numbers[2], numbers[3])
            x, y = x + numbers[4], y + numbers[5]
        elif name in ("rotatex", "rotatey"):
            across, down = across * (turn if name == "rotatey" else 1.0), down * (turn if name == "rotatex" else 1.0)
    return Transform(min(abs(across), abs(down)), x, y)


def _share(part: Tokens) -> float:
    token = part[0] if part else None
    if token is None or token.type not in ("number", "percentage"):
        return 1.0
    return float(token.value) / (100 if token.type == "percentage" else 1)


def _turns(part: Tokens) -> float:
    token = part[0]
    return float(token.value) * TURNS.get(token.lower_unit, 0.0) if token.type == "dimension" else 0.0


def share(tokens: Tokens) -> float | None:
    """A number, or a percentage as a number; None if it is neither."""
    bare = _bare(tokens)
    if len(bare) != 1 or bare[0].type not in ("number", "percentage"):
        return length(bare, 0.0, 1.0) if bare else None
    return _share(bare)


def words(tokens: Tokens) -> list[str]:
    """The keywords among some tokens, in lower case."""
    return [token.lower_value for token in tokens if token.type == "ident"]


def written(text: str) -> list[Any]:
    """The tokens of a value that is no part of a style sheet."""
    return list(tinycss2.parse_component_value_list(text))
