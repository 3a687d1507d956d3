"""Which text of a web page its styles show. Sizes of boxes are not known: nothing is laid out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from mechaware.claims.reading.contrast import distinct
from mechaware.claims.reading.web.media import HEIGHT, WIDTH
from mechaware.claims.reading.web.values import (
    Colour,
    Tokens,
    Transform,
    colour,
    colours_within,
    length,
    share,
    split,
    transform,
    words,
)
from mechaware.claims.rubric.text_flags import HiddenReason

Style = Mapping[str, Tokens]
BLACK, WHITE = Colour(np.zeros(3), 1.0), np.ones(3)
LEAST_SIZE = 3.2  # CSS pixels: the 2.4 points at which letters of a PDF are too small
LEAST_BOX = 2.0  # CSS pixels of height or width in which a cut box shows something
FAR_LEFT = 500.0  # CSS pixels beyond the left or upper edge
FAR_RIGHT, FAR_DOWN = 2 * WIDTH, 50 * HEIGHT  # pages may be scrolled there, but nobody does
NO_BOX = {"none", "table-column", "table-column-group"}
INLINE = {
    *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins"),
    *("kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u"),
    "var",
}
SIZES = {"xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0}
BLENDS: Mapping[str, Callable[[Any, Any], Any]] = {
    "multiply": lambda ground, ink: ground * ink,
    "screen": lambda ground, ink: ground + ink - ground * ink,
    "lighten": np.maximum,
    "darken": np.minimum,
    "difference": lambda ground, ink: np.abs(ground - ink),
    "exclusion": lambda ground, ink: ground + ink - 2 * ground * ink,
    "color-dodge": lambda ground, ink: np.where(ground == 0, 0, np.minimum(1, ground / np.maximum(1 - ink, 1e-6))),
    "color-burn": lambda ground, ink: np.where(ground == 1, 1, 1 - np.minimum(1, (1 - ground) / np.maximum(ink, 1e-6))),
    "overlay": lambda ground, ink: np.where(ground <= 0.5, 2 * ground * ink, 1 - 2 * (1 - ground) * (1 - ink)),
    "hard-light": lambda ground, ink: np.where(ink <= 0.5, 2 * ground * ink, 1 - 2 * (1 - ground) * (1 - ink)),
}


@dataclass(frozen=True)
class Appearance:
    """How the text of an element appears. `hidden` is the reason for which it and all within are not seen."""

    hidden: HiddenReason | None = None
    visible: bool = True
    ink: Colour = BLACK
    fill: Colour | None = None  # -webkit-text-fill-color
    grounds: tuple[Float[np.ndarray, " 3"], ...] | None = (WHITE,)  # one of them is behind the text; None: unknown
    painted: tuple[Colour, ...] = ()  # the background, where it is cut to the shape of the text
    opacity: float = 1.0
    blend: str = "normal"
    font: float = 16.0  # CSS pixels
    scale: float = 1.0
    indent: float = 0.0
    spacing: float = 0.0  # CSS pixels between letters
    line: float = 1.2  # height of a line in font sizes
    inline: bool = False
    variables: Mapping[str, Tokens] = field(default_factory=dict)

    def reason(self) -> HiddenReason | None:
        """Why the text that stands in the element itself is not seen; None if it is seen."""
        if self.hidden:
            return self.hidden
        if self.font * self.scale < LEAST_SIZE:
            return "tiny"
        if self.indent <= -FAR_LEFT or self.indent >= WIDTH:
            return "off page"
        piled = self.spacing <= -0.4 * self.font or (self.line < 0.2 and not self.inline)
        return "not visible" if not self.visible or piled or not self._contrasts() else None

    def _contrasts(self) -> bool:
        inks = self.painted or ((self.fill or self.ink),)
        if self.grounds is None:
            return any(ink.alpha * self.opacity > 0.1 for ink in inks)
        return any(self._differs(ink, ground) for ink in inks for ground in self.grounds)

    def _differs(self, ink: Colour, ground: Float[np.ndarray, " 3"]) -> bool:
        if self.blend in BLENDS:
            ink = Colour(np.clip(BLENDS[self.blend](ground, ink.rgb), 0, 1), ink.alpha)
        seen = ink.over(ground, self.opacity)
        return bool(distinct(seen[None], ground[None])[0])


def appearance(tag: str, style: Style, parent: Appearance) -> Appearance:
    """The appearance of an element with this style, the variables of CSS included, inside of another one."""
    style = {
        name: value for name, value in style.items() if words(value)[:1] not in (["unset"], ["revert"], ["initial"])
    }
    font = _font(style.get("font-size", ()), parent.font)
    own = replace(
        parent,
        font=font,
        variables={name: value for name, value in style.items() if name.startswith("--")},
        inline=tag in INLINE and words(style.get("display", ())) in ([], ["inline"]),
        painted=parent.painted,
    )
    own = _text(own, style, font)
    own = _colours(own, style, parent)
    moved = _transform(style, font)
    own = replace(own, scale=parent.scale * moved.scale)
    return replace(own, hidden=parent.hidden or _hidden(own, style, font, moved))


def covers(style: Style, own: Appearance) -> bool:
    """Whether an element with this style is laid over all of the element around it and lets nothing through."""
    ground = colour(style.get("background-color", ()), own.ink)
    if words(style.get("position", ())) != ["absolute"] or ground is None or ground.alpha * own.opacity < 0.9:
        return False
    start = [length(style.get(name, ()), own.font, 100.0) == 0 for name in ("left", "top")]
    end = [length(style.get(name, ()), own.font, 100.0) == 0 for name in ("right", "bottom")]
    span = [(length(style.get(name, ()), own.font, 100.0) or 0.0) >= 100 for name in ("width", "height")]
    return all(start) and all(at_end or whole for at_end, whole in zip(end, span, strict=True))


def _font(tokens: Tokens, around: float) -> float:
    named = words(tokens)
    if named:
        return SIZES.get(named[0], around * {"smaller": 0.83, "larger": 1.2}.get(named[0], 1.0))
    size = length(tokens, around, around)
    return around if size is None or size < 0 else size


def _text(own: Appearance, style: Style, font: float) -> Appearance:
    visibility = words(style.get("visibility", ()))
    if visibility and visibility != ["inherit"]:
        own = replace(own, visible=visibility == ["visible"])
    if "text-indent" in style:
        own = replace(own, indent=length(style["text-indent"][:1], font, WIDTH) or 0.0)
    if "letter-spacing" in style:
        own = replace(own, spacing=length(style["letter-spacing"], font, font) or 0.0)
    if "line-height" in style:
        tokens = style["line-height"]
        number = [token.value for token in tokens if token.type == "number"]
        height = length(tokens, font, font)
        own = replace(own, line=number[0] if number else 1.2 if height is None else height / max(font, 0.01))
    return own


def _colours(own: Appearance, style: Style, parent: Appearance) -> Appearance:
    ink = colour(style.get("color", ()), parent.ink) or parent.ink
    fill = colour(style.get("-webkit-text-fill-color", ()), ink) or parent.fill
    opacity = share(style.get("opacity", ()))
    for token in style.get("filter", ()):
        if token.type == "function" and token.lower_name == "opacity":
            opacity = (1.0 if opacity is None else opacity) * (share(token.arguments) or 0.0)
    blend = words(style.get("mix-blend-mode", ()))
    own = replace(
        own,
        ink=ink,
        fill=fill,
        opacity=parent.opacity * min(1.0, max(0.0, 1.0 if opacity is None else opacity)),
        blend=blend[0] if blend else parent.blend,
    )
    image, flat = style.get("background-image", ()), colour(style.get("background-color", ()), ink)
    within = [one for token in image if token.type == "function" for one in colours_within(token.arguments, ink)]
    if "text" in words(style.get("background-clip", ())):
        return replace(own, painted=tuple(within or ([flat] if flat else [])))
    grounds = own.grounds
    if flat is not None and grounds is not None:
        grounds = tuple(flat.over(ground, own.opacity) for ground in grounds)
    elif flat is not None and flat.alpha * own.opacity >= 1:
        grounds = (flat.rgb,)
    if within and grounds is not None:
        grounds = tuple(one.over(ground, own.opacity) for one in within for ground in grounds)
    return replace(own, grounds=None if _is_picture(image) else grounds)


def _is_picture(tokens: Tokens) -> bool:
    """Whether there is an image that has to be fetched: what it shows is not known."""
    addresses = [token.value for token in tokens if token.type == "url"]
    addresses += [
        token.arguments[0].value
        for token in tokens
        if token.type == "function"
        and token.lower_name == "url"
        and token.arguments
        and token.arguments[0].type == "string"
    ]
    return any(not address.lower().startswith("data:") for address in addresses)


def _transform(style: Style, font: float) -> Transform:
    moved = transform(style.get("transform", ()), font)
    scales = [value for part in style.get("scale", ()) if (value := share([part])) is not None]
    shifts = [length([part], font, 600.0) or 0.0 for part in style.get("translate", ())]
    zoom = share(style.get("zoom", ())) if "zoom" in style else None
    smallest = min((abs(scale) for scale in scales), default=1.0) * (1.0 if zoom is None else zoom)
    x, y = (*shifts, 0.0, 0.0)[:2]
    return Transform(moved.scale * smallest, moved.x + x, moved.y + y)


def _hidden(own: Appearance, style: Style, font: float, moved: Transform) -> HiddenReason | None:
    """Why nothing within the element can be seen."""
    position = words(style.get("position", ()))
    placed = bool(position) and position[0] in ("absolute", "fixed", "relative", "sticky")
    if NO_BOX & set(words(style.get("display", ()))) or words(style.get("content-visibility", ())) == ["hidden"]:
        return "not visible"
    if _is_off(style, font, moved, position[0] if placed else ""):
        return "off page"
    order = share(style.get("z-index", ())) if placed and not words(style.get("z-index", ())) else None
    out_of_line = position[:1] in (["absolute"], ["fixed"])
    cut = not own.inline or out_of_line or "float" in style
    behind = order is not None and order < 0
    return "not visible" if behind or _is_cut(style, font, cut, out_of_line) or _is_filtered(style, font) else None


def _is_off(style: Style, font: float, moved: Transform, position: str) -> bool:
    x = moved.x + (length(style.get("margin-left", ()), font, WIDTH) or 0.0)
    y = moved.y + (length(style.get("margin-top", ()), font, WIDTH) or 0.0)
    right, bottom = FAR_RIGHT, FAR_DOWN
    if position:
        x += length(style.get("left", ()), font, WIDTH) or -(length(style.get("right", ()), font, WIDTH) or 0.0)
        y += length(style.get("top", ()), font, HEIGHT) or -(length(style.get("bottom", ()), font, HEIGHT) or 0.0)
    if position == "fixed":
        right, bottom = WIDTH, HEIGHT
    return x <= -FAR_LEFT or y <= -FAR_LEFT or x >= right or y >= bottom


def _is_cut(style: Style, font: float, has_box: bool, out_of_line: bool) -> bool:
    """Whether the box, a clip, or a mask leaves nothing of the element."""
    sizes = (length(style.get(name, ()), font, WIDTH) for name in ("height", "width", "max-height", "max-width"))
    flat = any(size is not None and size < LEAST_BOX for size in sizes)
    overflow = set(words(style.get("overflow", ())))
    if has_box and flat and overflow & {"hidden", "clip", "auto", "scroll"}:
        return True
    for token in style.get("clip-path", ()):
        if token.type == "function" and _shape_is_empty(token, font):
            return True
    for token in style.get("clip", ()) if out_of_line else ():
        if token.type == "function" and token.lower_name == "rect":
            sides = [length([part], font, 0.0) for part in token.arguments if part.type in ("dimension", "number")]
            known = [side for side in sides if side is not None]
            if len(known) == 4 and (known[2] - known[0] < LEAST_BOX or known[1] - known[3] < LEAST_BOX):
                return True
    mask = [token for token in style.get("mask", ()) if token.type == "function"]
    within = [one for token in mask for one in colours_within(token.arguments, BLACK)]
    return bool(within) and all(one.alpha < 0.05 for one in within)


def _shape_is_empty(shape: Any, font: float) -> bool:
    """Whether a basic shape holds less than the least box, in an element of 600 x 100 pixels."""
    name, parts = shape.lower_name, split(shape.arguments)
    numbers = [number for token in parts[0] if (number := length([token], font, 100.0)) is not None]
    if name == "inset" and numbers:
        four = [
            numbers[index] if index < len(numbers) else numbers[max(index - 2, 0) % len(numbers)] for index in range(4)
        ]
        return four[0] + four[2] > 100 - LEAST_BOX or four[1] + four[3] > 100 - LEAST_BOX
    if name in ("circle", "ellipse"):
        return bool(numbers) and min(numbers[:2] if name == "ellipse" else numbers[:1]) < LEAST_BOX / 2
    if name == "polygon":
        points = [[length([token], font, 100.0) or 0.0 for token in part if token.type != "ident"] for part in parts]
        corners = [point for point in points if len(point) == 2]
        twice = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, corners[1:] + corners[:1], strict=True))
        return abs(twice) / 2 < LEAST_BOX**2
    return False


def _is_filtered(style: Style, font: float) -> bool:
    for token in style.get("filter", ()):
        if token.type == "function":
            name, amount = token.lower_name, share(token.arguments)
            if name == "blur" and (length(token.arguments, font, 0.0) or 0.0) > font / 2:
                return True
            if (name == "contrast" and amount is not None and amount < 0.1) or (
                name == "brightness" and (amount or 1) > 20
            ):
                return True
    return False
