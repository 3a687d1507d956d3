"""The summary of the logit lens over seeds, on scores whose rightly ordered pairs are counted by hand."""

import pandas as pd
import pytest
from scipy.stats import t

from exhibits.radar.summaries.lens import lens_table
from exhibits.radar.tables.memorisation_lens import fill
from tests.exhibits.radar.summaries.lens_by_hand import lens_scores

KEYS = ["kind", "form", "dose", "fit", "reader"]
DOCSTRINGS = ("docstring", "verbatim", 4)


def summary(*, seeds: int) -> pd.DataFrame:
    return lens_table(lens_scores(seeds=seeds), 0.95).set_index(KEYS)


def test_every_cell_has_a_row_for_each_of_its_fits_and_each_classifier() -> None:
    table = summary(seeds=2)
    fits = {
        kind: table.loc[kind].index.unique("fit").tolist() for kind in ("reasoning", "docstring")
    }

    assert fits == {
        "reasoning": ["within", "other_seeds"],
        "docstring": ["within", "other_seeds", "names"],
    }
    # Of both kinds two cells, two or three fits, and two classifiers.
    assert len(table) == 2 * 2 * 2 + 2 * 3 * 2
    assert (table["n"] == 2 * 4).all()


def test_a_lead_is_over_the_likelihoods_fitted_alike() -> None:
    table = summary(seeds=2)
    lens = table.loc[(*DOCSTRINGS, "other_seeds", "logit_lens")]

    assert lens["auroc"] == 14 / 16
    assert lens["lead"] == 14 / 16 - 12 / 16
    assert table.xs("fitted_likelihoods", level="reader")["lead"].isna().all()


def test_the_loss_of_transfer_is_of_the_same_classifier_fitted_within_the_seed() -> None:
    table = summary(seeds=3)
    lens = table.loc[(*DOCSTRINGS, "names", "logit_lens")]
    # Within the seed all 16 pairs are right; by the fit on names 14, 14 and, in the last seed, 8.
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
    table = summary(seeds=2)
    # Scores that order 12, or all, of the 16 pairs of the truth rightly order 4, or none, of the opposite truth
    # rightly.
    for reader, area in (("fitted_likelihoods", 4 / 16), ("logit_lens", 0)):
        assert table.loc[(*DOCSTRINGS, "within", reader), "shuffled"] == area


def test_one_seed_loses_in_transfer_from_names_and_has_no_other_seeds() -> None:
    table = summary(seeds=1)
    assert table.loc[(*DOCSTRINGS, "names", "logit_lens"), "transfer_loss"] == 1 - 8 / 16
    assert table.xs("other_seeds", level="fit")[["auroc", "lead", "transfer_loss"]].isna().all(None)
    assert table.xs("within", level="fit")["auroc"].notna().all()
    assert table["low"].isna().all()


def test_the_table_shows_lead_and_loss_of_items_read_4_times_word_for_word() -> None:
    shown = fill(lens=summary(seeds=1).reset_index()).shown
    rows = shown.set_index(["Items", "Fitted on", "Reads"])
    docstrings = rows.loc[("docstring", "planted names", "with the lens")]

    assert docstrings.to_dict() == {
        "4 times": "0.50",
        "16 times": "0.75",
        "64 times": "",
        "Reworded": "",
        "Lead": "0.000",
        "Loss of transfer": "0.500",
    }

    reasoning = rows.loc[("reasoning", "same seed", "with the lens")]
    assert reasoning["Reworded"] == "1.00"
    assert (reasoning["Lead"], reasoning["Loss of transfer"]) == ("0.250", "")
