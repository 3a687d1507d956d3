"""Whether the letters that a PDF claims to draw are the letters that it draws."""

import string
from functools import cache

import numpy as np
import pypdfium2 as pdfium2
from jaxtyping import Bool, Float, Int

from mechaware.claims.reading.pdf.letters import Letters, String, find_strings, read_letters
from mechaware.claims.reading.pdf.seen import Pixels, draw, pixel_boxes

ALPHABET = string.ascii_letters + string.digits
FACES = ("Helvetica", "Helvetica-Bold", "Times-Roman", "Times-Italic", "Times-Bold", "Courier")
SCALE = 3.0  # pixels per point
GRID = 12  # a glyph is compared by the mean ink in 12 x 12 parts of its box
LIKE = 8  # of the 36 letters and digits, in one case, a glyph is like the eight that correlate best
WINDOW = 10  # letters before and after
LEAST_LETTERS = 8
LEAST_HEIGHT = 2.0  # points: lower letters have too few pixels to be compared
LEVEL = 0.999  # cosine of the angle of a baseline


class GlyphCheck:
    """Compares drawn glyphs with the letters that they are read as, one page of a document after the other.

    Letters a-z, A-Z and 0-9 are examined. A font in which most of some twenty successive letters look more like eight
    other letters than like themselves is not what it says. Undetected: single false letters, other scripts, slanting
    lines, letters below two points, fonts with fewer than eight letters on a page.
    """

    def __init__(self) -> None:
        self._like: dict[tuple[int, str, int, int], bool] = {}

    def differing(
        self, page: pdfium2.PdfPage, strings: list[String], letters: Letters, asked: Bool[np.ndarray, " letter"]
    ) -> Bool[np.ndarray, " letter"]:
        """Which of the letters asked about differ from their glyphs."""
        known = np.array([character in ALPHABET for character in letters.text], bool)
        large = letters.boxes[:, 3] - letters.boxes[:, 1] >= LEAST_HEIGHT
        where = np.flatnonzero(asked & known & large & ~letters.shared & _is_level(page, letters))
        fonts = np.array([strings[owner].font for owner in letters.strings[where]], int)
        spans = np.rint(4 * (letters.boxes[where, 2:] - letters.boxes[where, :2])).astype(int)
        keys = [
            (font, letters.text[index], width, height)
            for index, font, (width, height) in zip(where, fonts.tolist(), spans.tolist(), strict=True)
        ]
        self._learn(page, letters, dict(zip(keys, where.tolist(), strict=True)))
        unlike = np.array([not self._like[key] for key in keys], bool)
        doubtful = np.zeros(len(where), bool)
        for font in set(fonts.tolist()):
            doubtful[fonts == font] = _doubtful(unlike[fonts == font])
        false_strings = set(letters.strings[where[doubtful]].tolist())
        return asked & np.isin(letters.strings, sorted(false_strings))

    def _learn(self, page: pdfium2.PdfPage, letters: Letters, examples: dict[tuple[int, str, int, int], int]) -> None:
        new = {key: index for key, index in examples.items() if key not in self._like}
        if new:
            drawn = draw(page, SCALE)
            glyphs, shapes = _glyphs(page, letters, list(new.values()), drawn)
            ranks = _ranks(glyphs, shapes, "".join(key[1] for key in new))
            self._like.update(zip(new, (ranks < LIKE).tolist(), strict=True))


def _is_level(page: pdfium2.PdfPage, letters: Letters) -> Bool[np.ndarray, " letter"]:
    """Whether a letter stands on a level baseline, to a degree or two, as the page is shown."""
    return np.asarray(np.cos(letters.angles + np.radians(page.get_rotation())) > LEVEL)


def _doubtful(unlike: Bool[np.ndarray, " letter"]) -> Bool[np.ndarray, " letter"]:
    """Whether most of the letters around each one are unlike; False where there are too few to tell."""
    sums = np.concatenate([[0], np.cumsum(unlike)])
    ends = np.minimum(np.arange(len(unlike)) + WINDOW + 1, len(unlike))
    starts = np.maximum(np.arange(len(unlike)) - WINDOW, 0)
    counts = ends - starts
    return np.asarray((2 * (sums[ends] - sums[starts]) > counts) & (counts >= LEAST_LETTERS))


def _glyphs(
    page: pdfium2.PdfPage, letters: Letters, where: list[int], drawn: Pixels
) -> tuple[Float[np.ndarray, "glyph part"], Float[np.ndarray, " glyph"]]:
    """The ink of each glyph in the parts of its box, of mean 0 and length 1, and the logarithm of width to height."""
    boxes = pixel_boxes(page, letters.boxes[where], drawn)
    glyphs = np.zeros((len(where), GRID * GRID))
    for glyph, (left, top, right, bottom) in zip(glyphs, boxes.clip(0), strict=True):
        part = drawn[top:bottom, left:right, :3].sum(axis=2, dtype=float)
        if part.size:
            glyph[:] = _parts(_parts(part).T).T.ravel()
    glyphs -= glyphs.mean(axis=1, keepdims=True)
    spans = np.maximum(letters.boxes[where, 2:] - letters.boxes[where, :2], 0.01)
    if page.get_rotation() in (90, 270):
        spans = spans[:, ::-1]
    lengths = np.maximum(np.linalg.norm(glyphs, axis=1, keepdims=True), 1e-9)
    return glyphs / lengths, np.log(spans[:, 0] / spans[:, 1])


def _parts(ink: Float[np.ndarray, "row column"]) -> Float[np.ndarray, "part column"]:
    """Means over twelve equal parts of the rows, by interpolation of their running sum."""
    sums = np.vstack([np.zeros(ink.shape[1]), np.cumsum(ink, axis=0)])
    edges = np.linspace(0, len(ink), GRID + 1)
    low = np.minimum(edges.astype(int), len(ink) - 1)
    at_edges = sums[low] + (edges - low)[:, None] * (sums[low + 1] - sums[low])
    return np.asarray(np.diff(at_edges, axis=0) * GRID / len(ink))


def _ranks(
    glyphs: Float[np.ndarray, "glyph part"], shapes: Float[np.ndarray, " glyph"], claimed: str
) -> Int[np.ndarray, " glyph"]:
    """How many other letters each glyph is more like than the claimed one, light on dark or dark on light."""
    names, references, widths = _references()
    likeness = np.abs(glyphs @ references.T) - 0.2 * np.abs(shapes[:, None] - widths)
    classes = sorted(set(names.lower()))
    best = np.stack([likeness[:, [name == letter for name in names.lower()]].max(axis=1) for letter in classes], axis=1)
    own = best[np.arange(len(claimed)), [classes.index(letter.lower()) for letter in claimed]]
    return np.asarray((best > own[:, None]).sum(axis=1))


@cache
def _references() -> tuple[str, Float[np.ndarray, "glyph part"], Float[np.ndarray, " glyph"]]:
    """Every letter of the alphabet in each face, drawn by the same means as the pages."""
    fonts = "".join(f"/F{index}<</Type/Font/Subtype/Type1/BaseFont/{face}>>" for index, face in enumerate(FACES))
    content = "".join(
        f"BT /F{row} 20 Tf {20 + 30 * column} {20 + 30 * row} Td ({letter}) Tj ET\n"
        for row in range(len(FACES))
        for column, letter in enumerate(ALPHABET)
    )
    data = (
        "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        f"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 1900 220]/Contents 4 0 R/Resources<</Font<<{fonts}>>>>>>"
        "endobj\n"
        f"4 0 obj<</Length {len(content)}>>stream\n{content}endstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
    )
    with pdfium2.PdfDocument(data.encode()) as document:
        page = document[0]
        letters = read_letters(page.raw, find_strings(page.raw), len(data))
        where = np.flatnonzero(letters.printed).tolist()
        glyphs, shapes = _glyphs(page, letters, where, draw(page, SCALE))
        return "".join(letters.text[index] for index in where), glyphs, shapes
