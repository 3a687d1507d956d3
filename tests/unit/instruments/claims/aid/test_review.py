"""A person's statuses in a form have the score that the same statuses of a judge have."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.doors.score_review.__main__ import main
from mechaware.instruments.claims.aid.review import read_review, score_review
from mechaware.instruments.claims.rubric.criteria import CRITERIA

# C1, C5 at YES and PARTIAL give Construct 2; I1 and I2 Internal 2; M3 at PARTIAL Measurement 1; the
# other two 0: 10 * (1.5 * 2 + 1.5 * 2 + 1 * 1) / 18 = 3.9.
STATUSES = {"C1": "YES", "C5": "partial", "I1": "**Yes**", "I2": "YES", "M3": "PARTIAL."}


def form(folder: Path, statuses: Mapping[str, str], rest: str = "NO", head: str = "") -> Path:
    lines = [head or "Claim: Heads 9.6 and 9.9 copy the name.", ""]
    for code in CRITERIA:
        lines += [f"## {code} Its name", f"Status: {statuses.get(code, rest)}", "Evidence:", ""]
        lines.append("- page 3: Status: YES")  # of the paper
    path = folder / "my-review.md"
    path.write_text("\n".join(lines))
    return path


def test_the_score_is_that_of_the_statuses(tmp_path: Path) -> None:
    scores = score_review(form(tmp_path, STATUSES))
    assert scores.cvs == pytest.approx(10 * 7 / 18)
    assert scores.tier == "Causally Suggestive"
    assert scores.scored[0].dimensions == {"C": 2, "I": 2, "M": 1, "E": 0, "V": 0}
    assert scores.claims[0].statement == "Heads 9.6 and 9.9 copy the name."


def test_without_a_status_the_score_is_open_between_its_bounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With I2 at NO Internal is 1: 10 * 5.5 / 18 = 3.1, with YES 3.9; both in the second tier."""
    path = form(tmp_path, STATUSES | {"I2": ""})
    scores = score_review(path)
    assert scores.cvs is None
    assert (scores.scored[0].low, scores.scored[0].high) == pytest.approx((5.5 / 1.8, 7 / 1.8))
    assert main([str(path)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith(f"{path}: CVS 3.1 to 3.9, Causally Suggestive (second lowest")
    assert printed[1].endswith(
        "Construct 2, Internal open, Measurement 1, External 0, Interpretive 0"
    )
    assert printed[2] == "  without a status: I2"


def test_a_claim_about_a_part_is_no_score_of_the_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = form(tmp_path, STATUSES, head="Claim: Head 9.6 copies.\nWhole mechanism: no")
    scores = score_review(path)
    assert scores.cvs is None
    assert scores.scored[0].cvs == pytest.approx(10 * 7 / 18)
    main([str(path), "--json", str(tmp_path / "out.json")])
    assert "the claim is about a part" in capsys.readouterr().out
    assert (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("Status: YES", "Status: maybe"),
            "C1: status 'maybe'; write YES, PARTIAL or NO, or nothing",
        ),
        (("## C2 ", "## C9 "), ", line 9: no criterion C9; its heading is one of C1 to V5"),
        (("Claim: Heads", "Claim:\nHeads"), "the line `Claim:` is empty; write the claim"),
        (("Evidence:", "Status: NO"), ", line 5: a second entry `Status:`; keep one of them"),
        (("## V5 ", "V5 "), ": a second entry `Status:`"),
        (("## C1 Its name\nStatus: YES\n", ""), ": no line `Status:` for C1; name a review.md"),
    ],
)
def test_what_cannot_be_read_is_named(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    path = form(tmp_path, STATUSES)
    path.write_text(path.read_text().replace(*change, 1))
    with pytest.raises(UserError) as caught:
        read_review(path)
    assert message in str(caught.value)


def test_a_missing_form_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.md")]) == 1
    assert capsys.readouterr().err.startswith(f"error: {tmp_path / 'none.md'}: cannot be read (")
