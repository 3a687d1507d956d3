"""A judge's evidence is taken apart into its quotes,
and each has its place in the paper or none.
"""

import pytest

from mechaware.instruments.claims.judges.quotes import locate_quotes, quoted

PAPER = (
    "We study agreement. Ablating heads 3.1 and 4.2 lowers the logit difference by 61%,\n"
    "from 3.2 to 1.2. The probe finds the subject\u2019s number in layer 2. No other task was tried."
)
TASK = "No other task was tried"  # the quote of most cases
PROBE = "The probe finds the subject\u2019s number"
NOT_FOUND = None


def quotes_in_paper(evidence: str) -> list[str | None]:
    """What the paper has in the place of each quote."""
    found: list[str | None] = []
    for place in locate_quotes(evidence, PAPER):
        if place is None:
            found.append(NOT_FOUND)
        else:
            start, end = place
            found.append(PAPER[start:end])
    return found


@pytest.mark.parametrize(
    ("evidence", "found"),
    [
        pytest.param(
            '"Ablating heads 3.1 and 4.2 lowers the logit difference"',
            ["Ablating heads 3.1 and 4.2 lowers the logit difference"],
            id="straight marks",
        ),
        pytest.param("“No other task was tried.”", [TASK], id="curled marks"),
        pytest.param("«No other task was tried.»", [TASK], id="angled marks"),
        pytest.param("„No other task was tried“ (p. 3)", [TASK], id="low marks"),
        pytest.param("``No other task was tried''", [TASK], id="TeX marks"),
        pytest.param(
            "They say 'The probe finds the subject's number'.",
            [PROBE],
            id="single marks around an apostrophe",
        ),
        pytest.param(
            'They say "difference by 61%, from 3.2 to 1.2".',
            ["difference by 61%,\nfrom 3.2 to 1.2"],
            id="over a line break",
        ),
        pytest.param(
            '"The probe finds the subject\'s number in layer 2"',
            ["The probe finds the subject\u2019s number in layer 2"],
            id="another apostrophe",
        ),
        pytest.param(
            '"The "probe" finds the subject\'s number"', [PROBE], id="double marks in double ones"
        ),
        pytest.param(
            "'The \"probe\" finds the subject\u2019s number'",
            [PROBE],
            id="double marks in single ones",
        ),
        pytest.param(
            '"Ablating heads" ("3.1 and 4.2 lowers")',
            ["Ablating heads", "3.1 and 4.2 lowers"],
            id="two quotes",
        ),
        pytest.param(
            '"patching restores the whole behaviour at once"', [NOT_FOUND], id="an invented quote"
        ),
        pytest.param(
            '"The probe finds" and "every attention head was patched"',
            ["The probe finds", NOT_FOUND],
            id="one found and one invented",
        ),
        pytest.param(
            "\"No other task was tried\" and 'every head was patched'",
            [TASK, NOT_FOUND],
            id="one found and one invented in other marks",
        ),
        pytest.param('head "3.1"', [], id="too short to be a quote"),
    ],
)
def test_each_quote_in_marks_has_its_place_or_none(evidence: str, found: list[str | None]) -> None:
    assert quotes_in_paper(evidence) == found


@pytest.mark.parametrize(
    ("evidence", "found"),
    [
        pytest.param("**No other task was tried.**", [TASK], id="bold"),
        pytest.param(
            "> We study agreement.\n- No other task was tried.",
            ["We study agreement", TASK],
            id="two items of a list",
        ),
        pytest.param("No other task was tried. So it is.", [TASK], id="a short comment after it"),
        pytest.param(
            "The circuit is sufficient. No other task was tried.",
            [NOT_FOUND, TASK],
            id="an invented sentence before it",
        ),
        pytest.param(
            "- No other task was tried.\n- All heads were patched",
            [TASK, NOT_FOUND],
            id="an invented item after it",
        ),
        pytest.param(
            "The circuit is sufficient: no other task was tried.", [], id="a part of a sentence"
        ),
        pytest.param(
            "Ablating heads 3.1 and 4.2 lowers the loss by 61%",
            [],
            id="a sentence with another word",
        ),
        pytest.param("an ablation, without a quote", [], id="words of the judge's own"),
    ],
)
def test_evidence_without_marks_is_quotes_if_the_paper_has_one_of_its_sentences(
    evidence: str, found: list[str | None]
) -> None:
    assert quotes_in_paper(evidence) == found


def test_no_more_than_twenty_quotes_are_looked_for() -> None:
    evidence = '"We study agreement" ' * 21

    places = locate_quotes(evidence, PAPER)

    assert places[:20] == [(0, len("We study agreement"))] * 20
    assert places[20:] == [None]


@pytest.mark.parametrize(
    "text", ['We ablate the "name mover" head 4.1.', '“Ann is 31”, 5" or more, it says.']
)
def test_a_sentence_with_marks_inside_is_one_quote(text: str) -> None:
    (place,) = locate_quotes(quoted(text), f"Before. {text} After.")

    assert place is not None
