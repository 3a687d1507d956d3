"""What the symbolic-mechanistic paper's printed numbers imply, each computed by hand.

The paper prints the mean gaps 1.88 (1.44 to 2.32) with the schema and 0.65 (0.39 to 0.90) without,
in logits, over 100 pairs. R1 asks for a gap of 0.4 at least.
"""

import pytest

from exhibits.reanalysis import grounding_implied
from tests.exhibits.reanalysis.printed import printed_tables

ROWS = grounding_implied.fill(**printed_tables(grounding_implied)).numbers.set_index("quantity")


@pytest.mark.parametrize(
    ("quantity", "expected"),
    [
        # Half the interval is 1.96 sd / sqrt(100), so sd = 0.44 * 10 / 1.96 = 2.245 with the schema
        # and 0.255 * 10 / 1.96 = 1.301 without. P(gap > 0.4) is Phi((1.88 - 0.4) / 2.245) and
        # Phi((0.65 - 0.4) / 1.301).
        ("pairs that pass signed R1 alone, schema", "74.5%"),
        ("pairs that pass signed R1 alone, no schema", "57.6%"),
        # R1 takes the size of the gap, so P(gap < -0.4) = Phi((-0.4 - 1.88) / 2.245) = 15.5% is
        # added to the 74.5%.
        ("pairs that pass R1 alone, schema", "90.0%"),
        ("overall effect, table", "+0.932"),  # (0.53 + 0.51 + 0.57 + 2.28 + 0.77) / 5
        ("effect, super-scramble", "1.58 apart"),  # 2.35 - 0.77
        # Of 100 pairs 76 and 59 pass, so at least 35 pass in both models. With 35 the sign test is
        # of 76 - 35 = 41 against 59 - 35 = 24, p = 0.046; with more, p is smaller.
        ("pass rates, overall", "p at most 0.046"),
        # Of 20 pairs 11 and 5 pass. With none in both models, the sign test is of 11 against 5.
        ("pass rates, DB synonyms", "p at most 0.210"),
        # 76 pairs pass, and 89% is printed: 67, 68 and 69 of 76 are 88.16%, 89.47% and 90.79%.
        ("best layer is 0 to 2, with schema", "68 of 76"),
        (
            # Table 1: 99.1 - 93.5 and 94.0 - 72.1.
            "gap between the models in standard accuracy",
            "5.6 points of field accuracy, 21.9 of exact match",
        ),
    ],
)
def test_what_a_printed_number_implies_equals_the_hand_computation(
    quantity: str, expected: str
) -> None:
    assert ROWS.loc[quantity, "implied"] == expected


@pytest.mark.parametrize(
    ("quantity", "number", "low", "high"),
    [
        ("overall effect, text", 0.30, 0.30, 0.30),  # 1.23 - 0.93
        ("effect, non-DB scramble", 0.67, 0.67, 0.67),  # 2.28 - 1.61
        ("pass rate, schema", 0.76, 0.6643, 0.8398),  # Clopper and Pearson's table for 76 of 100
        # 76 and 59 of the same 100 pairs pass, so 35 to 59 pass in both models. With 35 the
        # interval is the widest: of the 65 pairs in which the models differ, the schema model
        # passes 41, a share p of 0.5020 to 0.7472 by Clopper and Pearson, and the difference is
        # (2 p - 1) 0.65.
        ("pass rates, overall", 0.17, 0.0026, 0.3214),
    ],
)
def test_a_number_that_a_statement_rests_on_has_its_interval(
    quantity: str, number: float, low: float, high: float
) -> None:
    row = ROWS.loc[quantity, ["number", "number_low", "number_high"]]
    assert list(row) == pytest.approx([number, low, high], abs=1e-4)
