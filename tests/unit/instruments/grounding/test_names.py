"""What is named in one place is labelled in the others."""

from exhibits.grounding.figures.style import LABELS
from exhibits.report.style import COLOUR, MARKER
from mechaware.instruments.grounding import names


def test_all_names_have_a_label_a_colour_and_a_marker() -> None:
    assert set(names.CATEGORY_LABELS) == {*names.CATEGORIES, "overall"}
    assert set(names.SYNONYMS) < set(names.CATEGORIES)
    assert set(LABELS) <= COLOUR.keys() & MARKER.keys()
