"""The summary of the logit lens over seeds, from pairs that are counted by hand.

In every cell and seed two classifiers (readers) order 16 pairs of a seen and an unseen row. The
table has the number of pairs in the right order, by what the classifiers were fitted on (fit):

    fit                   within  other_seeds  names
    fitted_likelihoods    12      12           8 (all rows are tied)
    logit_lens            16      14           14, and 8 in the last seed

Reasoning items have no fit on names. The fit on names orders 12 pairs of docstrings that were read
16 times.
"""

import pandas as pd
import pytest
from scipy.stats import t

from exhibits.radar.summaries.lens import lens_table
from exhibits.radar.tables.memorisation_lens import fill
from tests.exhibits.radar.summaries.lens_by_hand import lens_scores

KEYS = ["kind", "form", "dose", "fit", "reader"]
DOCSTRINGS = ("docstring", "verbatim", 4)  # read 4 times, word for word


def summary(*, seeds: int) -> pd.DataFrame:
    return lens_table(lens_scores(seeds=seeds), 0.95).set_index(KEYS)


def test_every_cell_has_a_row_for_each_of_its_fits_and_each_classifier() -> None:
    table = summary(seeds=2)
    fits_of_reasoning = table.loc["reasoning"].index.unique("fit").tolist()
    fits_of_docstrings = table.loc["docstring"].index.unique("fit").tolist()

    assert fits_of_reasoning == ["within", "other_seeds"]
    assert fits_of_docstrings == ["within", "other_seeds", "names"]
    # Of both kinds two cells, two or three fits, and two classifiers.
    assert len(table) == 2 * 2 * 2 + 2 * 3 * 2
    # Two seeds with four items each.
    assert (table["n"] == 2 * 4).all()


def test_the_lead_of_the_lens_is_over_the_likelihoods_of_the_same_fit() -> None:
    table = summary(seeds=2)
    lens = table.loc[(*DOCSTRINGS, "other_seeds", "logit_lens")]

    assert lens["auroc"] == 14 / 16
    assert lens["lead"] == 14 / 16 - 12 / 16
    assert table.xs("fitted_likelihoods", level="reader")["lead"].isna().all()


def test_the_loss_of_transfer_is_against_the_same_classifier_fitted_within_the_seed() -> None:
    table = summary(seeds=3)
    lens = table.loc[(*DOCSTRINGS, "names", "logit_lens")]
    # Of the 16 pairs right within the seed, the fit on names loses 2, 2 and, in the last seed, 8.
    losses = [2 / 16, 2 / 16, 8 / 16]
    mean = sum(losses) / 3
    deviation = (sum((loss - mean) ** 2 for loss in losses) / 2) ** 0.5

    assert lens["transfer_loss"] == pytest.approx(mean)

    half = t.ppf(0.975, 2) * deviation / 3**0.5
    assert lens["transfer_loss_low"] == pytest.approx(mean - half)

    likelihoods = table.loc[(*DOCSTRINGS, "names", "fitted_likelihoods")]
    assert likelihoods["transfer_loss"] == pytest.approx(12 / 16 - 8 / 16)
    assert table.xs("within", level="fit")["transfer_loss"].isna().all()


def test_classifiers_of_shuffled_truths_are_tested_on_shuffled_truths() -> None:
    """The shuffled truths are the opposite ones, and the scores of their classifiers the same."""
    shuffled = summary(seeds=2)["shuffled"]
    # The pairs that are ordered wrongly by the truth are ordered rightly by its opposite.
    assert shuffled.loc[(*DOCSTRINGS, "within", "fitted_likelihoods")] == (16 - 12) / 16
    assert shuffled.loc[(*DOCSTRINGS, "within", "logit_lens")] == (16 - 16) / 16


def test_one_seed_has_no_fit_on_other_seeds_and_no_intervals() -> None:
    table = summary(seeds=1)
    assert table.xs("other_seeds", level="fit")[["auroc", "lead", "transfer_loss"]].isna().all(None)
    assert table["low"].isna().all()
    assert table.xs("within", level="fit")["auroc"].notna().all()
    # The only seed is the last one, in which the fit on names orders 8 pairs rightly.
    assert table.loc[(*DOCSTRINGS, "names", "logit_lens"), "transfer_loss"] == 1 - 8 / 16


def test_the_table_shows_lead_and_loss_of_items_read_4_times_word_for_word() -> None:
    shown = fill(lens=summary(seeds=1).reset_index()).shown
    rows = shown.set_index(["Items", "Fitted on", "Reads"])
    docstrings = rows.loc[("docstring", "planted names", "with the lens")]

    # AUROCs of 8 and 12 of 16 pairs. The lead is over tied likelihoods, 8 of 16 as well. The loss
    # of transfer is 1 - 8 / 16.
    assert docstrings.to_dict() == {
        "4 times": "0.50",
        "16 times": "0.75",
        "64 times": "",
        "Reworded": "",
        "Lead": "0.000",
        "Loss of transfer": "0.500",
    }

    # All 16 pairs, against 12 by the likelihoods.
    reasoning = rows.loc[("reasoning", "same seed", "with the lens")]
    assert reasoning["Reworded"] == "1.00"
    assert (reasoning["Lead"], reasoning["Loss of transfer"]) == ("0.250", "")
