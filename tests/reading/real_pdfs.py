"""Reads real PDFs from Debian packages and compares their words with those of poppler's pdftotext.

No document hides anything from its readers, so none may be accused of hidden text or refused. The
recall of a document is the share of pdftotext's words that the project's reader also finds; its
median over the documents must be at least 99.5%. Needs Debian 12 with its package lists, dpkg-deb
and pdftotext (package poppler-utils); downloads 50 MB.

    .venv/bin/python -m tests.reading.real_pdfs /tmp/real_pdfs
"""

import re
import shutil
import statistics
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from mechaware.instruments.claims.reading.pdf import LIGATURES
from mechaware.instruments.claims.reading.text import extract_text
from mechaware.instruments.claims.rubric.records import PaperText
from mechaware.instruments.claims.rubric.text_flags import HARMLESS

PACKAGES = """
r-cran-actuar=3.3-2-1 r-cran-aer=1.2-10-1 r-cran-apcluster=1.4.10-1 r-cran-ape=5.7-1 r-cran-bbmle=1.0.25-2
r-cran-biasedurn=2.0.9-1 r-cran-bms=0.3.5-1 r-cran-clue=0.3-64-1 r-cran-coin=1.4-2-1+b1
r-cran-colorspace=2.1-0+dfsg-1 r-cran-e1071=1.7-13-1 r-cran-flexmix=2.3-18-1 r-cran-gstat=2.1-0-1
r-cran-kernlab=0.9-32-1 r-cran-lme4=1.1-31-1 r-cran-lmtest=0.9.40-1 r-cran-multcomp=1.4-22-1
r-cran-mvtnorm=1.1-3-1+b1 r-cran-party=1.3-11-1 r-cran-pscl=1.5.5-1+b1 r-cran-sandwich=3.0-2-1
r-cran-spatstat=3.0-3-1 r-cran-strucchange=1.5-3-1 r-cran-survival=3.5-3-1 r-cran-tm=0.7-11-1 r-cran-vcd=1:1.4-11-1
r-cran-vegan=2.6-4+dfsg-1 r-cran-zoo=1.8-11-1 r-bioc-hilbertvis=1.56.0-1 andi=0.14-2 beagle-doc=220722-1
belenios-tool=2.0+dfsg-1 belvu=4.44.1+dfsg-7+b2 bibtool=2.68+ds-1 debian-faq=11.1 nauty-doc=2.8.6+ds-2
python-mlpy-doc=3.5.0+ds-2 sollya-doc=8.0+ds-2
"""
MIN_RECALL = 99.5  # percent of words, the median over documents
MIN_BYTES = 30_000  # a smaller PDF is a page or a figure
MAX_PAGES = 50  # of a document; the project's reader reads no more
TIMEOUT_S = 600
# A hyphen at the end of a line inside a word, such as `circ-` before `uit`.
HYPHEN = re.compile(r"(?<=\w)[-\u00ad\u2010][ \t]*\n\s*(?=[a-z])")


def main(folder: Path) -> int:
    """Print a line for each PDF, and a summary; `folder` holds the packages and their PDFs.

    Returns the exit status: 1 if a PDF is accused or refused, the median recall is too low, or a
    program is missing; else 0.
    """
    missing = [tool for tool in ("apt-get", "dpkg-deb", "pdftotext") if shutil.which(tool) is None]
    if missing:
        print(f"{', '.join(missing)} missing; run this on Debian 12 with poppler-utils installed")
        return 1

    recalls: list[float] = []
    n_faults = 0
    for pdf in _documents(folder):
        document = folder / "document.pdf"
        shutil.copyfile(pdf, document)
        reference = subprocess.run(
            ["pdftotext", "-l", str(MAX_PAGES), document, "-"],
            capture_output=True,
            check=True,
            text=True,
        )
        expected = _words(reference.stdout)
        if not expected:
            # The PDF is a figure without words.
            continue

        text, record = extract_text(
            document, paper=pdf.stem, max_pages=MAX_PAGES, timeout_s=TIMEOUT_S
        )
        fault = _fault(record)
        n_faults += bool(fault)
        lost = expected - _words(text)
        recall = 100 * (1 - lost.total() / expected.total())
        recalls.append(recall)
        pages = f"{record.pages_read or 0:3} pages"
        print(f"{recall:6.2f}%  {pdf.name:32} {pages}  lost {lost.most_common(3)}  {fault}")

    median = statistics.median(recalls)
    summary = f"median recall {median:.2f}%, lowest {min(recalls):.2f}%"
    print(f"{len(recalls)} PDFs: {summary}; {n_faults} accused or refused")
    return int(n_faults > 0 or median < MIN_RECALL)


def _fault(record: PaperText) -> str:
    """Why a document is refused, or else the beginnings of the texts that it is accused of hiding;
    empty if it is neither refused nor accused.
    """
    if record.fault:
        return record.fault.kind
    accused = [piece.text[:60] for piece in record.hidden if piece.reason not in HARMLESS]
    return ", ".join(accused)


def _documents(folder: Path) -> Iterator[Path]:
    """The PDFs of all packages, at least `MIN_BYTES` large, without links.

    A package is downloaded and unpacked into the folder unless it is there.
    """
    for package in PACKAGES.split():
        unpacked = folder / package.replace(":", "_")
        if not unpacked.exists():
            unpacked.mkdir(parents=True)
            if subprocess.run(["apt-get", "-qq", "download", package], cwd=unpacked).returncode:
                unpacked.rmdir()
                sys.exit(f"{package}: not downloaded; run apt-get update, or take another version")
            subprocess.run(["dpkg-deb", "-x", next(unpacked.glob("*.deb")), unpacked], check=True)
        for pdf in sorted(unpacked.rglob("*.pdf")):
            if not pdf.is_symlink() and pdf.stat().st_size >= MIN_BYTES:
                yield pdf


def _words(text: str) -> Counter[str]:
    """How often a text has each word of at least two letters, in lower case.

    The parts of a word that is hyphenated at the end of a line are joined. Ligatures are replaced
    by their letters, among them TeX's codes, which pdftotext leaves in the text.
    """
    normalised = unicodedata.normalize("NFKC", text.translate(LIGATURES))
    joined = HYPHEN.sub("", normalised)
    return Counter(word.lower() for word in re.findall(r"[^\W\d_]{2,}", joined))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
