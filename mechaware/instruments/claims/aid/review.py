"""Reads a review form that a person has filled in, and scores a form by the 27 criteria.

The lines of a form that are read, here for one criterion:

    Claim: Head 9.9 copies names
    Whole mechanism: yes

    ## C1 Falsifiability
    Status: YES
    Evidence: "..."
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, cast

from mechaware.core.errors import UserError
from mechaware.instruments.claims.rubric.criteria import CRITERIA, CVS_RUBRIC, Status
from mechaware.instruments.claims.rubric.records import (
    Audited,
    Claim,
    Judgement,
    Run,
    Scores,
    Usage,
    Voted,
)
from mechaware.instruments.claims.rubric.rubric import Rubric
from mechaware.instruments.claims.rubric.scoring import score_paper

READER = "reader"  # in place of a judge's name
IS_SYSTEM_BY_ANSWER = {"yes": True, "no": False}
MARKS = "*_` ."  # characters around an answer that are ignored, such as those of Markdown
TITLE = re.compile(r"#\s")
HEADING = re.compile(r"#+\s+(?P<code>\S+)")
# A sign after a backslash, which keeps Markdown from taking it for a mark: the code a\_b is a_b.
ESCAPED = re.compile(r"\\(?P<sign>\W|_)")
ENTRY = re.compile(r"\**(?P<name>Claim|Whole mechanism|Status|Evidence)\**:\**(?P<value>.*)")


class ReviewForm(NamedTuple):
    """A form that a person has filled in.

    - `claim`: the claim that was judged; empty if nothing was written.
    - `whole_mechanism`: as it was written, or empty.
    - `statuses`: by criterion, in the rubric's order; None where nothing was written.
    - `evidence`: by criterion, in the rubric's order; empty where nothing was written.
    """

    claim: str
    whole_mechanism: str
    statuses: Mapping[str, str | None]
    evidence: Mapping[str, str]


class _Entry(NamedTuple):
    """A filled-in line: its number, the code of its criterion (or ""), its name and its value."""

    line: int
    code: str
    name: str
    value: str


def score_review(path: Path) -> Scores:
    """The scores of a form by the 27 criteria (sections 3.3 and 3.4 of the paper).

    The form is scored as a judge's single run with one claim. A criterion whose status is empty is
    unscored: scores that depend on it stay open, with their bounds. Raises `UserError` for a file
    that is no such form, or an entry that cannot be read.
    """
    claim = read_review(path)
    name = path.stem
    claims = [claim]
    run = Run(judge=READER, paper=name, run=0, claims=claims, usage=Usage())
    voted = Voted(judge=READER, paper=name, runs=1, scored_runs=[0], claims=claims, dropped=[])
    audited = Audited(judge=READER, paper=name, claims=claims, downgrades=[], usage=Usage())
    return score_paper([run], voted, audited)


def read_review(path: Path) -> Claim:
    """The claim of a form by the 27 criteria, with a person's statuses and evidence.

    Raises `UserError` for a file that is no such form, or an entry that cannot be read.
    """
    form = read_form(path, CVS_RUBRIC)
    if not form.claim:
        raise UserError(f"{path}: the line `Claim:` is empty; write the claim that you judged")

    criteria = {}
    for code in CRITERIA:
        status = cast("Status | None", form.statuses[code])
        criteria[code] = Judgement(status=status, evidence=form.evidence[code])
    return Claim(
        statement=form.claim,
        description_mode="unknown",
        evidence_families=[],
        components=[],
        criteria=criteria,
        system=_is_system(form.whole_mechanism, path),
    )


def read_form(path: Path, rubric: Rubric) -> ReviewForm:
    """A form by any rubric.

    Raises:
        UserError: The file cannot be read, lacks a criterion of the rubric or has one that the
            rubric lacks, has an entry twice, or has a status that the rubric does not have.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({error}); name a filled-in review.md") from None

    entries: dict[tuple[str, str], str] = {}  # by the criterion's code (or "") and the entry's name
    for entry in _entries(lines):
        where = f"{path}, line {entry.line}"
        if entry.code and entry.code not in rubric.criteria:
            codes = _describe_codes(rubric)
            raise UserError(f"{where}: no criterion {entry.code}; its heading is one of {codes}")
        if (entry.code, entry.name) in entries:
            raise UserError(f"{where}: a second entry `{entry.name}:`; keep one of them")
        entries[entry.code, entry.name] = entry.value

    missing = [code for code in rubric.criteria if (code, "Status") not in entries]
    if missing:
        raise UserError(
            f"{path}: no line `Status:` for {', '.join(missing)}; name a review.md of the reading "
            "aid, with all its headings"
        )
    statuses = {}
    evidence = {}
    for code in rubric.criteria:
        statuses[code] = _status(entries[code, "Status"], rubric, f"{path}, {code}")
        evidence[code] = entries.get((code, "Evidence"), "")
    return ReviewForm(
        claim=entries.get(("", "Claim"), ""),
        whole_mechanism=entries.get(("", "Whole mechanism"), ""),
        statuses=statuses,
        evidence=evidence,
    )


def _entries(lines: list[str]) -> Iterator[_Entry]:
    """The entries of a form, in its order."""
    code = ""
    for number, line in enumerate(lines, 1):
        if TITLE.match(line):
            code = ""
        elif heading := HEADING.match(line):
            code = ESCAPED.sub(r"\g<sign>", heading["code"])
        elif entry := ENTRY.fullmatch(line):
            yield _Entry(number, code, entry["name"], entry["value"].strip())


def _status(written: str, rubric: Rubric, where: str) -> str | None:
    """A status of the rubric, in any case and with any signs; None if nothing was written."""
    if not written.strip(MARKS):
        return None
    status = rubric.status_named(written)
    if status is None:
        # In falling order: "YES, PARTIAL or NO".
        *higher, lowest = reversed(rubric.statuses)
        words = f"{', '.join(higher)} or {lowest}"
        raise UserError(
            f"{where}: status {written!r}; write {words}, or nothing where you cannot tell"
        )
    return status


def _is_system(written: str, path: Path) -> bool:
    """Whether the claim is about the whole mechanism; yes if nothing was written."""
    answer = written.strip(MARKS).lower() or "yes"
    if answer not in IS_SYSTEM_BY_ANSWER:
        raise UserError(f"{path}: Whole mechanism: {written!r}; write yes or no")
    return IS_SYSTEM_BY_ANSWER[answer]


def _describe_codes(rubric: Rubric) -> str:
    """The codes of a rubric: "C1 to V5" for the 27 criteria, a list of all for another rubric."""
    codes = list(rubric.criteria)
    return f"{codes[0]} to {codes[-1]}" if rubric is CVS_RUBRIC else ", ".join(codes)
