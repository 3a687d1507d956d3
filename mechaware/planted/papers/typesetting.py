"""Typesets the manuscript of a planted paper, and writes the PDF and the truth about it to disk."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import typst

from mechaware.core.files import atomic_write
from mechaware.instruments.claims.fetching.papers import document_path
from mechaware.instruments.claims.rubric.records import write_record
from mechaware.planted.papers.manuscript import Manuscript, Sentence, compose
from mechaware.planted.papers.plan import PlantedPaper

# The beginning of a typst source, with places for the title and the authors. It defines `part`, a
# paragraph with a run-in heading (none if ""), and `entry`, a reference.
LAYOUT = """\
#set document(title: {title}, date: none)
#set page(paper: "a4", margin: 2.5cm, numbering: "1")
#set text(font: "Libertinus Serif", size: 10.5pt, lang: "en", hyphenate: false, ligatures: false)
#set par(justify: true, leading: 0.62em, spacing: 0.9em)
#show heading: set block(above: 1.4em, below: 0.8em)
#show heading: set text(size: 11.5pt)
// A compound word is never broken at its hyphen, so that the extracted text has it in one piece.
#show regex("[\\p{L}\\d]+([-.][\\p{L}\\d]+)+"): box
#let part(lead, body) = par(if lead == "" { body } else { strong(lead) + " " + body })
#let entry(body) = par(hanging-indent: 1.2em, justify: false, body)
#align(center, par(justify: false, text(size: 16pt, weight: "bold", {title})))
#align(center, {authors})
"""


def _typeset(manuscript: Manuscript) -> str:
    """The typst source of a manuscript, in the layout `LAYOUT`: one column of A4, with no date.

    It has no hyphenation and no ligatures, which extracted text would keep.
    """
    layout = LAYOUT.replace("{title}", _quote(manuscript.title))
    lines = [layout.replace("{authors}", _quote(manuscript.authors))]
    number = 0
    for section in manuscript.sections:
        heading = section.heading
        if heading != "Abstract":
            number += 1
            heading = f"{number} {heading}"
        lines.append(f"#heading({_quote(heading)})")
        for lead, sentences in section.paragraphs:
            paragraph = " ".join(sentence.text for sentence in sentences)
            lines.append(f"#part({_quote(lead)}, {_quote(paragraph)})")
        if section.table:
            lines.append(_table(section.table))
    lines.append('#heading("References")')
    lines += [f"#entry({_quote(reference)})" for reference in manuscript.references]
    return "\n".join(lines) + "\n"


def _table(rows: Sequence[Sentence]) -> str:
    """The typst source of a table: the number of its columns, and its cells row by row."""
    cells_by_row = [row.text.split("\t") for row in rows]
    n_columns = len(cells_by_row[0])
    quoted = [_quote(cell) for cells in cells_by_row for cell in cells]
    return f"#table(columns: {n_columns}, {', '.join(quoted)})"


def _quote(text: str) -> str:
    """A typst string, which is escaped as in JSON."""
    return json.dumps(text, ensure_ascii=False)


def _print_pdf(source: str) -> bytes:
    """The PDF of a typst source.

    It is set in the compiler's own fonts, so that equal sources give equal bytes.
    """
    compiled: Callable[..., bytes] = typst.compile
    return compiled(source.encode(), format="pdf", ignore_system_fonts=True)


def write_paper(paper: PlantedPaper, folder: Path, truth: Path) -> None:
    """Write the paper's PDF into `folder`, and its plan, with all levels, to `truth`.

    The PDF has the name that a fetched paper has (`document_path`).
    """
    pdf = _print_pdf(_typeset(compose(paper)))
    with atomic_write(document_path(folder, ".pdf")) as partial:
        partial.write_bytes(pdf)
    write_record(paper, truth)
