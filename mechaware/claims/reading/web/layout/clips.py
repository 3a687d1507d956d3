"""What clips, masks and paths leave of an element."""

import math
from itertools import takewhile
from typing import Any

import numpy as np

from mechaware.claims.reading.web.measures import Style
from mechaware.claims.reading.web.seen import Appearance
from mechaware.claims.reading.web.values.colours import BLACK, colours_within
from mechaware.claims.reading.web.values.lengths import functions, length, split, words

LEAST_BOX = 2.0  # CSS pixels of height or width in which a clip shows something
POINTS = 64  # along each side of a box, where shapes are sampled


def is_unclear(style: Style, own: Appearance) -> bool:
    """Whether a mask, a clip or a path does what is not known here."""
    pictures = [token for token in style.get("mask-image", ()) if token.type in ("url", "function")]
    if any(token.type == "url" or "gradient" not in token.lower_name for token in pictures):
        return True
    sizes = [length([token], own.font, 100.0) for token in style.get("mask-size", ())] if pictures else []
    if any(size is not None and size < 50 for size in sizes):
        return True
    shapes = [token for token in style.get("clip-path", ()) if token.type in ("url", "function")]
    if any(token.type == "url" or token.lower_name in ("path", "shape", "url") for token in shapes):
        return True
    return "offset-path" in style and words(style["offset-path"]) != ["none"]


def is_masked(style: Style, own: Appearance) -> bool:
    """Whether a mask lets nothing through."""
    mask = functions(style.get("mask-image", ()))
    within = [one for token in mask for one in colours_within(token.arguments, BLACK)]
    empty = any(length([token], own.font, 100.0) == 0 for token in style.get("mask-size", ()))
    return bool(within) and (empty or all(one.alpha < 0.05 for one in within))


def shape_is_empty(shape: Any, font: float, size: tuple[float, float]) -> bool:
    """Whether a basic shape shows less than the least box of an element of this width and height."""
    inside = _inside(shape, font, size)
    return inside is not None and bool(inside.mean() * size[0] * size[1] < LEAST_BOX**2)


def _inside(shape: Any, font: float, size: tuple[float, float]) -> Any:
    """Which points of a grid over a box lie in a shape; None if the shape is not known."""
    name, parts = shape.lower_name, split(shape.arguments)
    x, y = np.meshgrid(*((np.arange(POINTS) + 0.5) / POINTS * side for side in size))
    if name in ("inset", "xywh", "rect"):
        edges = edges_of(shape, font, size)
        return edges and (y > edges[0]) & (x < edges[1]) & (y < edges[2]) & (x > edges[3])
    if name in ("circle", "ellipse"):
        return _round(name, parts[0], font, size, x, y)
    if name == "polygon":
        points = [_pair([token for token in part if token.type != "ident"], font, size) for part in parts]
        corners = [point for point in points if point]
        inside = np.zeros_like(x, dtype=bool)
        for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1], strict=True):
            crosses = (y1 > y) != (y2 > y)
            inside ^= crosses & (x < (x2 - x1) * (y - y1) / ((y2 - y1) or 1.0) + x1)
        return inside if corners else None
    return None


def _pair(tokens: list[Any], font: float, size: tuple[float, float]) -> tuple[float, float] | None:
    values = [length([token], font, side) for token, side in zip(tokens, size, strict=False)]
    return (values[0], values[1]) if len(values) == 2 and None not in values else None  # type: ignore[return-value]


def edges_of(shape: Any, font: float, size: tuple[float, float]) -> list[float] | None:
    """The upper, right, lower and left edge of a rectangular shape, from the upper left corner of a box; else None."""
    name, tokens = shape.lower_name, split(shape.arguments)[0]
    if name not in ("inset", "xywh", "rect"):
        return None
    whole = (size[0], size[1], size[0], size[1]) if name == "xywh" else (size[1], size[0], size[1], size[0])
    before = list(takewhile(lambda token: token.type != "ident" or token.lower_value == "auto", tokens))
    four = [before[index] if index < len(before) else before[max(index - 2, 0) % len(before)] for index in range(4)]
    sides = [length([token], font, side) for token, side in zip(four, whole, strict=True)] if before else [None]
    if None in sides:
        return None
    a, b, c, d = (side or 0.0 for side in sides)
    if name == "xywh":
        return [b, a + c, b + d, a]
    return [a, b, c, d] if name == "rect" else [a, size[0] - b, size[1] - c, d]


def _round(name: str, tokens: list[Any], font: float, size: tuple[float, float], x: Any, y: Any) -> Any:
    at = next((index for index, token in enumerate(tokens) if words([token]) == ["at"]), len(tokens))
    diagonal = math.hypot(*size) / math.sqrt(2)
    wholes = (diagonal, diagonal) if name == "circle" else size
    radii = [length([token], font, whole) for token, whole in zip(tokens[:at], wholes, strict=False)]
    middle = (size[0] / 2, size[1] / 2)
    centre = (_pair(tokens[at + 1 :], font, size) if at < len(tokens) else middle) or middle
    if not radii or None in radii:
        return None
    across, down = (max(radius or 0.0, 1e-6) for radius in (radii[0], radii[-1]))
    return ((x - centre[0]) / across) ** 2 + ((y - centre[1]) / down) ** 2 < 1
