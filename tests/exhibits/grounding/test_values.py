"""Differences between models trained with the schema and without, of a variant that was measured once."""

from pathlib import Path

import pytest

from exhibits.grounding.values import variant_leads

TABLE = """\
variant,run,paper_embedding,paper
small,base-s0,0.9,0
small,schema-s0,0.6,0.1
small,schema-s1,0.9,0.2
small,schema-s2,0.6,0.3
small,no_schema-s0,0.2,0.5
small,no_schema-s1,0.4,0.6
small,no_schema-s2,0.3,0.7
large,schema-s0,0.1,0.9
large,schema-s1,0.4,0.7
large,no_schema-s0,0.3,0.2
large,no_schema-s1,0.4,0.2
"""


def test_a_variants_lead_has_a_t_interval_over_its_seeds(tmp_path: Path) -> None:
    measured = tmp_path / "variants.csv"
    measured.write_text(TABLE, encoding="utf-8")
    leads = variant_leads(measured, confidence_level=0.95)
    small = leads["variant_leads/small"]
    large = leads["variant_leads/large"]

    # 0.4, 0.5 and 0.3: a mean of 0.4, a standard deviation of 0.1, and t = 4.3027 with two degrees of freedom.
    reach = 4.3027 * 0.1 / 3**0.5
    assert (small["value"], small["n"]) == (pytest.approx(0.4), 3)
    assert (small["low"], small["high"]) == pytest.approx((0.4 - reach, 0.4 + reach), abs=1e-5)

    # -0.2 and 0: a mean of -0.1 and a standard error of 0.1. With one degree of freedom t = 12.7062, so that the
    # interval would be -1.37 to 1.17: it is cut at the ends of what a difference of shares can be.
    assert large["value"] == pytest.approx(-0.1)
    assert (large["low"], large["high"]) == (-1, 1)

    # By the method -0.4 for each of three seeds, and 0.7 and 0.5.
    assert leads["variant_leads_by_method/small"]["value"] == pytest.approx(-0.4)
    assert leads["variant_leads_by_method/large"]["value"] == pytest.approx(0.6)


def test_an_interval_of_differences_of_shares_is_cut_only_where_it_leaves_their_range(
    tmp_path: Path,
) -> None:
    """Differences of 0.9, 0.5 and 0.8: a mean of 0.7333, a standard deviation of 0.2082, and t = 4.3027."""
    measured = tmp_path / "variants.csv"
    measured.write_text(
        """\
variant,run,paper_embedding,paper
large,schema-s0,1,1
large,schema-s1,0.7,0.7
large,schema-s2,0.9,0.9
large,no_schema-s0,0.1,0.1
large,no_schema-s1,0.2,0.2
large,no_schema-s2,0.1,0.1
""",
        encoding="utf-8",
    )
    lead = variant_leads(measured, confidence_level=0.95)["variant_leads/large"]

    # 0.7333 - 4.3027 * 0.2082 / sqrt(3); the other end would be 1.2505.
    assert lead["low"] == pytest.approx(0.2162, abs=1e-4)
    assert lead["high"] == 1
