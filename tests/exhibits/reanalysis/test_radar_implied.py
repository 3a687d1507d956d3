"""What RADAR's printed numbers imply, by hand."""

import pytest

from exhibits.reanalysis import radar_implied
from exhibits.reanalysis.radar_implied import ClassCounts, solve_class_counts
from tests.exhibits.reanalysis.printed import printed_tables

ROWS = radar_implied.fill(**printed_tables(radar_implied)).numbers.set_index("quantity")


def test_the_printed_accuracies_have_one_solution() -> None:
    assert solve_class_counts(100, 93, 97.7, 89.3) == [ClassCounts(43, 44, 50, 56)]


@pytest.mark.parametrize("printed", [1.2, 1.3])
def test_a_share_half_way_between_two_printed_percentages_may_be_printed_as_either(
    printed: float,
) -> None:
    """1 of 80 is 1.25%. 2 of 81 are right, and all of recall: reasoning has 1 of 80 or 0 of 79."""
    assert solve_class_counts(81, 2, 100.0, printed) == [ClassCounts(1, 1, 1, 80)]


def test_the_printed_example_prompts_differ_in_length() -> None:
    # Counted in Tables 3 and 5: recall 5, 4, 5; reasoning 10, 13, 12, 8, 15.
    row = ROWS.loc["length of the printed example prompts"]
    assert row["implied"] == "recall 4 to 5 words, reasoning 8 to 15"
    assert "5 of 5 reasoning prompts are longer than every recall prompt" in row["how"]


def test_radar_answered_no_challenging_reasoning_prompt_correctly() -> None:
    implied = ROWS["implied"]
    assert implied["classes of the test set"] == "43 of 44 recall, 50 of 56 reasoning"
    assert implied["challenging prompts by class"] == "23 of 24 recall, 0 of 6 reasoning"
    assert implied["always answering recall, on the challenging prompts"] == "80.0%"  # 24 of 30
    # Summed over its queries: ln 1 + ln 2 + ... + ln 6 = ln 720.
    assert implied["entropy of a head with uniform causal attention over six tokens"].startswith(
        "6.58 nats"
    )
    assert implied["interval on challenging reasoning"] == "0.0% to 45.9%"  # 1 - 0.025^(1/6)

    number = ROWS.loc["interval on challenging reasoning", ["number", "number_low", "number_high"]]
    assert list(number) == pytest.approx([0, 0, 0.4593], abs=1e-4)
