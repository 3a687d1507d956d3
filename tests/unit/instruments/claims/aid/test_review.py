"""A filled-in review form is scored as a judge's claim with the same statuses would be."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.doors.score_review.__main__ import main
from mechaware.instruments.claims.aid.review import read_review, score_review
from mechaware.instruments.claims.rubric.criteria import CRITERIA

# Statuses in several spellings; all other criteria are at NO. C1 and C5 give Construct 2, I1 and I2
# Internal 2, and M3 Measurement 1. External and Interpretive are 0, so the weighted sum is
# 1.5 * 2 + 1.5 * 2 + 1 * 1 = 7 of 18: a CVS of 3.9.
STATUSES = {"C1": "YES", "C5": "partial", "I1": "**Yes**", "I2": "YES", "M3": "PARTIAL."}


def write_form(
    folder: Path,
    statuses: Mapping[str, str],
    head: str = "Claim: Heads 9.6 and 9.9 copy the name.",
) -> Path:
    """A form with these statuses, and NO for all other criteria.

    `head` has the lines before the criteria. Each criterion has five lines:

        ## C1 Its name
        Status: YES
        Evidence:

        - page 3: Status: YES

    The last quotes the paper, and is not an entry of the form.
    """
    lines = [head, ""]
    for code in CRITERIA:
        lines.append(f"## {code} Its name")
        lines.append(f"Status: {statuses.get(code, 'NO')}")
        lines.append("Evidence:")
        lines.append("")
        lines.append("- page 3: Status: YES")
    path = folder / "my-review.md"
    path.write_text("\n".join(lines))
    return path


def test_a_form_has_the_score_of_its_statuses(tmp_path: Path) -> None:
    scores = score_review(write_form(tmp_path, STATUSES))

    assert scores.cvs == pytest.approx(7 / 18 * 10)
    assert scores.tier == "Causally Suggestive"
    assert scores.scored[0].dimensions == {"C": 2, "I": 2, "M": 1, "E": 0, "V": 0}
    assert scores.claims[0].statement == "Heads 9.6 and 9.9 copy the name."


def test_without_a_status_the_score_is_open_between_its_bounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # With I2 at NO, Internal is 1 and the weighted sum 5.5: a CVS of 3.1. With I2 at YES it is 3.9.
    # Both are in the second tier.
    path = write_form(tmp_path, STATUSES | {"I2": ""})

    scores = score_review(path)

    assert scores.cvs is None
    assert scores.scored[0].low == pytest.approx(5.5 / 18 * 10)
    assert scores.scored[0].high == pytest.approx(7 / 18 * 10)

    assert main([str(path)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith(f"{path}: CVS 3.1 to 3.9, Causally Suggestive (second lowest")
    assert printed[1].endswith(
        "Construct 2, Internal open, Measurement 1, External 0, Interpretive 0"
    )
    assert printed[2] == "  without a status: I2"


def test_a_paper_is_not_scored_by_a_claim_about_a_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_form(tmp_path, STATUSES, head="Claim: Head 9.6 copies.\nWhole mechanism: no")
    record = tmp_path / "out.json"

    scores = score_review(path)

    assert scores.cvs is None
    assert scores.scored[0].cvs == pytest.approx(7 / 18 * 10)

    assert main([str(path), "--json", str(record)]) == 0
    assert "the claim is about a part" in capsys.readouterr().out
    assert json.loads(record.read_text())["cvs"] is None


# The form has the claim in line 1, C1 in lines 3 to 7 and the heading of C2 in line 8. A heading is
# no entry: an unknown code is named with the line of its status, 9 for C2.
@pytest.mark.parametrize(
    ("text", "replacement", "message"),
    [
        pytest.param(
            "Status: YES",
            "Status: maybe",
            "C1: status 'maybe'; write YES, PARTIAL or NO, or nothing",
            id="a word that is no status",
        ),
        pytest.param(
            "## C2 ",
            "## C9 ",
            ", line 9: no criterion C9; its heading is one of C1 to V5",
            id="an unknown criterion",
        ),
        pytest.param(
            "Claim: Heads",
            "Claim:\nHeads",
            "the line `Claim:` is empty; write the claim",
            id="no claim",
        ),
        pytest.param(
            "Evidence:",
            "Status: NO",
            ", line 5: a second entry `Status:`; keep one of them",
            id="two statuses of a criterion",
        ),
        pytest.param(
            "## V5 ",
            "V5 ",
            ": a second entry `Status:`",
            id="a heading that has lost its mark, so that its status is the previous criterion's",
        ),
        pytest.param(
            "## C1 Its name\nStatus: YES\n",
            "",
            ": no line `Status:` for C1; name a review.md",
            id="a missing criterion",
        ),
    ],
)
def test_a_faulty_form_is_refused_with_its_fault(
    tmp_path: Path, text: str, replacement: str, message: str
) -> None:
    path = write_form(tmp_path, STATUSES)
    path.write_text(path.read_text().replace(text, replacement, 1))

    with pytest.raises(UserError) as caught:
        read_review(path)

    assert message in str(caught.value)


def test_a_missing_form_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "none.md"

    assert main([str(path)]) == 1

    error = capsys.readouterr().err
    assert error.startswith(f"error: {path}: cannot be read (")
    assert error.count("\n") == 1
