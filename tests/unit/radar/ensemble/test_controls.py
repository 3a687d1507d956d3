"""Controls on data whose right answer is known by construction."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from mechaware.radar.ensemble.controls import evaluate_controls, right_by_seed, systems
from mechaware.radar.feature_extraction.features import SURFACE
from tests.unit.radar.tables import noise

FOLDS = 4
pytestmark = pytest.mark.usefixtures("few_trees")


def accuracies(training: pd.DataFrame, table: pd.DataFrame, reductions: Sequence[str] = ("sum",)) -> pd.Series:
    """Accuracy by protocol, system and reduction when all reductions give the same features."""
    tables = dict.fromkeys(reductions, (training, table))
    predictions = evaluate_controls(tables, folds=FOLDS, seed=1, fold_seed=2)
    right = predictions["predicted"] == predictions["label"]
    return right.groupby([predictions[name] for name in ("protocol", "system", "reduction")]).mean()


def test_where_only_length_tells_only_length_is_right() -> None:
    longer = {"n_tokens": [5, 25] * 20}
    accuracy = accuracies(noise(20, 1).assign(**longer), noise(20, 2).assign(**longer))
    assert (accuracy.xs("prompt_length", level="system") == 1).all()
    assert (accuracy.drop("prompt_length", level="system") < 0.75).all()


def test_where_only_words_tell_only_words_are_right() -> None:
    telling = {"prompt": ["the capital of Peru", "if x then y"] * 20}
    accuracy = accuracies(noise(20, 1).assign(**telling), noise(20, 2).assign(**telling))
    assert (accuracy.xs("bag_of_words", level="system") == 1).all()
    assert (accuracy.drop("bag_of_words", level="system") < 0.75).all()


def test_where_only_surface_features_tell_the_mechanistic_half_is_blind() -> None:
    training, table = noise(20, 1), noise(20, 2)
    for features in (training, table):
        for name in SURFACE:
            features[name] = np.where(features["label"] == "recall", 4.0, -4.0)
    accuracy = accuracies(training, table, ("sum", "mean"))
    assert (accuracy.xs("surface_only", level="system") == 1).all()
    assert (accuracy.xs("radar", level="system") > 0.85).all()  # not 1: noise votes too
    assert (accuracy.xs("mechanistic_only", level="system") < 0.75).all()


def test_the_majority_of_a_balanced_set_is_reasoning_as_in_the_vote() -> None:
    (majority,) = (system for system in systems(1) if system.name == "majority_class")
    assert set(majority.fit_predict(noise(20, 1), noise(20, 2))["predicted"]) == {"reasoning"}


def test_a_set_of_one_class_is_predicted_but_not_cross_validated() -> None:
    one_class = noise(20, 2).query("label == 'recall'").reset_index(drop=True)
    predictions = evaluate_controls({"sum": (noise(20, 1), one_class)}, folds=FOLDS, seed=1, fold_seed=2)
    assert set(predictions["protocol"]) == {"trained"}
    by_seed = right_by_seed(noise(20, 1), one_class, folds=FOLDS, seeds=2, seed=1)
    assert set(by_seed["protocol"]) == {"trained"}


def test_every_repeated_system_is_right_or_wrong_about_every_prompt_under_every_seed() -> None:
    longer = {"n_tokens": [5, 25] * 20}
    by_seed = right_by_seed(noise(20, 1).assign(**longer), noise(20, 2).assign(**longer), folds=FOLDS, seeds=2, seed=1)
    assert (by_seed.groupby(["protocol", "system", "draw"])["id"].nunique() == 40).all()
    assert len(by_seed) == 2 * 3 * 2 * 40
    accuracy = by_seed.groupby("system")["right"].mean()
    assert accuracy["prompt_length"] == 1
    assert accuracy.drop("prompt_length").max() < 0.75
