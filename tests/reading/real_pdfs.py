"""Reads real PDFs from Debian packages and compares their words with those of poppler's pdftotext.

None hides anything from its readers, so that none may be accused or refused, and the median recall
of words is to be 99.5% at least. Needs Debian 12 with its package lists, dpkg-deb and pdftotext
(package poppler-utils); downloads 50 MB.

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
MIN_BYTES = 30_000  # smaller ones are a page or a figure
HYPHEN = re.compile(r"(?<=\w)[-\u00ad\u2010][ \t]*\n\s*(?=[a-z])")


def main(folder: Path) -> int:
    """Print a line for each PDF and the summary; 1 if a PDF is accused or refused,
    or the recall is too low.
    """
    missing = [tool for tool in ("apt-get", "dpkg-deb", "pdftotext") if shutil.which(tool) is None]
    if missing:
        print(f"{', '.join(missing)} missing; run this on Debian 12 with poppler-utils installed")
        return 1
    recalls: list[float] = []
    faults = 0
    for pdf in _documents(folder):
        document = folder / "document.pdf"
        shutil.copyfile(pdf, document)
        reference = subprocess.run(
            ["pdftotext", "-l", "50", document, "-"],
            capture_output=True,
            check=True,
            text=True,
        )
        expected = _words(reference.stdout)
        if not expected:  # a figure
            continue
        text, about = extract_text(document, paper=pdf.stem, timeout_s=600)
        fault = (
            about.fault.kind
            if about.fault
            else ", ".join(
                piece.text[:60] for piece in about.hidden if piece.reason not in HARMLESS
            )
        )
        faults += bool(fault)
        lost = expected - _words(text)
        recalls.append(100 * (1 - lost.total() / expected.total()))
        print(
            f"{recalls[-1]:6.2f}%  {pdf.name:32} {about.pages_read or 0:3} pages  lost {lost.most_common(3)}  {fault}"
        )
    median = statistics.median(recalls)
    print(
        f"{len(recalls)} PDFs: median recall {median:.2f}%, lowest {min(recalls):.2f}%; {faults} accused or refused"
    )
    return int(bool(faults) or median < MIN_RECALL)


def _documents(folder: Path) -> Iterator[Path]:
    """The PDFs of all packages, which are downloaded unless they are in the folder."""
    for package in PACKAGES.split():
        unpacked = folder / package.replace(":", "_")
        if not unpacked.exists():
            unpacked.mkdir(parents=True)
            if subprocess.run(["apt-get", "-qq", "download", package], cwd=unpacked).returncode:
                unpacked.rmdir()
                sys.exit(f"{package}: not downloaded; run apt-get update, or take another version")
            subprocess.run(["dpkg-deb", "-x", next(unpacked.glob("*.deb")), unpacked], check=True)
        yield from sorted(
            pdf
            for pdf in unpacked.rglob("*.pdf")
            if not pdf.is_symlink() and pdf.stat().st_size >= MIN_BYTES
        )


def _words(text: str) -> Counter[str]:
    """Words of two letters and more in small letters, cut ones joined;
    pdftotext leaves codes of TeX's ligatures.
    """
    joined = HYPHEN.sub("", unicodedata.normalize("NFKC", text.translate(LIGATURES)))
    return Counter(word.lower() for word in re.findall(r"[^\W\d_]{2,}", joined))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
