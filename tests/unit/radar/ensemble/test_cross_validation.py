"""Folds that keep pairs together, and predictions of prompts that were held out."""

import numpy as np
import pandas as pd

from mechaware.radar.ensemble.cross_validation import assign_folds, cross_validate, predict_held_out
from mechaware.radar.identity import pairs
from tests.unit.radar.tables import noise

FOLDS = 4


def test_pairs_are_never_split_and_every_prompt_is_held_out_once() -> None:
    table = noise(20, 1, paired=True)
    fold = assign_folds(table, pairs(table), folds=FOLDS, seed=5)
    assert (pd.Series(fold).groupby(pairs(table)).nunique() == 1).all()
    assert np.bincount(fold).tolist() == [10] * FOLDS
    assert (table.groupby(fold)["label"].value_counts() == 5).all()


def test_folds_are_stratified_without_pairs() -> None:
    table = noise(20, 1)
    fold = assign_folds(table, pairs(table), folds=FOLDS, seed=5)
    assert (table.groupby(fold)["label"].value_counts() == 5).all()


def test_predict_held_oution_never_shows_a_system_what_it_predicts() -> None:
    table = noise(8, 1)
    fold = assign_folds(table, pairs(table), folds=FOLDS, seed=5)

    def fit_predict(training: pd.DataFrame, held: pd.DataFrame) -> pd.DataFrame:
        assert len(training) + len(held) == len(table)
        assert set(training["id"]).isdisjoint(held["id"])
        return held[["id"]].assign(predicted="recall")

    assert predict_held_out(table, fold, fit_predict)["id"].tolist() == table["id"].tolist()


def test_cross_validation_identifies_every_prompt_and_its_fold() -> None:
    table = noise(8, 1)
    predictions = cross_validate(table, folds=FOLDS, seed=5)
    assert list(predictions.columns[:4]) == ["id", "label", "category", "n_tokens"]
    assert predictions["id"].tolist() == table["id"].tolist()
    assert predictions["fold"].tolist() == assign_folds(table, pairs(table), folds=FOLDS, seed=5).tolist()
