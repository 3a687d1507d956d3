"""Passages of docstrings, from small files written here and from an installed package."""

import pytest

from mechaware.core.errors import UserError
from mechaware.planted.natural.corpus import (
    Passage,
    _beginning,
    corpus_digest,
    installed_passages,
    without_near_duplicates,
)


@pytest.fixture(scope="module")
def jsonschema_passages() -> list[Passage]:
    return installed_passages(("jsonschema",), length=100)


def test_passages_are_on_one_line_and_of_about_the_length(
    jsonschema_passages: list[Passage],
) -> None:
    assert len(jsonschema_passages) > 20
    for passage in jsonschema_passages:
        assert 90 <= len(passage.text) <= 100
        assert "\n" not in passage.text
        assert passage.package == "jsonschema"


def test_passages_are_the_same_at_every_call(jsonschema_passages: list[Passage]) -> None:
    again = installed_passages(("jsonschema",), length=100)
    assert again == jsonschema_passages
    assert corpus_digest(again) == corpus_digest(jsonschema_passages)
    assert corpus_digest(again[1:]) != corpus_digest(jsonschema_passages)


def test_a_passage_ends_with_a_word() -> None:
    # "Turn the two large" has 18 characters, and with "wheels" 25.
    assert _beginning("Turn the two large wheels around.", 20) == "Turn the two large"
    assert _beginning("Turn the two large wheels", 18) == "Turn the two large"
    # A docstring of exactly 20 characters loses its last word, which no other follows.
    assert _beginning("Turn the two large a", 20) == "Turn the two large"
    # A docstring shorter than the length gives no passage.
    assert _beginning("Turn it.", 20) == ""
    # "Turn the" fills less than nine tenths of 20 characters.
    assert _beginning("Turn the two-large-wheels", 20) == ""


def test_a_passage_that_repeats_another_is_left_out() -> None:
    first = Passage("a", "one two three four five six seven eight nine ten eleven twelve")
    # 8 shingles each. With 9 words in common from the start 5 are shared, with 5 words 1 of 8.
    repeats = Passage("b", "one two three four five six seven eight nine red green blue")
    differs = Passage("b", "one two three four five red orange yellow green blue indigo violet")
    assert without_near_duplicates([first, repeats, differs]) == [first, differs]
    # Whichever comes first is kept.
    assert without_near_duplicates([repeats, first]) == [repeats]


def test_a_passage_may_share_a_fifth_of_its_shingles_and_no_more() -> None:
    """Nine words have five shingles of five words, eight have four; only the first is shared."""
    first = Passage("one", "a b c d e")
    a_fifth = Passage("two", "a b c d e f g h i")
    a_quarter = Passage("two", "a b c d e p q r")
    assert without_near_duplicates([first, a_fifth]) == [first, a_fifth]
    assert without_near_duplicates([first, a_quarter]) == [first]


def test_a_package_that_is_not_installed_is_refused_by_name_in_one_line() -> None:
    with pytest.raises(UserError) as refused:
        installed_passages(("no-such-package",))
    message = str(refused.value)
    assert "docstrings need no-such-package, which is not installed" in message
    assert "\n" not in message
