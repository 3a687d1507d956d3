"""What the three tables of implied numbers have in common."""

from pathlib import Path
from types import ModuleType

import pytest

from exhibits.reanalysis import claims_implied, grounding_implied, radar_implied
from exhibits.reanalysis.implied import paired_difference
from tests.exhibits.reanalysis.printed import printed_tables


@pytest.mark.parametrize("module", [radar_implied, grounding_implied, claims_implied])
def test_a_table_is_made_of_the_printed_numbers_alone(module: ModuleType) -> None:
    assert {Path(path).parent for path in module.READS.values()} == {Path("config/reported")}

    table = module.fill(**printed_tables(module))
    rows = table.numbers
    words = ["quantity", "printed", "implied", "how", "place"]

    assert list(rows) == [*words, "number", "number_low", "number_high", "number_n"]
    assert not (rows == "").any().any()
    assert not rows[words].isna().any().any()
    assert rows["quantity"].is_unique
    assert table.shown.to_numpy().tolist() == rows[words].to_numpy().tolist()


def test_two_counts_of_the_same_pairs_are_tested_for_every_overlap() -> None:
    """3 and 1 of 4: no pair passes both, or one does.

    Without one the models differ in four pairs, three of them the first's: p = 2 (4 + 1) / 16, and
    Clopper and Pearson's 0.1941 to 0.9937 of them give 2 x 0.1941 - 1 to 2 x 0.9937 - 1. With one
    they differ in two, both the first's: p = 2 / 4.
    """
    paired = paired_difference(3, 1, 4)
    assert paired.p == pytest.approx(5 / 8)
    assert paired.interval == pytest.approx((-0.6118, 0.9874), abs=1e-4)


def test_counts_that_leave_no_choice_have_one_overlap() -> None:
    # All four pairs pass in one model and two in the other: both pass two, and the models differ in
    # the other two.
    assert paired_difference(4, 2, 4).p == pytest.approx(2 / 4)
    assert paired_difference(4, 4, 4) == (1.0, (0.0, 0.0))
