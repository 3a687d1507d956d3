"""Finds the text of a PDF page that is in the file but cannot be seen, by following the page's operators."""

import math
from collections.abc import Sequence
from typing import Any

from pypdf.generic import ArrayObject, ByteStringObject, FloatObject, NameObject

from mechaware.claims.reading.pdf_graphics import Matrix, resource
from mechaware.claims.reading.pdf_page_state import OPAQUE, PdfPageState, Stream
from mechaware.claims.rubric.text_flags import HiddenReason

LEAST_SIZE = 2.0  # points on the page; the smallest footnotes and figure labels are above 3
WHITE = 0.9  # of each of red, green, blue
EMPTY = 0.5  # points: nothing can be read in a narrower box
SLACK = 1.0  # points beyond an edge that rounding may take
PAINTS = {0: "f", 1: "s", 2: "fs", 4: "f", 5: "s", 6: "fs"}  # what a render mode draws; 3 and 7 draw nothing
# A malformed operator is skipped, as readers do; these are the errors that pypdf's objects raise for it.
MALFORMED = (
    AttributeError,
    IndexError,
    KeyError,
    TypeError,
    ValueError,
    OverflowError,
    RecursionError,
    ArithmeticError,
)


class PdfTextFilter(PdfPageState):
    """Removes codes from the strings of a page before pypdf reads them; one filter serves one pass over one page.

    With `keep` None hidden text is removed, and `reasons` collects why it is hidden; with a reason, only the text that
    is hidden for it is kept. Text is hidden if it is painted near white, smaller than two points on the page, painted
    with nothing (render modes 3 and 7, opacity 0, a layer that is switched off), or outside of the page or of the
    clipping region. White text on a dark filled rectangle is visible; on images, shadings and other shapes it counts
    as hidden. Undetected: text in the colour of the field below it, covered by a later drawing, masked, or in glyphs
    that are blank or differ from their codes. `before` and `after` are pypdf's operand visitors.
    """

    def __init__(self, page: Any, off_layers: frozenset[int], keep: HiddenReason | None = None) -> None:
        super().__init__(page, off_layers)
        self.reasons: set[HiddenReason] = set()
        self._keep = keep
        self._line = self._pen = Matrix()  # text line matrix and text matrix

    def before(self, operator: bytes, operands: Any, _cm: Any, _tm: Any) -> None:
        """Follow an operator, and filter the strings that it shows."""
        try:
            if operator in (b"Tj", b"TJ", b"'", b'"'):
                self._show(operator, operands)
            elif operator == b"Do":
                self.enter(operands[0])
            else:
                self.follow(operator, operands)
                self._set_text(operator, operands)
        except MALFORMED:
            if operator == b"Do":  # `after` leaves it again
                self.streams.append(Stream(self.stream.resources, self.state.saved()))

    def after(self, operator: bytes, _operands: Any, _cm: Any, _tm: Any) -> None:
        """Come back from a form."""
        if operator == b"Do":
            self.leave()

    def _set_text(self, operator: bytes, operands: Any) -> None:
        state = self.state
        if operator == b"BT":
            self._line = self._pen = Matrix()
        elif operator == b"Tf":
            self.set_font(resource(self.stream.resources, "/Font", operands[0]), float(operands[1]))
        elif operator == b"Tm":
            self._line = self._pen = Matrix(*map(float, operands[:6]))
        elif operator in (b"Td", b"TD"):
            if operator == b"TD":
                state.leading = -float(operands[1])
            self._next_line(float(operands[0]), float(operands[1]))
        elif operator == b"T*":
            self._next_line(0.0, -state.leading)
        elif operator == b"Tr":
            state.mode = int(operands[0])
        elif operator == b"Tz":
            state.stretch = float(operands[0]) / 100
        elif operator in (b"Tc", b"Tw", b"TL", b"Ts"):
            names = {b"Tc": "character_space", b"Tw": "word_space", b"TL": "leading", b"Ts": "rise"}
            setattr(state, names[operator], float(operands[0]))

    def _next_line(self, x: float, y: float) -> None:
        self._line = self._pen = Matrix(e=x, f=y).before(self._line)

    def _show(self, operator: bytes, operands: Any) -> None:
        state = self.state
        if operator in (b"'", b'"'):
            if operator == b'"':
                state.word_space, state.character_space = float(operands[0]), float(operands[1])
            self._next_line(0.0, -state.leading)
        index = 2 if operator == b'"' else 0
        if operator != b"TJ":
            operands[index] = ByteStringObject(self._filtered(_bytes(operands[index])))
            return
        shown = ArrayObject()
        for item in operands[0]:
            if isinstance(item, (str, bytes)) and not isinstance(item, NameObject):
                shown.append(ByteStringObject(self._filtered(_bytes(item))))
            else:
                shown.append(item if isinstance(item, (int, float)) else FloatObject(0))
                self._advance(-float(shown[-1]) / 1000 * state.size)
        operands[0] = shown

    def _advance(self, distance: float) -> None:
        self._pen = Matrix(e=distance * self.state.stretch).before(self._pen)

    def _filtered(self, text: bytes) -> bytes:
        """The codes of a string that are kept; the pen moves over all of them."""
        state = self.state
        length = state.glyphs.code_length if state.glyphs else 1
        codes = [text[start : start + length] for start in range(0, len(text), length)]
        advances = [self._advance_of(code) for code in codes]
        anywhere = self._reason_anywhere()
        if anywhere in (None, "white"):
            reasons = self._reasons_by_position(advances, white=anywhere == "white")
        else:
            reasons = [anywhere] * len(codes)
        self._advance(math.fsum(advances))
        self.reasons.update(reason for reason in reasons if reason)
        return b"".join(code for code, reason in zip(codes, reasons, strict=True) if reason == self._keep)

    def _advance_of(self, code: bytes) -> float:
        state = self.state
        try:
            width = state.glyphs.width(code) if state.glyphs else 0.0
        except MALFORMED:  # a broken table of widths must not exempt its text
            width = 0.0
        return width * state.size + state.character_space + (state.word_space if code == b" " else 0.0)

    def _reason_anywhere(self) -> HiddenReason | None:
        """Why text in this state is hidden at any position; white text may still be visible on a dark field."""
        state = self.state
        type3 = state.glyphs is not None and state.glyphs.type3  # its glyphs are drawings: no mode applies to them
        painted = PAINTS.get(0 if type3 else state.mode, "")
        if state.hidden or any(self.stream.layers) or all(state.opacity[paint] < OPAQUE for paint in painted):
            return "invisible"
        em = state.glyphs.em if state.glyphs else 1.0
        scale = Matrix(a=state.stretch).before(self._pen).before(state.matrix).least_scale()
        if em and abs(state.size) * em * scale < LEAST_SIZE:
            return "tiny"
        colours = [state.colours[paint] for paint in painted]
        return "white" if all(colour is not None and min(colour) >= WHITE for colour in colours) else None

    def _reasons_by_position(self, advances: Sequence[float], *, white: bool) -> list[HiddenReason | None]:
        """Why each code is hidden, by the middle of its glyph: off the visible page, or white on a white ground."""
        state = self.state
        left, bottom, right, top = state.box
        if right - left < EMPTY or top - bottom < EMPTY:
            return ["off page"] * len(advances)
        box = state.box.widened(SLACK)
        matrix = Matrix(a=state.stretch).before(self._pen).before(state.matrix)
        height = state.rise + 0.25 * state.size
        ends = matrix.point(0.0, height), matrix.point(math.fsum(advances), height)
        if not white and box.holds(ends[0]) and box.holds(ends[1]):
            return [None] * len(advances)
        start, reasons = 0.0, list[HiddenReason | None]()
        for advance in advances:
            middle = matrix.point(start + advance / 2, height)
            pale = white and not self.ground.is_dark(middle)
            reasons.append("white" if pale else None if box.holds(middle) else "off page")
            start += advance
        return reasons


def _bytes(text: Any) -> bytes:
    return bytes(getattr(text, "original_bytes", text))
