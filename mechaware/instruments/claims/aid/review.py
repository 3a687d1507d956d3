"""Reads a review form that a person has filled in, and scores it as a judge's statuses are scored."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.instruments.claims.rubric.criteria import CRITERIA, STATUSES, Status
from mechaware.instruments.claims.rubric.records import (
    Audited,
    Claim,
    Judgement,
    Run,
    Scores,
    Usage,
    Voted,
)
from mechaware.instruments.claims.rubric.scoring import score_paper

READER = "reader"  # in place of a judge's name
WHOLE_MECHANISM = {"yes": True, "no": False}
HEADING = re.compile(r"#+\s+(?P<code>[A-Z]\d)\b")
ENTRY = re.compile(r"\**(?P<name>Claim|Whole mechanism|Status|Evidence)\**:\**(?P<value>.*)")


class _Entry(NamedTuple):
    """A filled-in line: its number, the code of the criterion that it is under (or ""), its name and its value."""

    line: int
    code: str
    name: str
    value: str


def score_review(path: Path) -> Scores:
    """The scores of a filled-in form: one claim with a person's statuses, by the scoring of sections 3.3 and 3.4.

    A criterion whose status is empty is unscored: scores that depend on it stay open, with their bounds.
    Raises `UserError` for a file that is no such form, or an entry that cannot be read.
    """
    claim = read_review(path)
    name = path.stem
    claims = [claim]
    run = Run(judge=READER, paper=name, run=0, claims=claims, usage=Usage())
    voted = Voted(judge=READER, paper=name, runs=1, scored_runs=[0], claims=claims, dropped=[])
    audited = Audited(judge=READER, paper=name, claims=claims, downgrades=[], usage=Usage())
    return score_paper([run], voted, audited)


def read_review(path: Path) -> Claim:
    """The claim of a form with a person's statuses and evidence. Raises `UserError`."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({error}); name a filled-in review.md") from None

    entries: dict[tuple[str, str], str] = {}  # by criterion, or "", and name
    for entry in _entries(lines):
        where = f"{path}, line {entry.line}"
        if entry.code and entry.code not in CRITERIA:
            raise UserError(f"{where}: no criterion {entry.code}; its heading is one of {_codes()}")
        if (entry.code, entry.name) in entries:
            raise UserError(f"{where}: a second entry `{entry.name}:`; keep one of them")
        entries[entry.code, entry.name] = entry.value

    missing = [code for code in CRITERIA if (code, "Status") not in entries]
    if missing:
        raise UserError(
            f"{path}: no line `Status:` for {', '.join(missing)}; name a review.md of the reading aid, with all its "
            "headings"
        )
    statement = entries.get(("", "Claim"), "")
    if not statement:
        raise UserError(f"{path}: the line `Claim:` is empty; write the claim that you judged")

    criteria = {}
    for code in CRITERIA:
        status = _status(entries[code, "Status"], f"{path}, {code}")
        criteria[code] = Judgement(status=status, evidence=entries.get((code, "Evidence"), ""))
    return Claim(
        statement=statement,
        description_mode="unknown",
        evidence_families=[],
        components=[],
        criteria=criteria,
        system=_level(entries.get(("", "Whole mechanism"), ""), path),
    )


def _entries(lines: list[str]) -> Iterator[_Entry]:
    """The entries of a form, in its order."""
    code = ""
    for number, line in enumerate(lines, 1):
        if heading := HEADING.match(line):
            code = heading["code"]
        elif entry := ENTRY.fullmatch(line):
            yield _Entry(number, code, entry["name"], entry["value"].strip())


def _status(written: str, where: str) -> Status | None:
    """A status as it was written, in capitals or not; None where nothing was."""
    word = written.strip("*_` .").upper()
    if not word:
        return None
    for status in STATUSES:
        if word == status:
            return status
    raise UserError(
        f"{where}: status {written!r}; write YES, PARTIAL or NO, or nothing where you cannot tell"
    )


def _level(written: str, path: Path) -> bool:
    """Whether the claim is about the whole mechanism, as it is where nothing was written."""
    word = written.strip("*_` .").lower() or "yes"
    if word not in WHOLE_MECHANISM:
        raise UserError(f"{path}: Whole mechanism: {written!r}; write yes or no")
    return WHOLE_MECHANISM[word]


def _codes() -> str:
    """The criteria as C1 to V5."""
    first, *_, last = CRITERIA
    return f"{first} to {last}"
