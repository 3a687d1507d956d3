"""What the three tables of implied numbers have in common."""

from pathlib import Path
from types import ModuleType

import pytest

from exhibits.reanalysis import claims_implied, grounding_implied, radar_implied
from tests.exhibits.reanalysis.printed import printed_tables


@pytest.mark.parametrize("module", [radar_implied, grounding_implied, claims_implied])
def test_a_table_is_made_of_the_printed_numbers_alone(module: ModuleType) -> None:
    assert {Path(path).parent for path in module.READS.values()} == {Path("config/reported")}
    table = module.fill(**printed_tables(module))
    rows = table.numbers
    assert list(rows) == ["quantity", "printed", "implied", "how", "place"]
    assert not (rows == "").any().any()
    assert rows["quantity"].is_unique
    assert table.shown.to_numpy().tolist() == rows.to_numpy().tolist()
