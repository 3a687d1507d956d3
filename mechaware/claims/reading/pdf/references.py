"""Every letter of the Latin alphabet in common faces, drawn by the same means as the pages."""

import string
import unicodedata
from functools import cache
from typing import NamedTuple

import numpy as np
import pypdfium2 as pdfium2
from jaxtyping import Float, Int

from mechaware.claims.reading.pdf.drawing import draw
from mechaware.claims.reading.pdf.frames import brightness, compared, cut_out, make_frames
from mechaware.claims.reading.pdf.letters import find_strings, read_letters

CLASSES = string.ascii_lowercase + string.digits  # letters in one case, without their accents
FACES = ("Helvetica", "Helvetica-Bold", "Times-Roman", "Times-Italic", "Times-Bold", "Courier")
HOLLOW = ("Helvetica", "Times-Roman")  # as headings have them: an outline alone
SCALE = 3.0  # pixels per point
FINE = 4  # points a side at which the ink of each part of a letter is taken
SIZE, STEP = 20, 30  # of the letters and between them, in points


class References(NamedTuple):
    """The letters by class, in the order of `CLASSES`; `usual` is the mean aspect of each class."""

    classes: Int[np.ndarray, " reference"]
    glyphs: Float[np.ndarray, "reference part"]
    aspects: Float[np.ndarray, " reference"]
    usual: Float[np.ndarray, " class"]


def letter_classes(text: str) -> Int[np.ndarray, " letter"]:
    """The place of each letter in `CLASSES`, whatever its case, width, style or accents; -1 for all others."""
    return np.array([_class(letter) for letter in text], int)


@cache
def _class(letter: str) -> int:
    parts = unicodedata.normalize("NFKD", letter)
    return CLASSES.find(parts[0].lower()) if all(map(unicodedata.combining, parts[1:])) else -1


@cache
def references() -> References:
    """The letters a-z, A-Z and 0-9, and those of Latin 1 with accents, in each face."""
    letters = [chr(code) for code in range(0x30, 0x100) if _class(chr(code)) >= 0]
    rows = [(0, face) for face in FACES] + [(1, face) for face in HOLLOW]
    content = "".join(
        f"BT {mode} Tr /{face} {SIZE} Tf {STEP * (column + 1)} {STEP * (row + 1)} Td <{ord(letter):02x}> Tj ET\n"
        for row, (mode, face) in enumerate(rows)
        for column, letter in enumerate(letters)
    )
    with pdfium2.PdfDocument(_document(content, STEP * (len(letters) + 2), STEP * (len(rows) + 2))) as document:
        page = document[0]
        found = read_letters(page.raw, find_strings(page.raw), len(content))
        where = np.flatnonzero(found.printed)
        boxes = found.boxes[where]
        frames = make_frames(
            (boxes[:, :2] + boxes[:, 2:]) / 2,
            boxes[:, 2] - boxes[:, 0],
            boxes[:, 3] - boxes[:, 1],
            np.zeros(len(where)),
        )
        classes = letter_classes("".join(found.text[index] for index in where))
        order = np.argsort(classes, kind="stable")
        classes, frames = classes[order], frames.some(order)
        glyphs = compared(-brightness(cut_out(frames, draw(page, SCALE), FINE)))
    usual = np.bincount(classes, frames.aspects) / np.bincount(classes)
    return References(classes, glyphs, frames.aspects.astype(np.float32), usual)


def _document(content: str, width: int, height: int) -> bytes:
    fonts = "".join(f"/{face}<</Type/Font/Subtype/Type1/BaseFont/{face}/Encoding/WinAnsiEncoding>>" for face in FACES)
    return (
        "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        f"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} {height}]/Contents 4 0 R"
        f"/Resources<</Font<<{fonts}>>>>>>endobj\n"
        f"4 0 obj<</Length {len(content)}>>stream\n{content}endstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
    ).encode()
