"""Reads the statuses and verdicts of Claim Validity Scores' author from the files he published.

The files are pages of case studies (May 2026) and audits (August 2026). `extract`, at the end,
makes the two tables of them: claims_statuses.csv and claims_verdicts.csv of config/reported.
"""

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
# Kinds of files (`ListedFile.kind`).
PAGES = "case page"
AUDITS = "audit"
QUOTATIONS = "quotations"
SHORT_COMMIT = 7  # digits
# The status of a criterion on a page, a line that begins with
# **[C1 — Falsifiability:](/framework/criteria/construct/falsifiability) Implicit pass.**
_PAGE_STATUS = re.compile(r"^\*\*\[([CIMEV]\d) — [^\]]+\]\([^)]*\) (.+?)\.?\*\*", re.MULTILINE)
# Two verdicts of the audits are abbreviated and escaped, as in a LaTeX table.
_LATEX_VERDICTS = {"Mech.\\ Supported": "Mechanistically Supported"}


class ListedFile(NamedTuple):
    """A file that the author published, as config/reported/claims_files.csv lists it."""

    repository: str
    commit: str  # in full
    kind: str  # PAGES, AUDITS or QUOTATIONS
    claim: str
    file: str  # its path in the repository
    sha256: str


class AuditReading(NamedTuple):
    """One reading of an audit's claim."""

    number: int  # from 1 on
    primary: bool
    verdict: str


def read_file(folder: Path, listed: ListedFile) -> str:
    """The text of the listed file in `folder`, a local copy of its repository.

    Raises:
        UserError: The folder lacks the file, or has another version of it.
    """
    path = folder / listed.file
    advice = f"check out commit {listed.commit} of {listed.repository}"
    if not path.is_file():
        raise UserError(f"{path}: no such file; {advice}")
    return text_of_version(path.read_bytes(), listed, origin=str(path), advice=advice)


def text_of_version(content: bytes, listed: ListedFile, *, origin: str, advice: str) -> str:
    """The text of a file from its bytes, which were read from a folder or fetched.

    Raises:
        UserError: The content is not the listed version. The message names `origin`, where the
            content is from, and ends in `advice`.
    """
    if hashlib.sha256(content).hexdigest() != listed.sha256:
        raise UserError(f"{origin}: not the version that is listed; {advice}")
    return content.decode("utf-8")


def page_statuses(page: str) -> dict[str, str]:
    """By criterion, the word on a page of a case study, without its full stop; a page has 27."""
    return dict(_PAGE_STATUS.findall(page))


def audit_statuses(audit: str) -> dict[str, str]:
    """By criterion, the status in an audit: C, PC, I, U, D or N/A; an audit has 36."""
    criteria = yaml.safe_load(audit)["criteria"]
    return {code: criterion["status"] for code, criterion in criteria.items()}


def audit_verdicts(audit: str) -> Iterator[AuditReading]:
    """The readings of an audit's claim, with abbreviated verdicts written out."""
    readings = yaml.safe_load(audit)["readings"]
    for number, reading in enumerate(readings, start=1):
        verdict = reading["verdict"]
        yield AuditReading(number, reading["primary"], _LATEX_VERDICTS.get(verdict, verdict))


def status_rows(listed: ListedFile, text: str) -> list[dict[str, Any]]:
    """The rows of claims_statuses.csv of one page or audit; their column `audit` is the date."""
    if listed.kind == PAGES:
        date = MAY
        statuses = page_statuses(text)
    else:
        date = AUGUST
        statuses = audit_statuses(text)
    rows = []
    for code, word in statuses.items():
        row = {"audit": date, "claim": listed.claim, "criterion": code, "word": word}
        rows.append(row | _source(listed))
    return rows


def verdict_rows(listed: ListedFile, text: str) -> list[dict[str, Any]]:
    """The rows of claims_verdicts.csv of one audit."""
    rows = []
    for reading in audit_verdicts(text):
        row = {
            "claim": listed.claim,
            "reading": reading.number,
            "primary": reading.primary,
            "verdict": reading.verdict,
        }
        rows.append(row | _source(listed))
    return rows


def _source(listed: ListedFile) -> dict[str, str]:
    """The columns of a row's source: repository, file and the short commit."""
    return {
        "repository": listed.repository,
        "file": listed.file,
        "commit": listed.commit[:SHORT_COMMIT],
    }


def extract(files: list[ListedFile], folders: dict[str, Path]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables of statuses and of verdicts, from the listed pages and audits.

    Files of quotations have neither. `folders` maps a repository's name to its local folder.
    Raises `UserError` as `read_file` does.
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
