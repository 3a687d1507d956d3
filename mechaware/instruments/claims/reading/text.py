"""A paper's visible text as its judge gets it, the hidden text that was removed, and the flags."""

import json
import os
import signal
import subprocess
from pathlib import Path

from mechaware.core.errors import UserError
from mechaware.instruments.claims.fetching.papers import SUFFIXES
from mechaware.instruments.claims.reading import child
from mechaware.instruments.claims.rubric.records import PaperText


def extract_text(
    document: Path,
    *,
    paper: str,
    max_pages: int = 50,
    memory_mb: int = 1500,
    timeout_s: float = 120.0,
) -> tuple[str, PaperText]:
    """The visible text of a PDF, HTML or plain-text document, and its record.

    All work on the document is done in a child process with `memory_mb` of address space and
    `timeout_s` of time, which is killed beyond them. Of a PDF the first `max_pages` pages are read
    (section 3.1), of any document at most a million characters. A document that cannot be used
    never raises: its text is empty and the record holds a fault of kind not_pdf, truncated,
    encrypted, unsupported_encryption, no_text, corrupt, empty, encoding, memory, timeout or
    crashed. Hidden text is in the record only, and flagged if there are words in it. The same
    document gives the same text. Raises `UserError` if `document` is missing or its suffix is not
    in `SUFFIXES`.
    """
    if document.suffix not in SUFFIXES or not document.is_file():
        raise UserError(
            f"{document}: no document ending in {', '.join(SUFFIXES)}; fetch the paper again"
        )
    answer = _read_in_child(document, max_pages, memory_mb, timeout_s)
    text = answer.pop("text")
    fault = answer["fault"]
    if fault:
        fault["message"] = f"{document.name}: {fault['message']}"
    return text, PaperText(paper=paper, **answer)


def _read_in_child(
    document: Path, max_pages: int, memory_mb: int, timeout_s: float
) -> child.Answer:
    """The child's answer. The child gets none of this process's environment,
    which may hold keys.
    """
    environment = {
        "PATH": os.defpath,
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
    too_slow = child.fault("timeout", f"not read after {timeout_s:g} s; enter a plain copy")
    command = child.command(
        document.resolve(), max_pages=max_pages, memory_mb=memory_mb, timeout_s=timeout_s
    )
    try:
        run = subprocess.run(
            command,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=environment,
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired:
        return too_slow
    if run.returncode == 0:
        answer: child.Answer = json.loads(run.stdout)
        return answer
    # The limit of processor time sends SIGXCPU first and then SIGKILL.
    if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return too_slow

    lines = run.stderr.decode(errors="replace").strip().splitlines()
    last_line = lines[-1] if lines else f"status {run.returncode}"
    # Pdfium aborts when it gets no memory.
    if run.returncode == -signal.SIGABRT or "MemoryError" in last_line:
        return child.out_of_memory(memory_mb)
    return child.fault("crashed", f"its reader ended early ({last_line[:200]}); enter a plain copy")
