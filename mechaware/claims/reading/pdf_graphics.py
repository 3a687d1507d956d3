"""The operands of PDF operators: matrices, boxes, paths, colours and the widths of glyphs."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

NARROW = 250.0  # thousandths of the size: a narrow glyph, where a font states no widths
TINTLESS = 0.05  # a spot colour of less ink is as white as the paper


class Matrix(NamedTuple):
    """A PDF transformation: (x, y) -> (a x + c y + e, b x + d y + f), in points of the page."""

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 1.0
    e: float = 0.0
    f: float = 0.0

    def before(self, other: "Matrix") -> "Matrix":
        """First this transformation, then the other."""
        return Matrix(
            self.a * other.a + self.b * other.c,
            self.a * other.b + self.b * other.d,
            self.c * other.a + self.d * other.c,
            self.c * other.b + self.d * other.d,
            self.e * other.a + self.f * other.c + other.e,
            self.e * other.b + self.f * other.d + other.f,
        )

    def point(self, x: float, y: float) -> tuple[float, float]:
        """The image of a point."""
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def least_scale(self) -> float:
        """Its strongest shrinking, the smaller singular value: text that is only mirrored or turned keeps its size."""
        return self._scales()[0]

    def greatest_scale(self) -> float:
        """Its strongest stretching, the greater singular value."""
        return self._scales()[1]

    def _scales(self) -> tuple[float, float]:
        squares = self.a * self.a + self.b * self.b + self.c * self.c + self.d * self.d
        determinant = self.a * self.d - self.b * self.c  # products, not powers: a power of a huge number raises
        root = math.sqrt(max(0.0, squares * squares - 4 * determinant * determinant))
        return math.sqrt(max(0.0, (squares - root) / 2)), math.sqrt((squares + root) / 2)

    def is_upright(self) -> bool:
        """Whether a box stays a box."""
        return self.b == self.c == 0 or self.a == self.d == 0


class Box(NamedTuple):
    """A rectangle of the page in points; it may be empty."""

    left: float
    bottom: float
    right: float
    top: float

    @classmethod
    def around(cls, points: Sequence[tuple[float, float]]) -> "Box":
        """The least box that holds the points."""
        xs, ys = zip(*points, strict=True)
        return cls(min(xs), min(ys), max(xs), max(ys))

    def within(self, other: "Box") -> "Box":
        """What both boxes hold."""
        return Box(
            max(self.left, other.left),
            max(self.bottom, other.bottom),
            min(self.right, other.right),
            min(self.top, other.top),
        )

    def widened(self, by: float) -> "Box":
        """The box with a rim of `by` points."""
        return Box(self.left - by, self.bottom - by, self.right + by, self.top + by)

    def holds(self, point: tuple[float, float]) -> bool:
        """Whether a point is inside."""
        return self.left <= point[0] <= self.right and self.bottom <= point[1] <= self.top

    def corners(self) -> list[tuple[float, float]]:
        """Its four corners."""
        return [(x, y) for x in (self.left, self.right) for y in (self.bottom, self.top)]


Colour = tuple[float, float, float]  # red, green, blue in 0..1


class Outline:
    """The path that is being drawn: its points, and whether it certainly fills the box around them."""

    def __init__(self) -> None:
        self.points: list[tuple[float, float]] = []  # with the control points of curves
        self.clips = False
        self._corners: list[tuple[float, float]] = []
        self._pieces = 0

    def add(self, points: Sequence[tuple[float, float]], *, opens: bool) -> None:
        """Continue to the last of the points, or along all four of a rectangle; `opens` begins a new piece."""
        self.points += points
        self._corners += points if len(points) == 4 else points[-1:]
        self._pieces += opens

    def fills_its_box(self) -> bool:
        """Whether it is one piece, wound once, of nearly the box's area: a rectangle, its corners perhaps round."""
        if self._pieces != 1 or len(self._corners) < 4:
            return False
        left, bottom, right, top = Box.around(self.points)
        after = [*self._corners[1:], self._corners[0]]
        area = sum(x * v - u * y for (x, y), (u, v) in zip(self._corners, after, strict=True)) / 2
        whole = (right - left) * (top - bottom)
        return 0.9 * whole <= abs(area) <= 1.01 * whole


class Ground:
    """The fields that a page has been painted with: white text is visible on a dark one."""

    def __init__(self) -> None:
        self._fields: list[tuple[Box, bool]] = []

    def paint(self, box: Box, *, dark: bool) -> None:
        """Add a field above all others; `dark` only if all of the box is dark."""
        self._fields.append((box, dark))

    def is_dark(self, point: tuple[float, float]) -> bool:
        """Whether the uppermost field at a point is dark. The bare page is white."""
        return next((dark for box, dark in reversed(self._fields) if box.holds(point)), False)


def resolved(value: Any) -> Any:
    """The object behind an indirect reference; any other value as it is."""
    return value.get_object() if hasattr(value, "get_object") else value


def resource(resources: Any, kind: str, name: Any) -> Any:
    """A named resource, None where there is none."""
    for key in (kind, name):
        resources = resolved(resources.get(key)) if hasattr(resources, "get") else None
    return resources


def colour(space: Any, numbers: Sequence[float]) -> Colour | None:
    """The colour of `numbers` in a colour space as RGB; None where it is unknown, as for patterns.

    CMYK and profiled spaces are treated as uncalibrated ones of as many numbers, which is near enough to find white.
    """
    family, arguments = _family(space)
    if family in ("/Separation", "/DeviceN"):
        if all(tint < TINTLESS for tint in numbers):
            return (1.0, 1.0, 1.0)
        return _tinted(arguments, numbers)
    if family == "/Indexed":
        return _indexed(arguments, int(numbers[0]))
    if family == "/Lab":
        grey = numbers[0] / 100
        return (grey, grey, grey) if max(abs(numbers[1]), abs(numbers[2])) < 10 else None
    if family == "/Pattern":
        return None
    if len(numbers) == 1:
        return (numbers[0],) * 3
    if len(numbers) == 3:
        return numbers[0], numbers[1], numbers[2]
    if len(numbers) == 4:
        red, green, blue = ((1 - ink) * (1 - numbers[3]) for ink in numbers[:3])
        return red, green, blue
    return None


def first_colour(space: Any) -> Colour | None:
    """The colour that is set by choosing a colour space: black in nearly all of them, unknown for patterns."""
    family, _ = _family(space)
    return None if family == "/Pattern" else (0.0, 0.0, 0.0)


def _family(space: Any) -> tuple[str, Sequence[Any]]:
    space = resolved(space)
    if isinstance(space, list) and space:
        return str(resolved(space[0])), space[1:]
    return str(space), ()


def _tinted(arguments: Sequence[Any], numbers: Sequence[float]) -> Colour | None:
    """A spot colour whose tint goes straight from one colour to another (function type 2); None for the others."""
    _, alternate, function = (resolved(argument) for argument in arguments[:3])
    if function.get("/FunctionType") != 2:
        return None
    start, end = resolved(function.get("/C0", [0.0])), resolved(function.get("/C1", [1.0]))
    share = float(numbers[0]) ** float(function["/N"])
    return colour(alternate, [float(a) + share * (float(b) - float(a)) for a, b in zip(start, end, strict=True)])


def _indexed(arguments: Sequence[Any], index: int) -> Colour | None:
    base, _, table = (resolved(argument) for argument in arguments[:3])
    family, more = _family(base)
    profile = resolved(more[0]) if family == "/ICCBased" else {}
    size = int(profile.get("/N", 4 if family == "/DeviceCMYK" else 1 if "Gray" in family else 3))
    data = table.get_data() if hasattr(table, "get_data") else getattr(table, "original_bytes", table)
    entry = data[index * size : (index + 1) * size]
    return colour(base, [byte / 255 for byte in entry]) if family not in ("/Lab", "/Indexed", "/Separation") else None


class Glyphs:
    """How far a font's codes move the pen: widths in text space at size 1, code length in bytes."""

    def __init__(self, font: Any) -> None:
        font = resolved(font)
        self.type3 = font.get("/Subtype") == "/Type3"
        self.composite = font.get("/Subtype") == "/Type0"
        self.code_length = 2 if self.composite else 1
        self.em = 1.0  # height of a glyph at size 1, 0 if it is unknown
        self._unit = 0.001
        self._default = NARROW
        self._starts: list[int] = []  # first codes of the runs below, rising
        self._runs: list[tuple[int, Sequence[Any]]] = []  # (last code, widths by code or one for all)
        if self.type3:
            matrix, box = (resolved(font.get(key)) for key in ("/FontMatrix", "/FontBBox"))
            self._unit = abs(float(matrix[0]))
            self.em = abs(float(matrix[3]) * (float(box[3]) - float(box[1]))) if box else 0.0
        if self.composite:
            self._read_composite(resolved(resolved(font["/DescendantFonts"])[0]), str(resolved(font.get("/Encoding"))))
        elif (widths := resolved(font.get("/Widths"))) is not None:
            first = int(resolved(font.get("/FirstChar", 0)))
            self._starts, self._runs = [first], [(first + len(widths) - 1, widths)]
            descriptor = resolved(font.get("/FontDescriptor")) or {}
            self._default = float(resolved(descriptor.get("/MissingWidth", 0)))

    def _read_composite(self, descendant: Any, encoding: str) -> None:
        if encoding.endswith("-V"):  # written downwards: the pen does not move to the right
            self._default = 0.0
            return
        self._default = float(resolved(descendant.get("/DW", 1000)))
        runs: list[tuple[int, int, Sequence[Any]]] = []
        entries = [resolved(entry) for entry in resolved(descendant.get("/W", []))]
        index = 0
        while index + 1 < len(entries):
            first, second = int(entries[index]), entries[index + 1]
            if isinstance(second, list):
                runs.append((first, first + len(second) - 1, second))
                index += 2
            else:
                runs.append((first, int(second), entries[index + 2 : index + 3]))
                index += 3
        runs.sort(key=lambda run: run[0])
        self._starts, self._runs = [run[0] for run in runs], [(run[1], run[2]) for run in runs]

    def width(self, code: bytes) -> float:
        """How far one code moves the pen at size 1."""
        number = int.from_bytes(code, "big")
        run = bisect_right(self._starts, number) - 1
        if run >= 0 and number <= self._runs[run][0]:
            widths = self._runs[run][1]
            width = resolved(widths[0 if len(widths) == 1 else number - self._starts[run]])
            return float(width) * self._unit
        return self._default * self._unit
