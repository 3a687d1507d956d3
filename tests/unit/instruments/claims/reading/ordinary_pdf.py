"""PDFs that hide nothing from their reader, with phrases that their text must have."""

# ruff: noqa: E501 - markup is not broken into lines

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

TYPESET = yaml.safe_load((Path(__file__).parent / "ordinary.yaml").read_text())
WORDS = "Attention heads in layer nine move the subject to the last position of the prompt."


def typeset(folder: Path, body: str) -> bytes:
    """What typst makes of a source."""
    (folder / "paper.typ").write_text(body)
    return typst.compile(str(folder / "paper.typ"))


def heatmap(*, fonttype: int) -> bytes:
    """White numbers and words on the dark cells of an image, black ones on its light cells, small labels at the axes."""
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
    """A page that is an image, here of stripes for lines of words, under invisible text as a recogniser adds it."""
    rows = (50 * (b"\x20\xf4" if row % 2 else b"\xf4\xf4") for row in range(80))
    image = stream(
        b"".join(rows).decode("latin-1"),
        "/Type/XObject/Subtype/Image/Width 100/Height 80/BitsPerComponent 8/ColorSpace/DeviceGray",
    )
    text = "".join(
        line(WORDS, at=800 - 10 * row + 1, before="3 Tr", size=8) for row in range(12, 78, 2)
    )
    return pdf(
        f"q 600 0 0 800 0 0 cm /I Do Q {text} {stamp}",
        resources="/XObject<</I 10 0 R>>",
        objects=[image],
    )


ACTUAL = "BT /F 12 Tf 50 650 Td /Span<</ActualText(of\xadfice)>>BDC (of-) Tj EMC (fice) Tj ET"
RAW = {
    "bold by printing twice": pdf(
        line(WORDS, at=650) + f"q BT /F 12 Tf 50.3 650 Td ({WORDS}) Tj ET Q"
    ),
    "exactly the same line twice": pdf(2 * line(WORDS, at=700)),
    "words in twelve forms": in_forms(line(WORDS, at=700), line("Words of an inner form"), 12),
    "a hyphen by its true text": pdf(line(WORDS, at=700) + ACTUAL),
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
        page="/Annots[<</Type/Annot/Subtype/Link/Rect[50 695 200 712]/Border[0 0 1]/C[0 1 0]/A<</S/URI/URI(https://example.org)>>>>]",
    ),
    "a reader's comment": pdf(
        line(WORDS, at=700),
        page="/Annots[<</Type/Annot/Subtype/Text/Rect[50 590 70 610]/Contents(Is this so in general?)>>]",
    ),
}


@pytest.fixture(scope="session")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Every ordinary document by its name."""
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
        **RAW,
    }
