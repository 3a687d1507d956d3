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
def of_a_package() -> list[Passage]:
    return installed_passages(("jsonschema",), length=100)


def test_passages_are_on_one_line_and_of_about_the_length(of_a_package: list[Passage]) -> None:
    assert len(of_a_package) > 20
    for passage in of_a_package:
        assert 90 <= len(passage.text) <= 100
        assert "\n" not in passage.text
        assert passage.package == "jsonschema"


def test_they_are_the_same_at_every_call(of_a_package: list[Passage]) -> None:
    again = installed_passages(("jsonschema",), length=100)
    assert again == of_a_package
    assert corpus_digest(again) == corpus_digest(of_a_package)
    assert corpus_digest(again[1:]) != corpus_digest(of_a_package)


def test_a_passage_ends_with_a_word() -> None:
    # 19 characters up to the space, and with "wheels" 26.
    assert _beginning("Turn the two large wheels around.", 20) == "Turn the two large"
    assert _beginning("Turn the two large wheels", 18) == "Turn the two large"
    assert _beginning("Turn it.", 20) == ""
    # The last space lies before the last tenth.
    assert _beginning("Turn the two-large-wheels", 20) == ""


def test_a_passage_that_repeats_another_is_left_out() -> None:
    first = Passage("a", "one two three four five six seven eight nine ten eleven twelve")
    # 8 shingles each. With 9 words in common from the start 5 are shared, with 5 words 1 of 8.
    repeats = Passage("b", "one two three four five six seven eight nine red green blue")
    differs = Passage("b", "one two three four five red orange yellow green blue indigo violet")
    assert without_near_duplicates([first, repeats, differs]) == [first, differs]
    # Whichever comes first is kept.
    assert without_near_duplicates([repeats, first]) == [repeats]


def test_a_package_that_is_not_installed_is_one_line() -> None:
    with pytest.raises(UserError, match="docstrings need no-such-package, which is not installed"):
        installed_passages(("no-such-package",))
