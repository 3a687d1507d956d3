"""Writes PDFs operator by operator, so that a test determines exactly what a page draws."""

import zlib
from collections.abc import Sequence

# The size of a page, in points.
WIDTH = 600
HEIGHT = 800
# An entry of a dictionary of fonts: the font /F.
FONT = "/F<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"


def stream(content: str, entries: str = "") -> str:
    """A stream object; `entries` are further entries of its dictionary."""
    return f"<<{entries}/Length {len(content)}>>stream\n{content}\nendstream"


def pdf(
    content: str,
    *,
    resources: str = "",
    fonts: str = "",
    objects: Sequence[str] = (),
    page: str = "",
    root: str = "",
    packed: bool = False,
) -> bytes:
    """One page of 600 x 800 points whose font /F is Helvetica.

    Args:
        content: The page's operators.
        resources: Further entries of the page's resources, such as "/XObject<</X 10 0 R>>".
        fonts: Further entries of the page's dictionary of fonts.
        objects: Further objects of the file. The first has the number 10, the second 11.
        page: Further entries of the page's dictionary, such as "/Rotate 90".
        root: Further entries of the document's catalog.
        packed: Whether the operators are compressed.
    """
    contents = stream(content)
    if packed:
        contents = stream(
            zlib.compress(content.encode("latin-1"), 1).decode("latin-1"), "/Filter/FlateDecode"
        )
    head = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {WIDTH} {HEIGHT}]/Contents 4 0 R"
    numbered = {
        1: f"<</Type/Catalog/Pages 2 0 R{root}>>",
        2: "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        3: f"{head}/Resources<</Font<<{FONT}{fonts}>>{resources}>>{page}>>",
        4: contents,
        **dict(enumerate(objects, 10)),
    }
    data = b"%PDF-1.7\n"
    offsets = {}
    for number, entry in numbered.items():
        offsets[number] = len(data)
        data += f"{number} 0 obj\n{entry}\nendobj\n".encode("latin-1")
    # A section of its own for each object, since the numbers have a gap before 10.
    table = "".join(f"{number} 1\n{offset:010d} 00000 n \n" for number, offset in offsets.items())
    trailer = f"trailer<</Size {max(numbered) + 1}/Root 1 0 R>>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + f"xref\n0 1\n0000000000 65535 f \n{table}{trailer}".encode()


def line(words: str, at: int = 600, size: float = 12, before: str = "", font: str = "F") -> str:
    """Operators that draw a line of text, `at` points above the foot of the page.

    `before` has operators that come before the text, such as "1 g" for white.
    """
    return f"q {before} BT /{font} {size} Tf 50 {at} Td ({words}) Tj ET Q\n"
