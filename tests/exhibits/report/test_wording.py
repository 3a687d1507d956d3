"""Sentences with numbers of a run: counts follow the values, in words up to ten."""

import pytest

from exhibits.report.wording import wording
from tests.exhibits.report.headlines_by_hand import run_value

VALUES = {
    "leads/a": run_value(0.1),
    "leads/b": run_value(0.1),
    "leads/c": run_value(0.1),
    "other/a": run_value(0.1),
    "leads/missing": run_value(None),
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        # The missing value does not count.
        ('{{ count("leads/*") | in_words }}', "three"),
        ('{{ count("*/a") | in_words }}', "two"),
    ],
)
def test_a_count_is_of_the_values_whose_names_match_the_pattern(template: str, text: str) -> None:
    assert wording(VALUES).from_string(template).render() == text


def test_numbers_are_words_up_to_ten() -> None:
    template = wording(VALUES).from_string("{{ 10 | in_words }} and {{ 11 | in_words }}")
    assert template.render() == "ten and 11"
