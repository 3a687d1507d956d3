"""The quotes in a judge's evidence, and where the paper has them."""

import pytest

from mechaware.instruments.claims.judges.quotes import locate_quotes, quoted

PAPER = (
    "We study agreement. Ablating heads 3.1 and 4.2 lowers the logit difference by 61%,\n"
    "from 3.2 to 1.2. The probe finds the subject\u2019s number in layer 2. No other task was tried."
)
# The paper's text at two quotes.
TASK = "No other task was tried"
PROBE = "The probe finds the subject\u2019s number"
NO_PLACE = None


def paper_at_quotes(evidence: str) -> list[str | None]:
    """The paper's text at the place of each quote; NO_PLACE for a quote that the paper lacks."""
    texts: list[str | None] = []
    for place in locate_quotes(evidence, PAPER):
        if place is None:
            texts.append(NO_PLACE)
        else:
            start, end = place
            texts.append(PAPER[start:end])
    return texts


@pytest.mark.parametrize(
    ("evidence", "texts"),
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
            id="a straight apostrophe for a curled one",
        ),
        pytest.param(
            '"The "probe" finds the subject\'s number"',
            [PROBE],
            id="double marks within double marks",
        ),
        pytest.param(
            "'The \"probe\" finds the subject\u2019s number'",
            [PROBE],
            id="double marks within single marks",
        ),
        pytest.param(
            '"Ablating heads" ("3.1 and 4.2 lowers")',
            ["Ablating heads", "3.1 and 4.2 lowers"],
            id="two quotes",
        ),
        pytest.param(
            '"patching restores the whole behaviour at once"', [NO_PLACE], id="an invented quote"
        ),
        pytest.param(
            '"The probe finds" and "every attention head was patched"',
            ["The probe finds", NO_PLACE],
            id="one found and one invented",
        ),
        pytest.param(
            "\"No other task was tried\" and 'every head was patched'",
            [TASK, NO_PLACE],
            id="one found and one invented in single marks",
        ),
        pytest.param('head "3.1"', [], id="too short to be a quote"),
    ],
)
def test_each_quote_in_marks_has_a_place_if_the_paper_has_it(
    evidence: str, texts: list[str | None]
) -> None:
    assert paper_at_quotes(evidence) == texts


@pytest.mark.parametrize(
    ("evidence", "texts"),
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
            [NO_PLACE, TASK],
            id="an invented sentence before it",
        ),
        pytest.param(
            "- No other task was tried.\n- All heads were patched",
            [TASK, NO_PLACE],
            id="an invented item after it",
        ),
        pytest.param(
            "The circuit is sufficient: no other task was tried.",
            [],
            id="only a part of the sentence is in the paper",
        ),
        pytest.param(
            "Ablating heads 3.1 and 4.2 lowers the loss by 61%",
            [],
            id="a sentence with another word",
        ),
        pytest.param("an ablation, without a quote", [], id="the judge's own words"),
    ],
)
def test_sentences_without_marks_are_quotes_if_the_paper_has_any_of_them(
    evidence: str, texts: list[str | None]
) -> None:
    assert paper_at_quotes(evidence) == texts


def test_only_the_first_twenty_quotes_are_searched_for() -> None:
    evidence = '"We study agreement" ' * 21

    places = locate_quotes(evidence, PAPER)

    assert places[:20] == [(0, len("We study agreement"))] * 20
    assert places[20:] == [None]


@pytest.mark.parametrize(
    "text", ['We ablate the "name mover" head 4.1.', '“Ann is 31”, 5" or more, it says.']
)
def test_a_quoted_text_with_marks_inside_is_one_quote(text: str) -> None:
    (place,) = locate_quotes(quoted(text), f"Before. {text} After.")

    assert place is not None


def test_a_text_between_marks_is_a_quote_from_12_characters_on() -> None:
    assert paper_at_quotes('They use "by 61%, from".') == ["by 61%,\nfrom"]
    assert paper_at_quotes('They use "from 3.2 to".') == []
