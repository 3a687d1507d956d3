"""What the symbolic-mechanistic paper's printed numbers imply, by hand."""

import pytest

from exhibits.reanalysis import grounding_implied
from tests.exhibits.reanalysis.printed import printed_tables

ROWS = grounding_implied.fill(**printed_tables(grounding_implied)).numbers.set_index("quantity")


@pytest.mark.parametrize(
    ("quantity", "expected"),
    [
        # sd = 0.44 * 10 / 1.96 = 2.245 and 0.255 * 10 / 1.96 = 1.301: Phi(1.48 / 2.245) and Phi(0.25 / 1.301)
        ("pairs that pass signed R1 alone, schema", "74.5%"),
        ("pairs that pass signed R1 alone, no schema", "57.6%"),
        ("pairs that pass R1 alone, schema", "90.0%"),  # and beside it Phi(-2.28 / 2.245) = 15.5%
        ("overall effect, table", "+0.932"),  # (0.53 + 0.51 + 0.57 + 2.28 + 0.77) / 5
        ("effect, super-scramble", "1.58 apart"),  # 2.35 - 0.77
        (
            "best layer is 0 to 2, with schema",
            "68 of 76",
        ),  # 88.16%, 89.47% and 90.79% are 67, 68 and 69 of 76
        (
            "gap between the models in standard accuracy",
            "5.6 points of field accuracy, 21.9 of exact match",
        ),
    ],
)
def test_a_printed_number_implies(quantity: str, expected: str) -> None:
    assert ROWS.loc[quantity, "implied"] == expected
