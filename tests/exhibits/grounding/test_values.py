"""The leads of models trained with the schema over models trained without, by variant.

A variant is another setting of the study, which was measured once.
"""

from pathlib import Path

import pytest

from exhibits.grounding.values import variant_leads

# The shares of pairs that pass R1 to R3: with the embedding as a layer (`paper_embedding`), and by
# the method of the paper (`paper`).
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

    # The leads by seed are 0.6 - 0.2, 0.9 - 0.4 and 0.6 - 0.3: a mean of 0.4 and a standard
    # deviation of 0.1. With two degrees of freedom t = 4.3027.
    half_width = 4.3027 * 0.1 / 3**0.5
    assert (small["value"], small["n"]) == (pytest.approx(0.4), 3)
    assert (small["low"], small["high"]) == pytest.approx(
        (0.4 - half_width, 0.4 + half_width), abs=1e-5
    )

    # The leads are 0.1 - 0.3 and 0.4 - 0.4: a mean of -0.1 and a standard error of 0.1. With one
    # degree of freedom t = 12.7062, so that the interval would be -1.37 to 1.17. It is cut at -1
    # and 1, between which every difference of two shares lies.
    assert large["value"] == pytest.approx(-0.1)
    assert (large["low"], large["high"]) == (-1, 1)

    # By the method the leads are -0.4 in each of three seeds, and 0.7 and 0.5.
    assert leads["variant_leads_by_method/small"]["value"] == pytest.approx(-0.4)
    assert leads["variant_leads_by_method/large"]["value"] == pytest.approx(0.6)


def test_an_interval_of_differences_of_shares_is_cut_only_where_it_leaves_their_range(
    tmp_path: Path,
) -> None:
    """The leads are 0.9, 0.5 and 0.8: a mean of 0.7333 and a standard deviation of 0.2082."""
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

    # The lower end is 0.7333 - 4.3027 * 0.2082 / sqrt(3), with t = 4.3027 for two degrees of
    # freedom; the upper end would be 1.2505.
    assert lead["low"] == pytest.approx(0.2162, abs=1e-4)
    assert lead["high"] == 1
