"""The summary of planted docstrings, from scores whose AUROC is counted by hand.

`docstrings` has four items of each of four doses in each seed, under both twins. By seed and dose,
the AUROC of each detector (counted in `natural_by_hand`):

    min_k_plus_plus   12/16, and 1 in the last seed
    loss              12/16
    likelihood_ranks  12/16, and 11/16 in the first seed
"""

import numpy as np
import pytest
from scipy import stats

from exhibits.radar.summaries.natural import natural_table
from tests.exhibits.radar.summaries.natural_by_hand import docstrings

CONFIDENCE_LEVEL = 0.95


def test_a_lead_is_paired_by_seed() -> None:
    table = natural_table(docstrings(seeds=3), ["min_k_plus_plus", "loss"], CONFIDENCE_LEVEL)
    row = table.set_index(["detector", "dose"]).loc[("loss", 4)]
    # The loss over Min-K%++, by seed: 12/16 - 12/16, 12/16 - 12/16 and 12/16 - 1.
    leads = np.array([0.0, 0.0, -0.25])

    assert row["auroc"] == pytest.approx(0.75)
    assert row["lead"] == pytest.approx(leads.mean())

    half_width = stats.t.ppf(0.975, df=2) * leads.std(ddof=1) / 3**0.5
    assert row["lead_low"] == pytest.approx(leads.mean() - half_width)
    assert row["lead_high"] == pytest.approx(leads.mean() + half_width)
    assert row["n"] == 3 * 4  # seeds, items of a dose


def test_the_lead_over_ranks_of_likelihoods_is_paired_by_seed() -> None:
    table = natural_table(docstrings(seeds=3), ["loss"], CONFIDENCE_LEVEL)
    row = table.set_index(["detector", "dose"]).loc[("loss", 4)]
    # The loss over the ranks, by seed: 12/16 - 11/16, 12/16 - 12/16 and 12/16 - 12/16.
    leads = np.array([1 / 16, 0.0, 0.0])

    assert row["ranks_lead"] == pytest.approx(leads.mean())

    half_width = stats.t.ppf(0.975, df=2) * leads.std(ddof=1) / 3**0.5
    assert row["ranks_lead_low"] == pytest.approx(leads.mean() - half_width)
    assert row["ranks_lead_high"] == pytest.approx(leads.mean() + half_width)


def test_shuffled_truths_have_an_auroc_of_their_own() -> None:
    table = natural_table(docstrings(seeds=2), ["loss"], CONFIDENCE_LEVEL)
    row = table.set_index(["detector", "dose"]).loc[("loss", 16)]
    # The shuffled truth is the opposite of the truth, and the scores are the same: 1 - 12/16.
    assert row["shuffled"] == pytest.approx(0.25)


def test_all_doses_together_are_the_dose_0() -> None:
    table = natural_table(docstrings(seeds=2), ["loss"], CONFIDENCE_LEVEL)
    assert table["dose"].tolist() == [0, 1, 4, 16, 64]
    # Two seeds of four items a dose; the four doses together have 4 * 8.
    assert table["n"].tolist() == [32, 8, 8, 8, 8]


def test_one_seed_has_no_interval() -> None:
    table = natural_table(docstrings(seeds=1), ["loss"], CONFIDENCE_LEVEL)
    ends = ["low", "high", "lead_low", "lead_high", "ranks_lead_low", "ranks_lead_high"]

    assert table[ends].isna().all(axis=None)
