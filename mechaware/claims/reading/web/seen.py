"""How the text of an element appears by its styles: its size, its colours, what dims and filters it."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mechaware.claims.reading.contrast import distinct
from mechaware.claims.reading.web.measures import Style, arranges, border, clips, lengths_of
from mechaware.claims.reading.web.styles.grammar import SIZES
from mechaware.claims.reading.web.styles.longhands import UNCLEAR
from mechaware.claims.reading.web.values.blending import BLENDS, FILTERS, filtered
from mechaware.claims.reading.web.values.colours import (
    BLACK,
    DARK,
    Colour,
    Light,
    colour,
    colours_within,
    shade,
)
from mechaware.claims.reading.web.values.lengths import WIDTH, Tokens, functions, length, number, split, words
from mechaware.claims.rubric.text_flags import HiddenReason

WHITE = np.ones(3)
LEAST_SIZE = 3.2  # CSS pixels: the 2.4 points at which letters of a PDF are too small
FAR = 500.0  # CSS pixels beyond an edge, where the place of an element is not known better
LETTER = 0.5  # width of a letter in font sizes, on average
INLINE = {
    *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins"),
    *("kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u"),
    *("var", "button", "math"),
}
# Unclear values of these stay with the text within; those of the others hide the element and all within.
OF_TEXT = {"color", "-webkit-text-fill-color", "font-size", "visibility", "text-indent", "letter-spacing"}
OF_TEXT |= {"word-spacing", "line-height", "background-color", "background-image", "font-size-adjust"}
# Unclear values of these hide nothing by themselves.
HARMLESS = {"animation", "transition", "white-space", "float", "isolation", "box-sizing", "background-clip"}
HARMLESS |= {"background-size", "text-decoration-line", "text-decoration-thickness", "backdrop-filter", "padding-right"}


@dataclass(frozen=True)
class Appearance:
    """How the text of an element appears. `hidden` is the reason for which it and all within are not seen."""

    style: Style = field(default_factory=dict)
    hidden: HiddenReason | None = None
    white: frozenset[str] = frozenset()  # what becomes of white space
    fixed: bool = False  # in a table whose columns do not grow
    averted: bool = False  # turned so that its back is seen
    unclear: frozenset[str] = frozenset()
    visible: bool = True
    ink: Colour = BLACK
    fill: Colour | None = None  # -webkit-text-fill-color
    stroke: tuple[float, Colour | None] = (0.0, None)
    grounds: tuple[Light, ...] = (WHITE,)  # each is behind some of the text
    picture: bool = False  # one that was not fetched lies on the grounds
    dark: bool = False  # its scheme of colours
    painter: int = 0  # depth of the element whose background is the ground
    painted: tuple[Colour, ...] = ()  # the background, where it is cut to the shape of the text
    paint: float = 0.0  # how opaque the element's own background is
    tint: Colour | None = None  # its colour
    veils: tuple[Colour, ...] = ()  # what lies over the text and lets light through
    over: Any = None  # the block in which the text is placed, out of the flow
    opacity: float = 1.0
    blend: str = "normal"
    filters: tuple[tuple[str, float], ...] = ()
    ground_filters: int = 0  # how many of them the ground goes through, too
    font: float = 16.0  # CSS pixels
    adjust: float = 1.0
    scale: float = 1.0
    indent: float = 0.0
    spacing: float = 0.0  # CSS pixels between letters
    gap: float = 0.0  # CSS pixels between words
    line: float = 1.2  # height of a line in font sizes
    struck: bool = False
    inline: bool = False
    depth: int = 0
    letters: int = 0  # of all text within
    # Boxes: the left edge and the width of the content in CSS pixels, how much farther right it may begin.
    left: float = 0.0
    room: float = WIDTH
    slack: float = 0.0
    tall: float = 0.0  # of the text within, at least
    box: Any = None  # its `Box`
    shift: float = 0.0  # CSS pixels that it is moved down from its place in the flow
    edge_top: float = 0.0  # width of its padding and border
    block: Any = None  # the element against which boxes within are placed; None: the window
    block_left: float = 0.0
    block_room: float = WIDTH
    block_slack: float = 0.0
    # What is painted over what: tuples compare as the boxes lie, from below.
    context: tuple[tuple[float, int], ...] = ()
    flow: tuple[tuple[float, int], ...] = ()
    backed: bool = False  # a background within the stacking context lies behind

    def seen_as_set(self) -> bool:
        """Whether the element's own settings leave it visible at all, whatever its colours and its place are."""
        return not self.hidden and self.visible and self.opacity > 0

    def reason(self) -> HiddenReason | None:
        """Why the text that stands in the element itself is not seen; None if it is seen."""
        if self.hidden:
            return self.hidden
        if self.font * self.adjust * self.scale < LEAST_SIZE:
            return "tiny"
        width = self.letters * LETTER * self.font
        if self.indent >= WIDTH or self.indent <= -FAR or (self.indent < 0 and self.left + self.indent + width <= 0):
            return "off page"
        piled = self.spacing <= -0.4 * self.font or (
            self.line < 0.2 and not self.inline and (width > self.room or clips(self.style))
        )
        scattered = max(abs(self.spacing), abs(self.gap)) > 20 * self.font
        secret = words(self.style.get("-webkit-text-security", ())) not in ([], ["none"])
        if not self.visible or piled or self.struck or secret or (not self.picture and not self.contrasts()):
            return "not visible"
        if self.unclear or scattered:
            return "unclear style"
        return "over a picture" if self.picture and not self.contrasts() else None

    def contrasts(self) -> bool:
        """Whether the text differs from all that lies behind it."""
        inks = self.painted or ((self.fill or self.ink),)
        width, edge = self.stroke
        if edge is not None and width >= self.font / 8:
            inks = (edge,)
        return all(any(self._differs(ink, ground) for ink in inks) for ground in self.grounds)

    def _differs(self, ink: Colour, ground: Light) -> bool:
        if self.blend in BLENDS:
            ink = Colour(np.clip(BLENDS[self.blend](ground, ink.rgb), 0, 1), ink.alpha)
        ink = Colour(filtered(ink.rgb, self.filters), ink.alpha)
        ground = filtered(ground, self.filters[len(self.filters) - self.ground_filters :])
        seen = ink.over(ground, self.opacity)
        for veil in self.veils:
            seen, ground = veil.over(seen), veil.over(ground)
        return bool(distinct(seen[None], ground[None])[0])


def replace(look: Appearance, **changes: Any) -> Appearance:
    """The appearance with some fields changed, as `dataclasses.replace` gives it, in a tenth of the time."""
    other = object.__new__(Appearance)
    other.__dict__.update(look.__dict__, **changes)
    return other


def text_look(tag: str, style: Style, parent: Appearance, letters: int) -> Appearance:
    """The appearance of the text of an element with this style, inside of another one; its box is not looked at."""
    unclear = {name for name, value in style.items() if value is UNCLEAR}
    clear = {name: value for name, value in style.items() if value is not UNCLEAR}
    stays = {name for name in parent.unclear if name not in clear}
    own = replace(
        parent,
        style=clear,
        unclear=frozenset(stays | (unclear & OF_TEXT)),
        hidden=parent.hidden or ("unclear style" if unclear - OF_TEXT - HARMLESS else None),
        font=_font(clear.get("font-size", ()), parent.font),
        inline=tag in INLINE and words(clear.get("display", ())) in ([], ["inline"]) and not arranges(parent.style),
        paint=0.0,
        tint=None,
        depth=parent.depth + 1,
        letters=letters,
    )
    if "color-scheme" in clear:
        own = replace(own, dark="dark" in (scheme := words(clear["color-scheme"])) and "light" not in scheme)
    if tag == "html" and own.dark:
        canvas, text = (DARK[name] for name in ("canvas", "canvastext"))
        own = replace(own, grounds=(shade(canvas),), ink=Colour(shade(text), 1.0))
    return _colours(_dimmed(_letters(own, clear), clear), clear)


def _font(tokens: Tokens, around: float) -> float:
    named = words(tokens)
    if named:
        return SIZES.get(named[0], around * {"smaller": 0.83, "larger": 1.2}.get(named[0], 1.0))
    size = length(tokens, around, around)
    return around if size is None else max(0.0, size) if size == size else 0.0


def _letters(own: Appearance, style: Style) -> Appearance:
    font = own.font
    if "visibility" in style:
        own = replace(own, visible=words(style["visibility"]) == ["visible"])
    if "white-space" in style:
        own = replace(own, white=frozenset(words(style["white-space"])))
    if "text-indent" in style:
        own = replace(own, indent=length(style["text-indent"][:1], font, own.room) or 0.0)
    if "letter-spacing" in style:
        own = replace(own, spacing=length(style["letter-spacing"], font, font) or 0.0)
    if "word-spacing" in style:
        own = replace(own, gap=length(style["word-spacing"], font, font) or 0.0)
    if "font-size-adjust" in style:
        amount = [token.value for token in style["font-size-adjust"] if token.type == "number"]
        own = replace(own, adjust=amount[0] / 0.5 if amount else 1.0)
    if "line-height" in style:
        tokens = style["line-height"]
        plain = [token.value for token in tokens if token.type == "number"]
        height = length(tokens, font, font)
        own = replace(own, line=plain[0] if plain else 1.2 if height is None else height / max(font, 0.01))
    thick = length(style.get("text-decoration-thickness", ()), font, font) or 0.0
    lines = set(words(style.get("text-decoration-line", ())))
    return replace(own, struck=own.struck or (thick > font / 2 and bool(lines - {"none"})))


def _dimmed(own: Appearance, style: Style) -> Appearance:
    """What opacity, filters and modes of mixing do."""
    opacity = number(style.get("opacity", ()))
    opacity = 1.0 if opacity is None else opacity
    filters: list[tuple[str, float]] = []
    hidden = own.hidden
    for token in style.get("filter", ()):
        amount = number(getattr(token, "arguments", ())) if token.type == "function" else None
        if token.type == "url" or (token.type == "function" and token.lower_name == "url"):
            hidden = hidden or "unclear style"
        elif token.type == "function" and token.lower_name == "opacity":
            opacity *= 1.0 if amount is None else amount
        elif token.type == "function" and token.lower_name in FILTERS:
            filters.append((token.lower_name, 1.0 if amount is None else max(0.0, amount)))
        elif token.type == "function" and token.lower_name == "blur":
            blurred = (length(token.arguments, own.font, 0.0) or 0.0) > own.font / 3
            hidden = hidden or ("not visible" if blurred else None)
    blend = words(style.get("mix-blend-mode", ()))
    return replace(
        own,
        hidden=hidden,
        opacity=own.opacity * min(1.0, max(0.0, opacity)),
        filters=(*filters, *own.filters),
        blend=blend[0] if blend else own.blend,
    )


def _colours(own: Appearance, style: Style) -> Appearance:
    ink, fill = colour(style.get("color", ()), own.ink, own.dark) or own.ink, own.fill
    if "-webkit-text-fill-color" in style:
        current = words(style["-webkit-text-fill-color"]) == ["currentcolor"]
        fill = None if current else colour(style["-webkit-text-fill-color"], ink, own.dark) or fill
    width, edge = own.stroke
    if "-webkit-text-stroke-width" in style:
        width = length(style["-webkit-text-stroke-width"], own.font, 0.0) or 0.0
        edge = colour(style.get("-webkit-text-stroke-color", ()), ink, own.dark) or ink
    own = replace(own, ink=ink, fill=fill, stroke=(width, edge))
    image, flat = style.get("background-image", ()), colour(style.get("background-color", ()), ink, own.dark)
    within = [one for token in functions(image) for one in colours_within(token.arguments, ink, own.dark)]
    flat = _shadowed(own, style, ink) or flat
    if "text" in words(style.get("background-clip", ())):
        return replace(own, painted=tuple(within or ([flat] if flat else [])))
    return _grounded(own, flat, tuple(within), image)


def _shadowed(own: Appearance, style: Style, ink: Colour) -> Colour | None:
    """The colour of a shadow, or of borders, that fills the inside of a box."""
    for layer in split(style.get("box-shadow", ())):
        sizes = lengths_of(layer, own.font)
        if "inset" in words(layer) and len(sizes) > 3 and sizes[3] >= own.font:
            return colour(layer, ink, own.dark) or ink
    tall = length(style.get("height", ()), own.font, math.inf)
    framed = border(style, "top", own.font) + border(style, "bottom", own.font)
    if tall is not None and tall < own.font / 2 and framed >= own.font:
        return colour(style.get("border-top-color", ()), ink, own.dark) or ink
    return None


def _grounded(own: Appearance, flat: Colour | None, within: tuple[Colour, ...], image: Tokens) -> Appearance:
    """The appearance on a background of a colour, the colours of a gradient, and pictures."""
    grounds, picture, opaque = own.grounds, own.picture, 0.0
    if flat is not None and flat.alpha:
        own = replace(own, tint=Colour(flat.rgb, flat.alpha * own.opacity))
        grounds = tuple(flat.over(ground, own.opacity) for ground in grounds)
        opaque = flat.alpha * own.opacity
        picture = picture and opaque < 0.9
    if within:
        over = tuple(one.over(ground, own.opacity) for one in within for ground in grounds)
        sizes = own.style.get("background-size", ())
        part = any((length([token], own.font, 100.0) or 100.0) < 100 for token in sizes if token.type != "ident")
        part = part or any(length([token], own.font, 100.0) == 0 for token in sizes)
        grounds = (*over, *grounds) if part else over
        opaque = opaque if part else max(opaque, min(one.alpha for one in within) * own.opacity)
    if opaque >= 0.9:
        own = replace(own, painter=own.depth, ground_filters=len(own.filters))
        own = replace(own, unclear=own.unclear - {"background-color", "background-image"}, painted=())
    return replace(own, grounds=grounds[:64], picture=picture or _is_picture(image), paint=opaque)


def _is_picture(tokens: Tokens) -> bool:
    """Whether there is an image that would have to be fetched or decoded: what it shows is not known."""
    return any(
        token.type == "url" or (token.type == "function" and "gradient" not in token.lower_name) for token in tokens
    )
