"""The words and numbers of the paper follow the values.

Each test typesets a small document with the functions of paper/results.typ, and reads its text
back.
"""

import io
import json
from pathlib import Path
from typing import NamedTuple

import pytest
from pypdf import PdfReader

from exhibits.report.typesetting import typeset
from mechaware.core.errors import UserError

REPOSITORY = Path(__file__).parents[3]
# A value as results/values/radar.json holds it: a share with its interval, of `n` items.
VALUE = {"value": 0.62, "low": 0.55, "high": 0.69, "n": 120}


def typeset_text(folder: Path, body: str, values: dict[str, dict[str, object]]) -> str:
    """The text of a PDF that is typeset from `body`, where the study `radar` has `values`."""
    (folder / "paper").mkdir()
    sources = [folder / "paper/results.typ", folder / "paper/style.typ"]
    for source in sources:
        source.write_text((REPOSITORY / "paper" / source.name).read_text())
    (folder / "paper/main.typ").write_text(
        '#import "results.typ": *\n#set page(width: 60cm)\n' + body
    )
    (folder / "results/values").mkdir(parents=True)
    (folder / "results/tables").mkdir()
    values_file = folder / "results/values/radar.json"
    values_file.write_text(json.dumps({"lists": {}, "values": values}))
    # No document reads the table. `typeset` places results by their paths under the folder that
    # they share, and two files share results/.
    table = folder / "results/tables/table.csv"
    table.write_text("")
    results = [values_file, table]
    typeset(folder / "paper/main.typ", sources, results, ["radar"], folder / "paper.pdf")

    document = PdfReader(io.BytesIO((folder / "paper.pdf").read_bytes()))
    text = "".join(page.extract_text() for page in document.pages)
    return " ".join(text.split())


def with_interval(low: float | None, high: float | None) -> dict[str, object]:
    """`VALUE` with another interval; None for no interval."""
    return VALUE | {"low": low, "high": high}


class Wording(NamedTuple):
    """The words that a call of results.typ writes about a value.

    In the call, NAME stands for the name of the value.
    """

    call: str
    value: dict[str, object]
    words: str


COMPARED = '#compared-with(get("radar", "NAME"), 0.5)'
BIAS = '#bias-direction(get("radar", "NAME"))'
OUTCOME = '#test-outcome(get("radar", "NAME").value, significance-level("radar"))'
WORDINGS = [
    Wording(COMPARED, with_interval(0.55, 0.69), "above"),
    Wording(COMPARED, with_interval(0.31, 0.49), "below"),
    # An interval that touches 0.5 does not exclude it.
    Wording(COMPARED, with_interval(0.5, 0.69), "not distinguishable from"),
    Wording(COMPARED, with_interval(None, None), "not comparable with"),
    # The significance level is 0.05.
    Wording(OUTCOME, VALUE | {"value": 0.049}, "is significant"),
    Wording(OUTCOME, VALUE | {"value": 0.05}, "is not significant"),
    Wording(OUTCOME, VALUE | {"value": None}, "cannot be tested"),
    Wording(BIAS, with_interval(0.1, 0.2), "too generous"),
    Wording(BIAS, with_interval(-0.2, -0.1), "too strict"),
    Wording(BIAS, with_interval(-0.1, 0.1), "not significantly biased"),
]


def test_words_follow_the_interval_or_the_p_value(tmp_path: Path) -> None:
    """All wordings are in one document, each in brackets: to typeset a document takes a second."""
    values: dict[str, dict[str, object]] = {"significance_level": {"value": 0.05}}
    calls = []
    expected = []
    for number, wording in enumerate(WORDINGS):
        name = f"case {number}"
        values[name] = wording.value
        call = wording.call.replace("NAME", name)
        calls.append(f"<{call}>")
        expected.append(f"<{wording.words}>")

    text = typeset_text(tmp_path, "\n\n".join(calls), values)

    assert text == " ".join(expected)


# Calls of results.typ, and the text that each writes.
TEXT_OF_CALL = {
    "fixed(2.0, 0)": "2",
    # A number that rounds to zero has no sign.
    "fixed(-0.004, 2)": "0.00",
    # A half is rounded away from zero.
    "fixed(-1.25, 1)": "\N{MINUS SIGN}1.3",
    'formatted(0.508333, "percent")': "50.8%",
    'formatted(-0.206, "signed")': "\N{MINUS SIGN}0.21",
    'formatted(3.517, "signed")': "+3.52",
    'formatted(1234567, "count")': "1,234,567",
    'formatted(999, "count")': "999",
    'formatted(none, "percent")': "no value",
    "p-value(0.0004)": "p < 0.001",
    "p-value(0.375)": "p = 0.375",
    'from-rst("RADAR\'s *own* ``mean``, L* and **bold** (*in* brackets)")': (
        "RADAR's own mean, L* and bold (in brackets)"
    ),
}


def test_calls_write_numbers_in_their_style_and_captions_without_marks(tmp_path: Path) -> None:
    """All calls are in one document, each in brackets."""
    body = "\n\n".join(f"<#{call}>" for call in TEXT_OF_CALL)

    text = typeset_text(tmp_path, body, {})

    # The p of a p-value is set in italics.
    text = text.replace("\N{MATHEMATICAL ITALIC SMALL P}", "p")
    assert text == " ".join(f"<{expected}>" for expected in TEXT_OF_CALL.values())


def test_a_value_is_printed_with_its_interval_its_n_or_its_place_in_the_source(
    tmp_path: Path,
) -> None:
    values = {
        "share": VALUE | {"reported": 0.93, "place": "Table 1"},
        "count": VALUE | {"value": 5, "n": 12},
    }
    calls = [
        '#with-interval(get("radar", "share"))',
        '#k-of-n(get("radar", "count"))',
        '#reported(get("radar", "share"))',
    ]

    text = typeset_text(tmp_path, ", ".join(calls), values)

    assert text == "62% (55% to 69%), 5 of 12, 93% (its Table 1)"


def test_a_paper_that_names_an_unknown_value_is_not_typeset(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"results/values/radar\.json has no accuracy/gpt2"):
        typeset_text(tmp_path, '#num(get("radar", "accuracy", "gpt2"))', {})


def test_the_paper_can_read_only_the_files_it_was_given(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("hidden")
    with pytest.raises(UserError, match=r"file not found|access denied|outside"):
        typeset_text(tmp_path, '#read("../../secret.txt")', {})
    assert not (tmp_path / "paper.pdf").exists()
