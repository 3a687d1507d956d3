"""A place of a text has a page and the heading of its section, or neither where that is not certain."""

from pathlib import Path

import pytest
import yaml

from mechaware.instruments.claims.reading.places import place_of
from mechaware.instruments.claims.rubric.records import PaperText

HEADINGS = yaml.safe_load((Path(__file__).parent / "places.yaml").read_text())


def about(page_starts: list[int]) -> PaperText:
    return PaperText(
        paper="p",
        pages=3,
        pages_read=3,
        page_starts=page_starts,
        truncated=False,
        characters=0,
        flags=[],
        hidden=[],
    )


def heading(text: str, words: str) -> str | None:
    return place_of(text.index(words), text, about([])).heading


def test_pages_count_from_one_and_an_empty_page_is_passed_over() -> None:
    starts = [0, 10, 10, 20]
    places = [place_of(start, 30 * "a", about(starts)) for start in (0, 9, 10, 19, 20, 29)]
    assert [place.page for place in places] == [1, 1, 3, 3, 4, 4]
    assert place_of(5, "a text", about([])).page is None


@pytest.mark.parametrize(("words", "expected"), HEADINGS["places"].items(), ids=HEADINGS["places"])
def test_a_place_stands_under_the_heading_of_its_section(words: str, expected: str | None) -> None:
    assert heading(HEADINGS["paper"], words) == expected


@pytest.mark.parametrize(("text", "expected"), HEADINGS["other_forms"])
def test_headings_of_other_forms(text: str, expected: str | None) -> None:
    assert heading(text, "Words.") == expected


def test_a_heading_far_above_is_not_certain() -> None:
    assert heading("Abstract\n" + 400 * "It goes on.\n" + "Words.", "Words.") is None
