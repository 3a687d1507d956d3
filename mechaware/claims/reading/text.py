"""A paper's text as its judge gets it, what was taken out of it, and the flags that stand beside it."""

import json
import os
import re
import signal
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

from mechaware.claims.reading import pdf_reader
from mechaware.claims.rubric.records import Fault, HiddenText, PaperText
from mechaware.errors import UserError

READER = f"from {pdf_reader.__name__} import main; main()"
ROOT = Path(__file__).resolve().parents[3]
SUFFIXES = (".pdf", ".html", ".txt")
TAGS = re.compile("[\U000e0000-\U000e007f]+")  # letters that no font shows
WORD = re.compile(r"[^\W\d_]{2,}")  # bare numbers, as heatmaps print in white on dark images, tell a judge nothing
UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")

# What reports how much a result varies (section 3.6), sought in one sentence at a time.
_NUMBER = r"(?<![\d.,])\d[\d.,]{0,20}\s*%?"  # bounded, as all that is sought: a text may be one row of data
_PLUS_MINUS = r"(?:±|\+\s?/\s?[-\u2212\u2013]|\\pm)"
_REPEATS = r"(?:seeds?|runs?|initiali[sz]ations?|trials?|replicat\w+|restarts?|repetitions|(?:\w+\s)?folds)"
VARIANCE = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"\bstandard\s+(?:deviation|error)s?\b",
        r"\bstd\.?\s?(?:dev|err)",
        r"\berror[\s-]?bars?\b",
        r"\b(?:confidence|credible)\s+(?:intervals?|bands?|regions?|limits?)\b",
        r"\b\d\d(?:\.\d+)?\s?%\s?C\.?I\.?s?\b",
        r"\binter-?quartile\s+ranges?\b",
        rf"{_NUMBER}\s*\(?\s*{_PLUS_MINUS}\s*\.?\d",
        rf"{_PLUS_MINUS}\s*(?:one\s|1\s?)?(?:std|s\.?\s?d\b|s\.?\s?e\b|s\.?e\.?m\b|\u03c3|standard)",
        r"\b(?:means?|averages?|medians?)\s*(?:and|,|/|\(|&)\s*(?:the\s+)?(?:std|stdev|s\.?d|s\.?e\.?m?)\b",
        r"\b(?:SD|SE|SEM|S\.D\.|S\.E\.)\s*[=:]\s*\.?\d",
        # The statistical bootstrap; a model may also be bootstrapped from another one.
        r"\bbootstrap(?:ped|ping)?[\s-]+(?:re-?sampl|sampl|interval|confidence|estimat|CI\b|test|procedure|standard"
        r"|distribution|replicat|iteration|percentile|mean|error|analys)",
        r"\b(?:by|with|using|via|paired|parametric|percentile|(?<![\d,])\d[\d,]{0,12})\s+(?:\w+\s+){0,2}bootstrap(?:s|ping)?\b",
        r"\b(?:varianc|variation|variabilit|spread|standard\s+dev|rang)\w*\s+(?:\S+\s+){0,4}?"
        rf"(?:across|over|between|among)\s+(?:\S+\s+){{0,3}}?{_REPEATS}\b",
        rf"\b(?:cross|inter|between|run-to-run|seed-to-seed)[\s-]*(?:{_REPEATS}[\s-]+)?(?:varianc|variabilit)\w*",
    )
)
# The spread of noise that is put in, or of starting weights, is a setting and no result.
SETTING = re.compile(
    r"\bnois|gaussian|\binitiali[sz]e|normal\s+distribution|normally\s+distributed|\blayer\s?norm|N\(0", re.I
)
DENIAL = re.compile(
    r"\b(?:no|not|nor|without|lacks?|lacking|omit\w*|never|neither|absen\w+|missing)\b[^;:]{0,50}$", re.I
)


def extract_text(
    document: Path, *, paper: str, max_pages: int = 50, memory_mb: int = 2048, timeout_s: float = 120.0
) -> tuple[str, PaperText]:
    """The visible text of a PDF, HTML or plain-text document and what there is to know about it.

    The document is read in a child process with `memory_mb` of address space and `timeout_s` of time, which is killed
    beyond them. Of a PDF the first `max_pages` pages are read (section 3.1). A document that cannot be used never
    raises: its text is empty and the record holds a fault of kind not_pdf, truncated, encrypted,
    unsupported_encryption, no_text, too_large, corrupt, empty, encoding, memory, timeout or crashed. Hidden text is in
    the record only, and flagged if there are words in it. The same document gives the same text.
    Raises `UserError` if `document` is no such file.
    """
    if document.suffix not in SUFFIXES or not document.is_file():
        raise UserError(f"{document}: no document ending in {', '.join(SUFFIXES)}; fetch the paper again")
    answer = _read_apart(document, max_pages, memory_mb, timeout_s)
    raw = answer.get("text", "")
    text = clean(raw)
    hidden = [HiddenText(page=page, reason=reason, text=clean(shown)) for page, reason, shown in answer["hidden"]]
    hidden += [HiddenText(page=1, reason="invisible", text=_plain_tags(tags)) for tags in TAGS.findall(raw)]
    hidden = [one for one in hidden if one.text]
    fault = Fault(kind=answer["kind"], message=f"{document.name}: {answer['message']}") if "kind" in answer else None
    flags = [] if fault or reports_variance(text) else ["NO_VARIANCE_REPORTED"]
    pages, pages_read = answer.get("pages"), answer.get("pages_read")
    return text, PaperText(
        paper=paper,
        pages=pages,
        pages_read=pages_read,
        truncated=pages != pages_read,
        characters=len(text),
        flags=flags + (["HIDDEN_TEXT"] if any(WORD.search(one.text) for one in hidden) else []),
        hidden=hidden,
        fault=fault,
    )


def _read_apart(document: Path, max_pages: int, memory_mb: int, timeout_s: float) -> dict[str, Any]:
    """Run `pdf_reader` on the document. It gets none of this process's environment: there may be keys in it."""
    command = [sys.executable, "-c", READER, str(document.resolve())]
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.defpath, "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
    late: dict[str, Any] = {"kind": "timeout", "message": f"not read after {timeout_s:g} s; enter a plain copy"}
    try:
        run = subprocess.run(
            [*command, str(max_pages), str(memory_mb), str(timeout_s)],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=environment,
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired:
        return late | {"hidden": []}
    if run.returncode == 0:
        answer: dict[str, Any] = json.loads(run.stdout)
        return answer
    if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return late | {"hidden": []}
    last = next(reversed(run.stderr.decode(errors="replace").strip().splitlines()), f"status {run.returncode}")
    if "MemoryError" in last:
        return {
            "kind": "memory",
            "message": f"reading it takes more than {memory_mb} MB; enter a plain copy",
            "hidden": [],
        }
    return {"kind": "crashed", "message": f"its reader ended early ({last[:200]}); enter a plain copy", "hidden": []}


def clean(text: str) -> str:
    """Text without lone surrogates, control characters and letters that no font shows; lines end in a line feed."""
    text = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", text)
    text = UNWANTED.sub("", TAGS.sub("", text))
    text = "\n".join(line.rstrip(" \t") for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _plain_tags(tags: str) -> str:
    return "".join(chr(ord(tag) - 0xE0000) for tag in tags if 0x20 <= ord(tag) - 0xE0000 < 0x7F).strip()


def reports_variance(text: str) -> bool:
    """Whether any sentence tells how much a result varies; a denial, or the spread of added noise, does not.

    Searched for are standard deviations and errors, error bars, confidence intervals, the bootstrap, numbers with ±
    and variance across seeds or runs (section 3.6).
    """
    joined = re.sub(r"(?<=\w)[-\u00ad]\s*\n\s*(?=[a-z])", "", unicodedata.normalize("NFKC", text))
    sentences = re.split(r"(?<=[.!?])\s+(?=[^a-z])|\n\s*\n", joined)
    return any(_tells(" ".join(sentence.split())) for sentence in sentences)


def _tells(sentence: str) -> bool:
    for pattern in VARIANCE:
        for match in pattern.finditer(sentence):
            around = sentence[max(0, match.start() - 80) : match.end() + 80]
            setting = match[0].lower().startswith(("standard dev", "std")) and SETTING.search(around)
            if not setting and not DENIAL.search(sentence[: match.start()]):
                return True
    return False
