"""The letters of a PDF page with their places, and the strings that draw them, forms included."""

import ctypes
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pypdfium2.raw as pdfium
from jaxtyping import Bool, Float, Int

MOST_FORMS = 50  # forms within forms; pdfium draws fewer
HYPHEN = "\u00ad"  # the end of a line within a word


class String(NamedTuple):
    """A text object of the page: what one operator draws. `replaces` is the ActualText that stood for its letters."""

    handle: Any
    font: int
    replaces: str


class Letters(NamedTuple):
    """The characters of a page in reading order, spaces that pdfium adds between strings included."""

    text: str
    boxes: Float[np.ndarray, "letter 4"]  # left, bottom, right, top of the drawn glyph, in points
    strings: Int[np.ndarray, " letter"]  # index of its string; -1 for an added space
    angles: Float[np.ndarray, " letter"]  # of its baseline, in radians, counterclockwise
    printed: Bool[np.ndarray, " letter"]  # whether it should leave ink: all but spaces, controls and added characters

    @property
    def unexamined(self) -> Bool[np.ndarray, " letter"]:
        """Whether a letter is printable, no white space, and belongs to no known string: it cannot be examined."""
        known = [code.isspace() or not code.isprintable() for code in self.text]
        return np.asarray((self.strings < 0) & ~np.array(known, bool))

    @property
    def words(self) -> Int[np.ndarray, " letter"]:
        """The number of each letter's word: the printed letters between two others; those others have -1."""
        numbers = np.cumsum(np.diff(self.printed.astype(int), prepend=0) == 1)
        return np.where(self.printed, numbers, -1)


def find_strings(page: Any) -> list[String]:
    """The strings of a page in the order in which they are drawn.

    The marks that replace their letters by another text (ActualText) are taken off, so that the letters are read.
    """
    handles = _text_objects(page, pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject, MOST_FORMS)
    strings = []
    for handle in handles:
        font = pdfium.FPDFTextObj_GetFont(handle)
        strings.append(String(handle, address(font), _take_replacement(handle)))
    return strings


def address(handle: Any) -> int:
    """The identity of an object of pdfium; 0 for none."""
    return ctypes.addressof(handle.contents) if handle else 0


def _text_objects(holder: Any, count: Any, get: Any, depth: int) -> Iterator[Any]:
    for index in range(count(holder)):
        handle = get(holder, index)
        kind = pdfium.FPDFPageObj_GetType(handle)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            yield handle
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth:
            yield from _text_objects(handle, pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject, depth - 1)


def _take_replacement(handle: Any) -> str:
    texts = []
    for index in reversed(range(pdfium.FPDFPageObj_CountMarks(handle))):
        mark = pdfium.FPDFPageObj_GetMark(handle, index)
        text = utf16(lambda *out, mark=mark: pdfium.FPDFPageObjMark_GetParamStringValue(mark, b"ActualText", *out))
        if text:
            texts.append(text)
            pdfium.FPDFPageObj_RemoveMark(handle, mark)
    return " ".join(texts)


def utf16(call: Any) -> str:
    """A string that a function of pdfium writes into a buffer of UTF-16, its length in bytes last."""
    length = ctypes.c_ulong()
    if not call(None, 0, length) or length.value <= 2:
        return ""
    buffer = ctypes.create_string_buffer(length.value)
    call(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length.value, length)
    return buffer.raw[: length.value].decode("utf-16-le", "replace").rstrip("\0")


def read_letters(page: Any, strings: list[String], most: int) -> Letters:
    """The first `most` letters of a page."""
    text_page = pdfium.FPDFText_LoadPage(page)
    try:
        count = min(pdfium.FPDFText_CountChars(text_page), most)
        places = {address(string.handle): index for index, string in enumerate(strings)}
        codes = [_code(text_page, index) for index in range(count)]
        handles = (pdfium.FPDFText_GetTextObject(text_page, index) for index in range(count))
        owners = [places.get(address(handle), -1) for handle in handles]
        boxes, angles = np.zeros((count, 4)), np.zeros(count)
        sides = [ctypes.c_double() for _ in range(4)]
        for index in range(count):
            pdfium.FPDFText_GetCharBox(text_page, index, *sides)
            boxes[index] = [side.value for side in sides]
            same = index and owners[index] == owners[index - 1]
            angles[index] = angles[index - 1] if same else _angle(text_page, index)
    finally:
        pdfium.FPDFText_ClosePage(text_page)
    text = "".join(codes)
    inks = [owner >= 0 and code.isprintable() and code != " " for owner, code in zip(owners, text, strict=True)]
    return Letters(text, boxes[:, [0, 2, 1, 3]], np.array(owners, int), angles, np.array(inks, bool))


def _angle(text_page: Any, index: int) -> float:
    """Not FPDFText_GetCharAngle: it takes letters that slant on a level baseline for turned ones."""
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(text_page, index, matrix)
    return math.atan2(matrix.b, matrix.a)


def _code(text_page: Any, index: int) -> str:
    return HYPHEN if pdfium.FPDFText_IsHyphen(text_page, index) else chr(pdfium.FPDFText_GetUnicode(text_page, index))
