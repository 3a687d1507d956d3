"""The findings are a template that is filled with values and with statements of the ledger.

A statement's outcome is the outcome in the reported run, or else follows from the gallery's values.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from exhibits.report.findings import BEGIN, END, OPEN, Findings, render_findings, replace_findings
from exhibits.report.reported import Reported
from mechaware.core.errors import UserError

VALUES: dict[str, dict[str, Any]] = {
    "a/share": {"value": 0.8649, "low": -0.0251, "high": 0.9, "n": 3},
    "a/count": {"value": 2, "n": 13},
    "b/count": {"value": 5, "n": 13},
}
# A statement that holds if the interval of a/share is above 0.5. By `VALUES` it is undecided:
# the interval, -0.0251 to 0.9, includes 0.5.
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
    return render_findings(path, values, ledger, reported, earlier or {})


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
