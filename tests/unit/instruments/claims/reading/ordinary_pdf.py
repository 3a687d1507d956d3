"""PDFs that hide nothing from their reader, and phrases that their text must have.

For the operators of a page see hiding_pdf.py.
"""

import io
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
import typst
import yaml
from matplotlib.figure import Figure

from tests.unit.instruments.claims.reading.hiding_pdf import in_forms
from tests.unit.instruments.claims.reading.pdf_files import line, pdf, stream

# By name, a document's source for typst and the phrases that its text must have.
TYPESET = yaml.safe_load((Path(__file__).parent / "ordinary.yaml").read_text())
# The sentence of every document, except heatmaps.
WORDS = "Attention heads in layer nine move the subject to the last position of the prompt."


def typeset(folder: Path, body: str) -> bytes:
    """The PDF that typst makes from a source."""
    (folder / "paper.typ").write_text(body)
    return typst.compile(str(folder / "paper.typ"))


def heatmap(*, fonttype: int) -> bytes:
    """A figure with white words on the dark cells of an image, and black words on its light cells.

    The labels of its axes are small. With a `fonttype` of 3 each letter is a drawing in the PDF,
    with 42 the PDF embeds the font.
    """
    with mpl.rc_context({"pdf.fonttype": fonttype}):
        figure = Figure((5, 4))
        axes = figure.subplots()
        values = np.linspace(0, 1, 25).reshape(5, 5)
        axes.imshow(values, cmap="viridis")
        for (row, column), value in np.ndenumerate(values):
            colour = "white" if value < 0.5 else "black"
            axes.text(
                column,
                row,
                f"head\n{value:.2f}",
                color=colour,
                ha="center",
                va="center",
                fontsize=6,
            )
        axes.set_title("Effects of patching each head", fontsize=8)
        axes.set_ylabel("layer of the head", fontsize=5)
        axes.plot([0, 4], [0, 4], label="fit of effects", color="0.7")
        axes.legend(fontsize=5, framealpha=0.5)
        out = io.BytesIO()
        figure.savefig(out, format="pdf")
    return out.getvalue()


def scan(stamp: str = "") -> bytes:
    """A page that is an image, with invisible text as a text recogniser adds it.

    The image has 80 rows of 100 grey pixels. A row is 10 points high on the page. Odd rows stand
    for lines of words, dark pixels beside light ones; even rows are light.
    """
    space = 50 * "\xf4\xf4"
    line_of_words = 50 * "\x20\xf4"
    image = stream(
        40 * (space + line_of_words),
        "/Type/XObject/Subtype/Image/Width 100/Height 80/BitsPerComponent 8/ColorSpace/DeviceGray",
    )
    text = ""
    for row in range(11, 77, 2):
        bottom = 800 - 10 * (row + 1)
        text += line(WORDS, at=bottom + 1, before="3 Tr", size=8)
    return pdf(
        f"q 600 0 0 800 0 0 cm /I Do Q {text} {stamp}",
        resources="/XObject<</I 10 0 R>>",
        objects=[image],
    )


# Draws "of-" and "fice". The true text that is given for "of-" is "office" with a soft hyphen.
HYPHENATED = "BT /F 12 Tf 50 650 Td /Span<</ActualText(of\xadfice)>>BDC (of-) Tj EMC (fice) Tj ET"
WRITTEN = {
    "bold by printing twice": pdf(
        line(WORDS, at=650) + f"q BT /F 12 Tf 50.3 650 Td ({WORDS}) Tj ET Q"
    ),
    "exactly the same line twice": pdf(2 * line(WORDS, at=700)),
    "words in twelve forms": in_forms(line(WORDS, at=700), line("Words of an inner form"), 12),
    "a hyphen by its true text": pdf(line(WORDS, at=700) + HYPHENATED),
    "a turned page": pdf(line(WORDS, at=700), page="/Rotate 90"),
    "a table across": pdf(f"BT /F 12 Tf 0 1 -1 0 300 100 Tm ({WORDS}) Tj ET", page="/Rotate 90"),
    "a cropped page": pdf(line(WORDS, at=700), page="/CropBox[40 100 580 780]"),
    "turned text": pdf(
        line(WORDS, at=700)
        + "BT /F 9 Tf 0 1 -1 0 40 100 Tm (Downloaded from a library of preprints) Tj ET"
    ),
    "a grey stamp": pdf(
        line(WORDS, at=700)
        + line("Preprint of the seventh of June", before="0.5 g", size=20, at=30)
    ),
    "grey numbers of lines": pdf(
        line(WORDS, at=700) + line("041 042 043 lines", before="0.8 g", size=5)
    ),
    "white on a form's field": in_forms(
        line(WORDS, at=700),
        "0 0 .4 rg 40 590 300 40 re f " + line("White words of a button", before="1 g"),
        entries="/Group<</S/Transparency>>",
    ),
    "a link and its border": pdf(
        line(WORDS, at=700),
        page="/Annots[<</Type/Annot/Subtype/Link/Rect[50 695 200 712]/Border[0 0 1]/C[0 1 0]"
        "/A<</S/URI/URI(https://example.org)>>>>]",
    ),
    "a reader's comment": pdf(
        line(WORDS, at=700),
        page="/Annots[<</Type/Annot/Subtype/Text/Rect[50 590 70 610]"
        "/Contents(Is this so in general?)>>]",
    ),
}
HEATMAP_PHRASES = ("head 0.04", "head 0.96", "layer of the head", "fit of effects")
# By name, what the text of a document must have besides `WORDS`.
PHRASES = {name: tuple(document["phrases"]) for name, document in TYPESET.items()} | {
    "words in twelve forms": ("Words of an inner form",),
    "a heatmap with drawn letters": HEATMAP_PHRASES,
    "a heatmap with a font": HEATMAP_PHRASES,
    "a hyphen by its true text": ("of-fice",),
    "turned text": ("Downloaded from a library of preprints",),
    "a grey stamp": ("Preprint of the seventh of June",),
    "grey numbers of lines": ("041 042 043 lines",),
    "white on a form's field": ("White words of a button",),
}


@pytest.fixture(scope="session")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """All ordinary documents by name."""
    folder = tmp_path_factory.mktemp("ordinary")
    typeset_documents = {}
    for name, document in TYPESET.items():
        typeset_documents[name] = typeset(folder, document["source"].replace("WORDS", WORDS))
    return {
        **typeset_documents,
        "a heatmap with drawn letters": heatmap(fonttype=3),
        "a heatmap with a font": heatmap(fonttype=42),
        "a scan": scan(),
        "a scan with a stamp": scan(
            line("Downloaded from a library on the seventh of June", at=20, size=9)
        ),
        **WRITTEN,
    }
