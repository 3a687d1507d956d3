"""What shortcuts choose, and whether it is right: by place in a text, and as a table names it."""

import pytest

from mechaware.instruments.grounding.data.pairs import Pair, Prompt
from mechaware.instruments.grounding.shortcuts import (
    corrected,
    shortcut_choices,
    shortcuts_of,
    uncorrected,
)


def make_prompt(
    text: str,
    options: tuple[str, ...],
    wanted: str = "",
    place: str = "",
    shortcuts: dict[str, str] | None = None,
) -> Prompt:
    return Prompt(
        text=text,
        wanted=wanted,
        against="",
        options=options,
        category="",
        place=place,
        request="",
        shortcuts=shortcuts or {},
    )


def right_shortcuts(prompt: Prompt) -> dict[str, bool]:
    """Whether each shortcut answers the clean prompt of a pair rightly."""
    return shortcuts_of(Pair("pair", {"clean": prompt}), "clean")


# In "a=dog b=red a:" dog is the first of two options, and so the middle one. Neither word is
# longer, and the first of equally long ones is chosen. dog is also first in the alphabet.
DOG_IS_RIGHT_BY_PLACE = {
    "first": True,
    "last": False,
    "middle": True,
    "longest": True,
    "alphabetical": True,
}


def test_a_shortcut_by_place_is_right_where_it_chooses_the_wanted_option() -> None:
    prompt = make_prompt("a=dog b=red a:", options=("dog", "red"), wanted="dog")

    assert right_shortcuts(prompt) == DOG_IS_RIGHT_BY_PLACE


def test_copying_from_the_place_of_the_wanted_answer_is_right() -> None:
    prompt = make_prompt("a=dog b=red a:", options=("dog", "red"), wanted="dog", place="1")

    assert right_shortcuts(prompt) == DOG_IS_RIGHT_BY_PLACE | {"place 1": True}


def test_a_shortcut_of_the_table_replaces_the_one_by_place_of_its_name() -> None:
    """By place the last option is red; the table names dog, which is wanted."""
    prompt = make_prompt(
        "a=dog b=red a:", options=("dog", "red"), wanted="dog", shortcuts={"last": "dog"}
    )

    assert right_shortcuts(prompt) == DOG_IS_RIGHT_BY_PLACE | {"last": True}


def test_options_are_in_the_order_of_the_text() -> None:
    prompt = make_prompt("red and dog", options=("dog", "red"), wanted="dog")

    assert right_shortcuts(prompt)["first"] is False


def test_options_that_do_not_occur_as_whole_words_leave_the_tables_own_shortcuts() -> None:
    prompt = make_prompt(
        "reds and dogs", options=("dog", "red"), wanted="dog", shortcuts={"my_own": "dog"}
    )

    assert right_shortcuts(prompt) == {"my own": True}


def test_a_table_with_all_shortcuts_by_place_has_no_others() -> None:
    own = {"first": "red", "last": "dog", "middle": "red", "longest": "red", "alphabetical": "red"}
    prompt = make_prompt(
        "a=dog b=red a:", options=("dog", "red"), wanted="dog", place="1", shortcuts=own
    )

    assert right_shortcuts(prompt) == {
        "first": False,
        "last": True,
        "middle": False,
        "longest": False,
        "alphabetical": False,
    }


@pytest.mark.parametrize("wanted", ["", "red", "dog"])
def test_a_shortcut_chooses_the_same_option_whatever_is_wanted(wanted: str) -> None:
    """The text has the options in the order red, horse, dog; fish does not occur in it."""
    prompt = make_prompt(
        "a=red b=horse c=dog a:",
        options=("dog", "fish", "horse", "red"),
        wanted=wanted,
        place="2",
        shortcuts={"my_own": "fish"},
    )

    assert shortcut_choices(prompt) == {
        "first": "red",
        "last": "dog",
        "middle": "horse",
        "longest": "horse",
        "alphabetical": "dog",
        "my own": "fish",
    }


def test_a_text_with_only_one_of_the_options_has_no_shortcuts_by_place() -> None:
    prompt = make_prompt("a=red:", options=("red", "dog"), wanted="red")

    assert shortcut_choices(prompt) == {}


@pytest.mark.parametrize(
    ("share", "beyond"),
    [
        pytest.param(0.6, 0.5, id="above the shortcut: (0.6 - 0.2) / 0.8"),
        pytest.param(0.1, -0.125, id="below it: (0.1 - 0.2) / 0.8"),
    ],
)
def test_a_share_counts_beyond_the_shortcut_as_a_part_of_what_it_leaves(
    share: float, beyond: float
) -> None:
    shortcut_share = 0.2

    assert corrected(share, shortcut_share) == pytest.approx(beyond)
    assert uncorrected(beyond, shortcut_share) == pytest.approx(share)


def test_the_share_of_the_shortcut_itself_leaves_nothing() -> None:
    assert corrected(0.2, 0.2) == 0
