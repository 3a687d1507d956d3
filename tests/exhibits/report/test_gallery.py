"""The gallery shows the results of a run; the findings of README and docs/findings.md follow it.

In this order, the tests are about

- `write_gallery`: it copies the paper and the figures, names the commit and the config that made
  them, and refuses results of uncommitted code;
- the committed README.md and docs/findings.md, which are made of the gallery's values;
- `write_findings`: it fills a template with values and with statements of the ledger. A statement's
  outcome is that of the reported run, or else follows from the gallery's values.
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
    Findings,
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
    """Write the paper, figures, captions and config of a run.

    `commit` and `modified` are what the record of the paper says: the commit of the code, and
    whether the code had changes that were not committed.
    """
    for name in ("results/paper", "results/figures", "captions/figures"):
        (folder / name).mkdir(parents=True)
    (folder / "results/paper/paper.pdf").write_bytes(b"%PDF-paper")
    record = {"git": {"commit": commit, "modified": modified}}
    (folder / "results/paper/paper.provenance.json").write_text(json.dumps(record))
    for name in ("radar_scores", "claims_tiers"):
        (folder / f"results/figures/{name}.png").write_bytes(f"PNG {name}".encode())
        (folder / f"captions/figures/{name}.rst").write_text(f"What {name}\nshows, in ``code``.\n")
    (folder / "config.yaml").write_text("seed: 1\n")


def gallery_of(folder: Path) -> Path:
    """Write the gallery of the run in `folder`, and return the gallery's folder."""
    write_gallery(
        folder / "results", folder / "config.yaml", folder / "captions", folder / "gallery"
    )
    return folder / "gallery"


def test_it_shows_each_figure_with_its_caption_and_names_commit_and_config(tmp_path: Path) -> None:
    make_results(tmp_path)
    (tmp_path / "gallery").mkdir()
    (tmp_path / "gallery/old.png").write_bytes(b"a figure of the gallery before")
    without_caption = tmp_path / "results/figures/older.png"
    without_caption.write_bytes(b"a figure of an older version of the workflow")

    gallery = gallery_of(tmp_path)

    assert {path.name for path in gallery.iterdir()} == {
        "README.md",
        "paper.pdf",
        "radar_scores.png",
        "claims_tiers.png",
    }
    assert (gallery / "claims_tiers.png").read_bytes() == b"PNG claims_tiers"

    page = (gallery / "README.md").read_text()
    assert "a run with `config/config.yaml`" in page
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
    make_results(tmp_path, commit, modified)

    with pytest.raises(UserError, match=message):
        gallery_of(tmp_path)
    assert not (tmp_path / "gallery").exists()


def test_without_results_there_is_no_gallery(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"paper\.pdf: not there; run `make results` first"):
        gallery_of(tmp_path)
    assert not (tmp_path / "gallery").exists()


def test_readme_and_findings_are_what_make_docs_makes_of_the_gallerys_values() -> None:
    """To change them, edit docs/*findings.md.j2 or paper/claims.yaml, and run `make docs`."""
    values = json.loads((REPOSITORY / "docs/gallery/values.json").read_text())
    documents, used = findings(values)

    assert {path.name for path in documents} == {"README.md", "findings.md"}

    for path, text in documents.items():
        assert path.read_text() == text, "run `make docs`"
    assert used == values


@pytest.mark.parametrize("name", ["readme_findings", "findings"])
def test_no_template_sets_a_sentence_in_bold(name: str) -> None:
    """Bold is left to `stated`, which uses it for a sentence whose tests decide the statement."""
    assert "**" not in (REPOSITORY / f"docs/{name}.md.j2").read_text()


def test_the_readme_is_short_and_names_no_term_before_it_is_explained() -> None:
    readme = (REPOSITORY / "README.md").read_text()
    before, _, rest = readme.partition(BEGIN)
    section, _, _ = rest.partition(END)

    assert len(section.splitlines()) < 25

    for term in ("AUROC", "RADAR", "R1", "G1", "loss", "patch"):
        assert term not in before

    # The section has a heading with an introduction, a table of terms (from its first | to its last
    # |), and sentences.
    _heading, table, sentences = re.split(r"(^\|.*\|$)", section, maxsplit=1, flags=re.M | re.S)
    first_cells = re.findall(r"^\| ([^|]+) \| ", table, re.M)
    terms = first_cells[1:]

    assert terms == [
        "RADAR",
        "loss",
        "AUROC",
        "patch",
        "R1 to R3, G1 to G5",
        "Claim Validity Score",
    ]

    for term in terms:
        # Of "R1 to R3, G1 to G5" the sentences need only name the first part.
        first_part = term.partition(",")[0]
        assert first_part in sentences


def test_the_readme_has_three_findings_each_with_advice_and_a_figure_with_its_caption() -> None:
    readme = (REPOSITORY / "README.md").read_text()
    section = readme.partition(BEGIN)[2].partition(END)[0]
    _heading, _introduction, _table, *paragraphs = section.strip().split("\n\n")

    # Finding, figure, finding, figure, finding, figure.
    assert len(paragraphs) == 6

    for finding in paragraphs[0::2]:
        sentence, advice = finding.split(" *What to do:* ")
        # One sentence, plain, in bold or with a dagger; its only other full stops are decimal
        # points.
        assert re.fullmatch(r"(\*\*)?[^.]+(\.\d[^.]*)*\.(\*\*|†)?", sentence)
        assert advice.endswith(".")
    for figure in paragraphs[1::2]:
        # ![alt text](docs/gallery/name.png) *Caption.*
        assert re.fullmatch(r"!\[[^\]]+\]\(docs/gallery/\w+\.png\) \*.+\.\*", figure)


# A statement that holds if the interval of a/share is above 0.5. Of `VALUES` it is undecided.
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
IN_REPORTED_RUN = Reported(
    outcome="no",
    sentence="It is not large.",
    p_holm=0.03,
    commit="0123abc",
    machine="2 CPU cores",
)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A ledger with one statement, `ENTRY`, named large."""
    path = tmp_path / "claims.yaml"
    path.write_text(json.dumps({"large": ENTRY}))
    return path


def findings_of(
    ledger: Path,
    template: str,
    values: dict[str, dict[str, Any]],
    reported: dict[str, Reported],
    earlier: dict[str, Reported] | None = None,
) -> Findings:
    """The findings that a template makes of values, a ledger and the headlines of reported runs."""
    path = ledger.with_name("mine.md.j2")
    path.write_text(template)
    return write_findings(path, values, ledger, reported, earlier or {})


def test_values_are_printed_as_people_write_them(ledger: Path) -> None:
    """The share is 0.8649, its lower end -0.0251, and the n of the count 13."""
    template = (
        "{{ value('a/share') | percent }} of {{ value('a/count').n }}, "
        "{{ value('a/share').low | decimals(2) }}"
    )
    assert findings_of(ledger, template, VALUES, {}).text == "86% of 13, -0.03\n"


@pytest.mark.parametrize(
    ("low", "reported", "sentence"),
    [
        pytest.param(0.51, {}, "**86% is large.**", id="decided by the gallery's run"),
        pytest.param(0.49, {}, "Whether it is large is open.", id="undecided by the gallery's run"),
        pytest.param(
            0.51,
            {"large": IN_REPORTED_RUN},
            "**It is not large.**",
            id="decided by the reported run",
        ),
        pytest.param(
            0.51,
            {"large": IN_REPORTED_RUN._replace(p_holm=0.06)},
            "It is not large.†",
            id="not significant after the correction",
        ),
        pytest.param(
            0.51,
            {"large": IN_REPORTED_RUN._replace(p_holm=None)},
            "**It is not large.**",
            id="without a p-value, which needs no correction",
        ),
        pytest.param(
            0.51,
            {"another": IN_REPORTED_RUN},
            "**86% is large.**",
            id="only another statement was reported",
        ),
    ],
)
def test_a_statement_follows_the_reported_run_or_else_the_gallerys(
    ledger: Path, low: float, reported: dict[str, Reported], sentence: str
) -> None:
    values = VALUES | {"a/share": VALUES["a/share"] | {"low": low}}
    written = findings_of(ledger, "{{ stated('large') }}", values, reported)

    assert written.text == f"{sentence}\n"
    # What the reported run states rests on no value of the gallery's run.
    assert written.used == ({} if "large" in reported else {"a/share": values["a/share"]})


@pytest.mark.parametrize(
    ("sentence", "briefly"),
    [
        ("It is 0.5. Half is enough.", "**It is 0.5.**"),
        ("It is large, by L* of R3.", "**It is large, by L* of R3.**"),
    ],
)
def test_the_brief_form_of_a_statement_is_its_first_sentence(
    ledger: Path, sentence: str, briefly: str
) -> None:
    reported = {"large": IN_REPORTED_RUN._replace(sentence=sentence)}
    assert findings_of(ledger, "{{ briefly('large') }}", VALUES, reported).text == f"{briefly}\n"


def test_an_outcome_can_be_printed_beside_the_outcome_of_an_earlier_reported_run(
    ledger: Path,
) -> None:
    template = "{{ reported['large'].outcome }}, before: {{ earlier['large'] }}"
    before = IN_REPORTED_RUN._replace(outcome="undecided")
    reported = {"large": IN_REPORTED_RUN}

    written = findings_of(ledger, template, {}, reported, {"large": before})
    assert written.text == "no, before: undecided\n"

    # The earlier outcome did not survive the correction for all statements.
    not_surviving = IN_REPORTED_RUN._replace(p_holm=0.07)
    with_dagger = findings_of(ledger, template, {}, reported, {"large": not_surviving})
    assert with_dagger.text == "no, before: no†\n"

    # The earlier run did not have the statement.
    without = findings_of(ledger, template, {}, reported, {"another": before})
    assert without.text == "no, before:\n"


def test_a_template_may_mark_outcomes_with_their_dagger_and_name_the_earlier_run(
    ledger: Path,
) -> None:
    not_surviving = IN_REPORTED_RUN._replace(p_holm=0.07)
    earlier = IN_REPORTED_RUN._replace(commit="fedcba9876", machine="16 CPU cores")
    template = "{{ reported['large'].outcome }}{{ dagger['large'] }}, before: {{ earlier_run }}"

    written = findings_of(ledger, template, {}, {"large": not_surviving}, {"large": earlier})

    assert written.text == "no†, before: commit fedcba98, on 16 CPU cores\n"


def test_a_value_that_only_a_sentence_prints_is_among_those_used(ledger: Path) -> None:
    """The sentence prints `a/count`, which no test of the statement reads."""
    counted = "{{ value('a/share') | percent }} of {{ value('a/count').n }} are many."
    sentences = ENTRY["sentences"] | {"yes": counted}
    ledger.write_text(json.dumps({"large": ENTRY | {"sentences": sentences}}))
    values = VALUES | {"a/share": VALUES["a/share"] | {"low": 0.51}}

    written = findings_of(ledger, "{{ stated('large') }}", values, {})

    assert written.text == "**86% of 13 are many.**\n"
    assert written.used.keys() == {"a/share", "a/count"}


ADVICE = {"yes": "Use it.", "reversed": "Use another.", "no": "Use none.", "undecided": "Wait."}


@pytest.mark.parametrize(
    ("low", "reported", "advice"),
    [
        pytest.param(0.51, {}, "Use it.", id="yes"),
        pytest.param(0.49, {}, "Wait.", id="undecided"),
        pytest.param(0.51, {"large": IN_REPORTED_RUN}, "Use none.", id="no in the reported run"),
    ],
)
def test_what_to_do_follows_from_the_outcome(
    ledger: Path, low: float, reported: dict[str, Reported], advice: str
) -> None:
    ledger.write_text(json.dumps({"large": ENTRY | {"advice": ADVICE}}))
    values = VALUES | {"a/share": VALUES["a/share"] | {"low": low}}

    assert findings_of(ledger, "{{ advised('large') }}", values, reported).text == f"{advice}\n"


def test_a_statement_without_advice_or_with_advice_for_some_outcomes_only_is_refused(
    ledger: Path,
) -> None:
    with pytest.raises(UserError, match=r"statement 'large' in claims\.yaml has no advice"):
        findings_of(ledger, "{{ advised('large') }}", VALUES, {})

    ledger.write_text(json.dumps({"large": ENTRY | {"advice": {"yes": "Use it."}}}))
    with pytest.raises(UserError, match="no advice for the outcome 'reversed'; write it"):
        findings_of(ledger, "{{ stated('large') }}", VALUES, {})


def test_a_statement_without_all_its_numbers_is_an_open_question(ledger: Path) -> None:
    """Its second test is against c/share, which `VALUES` lacks."""
    tests = [*ENTRY["tests"], {"cell": "a/share", "bound": "mirrored c/share"}]
    ledger.write_text(json.dumps({"large": ENTRY | {"tests": tests}}))

    written = findings_of(ledger, "{{ stated('large') }}", VALUES, {})

    assert written.text == f"Is the share large? {OPEN}\n"
    assert written.used == {}


def test_a_template_that_names_an_unknown_value_or_statement_is_refused(ledger: Path) -> None:
    with pytest.raises(UserError, match=r"mine\.md\.j2: no value 'a/other'"):
        findings_of(ledger, "{{ value('a/other') }}", VALUES, {})
    with pytest.raises(UserError, match=r"no statement 'small' in claims\.yaml"):
        findings_of(ledger, "{{ stated('small') }}", VALUES, {})


def test_only_the_text_between_the_marks_of_a_readme_is_replaced() -> None:
    readme = f"before\n{BEGIN}old\n{END}after\n"

    assert replace_findings(readme, "new\n") == f"before\n{BEGIN}new\n{END}after\n"
