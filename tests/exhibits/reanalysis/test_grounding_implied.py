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
        # With 35 pairs that both pass the sign test is of 41 and 24, p = 0.046; with more of them p is smaller.
        ("pass rates, overall", "p at most 0.046"),
        ("pass rates, DB synonyms", "p at most 0.210"),  # 11 and 5 pairs, none of which both pass
        # 67, 68 and 69 of 76 are 88.16%, 89.47% and 90.79%.
        ("best layer is 0 to 2, with schema", "68 of 76"),
        (
            "gap between the models in standard accuracy",
            "5.6 points of field accuracy, 21.9 of exact match",
        ),
    ],
)
def test_a_printed_number_implies(quantity: str, expected: str) -> None:
    assert ROWS.loc[quantity, "implied"] == expected


@pytest.mark.parametrize(
    ("quantity", "number", "low", "high"),
    [
        ("overall effect, text", 0.30, 0.30, 0.30),  # 1.23 - 0.93
        ("effect, non-DB scramble", 0.67, 0.67, 0.67),  # 2.28 - 1.61
        ("pass rate, schema", 0.76, 0.6643, 0.8398),  # Clopper and Pearson's table for 76 of 100
        # 76 and 59 of the same 100: 35 to 59 pass both. With 35, 41 of the 65 in which the models differ are the first
        # model's, 0.5020 to 0.7472 by Clopper and Pearson: (2 x 0.5020 - 1) 0.65 = 0.0026 and 0.3214 are the widest.
        ("pass rates, overall", 0.17, 0.0026, 0.3214),
    ],
)
def test_a_number_for_a_statement_has_its_interval(
    quantity: str, number: float, low: float, high: float
) -> None:
    row = ROWS.loc[quantity, ["number", "number_low", "number_high"]]
    assert list(row) == pytest.approx([number, low, high], abs=1e-4)
