"""The page of a verdict, its two lines, and the exit status of its file."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mechaware.radar.verdicts.decision import Verdict, _BlindTest, _DetectorTest, _ErrorRates, _ItemTest
from mechaware.radar.verdicts.page import render_page, summary

REPOSITORY = Path(__file__).resolve().parents[4]
CELL = {
    "dose": 16,
    "n_items": 22,
    "n_seen": 22,
    "seen": 0.956,
    "low": 0.54,
    "high": 1.0,
    "lowest": 0.2,
    "highest": 1.0,
    "confounded": 0.044,
}
SEEN = Verdict(
    "seen", "loss scores the items above the control", 0.05, 2, 3,
    [_DetectorTest("loss", 0.831, 0.0123, 0.0246)], [_BlindTest("bag of words", 0.547, 0.31)],
    [_ItemTest("i1", "<script>alert(1)</script>", -1.5, 0.25, 0.5), _ItemTest("i2", "Ann", -2.5, 0.5, 0.5)],
    [-4.0, -3.0, -2.0], _ErrorRates("not measured at this size: ...", [CELL]),
)  # fmt: skip
NONE = Verdict("no verdict", "give a control", 0.05, 2, 0, [], [], [], [])


def test_the_page_shows_what_the_verdict_rests_on_and_runs_nothing() -> None:
    html = render_page("mine", "My <model>", SEEN._replace(notes=["2 faulty items skipped:"]))
    for shown in (
        "2 faulty items skipped:",
        "Rates with 22 to 22 items; this benchmark has 2.",
        "Seen: loss scores",
        "0.83",
        "0.012",
        "0.025",
        "0.55",
        "96%",
        "(54 to 100%)",
        "Not measured at this",
    ):
        assert shown in html
    assert "<script" not in html
    assert "My &lt;model&gt;" in html
    assert html.count('class="items"') == html.count('class="control"') == 32


def test_without_a_control_the_page_has_no_number_and_a_confounded_one_names_no_item() -> None:
    html = render_page("mine", "Model", NONE)
    body = html[html.index("<main>") :]
    assert "No verdict: give a control." in body
    assert not any(character.isdigit() for character in body.replace("h1", "").replace("h2", ""))
    confounded = render_page("mine", "Model", SEEN._replace(status="confounded"))
    assert "Items with the highest scores" not in confounded


def test_the_summary_ends_with_the_page_to_open() -> None:
    lines = summary("mine", SEEN, Path("results/index.html"))
    assert lines == "mine: seen: loss scores the items above the control\nopen results/index.html\n"


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (json.dumps(SEEN.record()), 1),
        (json.dumps(SEEN._replace(status="not shown").record()), 0),
        (json.dumps(SEEN._replace(status="confounded").record()), 2),
        (json.dumps(NONE.record()), 2),
        ('{"status": "se', 2),
        ("[]", 2),
        (None, 2),  # no such file
    ],
)
def test_the_exit_status_is_of_the_verdict_and_never_ones_of_an_error(
    tmp_path: Path, content: str | None, status: int
) -> None:
    path = tmp_path / "verdict.json"
    if content is not None:
        path.write_text(content)
    command = [sys.executable, "-m", "scripts.radar.verdict_status", str(path)]
    run = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert run.returncode == status
    assert len((run.stdout + run.stderr).splitlines()) == 1
