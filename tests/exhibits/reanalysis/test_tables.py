"""What the three tables of implied numbers have in common."""

from pathlib import Path
from types import ModuleType

import pytest

from exhibits.reanalysis import claims_implied, grounding_implied, radar_implied
from exhibits.reanalysis.implied import difference_of_shares
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


def test_the_interval_of_a_difference_of_shares_is_newcombes() -> None:
    """Newcombe 1998, table II, method 10: 9 of 10 less 3 of 10 is 0.6 (0.1705 to 0.8090), and 10 less 0 of 10."""
    assert difference_of_shares(9, 3, 10) == pytest.approx((0.1705, 0.8090), abs=5e-5)
    assert difference_of_shares(10, 0, 10) == pytest.approx((0.6075, 1.0), abs=5e-5)
