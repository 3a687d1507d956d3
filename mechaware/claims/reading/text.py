"""A paper's visible text as its judge gets it, the hidden text that was removed, and the flags."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

from mechaware.claims.fetching.documents import SUFFIXES
from mechaware.claims.reading import child
from mechaware.claims.reading.flags import paper_flags
from mechaware.claims.rubric.records import Fault, HiddenText, PaperText
from mechaware.errors import UserError

ROOT = Path(__file__).resolve().parents[3]
TAGS = re.compile("[\U000e0000-\U000e007f]+")  # letters that no font shows
UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


def extract_text(
    document: Path, *, paper: str, max_pages: int = 50, memory_mb: int = 2048, timeout_s: float = 120.0
) -> tuple[str, PaperText]:
    """The visible text of a PDF, HTML or plain-text document, and its record.

    The document is read in a child process with `memory_mb` of address space and `timeout_s` of time, which is killed
    beyond them. Of a PDF the first `max_pages` pages are read (section 3.1). A document that cannot be used never
    raises: its text is empty and the record holds a fault of kind not_pdf, truncated, encrypted,
    unsupported_encryption, no_text, too_large, corrupt, empty, encoding, memory, timeout or crashed. Hidden text is in
    the record only, and flagged if there are words in it. The same document gives the same text.
    Raises `UserError` if `document` is no such file.
    """
    if document.suffix not in SUFFIXES or not document.is_file():
        raise UserError(f"{document}: no document ending in {', '.join(SUFFIXES)}; fetch the paper again")
    answer = _read_in_child(document, max_pages, memory_mb, timeout_s)
    raw = answer.get("text", "")
    text = clean(raw)
    hidden = [HiddenText(page=page, reason=reason, text=clean(piece)) for page, reason, piece in answer["hidden"]]
    hidden += [HiddenText(page=1, reason="invisible", text=_readable_tags(tags)) for tags in TAGS.findall(raw)]
    hidden = [piece for piece in hidden if piece.text]
    fault = Fault(kind=answer["kind"], message=f"{document.name}: {answer['message']}") if "kind" in answer else None
    pages, pages_read = answer.get("pages"), answer.get("pages_read")
    return text, PaperText(
        paper=paper,
        pages=pages,
        pages_read=pages_read,
        truncated=pages != pages_read,
        characters=len(text),
        flags=paper_flags(None if fault else text, hidden),
        hidden=hidden,
        fault=fault,
    )


def _read_in_child(document: Path, max_pages: int, memory_mb: int, timeout_s: float) -> dict[str, Any]:
    """The child's answer. The child gets none of this process's environment, which may hold keys."""
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.defpath, "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
    late = child.fault("timeout", f"not read after {timeout_s:g} s; enter a plain copy")
    try:
        run = subprocess.run(
            child.command(document.resolve(), max_pages=max_pages, memory_mb=memory_mb, timeout_s=timeout_s),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=environment,
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired:
        return late
    if run.returncode == 0:
        answer: dict[str, Any] = json.loads(run.stdout)
        return answer
    if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return late
    last = next(reversed(run.stderr.decode(errors="replace").strip().splitlines()), f"status {run.returncode}")
    if "MemoryError" in last:
        return child.out_of_memory(memory_mb)
    return child.fault("crashed", f"its reader ended early ({last[:200]}); enter a plain copy")


def clean(text: str) -> str:
    """Text without lone surrogates, control characters and letters that no font shows; lines end in a line feed."""
    text = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", text)
    text = UNWANTED.sub("", TAGS.sub("", text))
    text = "\n".join(line.rstrip(" \t") for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _readable_tags(tags: str) -> str:
    return "".join(chr(ord(tag) - 0xE0000) for tag in tags if 0x20 <= ord(tag) - 0xE0000 < 0x7F).strip()
