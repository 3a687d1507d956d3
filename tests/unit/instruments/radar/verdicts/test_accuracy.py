"""A model's accuracy on all items, on the clean items and on the control, from given marks."""

from pathlib import Path

import pytest

from mechaware.instruments.radar.benchmark import Benchmark, read_benchmark
from mechaware.instruments.radar.verdicts.accuracy import accuracies, answer_marks

# The items d and control/y have no mark.
MARKS = {"a": 1.0, "b": 0.0, "c": 1.0, "control/x": 0.0}
IDS = ["a", "b", "c", "d", "control/x", "control/y"]


def test_each_set_has_the_share_of_right_answers_with_its_exact_interval() -> None:
    """The ends of Clopper and Pearson's interval, each with a tail of 0.025.

    - All items, 2 of 3 right: P(at most 2 right) = 1 - u^3 is 0.025 at the upper end u, and
      P(at least 2 right) = 3 l^2 (1 - l) + l^3 is 0.025 at the lower end l.
    - Clean items, 2 of 2 right: P(2 right) = l^2 is 0.025 at the lower end.
    - Control, 0 of 1 right: P(0 right) = 1 - u is 0.025 at the upper end.
    """
    all_items, clean, control = accuracies(MARKS, IDS, ["b"], confidence_level=0.95)
    assert (all_items.items, all_items.n) == ("all items", 3)
    assert all_items.value == pytest.approx(2 / 3)
    assert 3 * all_items.low**2 - 2 * all_items.low**3 == pytest.approx(0.025)
    assert all_items.high == pytest.approx(0.975 ** (1 / 3))

    assert (clean.items, clean.n) == ("clean.csv", 2)
    assert clean.low == pytest.approx(0.025**0.5)
    assert (clean.value, clean.high) == (1.0, 1.0)

    assert (control.items, control.n) == ("control", 1)
    assert (control.value, control.low) == (0.0, 0.0)
    assert control.high == pytest.approx(0.975)


def test_without_items_to_leave_out_there_is_no_clean_accuracy() -> None:
    rows = accuracies(MARKS, IDS, [], confidence_level=0.95)
    assert [row.items for row in rows] == ["all items", "control"]


def test_answers_that_are_right_in_part_have_the_t_interval_of_their_mean() -> None:
    """Mean 0.4, standard error sqrt(0.03 / 3) = 0.1, t(0.975; 2 degrees of freedom) = 4.30265.

    The upper end is 0.4 + 0.430265. The lower end would be below 0, so it is cut to 0.
    """
    marks = {"a": 0.3, "b": 0.3, "c": 0.6}
    (all_items,) = accuracies(marks, IDS, [], confidence_level=0.95)
    assert (all_items.items, all_items.n) == ("all items", 3)
    assert all_items.value == pytest.approx(0.4)
    assert all_items.low == 0.0
    assert all_items.high == pytest.approx(0.830265)


def test_there_is_no_accuracy_if_a_mark_is_above_one_or_no_mark_is_known() -> None:
    assert accuracies(MARKS | {"c": 12.5}, IDS, ["b"], confidence_level=0.95) == []
    assert accuracies({}, IDS, ["b"], confidence_level=0.95) == []


def test_marks_are_true_or_false_or_numbers_and_any_other_cell_is_unknown(tmp_path: Path) -> None:
    items = benchmark_with_marks(tmp_path / "items.csv", "True", "false", "0.25", "", "B", "nan")
    assert answer_marks(items) == {"2": 1.0, "3": 0.0, "4": 0.25}

    control = benchmark_with_marks(tmp_path / "control.csv", "0", "inf")
    assert answer_marks(items, control) == {"2": 1.0, "3": 0.0, "4": 0.25, "control/2": 0.0}


def benchmark_with_marks(path: Path, *cells: str) -> Benchmark:
    """A benchmark with an item for each of these cells of `correct`; ids count from 2."""
    rows = ["id,question,answer,correct\n"]
    for item_id, cell in enumerate(cells, start=2):
        rows.append(f"{item_id},Who is {path.stem} {item_id}?,Ann,{cell}\n")
    path.write_text("".join(rows))
    return read_benchmark(path)
