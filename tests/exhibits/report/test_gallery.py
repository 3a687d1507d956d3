"""The gallery holds the paper and the figures of a run, says what made them, and is not made of unknown code.

The README's findings are those of the run that the gallery shows, its statements the ledger's.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from exhibits.report.gallery import (
    BEGIN,
    END,
    OPEN,
    replace_findings,
    write_findings,
    write_gallery,
)
from exhibits.report.reported import Reported
from mechaware.core.errors import UserError
from scripts.write_docs import findings

REPOSITORY = Path(__file__).resolve().parents[3]
VALUES: dict[str, dict[str, Any]] = {
    "a/share": {"value": 0.8649, "low": -0.0251, "high": 0.9, "n": 3},
    "a/count": {"value": 2, "n": 13},
    "b/count": {"value": 5, "n": 13},
}


def make_results(
    folder: Path, commit: str | None = "0123abc", modified: bool | None = False
) -> None:
    for name in ("results/paper", "results/figures", "captions/figures"):
        (folder / name).mkdir(parents=True)
    (folder / "results/paper/paper.pdf").write_bytes(b"%PDF-paper")
    record = {"git": {"commit": commit, "modified": modified}}
    (folder / "results/paper/paper.provenance.json").write_text(json.dumps(record))
    for name in ("radar_scores", "claims_tiers"):
        (folder / f"results/figures/{name}.png").write_bytes(f"PNG {name}".encode())
        (folder / f"captions/figures/{name}.rst").write_text(f"What {name}\nshows, in ``code``.\n")
    (folder / "config.yaml").write_text("seed: 1\n")


def write(folder: Path) -> Path:
    write_gallery(
        folder / "results", folder / "config.yaml", folder / "captions", folder / "gallery"
    )
    return folder / "gallery"


def test_it_shows_each_figure_with_its_caption_and_names_commit_and_config(tmp_path: Path) -> None:
    make_results(tmp_path)
    (tmp_path / "gallery").mkdir()
    (tmp_path / "gallery/old.png").write_bytes(b"a figure that is no more")
    (tmp_path / "results/figures/older.png").write_bytes(
        b"a figure without a caption, left from an older version"
    )
    gallery = write(tmp_path)
    assert {path.name for path in gallery.iterdir()} == {
        "README.md",
        "paper.pdf",
        "radar_scores.png",
        "claims_tiers.png",
    }
    assert (gallery / "claims_tiers.png").read_bytes() == b"PNG claims_tiers"
    page = (gallery / "README.md").read_text()
    assert "commit `0123abc`" in page
    # printf 'seed: 1\n' | sha256sum
    assert "`adf0396d435b4047092c20dada268d22d8db7f192fe2a8a9a283c9e9dea6af54`" in page
    assert "![claims_tiers](claims_tiers.png)\n\nWhat claims_tiers shows, in `code`.\n" in page


@pytest.mark.parametrize(
    ("commit", "modified", "message"),
    [
        ("0123abc", True, r"paper\.pdf: made with changes that no commit holds"),
        (None, None, r"paper\.pdf: its record names no commit"),
    ],
)
def test_results_of_uncommitted_code_are_refused(
    tmp_path: Path, commit: str | None, modified: bool | None, message: str
) -> None:
    with pytest.raises(UserError, match=r"paper\.pdf: not there; run `make results` first"):
        write(tmp_path)
    make_results(tmp_path, commit, modified)
    with pytest.raises(UserError, match=message):
        write(tmp_path)
    assert not (tmp_path / "gallery").exists()


def test_the_readme_has_the_findings_of_the_gallerys_run() -> None:
    """Edit docs/findings.md.j2 or paper/claims.yaml, never the README between its marks; `make docs` writes it."""
    values = json.loads((REPOSITORY / "docs/gallery/values.json").read_text())
    text, used = findings(values)
    assert f"{BEGIN}{text}{END}" in (REPOSITORY / "README.md").read_text(), "run `make docs`"
    assert used == values


def test_every_bold_statement_of_the_findings_is_the_ledgers() -> None:
    template = (REPOSITORY / "docs/findings.md.j2").read_text()
    bold = re.findall(r"\*\*(.+?)\*\*", template)
    assert len(bold) == template.count("stated(") - 1  # the first explains it
    assert all(re.fullmatch(r'\{\{ stated\("[\w-]+"\) \}\}', statement) for statement in bold)


# Above its bound, 0.5, the statement holds.
ENTRY: dict[str, Any] = {
    "study": "radar",
    "question": "Is the share large?",
    "statistic": "a share; 0.5 is half",
    "unit": "an item",
    "smallest_effect": 0.1,
    "fixed": "the bound",
    "tests": [{"cell": "a/share", "bound": 0.5}],
    "sentences": {
        "yes": "{{ value('a/share') | percent }} is large.",
        "reversed": "It is small.",
        "no": "It is not large.",
        "undecided": "Whether it is large is open.",
    },
}
IN_REPORTED_RUN = Reported("no", "It is not large.", "0123abc", "2 CPU cores")


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "claims.yaml"
    path.write_text(json.dumps({"large": ENTRY}))
    return path


def test_values_are_printed_as_people_write_them(ledger: Path) -> None:
    template = "{{ value('a/share') | percent }} of {{ value('a/count').n }}, {{ value('a/share').low | decimals(2) }}"
    assert write_findings(template, VALUES, ledger, {}).text == "86% of 13, -0.03\n"


@pytest.mark.parametrize(
    ("low", "reported", "sentence"),
    [
        (0.51, {}, "86% is large."),
        (0.49, {}, "Whether it is large is open."),
        (0.51, {"large": IN_REPORTED_RUN}, "It is not large."),
        (0.51, {"another": IN_REPORTED_RUN}, "86% is large."),
    ],
)
def test_a_statement_turns_with_the_reported_run_or_else_with_the_gallerys(
    ledger: Path, low: float, reported: dict[str, Reported], sentence: str
) -> None:
    values = VALUES | {"a/share": VALUES["a/share"] | {"low": low}}
    written = write_findings("{{ stated('large') }}", values, ledger, reported)
    assert written.text == f"{sentence}\n"
    assert written.used == ({} if "large" in reported else {"a/share": values["a/share"]})


def test_a_statement_without_all_its_numbers_is_an_open_question(ledger: Path) -> None:
    tests = [*ENTRY["tests"], {"cell": "a/share", "bound": "mirrored c/share"}]
    ledger.write_text(json.dumps({"large": ENTRY | {"tests": tests}}))
    written = write_findings("{{ stated('large') }}", VALUES, ledger, {})
    assert written.text == f"Is the share large? {OPEN}\n"
    assert written.used == {}


def test_a_template_that_names_another_run_is_refused_and_the_rest_of_a_readme_stays(
    ledger: Path,
) -> None:
    with pytest.raises(UserError, match="no value 'a/other'"):
        write_findings("{{ value('a/other') }}", VALUES, ledger, {})
    with pytest.raises(UserError, match=r"no statement 'small' in claims\.yaml"):
        write_findings("{{ stated('small') }}", VALUES, ledger, {})
    readme = f"before\n{BEGIN}old\n{END}after\n"
    assert replace_findings(readme, "new\n") == f"before\n{BEGIN}new\n{END}after\n"
