"""What is read from a statement: its words, its direction, and whether it denies something."""

import pytest

from mechaware.instruments.claims.votes.statements import (
    Statement,
    content_words,
    read_statement,
    shared_stems,
)


def read(text: str) -> Statement:
    """A statement that names no class of components: without the classes its text is the same."""
    return read_statement(text, text)


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("Head 3.1 does not copy names", True),
        ("Head 3.1 does reliably not copy names", True),
        ("NO head copies names", True),
        ("It isn't copied", True),
        ("Head 3.1 does not copy no names", False),  # two negations
        # "not only" denies nothing.
        ("Head 3.1 does not only copy names", False),
        # What follows the main clause denies nothing, and a list of heads does not end that clause.
        ("Head 3.1 copies names, and no head moves them", False),
        ("Head 3.1 does not copy names, it moves them", True),
        ("Heads 9.9, 9.6 do not copy names", True),
        ("Head 3.1 copies names that are not repeated", False),
    ],
)
def test_a_main_clause_with_an_odd_number_of_negations_is_a_denial(text: str, denied: bool) -> None:
    assert read(text).denied == denied


@pytest.mark.parametrize(
    ("text", "raises", "lowers", "direction"),
    [
        ("It copies names", True, False, 1),
        ("It suppresses names", False, True, -1),
        ("It copies names and suppresses others", True, True, 1),
        ("It suppresses names and copies others", True, True, -1),
        ("It detects names", False, False, 0),
        # Nouns and adjectives that are spelt as verbs.
        ("It detects names in the outputs", False, False, 0),
        ("It detects names of each block", False, False, 0),
        ("It detects names in lower layers", False, False, 0),
    ],
)
def test_the_first_verb_that_raises_or_lowers_gives_the_direction(
    text: str, raises: bool, lowers: bool, direction: int
) -> None:
    statement = read(text)
    assert (statement.raises, statement.lowers, statement.direction) == (raises, lowers, direction)


def test_verbs_everyday_words_components_and_models_are_not_content_words() -> None:
    words = content_words("The head 9.9 copies Apples of Tern-200M to pi")

    assert words == content_words("apples pi")
    assert len(words) == 2


def test_a_stem_of_four_letters_or_more_is_shared_with_a_longer_stem_that_it_begins() -> None:
    # The shared stem is returned as it is in the first list.
    assert shared_stems(["quot", "plum"], ["quotat"]) == {"quot"}
    assert shared_stems(["quotat"], ["quot"]) == {"quotat"}

    assert shared_stems(["quo"], ["quotat"]) == set()


def test_equal_stems_are_shared_whatever_their_length() -> None:
    assert shared_stems(["quo"], ["quo"]) == {"quo"}
