"""The layout that the three tables of implied numbers share, and the test of two printed counts."""

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
    text_columns = ["quantity", "printed", "implied", "how", "place"]

    # Only the number may be missing.
    assert list(rows) == [*text_columns, "number", "number_low", "number_high", "number_n"]
    assert not (rows == "").any().any()
    assert not rows[text_columns].isna().any().any()
    assert rows["quantity"].is_unique
    # Readers see the texts alone.
    assert table.shown.to_numpy().tolist() == rows[text_columns].to_numpy().tolist()


def test_two_counts_of_the_same_pairs_are_compared_at_every_possible_overlap() -> None:
    """The first model passes 3 of 4 pairs and the second 1. Both pass no pair, or both pass one.

    If both pass none, the models differ in all four pairs, of which the first alone passes three:
    p = 2 (4 + 1) / 16. Clopper and Pearson's interval of 3 in 4 is 0.1941 to 0.9937, so that the
    difference of the shares is 2 x 0.1941 - 1 to 2 x 0.9937 - 1.

    If both pass one, the models differ in two pairs, and the first alone passes both of them:
    p = 2 / 4. The interval of 2 in 2 is 0.1581 to 1, so that the difference of the shares is
    (2 x 0.1581 - 1) x 2 / 4 = -0.3419 to 2 / 4.

    The larger p and the outer ends are those without an overlap.
    """
    paired = paired_difference(3, 1, 4)
    assert paired.p == pytest.approx(5 / 8)
    assert paired.interval == pytest.approx((-0.6118, 0.9874), abs=1e-4)


def test_a_model_that_passes_all_pairs_leaves_one_possible_overlap() -> None:
    # The second model passes two of the four: both pass these two, and the models differ in the
    # other two.
    assert paired_difference(4, 2, 4).p == pytest.approx(2 / 4)
    # Both pass all four: no difference, with certainty.
    assert paired_difference(4, 4, 4) == (1.0, (0.0, 0.0))
