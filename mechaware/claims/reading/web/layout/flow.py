"""How far down and to the right the text of a page lies at the least, and which clips therefore cut it off.

Blocks are stacked one below the other, margins collapsed; text takes as many lines as it has forced breaks and letters
for. Lines have bounds, since letters are not measured. Flex boxes, grids, tables and columns have no upper bound, so
that nothing in them is cut off by a box that grows with its content.
"""

import math
from typing import Any, NamedTuple

from mechaware.claims.reading.web.furniture import CODE
from mechaware.claims.reading.web.layout.clips import edges_of
from mechaware.claims.reading.web.measures import Style, arranges, border, edge
from mechaware.claims.reading.web.seen import Appearance
from mechaware.claims.reading.web.values.lengths import HEIGHT, functions, length, number, words

NARROW, WIDE = 0.3, 0.8  # bounds of the mean width of a letter, in font sizes
FLAT = 0.9  # of the estimated height of a line
UNKNOWN = {"img", "svg", "video", "canvas", "iframe", "object", "embed", "picture", "input", "select", "textarea", "hr"}
ROWS = {"table", "thead", "tbody", "tfoot"}
PARTS = {"tr", "ruby", "fieldset", "math", "button", "summary"}
KEPT = {"pre", "pre-wrap", "pre-line", "break-spaces", "preserve"}
CUTTING = {"hidden", "clip"}


class Extent(NamedTuple):
    """Bounds of the height of a box, and the margins that reach out of it, in CSS pixels."""

    low: float
    high: float
    before: float = 0.0
    after: float = 0.0


class Window(NamedTuple):
    """How far a clip lets an element be seen: down and up from its top, and to the right on the page."""

    down: float = math.inf
    up: float = math.inf
    right: float = math.inf
    smooth: bool = False  # the cut is marked by an ellipsis


class Place(NamedTuple):
    """A child or, where `child` is false, a text: of `holder` its tail, or of the element itself its beginning.

    `top` is how far down it begins at the least, `latest` at the most; `wrapped` counts the letters of the same lines
    before it.
    """

    top: float
    latest: float
    holder: Any
    child: bool
    wrapped: float


def stacked(element: Any, look: Appearance, looks: dict[Any, tuple[Appearance, Extent]]) -> tuple[list[Place], Extent]:
    """Where the texts and children of an element begin, below its padding, and how tall the element is."""
    if element.tag in UNKNOWN:
        return [], _sized(look, Extent(0.0, math.inf), 0.0)
    upright = element.tag in ROWS or _is_upright(look.style, [one.style for one, _ in looks.values()])
    if (arranges(look.style) and not upright) or element.tag in PARTS or _has_columns(look.style):
        lows = [extent.low for _, extent in looks.values()]
        loose = not arranges(look.style) and element.tag != "tr"
        places = [Place(0.0, math.inf, child, True, 0.0) for child in looks]
        return places, _sized(look, Extent(0.0 if loose else max(lows, default=0.0), math.inf), 0.0)
    column = _Column(look, blocked=upright or bool(CUTTING & set(words(look.style.get("overflow-y", ())))))
    column.high = math.inf if upright or look.slack else 0.0  # how wide a flexible box is is not known
    column.write(element, element.text)
    for child in element:
        if child.tag == "br":
            column.breaks += 1
        elif child in looks:
            column.put(child, *looks[child])
        elif isinstance(child.tag, str) and child.tag not in CODE:
            column.high = math.inf  # hidden, though it may take its place
        column.write(child, child.tail)
    return column.places, column.extent()


def _is_upright(style: Style, within: list[Style]) -> bool:
    """Whether a flex box or a grid sets its items below each other, in their order."""
    kinds = set(words(style.get("display", ())))
    if {"flex", "inline-flex"} & kinds:
        return words(style.get("flex-direction", ())) == ["column"] and not any("order" in one for one in within)
    placing = {"grid-area", "grid-row", "grid-column", "order"}
    columns = [token for token in style.get("grid-template-columns", ()) if words([token]) != ["none"]]
    areas = {"grid-auto-flow", "grid-template-areas", "grid"} & style.keys()
    free = not areas and not any(placing & one.keys() for one in within)
    return (
        bool({"grid", "inline-grid"} & kinds)
        and free
        and (not columns or (len(columns) == 1 and not functions(columns)))
    )


def _has_columns(style: Style) -> bool:
    """Whether text runs in columns, or from top to bottom."""
    counts = [token for name in ("columns", "column-count") for token in style.get(name, ())]
    return "writing-mode" in style or any(getattr(token, "value", 1) != 1 for token in counts)


class _Column:
    """A stack of blocks and lines while it grows."""

    def __init__(self, look: Appearance, *, blocked: bool) -> None:
        self.look, self.line = look, look.line * look.font
        self.places: list[Place] = []
        self.low = self.high = self.letters = 0.0
        self.breaks = 0
        self.margin: float | None = None  # below the last block; None before the first
        self.before = 0.0
        self.open_top = not blocked and not edge(look.style, "top", look.font, look.room)
        self.open_bottom = not blocked and not edge(look.style, "bottom", look.font, look.room)
        self.kept = bool(KEPT & look.white)
        self.wraps = not look.white & {"nowrap", "pre"}

    def write(self, holder: Any, text: str | None) -> None:
        if text and (text.strip() or self.kept):
            self._settle()
            self.places.append(Place(*self._top(), holder, False, self.letters))
            self.letters += len(text.strip())
            self.breaks += text.rstrip("\n").count("\n") if self.kept else 0

    def put(self, child: Any, look: Appearance, extent: Extent) -> None:
        position = look.box.position if look.box else "static"
        if position in ("absolute", "fixed"):
            self.places.append(Place(*self._top(), child, True, 0.0))
        elif look.inline or _is_inline(child, look.style):
            self._settle()
            self.places.append(Place(*self._top(), child, True, self.letters))
            self.letters += look.letters
            self.high += 0.0 if look.inline else extent.high
        elif {"left", "right"} & set(words(look.style.get("float", ()))):
            self._end_lines()
            self.places.append(Place(self.low, self.high, child, True, 0.0))
            self.low += extent.low if look.box and look.box.width >= 0.98 * self.look.room else 0.0
            self.high += extent.high
        else:
            self._end_lines()
            self._stack(child, extent)

    def _stack(self, child: Any, extent: Extent) -> None:
        if self.margin is None and self.open_top:
            self.before = extent.before
        else:
            gap = collapsed(self.margin or 0.0, extent.before)
            self.low, self.high = self.low + gap, self.high + gap
        self.places.append(Place(self.low, self.high, child, True, 0.0))
        self.low, self.high, self.margin = self.low + extent.low, self.high + extent.high, extent.after

    def _settle(self) -> None:
        """Begin lines below the margin of the last block."""
        if not self.letters and not self.breaks:
            self.low, self.high = self.low + (self.margin or 0.0), self.high + (self.margin or 0.0)
            self.margin = 0.0

    def _top(self) -> tuple[float, float]:
        """How far down the next letter lies, at the least and at the most."""
        least, most = (self.letters * rate * self.look.font // max(self.look.room, 1.0) for rate in (NARROW, WIDE))
        least = least if self.wraps else 0.0
        return self.low + max(self.breaks, least) * self.line * FLAT, self.high + (self.breaks + most) * self.line

    def _end_lines(self) -> None:
        if self.letters or self.breaks:
            least, most = (
                math.ceil(self.letters * rate * self.look.font / max(self.look.room, 1.0)) for rate in (NARROW, WIDE)
            )
            least = least if self.wraps else 1
            self.low += max(self.breaks, least) * self.line * FLAT
            self.high += (self.breaks + most) * self.line
            self.letters, self.breaks, self.margin = 0.0, 0, 0.0

    def extent(self) -> Extent:
        self._end_lines()
        after = self.margin or 0.0
        if not self.open_bottom:
            self.low, self.high, after = self.low + after, self.high + after, 0.0
        return _sized(self.look, Extent(self.low, self.high, self.before), after)


def _is_inline(element: Any, style: Style) -> bool:
    display = "".join(words(style.get("display", ())))
    return "inline" in display or (element.tag in UNKNOWN and "block" not in display)


def collapsed(first: float, second: float) -> float:
    """The margin that two adjoining ones make together."""
    return max(first, second, 0.0) + min(first, second, 0.0)


def _sized(look: Appearance, content: Extent, after: float) -> Extent:
    """The extent of the whole box, with its padding, borders and bounds."""
    style, font = look.style, look.font
    around = sum(edge(style, side, font, look.room) for side in ("top", "bottom"))
    low, high = content.low, content.high
    if look.box is not None and look.box.height is not None:
        low = high = look.box.height
        around = 0.0 if words(style.get("box-sizing", ())) == ["border-box"] and high > around else around
        after = 0.0
    clamp = number(style.get("-webkit-line-clamp", ()))
    if clamp and clamp >= 1 and any("box" in word for word in words(style.get("display", ()))):
        high = min(high, clamp * look.line * font)
        low = min(low, high)
    least, most = (length(style.get(f"{bound}-height", ()), font, math.nan) for bound in ("min", "max"))
    if most is not None and most == most:
        low, high = min(low, most), min(high, most)
    if least is not None and least == least:
        low, high = max(low, least), max(high, least)
    margins = [length(style.get(f"margin-{side}", ()), font, look.room) or 0.0 for side in ("top", "bottom")]
    return Extent(
        max(low, 0.0) + around, high + around, collapsed(margins[0], content.before), collapsed(margins[1], after)
    )


def narrowed(element: Any, look: Appearance, extent: Extent, window: Window) -> Window:
    """The window that an element leaves for its content; its top is that of the element."""
    style = look.style
    if element.tag in ("html", "body") or look.inline:
        return window
    down, right = (set(words(style.get(f"overflow-{axis}", ()))) for axis in ("y", "x"))
    within = bool({"paint", "strict", "content"} & set(words(style.get("contain", ()))))
    bare = words(style.get("scrollbar-width", ())) == ["none"]
    smooth = "ellipsis" in words(style.get("text-overflow", ())) or "-webkit-line-clamp" in style
    if {"auto", "scroll", "overlay"} & (down | right) and not bare:
        return Window()
    if (down & CUTTING or within or (down & {"auto", "scroll"})) and extent.high < HEIGHT:
        window = Window(min(window.down, extent.high), min(window.up, 0.0), window.right, smooth)
    for shape in functions(style.get("clip-path", ())) if look.box else ():
        edges = edges_of(shape, look.font, (look.box.width, extent.high)) if extent.high < HEIGHT else None
        window = window._replace(down=min(window.down, edges[2])) if edges else window
    if (right & CUTTING or within) and look.box and (not look.slack or "width" in style):
        start = look.box.x + border(style, "left", look.font)
        padding = sum(length(style.get(f"padding-{side}", ()), look.font, 0.0) or 0.0 for side in ("left", "right"))
        window = window._replace(right=min(window.right, start + padding + look.box.width), smooth=smooth)
    return window


def letters_seen(text: str, look: Appearance, window: Window, place: Place) -> int:
    """How many letters of a text may be seen at most where it begins."""
    line = max(look.line * look.font * FLAT, 1.0)
    lines = math.inf if window.down == math.inf else math.ceil((window.down - place.top) / line - 0.3)
    if lines <= 0:
        return 0
    seen = len(text)
    if lines < math.inf:
        wrapped = lines * look.room / (NARROW * look.font or 1.0) - place.wrapped
        seen = len("\n".join(text.split("\n")[: int(lines)])) if KEPT & look.white else math.ceil(wrapped)
    if look.white == {"nowrap"} and window.right < math.inf:
        across = max(window.right - look.left - max(look.indent, 0.0), 0.0)
        seen = min(seen, math.ceil(across / (NARROW * look.font or 1.0) - place.wrapped))
    return max(seen, 0)


def moved(look: Appearance) -> float:
    """How far down an element is moved from its place in the flow, at the least."""
    down = look.shift
    if look.inline and (raised := length(look.style.get("vertical-align", ()), look.font, look.font)):
        down -= raised
    return down


def cut_off(look: Appearance, extent: Extent, window: Window, place: Place, within: Appearance) -> bool:
    """Whether a child of `within` that begins at a place lies outside of its window."""
    above = place.latest + moved(look) + extent.high + window.up <= 0.3 * look.font
    below = window.down - place.top - moved(look) <= 0.3 * look.font
    return above or below or look.left >= window.right > within.left
