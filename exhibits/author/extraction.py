"""Statuses and verdicts of the author's files: pages of case studies (May 2026) and audits (August 2026)."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from mechaware.core.errors import UserError

MAY = "May 2026"
AUGUST = "August 2026"
# Kinds of files.
PAGES = "case page"
AUDITS = "audit"
QUOTATIONS = "quotations"
SHORT_COMMIT = 7
# **[C1 — Falsifiability:](/framework/criteria/construct/falsifiability) Implicit pass.**
_LABEL = re.compile(r"^\*\*\[([CIMEV]\d) — [^\]]+\]\([^)]*\) (.+?)\.?\*\*", re.MULTILINE)
# Two verdicts of the audits are abbreviated for a table of LaTeX.
_LATEX_VERDICTS = {"Mech.\\ Supported": "Mechanistically Supported"}


class ListedFile(NamedTuple):
    """A file of the author's: its repository and commit, the kind of file, its claim, its path and its SHA-256."""

    repository: str
    commit: str
    kind: str
    claim: str
    file: str
    sha256: str


def read_file(folder: Path, listed: ListedFile) -> str:
    """The text of a file in a local folder of its repository.

    Raises:
        UserError: The folder lacks the file, or has another version of it.
    """
    path = folder / listed.file
    advice = f"check out commit {listed.commit} of {listed.repository}"
    if not path.is_file():
        raise UserError(f"{path}: no such file; {advice}")
    return text_of_version(path.read_bytes(), listed, origin=str(path), advice=advice)


def text_of_version(content: bytes, listed: ListedFile, *, origin: str, advice: str) -> str:
    """The text of a file's content, which was read from a folder or fetched.

    Raises:
        UserError: The content is not the listed version; the message names its `origin`, and ends in `advice`.
    """
    if hashlib.sha256(content).hexdigest() != listed.sha256:
        raise UserError(f"{origin}: not the version that is listed; {advice}")
    return content.decode("utf-8")


def page_statuses(page: str) -> dict[str, str]:
    """The word for each of the 27 criteria on a page of a case study, without its full stop."""
    return dict(_LABEL.findall(page))


def audit_statuses(audit: str) -> dict[str, str]:
    """The status for each of the 36 criteria of an audit: C, PC, I, U, D or N/A."""
    criteria = yaml.safe_load(audit)["criteria"]
    return {code: criterion["status"] for code, criterion in criteria.items()}


def audit_verdicts(audit: str) -> Iterator[tuple[int, bool, str]]:
    """Each reading of an audit's claim: its number from 1 on, whether it is the primary reading, and its verdict."""
    readings = yaml.safe_load(audit)["readings"]
    for number, reading in enumerate(readings, start=1):
        verdict = reading["verdict"]
        yield number, reading["primary"], _LATEX_VERDICTS.get(verdict, verdict)


def status_rows(listed: ListedFile, text: str) -> list[dict[str, Any]]:
    """The rows of claims_statuses.csv of one file."""
    audit = MAY if listed.kind == PAGES else AUGUST
    statuses = page_statuses(text) if listed.kind == PAGES else audit_statuses(text)
    rows = []
    for code, word in statuses.items():
        row = {"audit": audit, "claim": listed.claim, "criterion": code, "word": word}
        rows.append(row | _source(listed))
    return rows


def verdict_rows(listed: ListedFile, text: str) -> list[dict[str, Any]]:
    """The rows of claims_verdicts.csv of one audit."""
    rows = []
    for number, primary, verdict in audit_verdicts(text):
        row = {"claim": listed.claim, "reading": number, "primary": primary, "verdict": verdict}
        rows.append(row | _source(listed))
    return rows


def _source(listed: ListedFile) -> dict[str, str]:
    """The columns that say where a row is from."""
    return {
        "repository": listed.repository,
        "file": listed.file,
        "commit": listed.commit[:SHORT_COMMIT],
    }


def extract(files: list[ListedFile], folders: dict[str, Path]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables of statuses and of verdicts of the listed pages and audits.

    `folders` has a local folder for each repository's name.
    """
    statuses: list[dict[str, Any]] = []
    verdicts: list[dict[str, Any]] = []
    for listed in files:
        if listed.kind == QUOTATIONS:
            continue
        text = read_file(folders[listed.repository], listed)
        statuses += status_rows(listed, text)
        if listed.kind == AUDITS:
            verdicts += verdict_rows(listed, text)
    return pd.DataFrame(statuses), pd.DataFrame(verdicts)
