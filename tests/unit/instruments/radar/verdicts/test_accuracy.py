"""The accuracy on all items, on the clean ones and on the control, from marks by hand."""

from pathlib import Path

import pytest

from mechaware.instruments.radar.benchmark import Benchmark, read_benchmark
from mechaware.instruments.radar.verdicts.accuracy import accuracies, answer_marks

MARKS = {"a": 1.0, "b": 0.0, "c": 1.0, "control/x": 0.0}
IDS = ["a", "b", "c", "d", "control/x", "control/y"]


def test_each_set_has_the_share_of_right_answers_with_its_exact_interval() -> None:
    """d and y have no mark.

    If all n answers are right, the interval's lower end is 0.025^(1/n); if none is, the upper end
    is 1 - 0.025^(1/n). If 2 of 3 are right, the upper end u has P(at most 2 of 3) = 1 - u^3 =
    0.025.
    """
    whole, clean, control = accuracies(MARKS, IDS, ["b"], confidence_level=0.95)
    assert whole[:3] == ("all items", 3, pytest.approx(2 / 3))
    assert whole.high == pytest.approx(0.975 ** (1 / 3))
    assert clean == ("clean.csv", 2, 1.0, pytest.approx(0.025**0.5), 1.0)
    assert control == ("control", 1, 0.0, 0.0, pytest.approx(0.975))


def test_without_items_to_leave_out_there_is_no_clean_accuracy() -> None:
    rows = accuracies(MARKS, IDS, [], confidence_level=0.95)
    assert [row.items for row in rows] == ["all items", "control"]


def test_answers_that_are_right_in_part_have_the_t_interval_of_their_mean() -> None:
    """Mean 0.4, standard error sqrt(0.03 / 3) = 0.1, t(0.975; 2) = 4.30265; no share is below 0."""
    (whole,) = accuracies({"a": 0.3, "b": 0.3, "c": 0.6}, IDS, [], confidence_level=0.95)
    assert whole == ("all items", 3, pytest.approx(0.4), 0.0, pytest.approx(0.830265))


def test_marks_that_are_no_shares_give_no_accuracy() -> None:
    assert accuracies(MARKS | {"c": 12.5}, IDS, ["b"], confidence_level=0.95) == []
    assert accuracies({}, IDS, ["b"], confidence_level=0.95) == []


def test_marks_are_true_or_false_or_numbers_and_any_other_cell_is_unknown(tmp_path: Path) -> None:
    def read(name: str, *cells: str) -> Benchmark:
        rows = [f"{row},Who is {name} {row}?,Ann,{cell}\n" for row, cell in enumerate(cells)]
        (tmp_path / name).write_text("id,question,answer,correct\n" + "".join(rows))
        return read_benchmark(tmp_path / name)

    items = read("items", "True", "false", "0.25", "", "B", "nan")
    assert answer_marks(items) == {"0": 1.0, "1": 0.0, "2": 0.25}
    control = read("control", "0", "inf")
    assert answer_marks(items, control)["control/0"] == 0.0
    assert len(answer_marks(items, control)) == 4
