"""The graphics state of a PDF page, as far as it decides which text is visible."""

import copy
from dataclasses import dataclass, field
from typing import Any

from pypdf.generic import NameObject

from mechaware.claims.reading.pdf_graphics import (
    Box,
    Colour,
    Glyphs,
    Ground,
    Matrix,
    Outline,
    colour,
    first_colour,
    resolved,
    resource,
)

OPAQUE = 0.05  # an opacity below it shows nothing
BLACK: Colour = (0.0, 0.0, 0.0)
PATHS = {b"m": 2, b"l": 2, b"c": 6, b"v": 4, b"y": 4}
FILLS = {b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*"}
STROKES = {b"S", b"s", b"B", b"B*", b"b", b"b*"}
PATH_ENDS = {b"n"} | FILLS | STROKES
DARK = 0.7  # brightness of a field below which white text on it can be read
BROAD = 3.0  # points: a stroke that may cover what text stands on


@dataclass
class State:
    """The graphics state, as far as it decides whether text is visible. "f" stands for fills, "s" for strokes."""

    matrix: Matrix
    box: Box  # around the visible part of the page, after clipping
    box_is_exact: bool = True  # all of the box is visible
    blended: bool = False  # fields are mixed with those below them in a way that is not followed
    stroke_width: float = 1.0
    colours: dict[str, Colour | None] = field(default_factory=lambda: {"f": BLACK, "s": BLACK})  # fill, stroke
    spaces: dict[str, Any] = field(default_factory=dict)
    opacity: dict[str, float] = field(default_factory=lambda: {"f": 1.0, "s": 1.0})
    mode: int = 0
    glyphs: Glyphs | None = None
    size: float = 0.0
    stretch: float = 1.0
    character_space: float = 0.0
    word_space: float = 0.0
    leading: float = 0.0
    rise: float = 0.0
    hidden: bool = False  # inside a form that is not shown

    def saved(self) -> "State":
        """An independent copy."""
        other = copy.copy(self)
        other.colours, other.spaces, other.opacity = dict(self.colours), dict(self.spaces), dict(self.opacity)
        return other


@dataclass
class Stream:
    """A content stream that is being read: the page's own, or that of a form that it draws."""

    resources: Any
    state: State
    stack: list[State] = field(default_factory=list)
    layers: list[bool] = field(default_factory=list)  # for each open marked content, whether it is switched off
    path: Outline = field(default_factory=Outline)


class PdfPageState:
    """Follows the operators of a page into the forms that it draws: matrices, clipping, colours, layers, fields."""

    def __init__(self, page: Any, off_layers: frozenset[int]) -> None:
        scale = float(page.get("/UserUnit", 1.0))
        crop, media = ([float(edge) for edge in box] for box in (page.cropbox, page.mediabox))
        shown = Box.around([(crop[0], crop[1]), (crop[2], crop[3])]).within(
            Box.around([(media[0], media[1]), (media[2], media[3])])
        )
        everywhere = Box(*(scale * edge for edge in shown))
        self.off_layers = off_layers
        self.ground = Ground()
        self.streams = [Stream(page.get("/Resources"), State(Matrix(a=scale, d=scale), everywhere))]
        self._glyphs: dict[int, tuple[Any, Glyphs]] = {}

    @property
    def stream(self) -> Stream:
        """The innermost content stream."""
        return self.streams[-1]

    @property
    def state(self) -> State:
        """Its graphics state."""
        return self.streams[-1].state

    def leave(self) -> None:
        """Come back from a form."""
        self.streams.pop()

    def enter(self, name: Any) -> None:
        """Begin a form, or paint an image; either is left by `leave`."""
        stream, state = self.streams[-1], self.state.saved()
        form = resource(stream.resources, "/XObject", name)
        if form is not None and form.get("/Subtype") == "/Form":
            state.matrix = Matrix(*map(float, resolved(form.get("/Matrix", Matrix())))).before(state.matrix)
            if (bounds := resolved(form.get("/BBox"))) is not None:
                corners = Box(*map(float, bounds)).corners()
                state.box = Box.around([state.matrix.point(*corner) for corner in corners]).within(state.box)
                state.box_is_exact &= state.matrix.is_upright()
            faint = "/Group" in form and state.opacity["f"] < OPAQUE
            state.blended |= "/Group" in form and state.opacity["f"] < 1
            state.hidden |= faint or any(stream.layers) or self._is_off(form.raw_get("/OC") if "/OC" in form else None)
            self.streams.append(Stream(form.get("/Resources", stream.resources), state))
        else:
            self._cover_by_image()
            self.streams.append(Stream(stream.resources, state))

    def _cover_by_image(self) -> None:
        corners = Box(0.0, 0.0, 1.0, 1.0).corners()
        image = Box.around([self.state.matrix.point(*corner) for corner in corners])
        self.ground.paint(image.within(self.state.box), dark=False)

    def _is_off(self, layer: Any) -> bool:
        """Whether a layer, or all layers of a group of them, are switched off."""
        content = resolved(layer)
        if content is None:
            return False
        if "/OCGs" not in content:
            return getattr(layer, "idnum", None) in self.off_layers
        members = content.raw_get("/OCGs")
        listed = resolved(members) if isinstance(resolved(members), list) else [members]
        return bool(listed) and all(getattr(member, "idnum", None) in self.off_layers for member in listed)

    def follow(self, operator: bytes, operands: Any) -> None:
        """Follow an operator that shows no text."""
        stream = self.streams[-1]
        if operator == b"q":
            stream.stack.append(stream.state.saved())
        elif operator == b"Q" and stream.stack:
            stream.state = stream.stack.pop()
        elif operator == b"cm":
            stream.state.matrix = Matrix(*map(float, operands[:6])).before(stream.state.matrix)
        elif operator == b"gs":
            self._set_from(resource(stream.resources, "/ExtGState", operands[0]))
        elif operator in (b"BDC", b"BMC"):
            properties = resolved(stream.resources).get("/Properties", {}) if operands[0] == "/OC" else {}
            layer = resolved(properties).raw_get(operands[1]) if operands[-1] in resolved(properties) else None
            stream.layers.append(self._is_off(layer))
        elif operator == b"EMC" and stream.layers:
            stream.layers.pop()
        elif operator in PATHS or operator == b"re" or operator in PATH_ENDS or operator in (b"W", b"W*"):
            self._draw(stream, operator, operands)
        elif operator == b"w":
            stream.state.stroke_width = float(operands[0])
        elif operator == b"sh":
            self.ground.paint(stream.state.box, dark=False)
        elif operator == b"INLINE IMAGE":
            self._cover_by_image()
        else:
            self._colour(stream, operator, operands)

    def _set_from(self, settings: Any) -> None:
        for key, paint in (("/ca", "f"), ("/CA", "s")):
            if key in settings:
                self.state.opacity[paint] = float(resolved(settings[key]))
        if "/SMask" in settings or "/BM" in settings:
            unmasked = resolved(settings.get("/SMask", "/None")) == "/None"
            self.state.blended = not unmasked or resolved(settings.get("/BM", "/Normal")) not in (
                "/Normal",
                "/Compatible",
            )
        if "/Font" in settings:
            font, size = resolved(settings["/Font"])
            self.set_font(resolved(font), float(size))

    def _draw(self, stream: Stream, operator: bytes, operands: Any) -> None:
        """Collect the path's points; at the end of a clipping path only the box around them stays visible."""
        numbers = list(map(float, operands)) if operator in PATHS or operator == b"re" else []
        state, path = stream.state, stream.path
        if operator in PATHS:
            points = [state.matrix.point(x, y) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
            path.add(points, opens=operator == b"m")
        elif operator == b"re":
            x, y, width, height = numbers
            around = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
            path.add([state.matrix.point(*corner) for corner in around], opens=True)
        elif operator in (b"W", b"W*"):
            path.clips = True
        else:
            if path.points:
                self._end_path(operator, state, path)
            stream.path = Outline()

    def _end_path(self, operator: bytes, state: State, path: Outline) -> None:
        box, whole = Box.around(path.points).within(state.box), path.fills_its_box() and state.box_is_exact
        seen = not state.hidden and not any(self.streams[-1].layers)
        if operator in FILLS and seen:
            self.ground.paint(box, dark=whole and not state.blended and self._is_dark(state))
        breadth = state.stroke_width * state.matrix.greatest_scale()
        if operator in STROKES and seen and breadth > BROAD:
            self.ground.paint(Box.around(path.points).widened(breadth / 2).within(state.box), dark=False)
        if path.clips:
            state.box, state.box_is_exact = box, whole

    @staticmethod
    def _is_dark(state: State) -> bool:
        fill = state.colours["f"]
        if fill is None:
            return False
        brightness = 0.299 * fill[0] + 0.587 * fill[1] + 0.114 * fill[2]
        return 1 - state.opacity["f"] * (1 - brightness) < DARK

    def _colour(self, stream: Stream, operator: bytes, operands: Any) -> None:
        paint = "s" if operator.isupper() else "f"
        state = stream.state
        if operator in (b"g", b"G", b"rg", b"RG", b"k", b"K"):
            space, count = {b"g": ("/DeviceGray", 1), b"rg": ("/DeviceRGB", 3), b"k": ("/DeviceCMYK", 4)}[
                operator.lower()
            ]
            state.spaces[paint], state.colours[paint] = space, colour(space, list(map(float, operands[-count:])))
        elif operator in (b"cs", b"CS"):
            space = resource(stream.resources, "/ColorSpace", operands[0]) or operands[0]
            state.spaces[paint], state.colours[paint] = space, first_colour(space)
        elif operator in (b"sc", b"SC", b"scn", b"SCN"):
            named = any(isinstance(operand, NameObject) for operand in operands)  # a pattern
            numbers = [] if named else list(map(float, operands))
            state.colours[paint] = colour(state.spaces.get(paint, "/DeviceGray"), numbers) if numbers else None

    def set_font(self, font: Any, size: float) -> None:
        """Choose a font; None is a font that the page does not define."""
        self.state.size, self.state.glyphs = size, None
        if font is not None:
            if id(font) not in self._glyphs:
                self._glyphs[id(font)] = (font, Glyphs(font))  # the font is held so that its id stays its own
            self.state.glyphs = self._glyphs[id(font)][1]
