"""A review that a person fills in by any rubric is counted like a judge's. What does not fit the
rubric, or is missing, is named.
"""

import json
from pathlib import Path

import pytest

from mechaware.doors.score_review.__main__ import main

# One code has an underscore, which Markdown escapes. One status has two words, and the order of the
# statuses is not alphabetical.
RUBRIC = """name: Code review
statuses: [bad, needs work, good]
criteria:
  - {code: new_names, name: Names, definition: Do names say what they hold?}
  - {code: tests, name: Tests, definition: Would a test fail?}
  - {code: scope, name: Scope, definition: Does it do one thing?}
  - {code: docs, name: Docs, definition: Is it described?}
"""
# The last line has "Status:" in the middle; it is a note, not a second status of docs.
FORM = """# Review of a change

Claim: The lock is released.

## new\\_names Names
Status: Good
Evidence: line 3

## tests Tests
Status: **needs-work**

## scope Scope
Status:

## docs Docs
Status: good
- page 3: Status: bad
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rubric.yaml").write_text(RUBRIC)
    Path("mine.md").write_text(FORM)
    return tmp_path


def test_the_criteria_at_each_status_are_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two of four criteria are good; a criterion without a status is not counted as good."""
    assert main(["mine.md", "--rubric", "rubric.yaml", "--json", "out.json"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "mine.md: 2 of 4 criteria are at the highest status, good; below it: tests (needs work)",
        "  criteria: good 2, needs work 1, bad 0 (50% good)",
        "  without a status: scope",
    ]
    written = json.loads((folder / "out.json").read_text())
    assert written["claim"] == "The lock is released."
    assert written["statuses"] == {
        "new_names": "good",
        "tests": "needs work",
        "scope": None,
        "docs": "good",
    }
    assert written["evidence"]["new_names"] == "line 3"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("Status: Good", "Status: YES"),
            "mine.md, new_names: status 'YES'; write good, needs work or bad, or nothing",
        ),
        (
            ("## tests", "## test"),
            "mine.md, line 10: no criterion test; its heading is one of new_names, tests, scope, docs",
        ),
        (("## docs Docs\nStatus: good\n", ""), "mine.md: no line `Status:` for docs; "),
    ],
)
def test_what_does_not_fit_the_rubric_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, str], message: str
) -> None:
    form = folder / "mine.md"
    form.write_text(form.read_text().replace(*change, 1))
    assert main(["mine.md", "--rubric", "rubric.yaml"]) == 1
    assert message in capsys.readouterr().err
