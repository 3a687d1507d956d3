"""What clips, masks and paths leave of an element."""

from typing import Any

from mechaware.claims.reading.web.seen import Appearance, Style
from mechaware.claims.reading.web.styles.colours import BLACK, colours_within
from mechaware.claims.reading.web.styles.values import functions, length, split, words

LEAST_BOX = 2.0  # CSS pixels of height or width in which a clip shows something


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


def shape_is_empty(shape: Any, font: float) -> bool:
    """Whether a basic shape holds less than the least box, in an element of 100 x 100 pixels."""
    name, parts = shape.lower_name, split(shape.arguments)
    numbers = [one for token in parts[0] if (one := length([token], font, 100.0)) is not None]
    if name == "inset" and numbers:
        four = [
            numbers[index] if index < len(numbers) else numbers[max(index - 2, 0) % len(numbers)] for index in range(4)
        ]
        return four[0] + four[2] > 100 - LEAST_BOX or four[1] + four[3] > 100 - LEAST_BOX
    if name in ("xywh", "rect") and len(numbers) >= 4:
        sizes = numbers[2:4] if name == "xywh" else [numbers[2] - numbers[0], numbers[1] - numbers[3]]
        return min(sizes) < LEAST_BOX
    if name in ("circle", "ellipse"):
        return bool(numbers) and min(numbers[:2] if name == "ellipse" else numbers[:1]) < LEAST_BOX / 2
    if name == "polygon":
        points = [[length([token], font, 100.0) or 0.0 for token in part if token.type != "ident"] for part in parts]
        corners = [point for point in points if len(point) == 2]
        twice = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, corners[1:] + corners[:1], strict=True))
        return abs(twice) / 2 < LEAST_BOX**2
    return False
