"""Quotes are found in their place in the text, and refused where they say something else."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from mechaware.instruments.claims.judges.locating import locate
from mechaware.instruments.claims.judges.quotes import locate_quotes, quoted

ON_PAPER = yaml.safe_load((Path(__file__).parent / "quotes.yaml").read_text())

TEXT = ON_PAPER["short_text"]


@pytest.mark.parametrize("case", ON_PAPER["evidence"], ids=lambda case: case["given"])
def test_each_quote_has_its_place_or_none(case: dict[str, Any]) -> None:
    places = locate_quotes(case["given"], TEXT)
    assert [None if place is None else TEXT[slice(*place)] for place in places] == case["found"]


def test_no_more_than_twenty_quotes_are_looked_for() -> None:
    assert [place is None for place in locate_quotes('"We study agreement" ' * 21, TEXT)] == [
        False
    ] * 20 + [True]


@pytest.mark.parametrize(
    "text", ['We ablate the "name mover" head 4.1.', '“Ann is 31”, 5" or more, it says.']
)
def test_a_sentence_with_marks_inside_is_one_quote(text: str) -> None:
    (place,) = locate_quotes(quoted(text), f"Before. {text} After.")
    assert place is not None


@pytest.mark.parametrize("given", ON_PAPER["found"], ids=lambda given: given["how"])
def test_a_quote_is_found_however_it_is_set(given: dict[str, str]) -> None:
    assert locate(given["quote"], ON_PAPER["text"]) is not None


@pytest.mark.parametrize("given", ON_PAPER["refused"], ids=lambda given: given["how"])
def test_a_quote_that_says_something_else_is_refused(given: dict[str, str]) -> None:
    assert locate(given["quote"], ON_PAPER["text"]) is None


def test_a_falsified_quote_is_refused_wherever_it_starts() -> None:
    """A quote that begins after the negation has lost it as much as one around it."""
    assert locate("change the accuracy on other tasks", ON_PAPER["text"]) is None
    text = "It does not lower the accuracy. Ablations lower the accuracy."
    place = locate("lower the accuracy", text)
    assert place is not None
    assert place[0] > text.index("Ablations")


@pytest.mark.parametrize("pair", ON_PAPER["other_words"], ids="-".join)
def test_another_word_in_a_long_quote_is_refused(pair: list[str]) -> None:
    written, changed = (
        f"In our main experiment the component is {word} across all of the two hundred prompts that we tried"
        for word in pair
    )
    assert locate(written, f"{written}.") is not None
    assert locate(changed, f"{written}.") is None
