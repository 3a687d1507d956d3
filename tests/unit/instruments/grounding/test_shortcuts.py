"""What shortcuts answer: by the places of options in a text, and as a table says."""

import pytest

from mechaware.instruments.grounding.data.pairs import Pair, Prompt
from mechaware.instruments.grounding.shortcuts import corrected, shortcut_choices, shortcuts_of

PLACES = ("first", "last", "middle", "longest", "alphabetical")


def shortcuts(text: str, wanted: str, options: str, place: str = "", **own: str) -> dict[str, bool]:
    prompt = Prompt(text, wanted, "", tuple(options.split("|")), "", place, "", own)
    return shortcuts_of(Pair("a", {"clean": prompt}), "clean")


def test_a_shortcut_is_right_where_it_answers_the_prompt() -> None:
    """In "a=dog b=red a:" dog is the first of two options, and so the middle one; it is also first in the alphabet.

    Neither word is longer: the first of equally long ones is chosen.
    """
    by_place = {"first": True, "last": False, "middle": True, "longest": True, "alphabetical": True}
    assert shortcuts("a=dog b=red a:", "dog", "dog|red", "1", last="red") == {
        **by_place,
        "place 1": True,
    }
    assert shortcuts("a=dog b=red a:", "dog", "dog|red", last="dog") == {**by_place, "last": True}
    assert shortcuts("red and dog", "dog", "dog|red")["first"] is False
    assert shortcuts("reds and dogs", "dog", "dog|red", my_own="dog") == {"my own": True}


def test_a_table_with_all_shortcuts_by_place_has_no_others() -> None:
    own = dict.fromkeys(PLACES, "red") | {"last": "dog"}
    expected = dict.fromkeys(PLACES, False) | {"last": True}
    assert shortcuts("a=dog b=red a:", "dog", "dog|red", "1", **own) == expected


def test_a_shortcut_chooses_the_same_option_whatever_is_wanted() -> None:
    """In "a=red b=horse c=dog a:" the options come in the order red, horse, dog; fish does not occur."""
    options = ("dog", "fish", "horse", "red")
    choices = {
        "first": "red",
        "last": "dog",
        "middle": "horse",
        "longest": "horse",
        "alphabetical": "dog",
    }
    for wanted in ("", "red", "dog"):
        prompt = Prompt(
            "a=red b=horse c=dog a:", wanted, "", options, "", "2", "", {"my_own": "fish"}
        )
        assert shortcut_choices(prompt) == choices | {"my own": "fish"}
    lone = Prompt("a=red:", "red", "dog", ("red", "dog"), "", "", "", {})
    assert shortcut_choices(lone) == {}


def test_a_share_counts_beyond_the_shortcut_as_a_part_of_what_it_leaves() -> None:
    """(0.6 - 0.2) / 0.8 and (0.1 - 0.2) / 0.8; a shortcut's own share is 0."""
    assert corrected(0.6, 0.2) == pytest.approx(0.5)
    assert corrected(0.1, 0.2) == pytest.approx(-0.125)
    assert corrected(0.2, 0.2) == 0
