"""The README's findings are those of the run that the gallery shows, its numbers the run's."""

import json
from pathlib import Path

import pytest

from mechaware.errors import UserError
from mechaware.report.findings import BEGIN, END, replace_findings, write_findings

REPOSITORY = Path(__file__).resolve().parents[3]
VALUES = {
    "a/share": {"value": 0.8649, "low": -0.0251, "high": 0.9, "n": 3},
    "a/count": {"value": 2, "n": 13},
    "b/count": {"value": 5, "n": 13},
}


def test_the_readme_has_the_findings_of_the_gallerys_run() -> None:
    """Edit docs/findings.md.j2, never the README between its marks; `make gallery` writes both anew."""
    values = json.loads((REPOSITORY / "docs/gallery/values.json").read_text())
    findings, used = write_findings((REPOSITORY / "docs/findings.md.j2").read_text(), values)
    assert findings in (REPOSITORY / "README.md").read_text()
    assert used == values


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ value('a/share') | percent }}", "86%"),
        ("{{ value('a/share') | percent(1) }}", "86.5%"),
        ("{{ value('a/share').low | points }} to {{ value('a/share').high | points }}", "-3 to 90"),
        ("{{ value('a/share') | decimals(2) }}", "0.86"),
        ("{{ value('a/count').value | word }} of {{ value('a/count').n | word }}", "two of 13"),
        ("{{ values_of('a', 'count') | most | decimals(0) }}", "2"),
        ("{{ values_of('', '/count') | least | decimals(0) }}", "2"),
    ],
)
def test_values_are_printed_as_people_write_them(template: str, expected: str) -> None:
    assert write_findings(template, VALUES)[0] == expected + "\n"


def test_paragraphs_are_filled_and_tables_stay() -> None:
    text = f"{'word ' * 40}\n\n| a | b |\n|---|---|\n\n- {'entry ' * 30}\n- two\n"
    lines = write_findings(text, {})[0].splitlines()
    assert all(len(line) <= 130 for line in lines)
    assert lines[3:5] == ["| a | b |", "|---|---|"]
    assert lines[7].startswith("  entry")
    assert lines[8] == "- two"


def test_a_template_that_names_another_run_is_refused_in_one_line() -> None:
    with pytest.raises(UserError, match="no value 'a/other'"):
        write_findings("{{ value('a/other') }}", VALUES)


def test_the_rest_of_a_readme_stays() -> None:
    readme = f"before\n{BEGIN}old\n{END}after\n"
    assert replace_findings(readme, "new\n") == f"before\n{BEGIN}new\n{END}after\n"
