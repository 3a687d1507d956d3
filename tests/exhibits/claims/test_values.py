"""Values of the claims study for the paper's text, from the committed printed tables."""

from pathlib import Path

import pytest

from exhibits.claims.values import mean_ranges, tiers_alike

TIERS = ("Proposed", "Causally Suggestive", "Validated")
REPORTED = Path(__file__).resolve().parents[3] / "config/reported"


def test_no_published_paper_has_the_same_tier_in_all_lists_of_references() -> None:
    values = tiers_alike(
        REPORTED / "claims_papers.csv", REPORTED / "claims_references.csv", confidence_level=0.95
    )
    alike = values["references/alike"]

    # Only Successor Heads has one tier in all lists before the audits of August, which raise it.
    assert (alike["value"], alike["n"]) == (0, 7)
    # None of seven: the upper end solves (1 - high)^7 = 0.025.
    assert (alike["low"], alike["high"]) == pytest.approx((0, 0.40962), abs=1e-5)


def test_papers_are_alike_if_the_papers_own_list_and_all_others_give_them_one_tier(
    tmp_path: Path,
) -> None:
    """The own list has a 0, b 1, c 2 and e 0 of `TIERS`; two others have a 0 0, b 0 0, c 2 2.

    So a and c of three are alike; d is not in the own list, and e in no other one. Both ends of the
    interval of 2 of 3 have tails of 0.025: 3 l^2 - 2 l^3 = 0.025, and u^3 = 0.975.
    """
    own = tmp_path / "papers.csv"
    rows = [f"{paper},{TIERS[rank]}" for paper, rank in zip("abce", (0, 1, 2, 0), strict=True)]
    own.write_text("\n".join(["paper,expected_tier", *rows]) + "\n")

    references = tmp_path / "references.csv"
    rows = []
    for name in ("first", "second"):
        for paper, rank in zip("abcd", (0, 0, 2, 1), strict=True):
            rows.append(f"{name},{paper},{TIERS[rank]}")
    references.write_text("\n".join(["reference,paper,tier", *rows]) + "\n")

    alike = tiers_alike(own, references, confidence_level=0.95)["references/alike"]

    assert (alike["value"], alike["n"]) == (2, 3)
    assert 3 * alike["low"] ** 2 - 2 * alike["low"] ** 3 == pytest.approx(0.025)
    assert alike["high"] ** 3 == pytest.approx(0.975)


def test_the_mean_range_of_a_source_is_over_its_papers_with_a_range(tmp_path: Path) -> None:
    single_run = tmp_path / "claims_single_run.csv"
    single_run.write_text("source,single_range\nmine,0.5\nmine,\nmine,2.0\nreported,1.3\n")

    means = mean_ranges(single_run)

    mine = means["claims_single_run/mine/single_range"]
    assert (mine["value"], mine["n"]) == (1.25, 2)
    assert means["claims_single_run/reported/single_range"]["value"] == 1.3
