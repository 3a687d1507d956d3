"""Controls on data whose right answer is known by construction."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from mechaware.instruments.radar.controls import (
    evaluate_controls,
    right_by_seed,
)
from mechaware.instruments.radar.feature_extraction.features import SURFACE
from tests.unit.instruments.radar.tables import noise

FOLDS = 4
# Guessing on 40 prompts has a mean accuracy of 1/2 with a standard deviation of 0.08. It reaches
# 0.75, about 3 deviations more, once in a thousand times.
NEAR_GUESSING = 0.75
pytestmark = pytest.mark.usefixtures("few_trees")


def accuracies(
    training: pd.DataFrame, table: pd.DataFrame, reductions: Sequence[str] = ("sum",)
) -> pd.Series:
    """Accuracy by protocol, system and reduction.

    All reductions have the same tables.
    """
    tables = dict.fromkeys(reductions, (training, table))
    predictions = evaluate_controls(tables, folds=FOLDS, seed=1, fold_seed=2)
    right = predictions["predicted"] == predictions["label"]
    by_system = predictions.assign(right=right).groupby(["protocol", "system", "reduction"])
    return by_system["right"].mean()


def test_where_only_length_separates_the_classes_only_length_is_right() -> None:
    # The rows of `noise` are recall and reasoning in turn.
    lengths = {"n_tokens": [5, 25] * 20}
    accuracy = accuracies(noise(20, 1).assign(**lengths), noise(20, 2).assign(**lengths))
    assert (accuracy.xs("prompt_length", level="system") == 1).all()
    assert (accuracy.drop("prompt_length", level="system") < NEAR_GUESSING).all()


def test_where_only_words_separate_the_classes_only_words_are_right() -> None:
    # The rows of `noise` are recall and reasoning in turn.
    words = {"prompt": ["the capital of Peru", "if x then y"] * 20}
    accuracy = accuracies(noise(20, 1).assign(**words), noise(20, 2).assign(**words))
    assert (accuracy.xs("bag_of_words", level="system") == 1).all()
    assert (accuracy.drop("bag_of_words", level="system") < NEAR_GUESSING).all()


def test_where_only_surface_features_separate_the_mechanistic_half_is_guessing() -> None:
    training = noise(20, 1)
    table = noise(20, 2)
    for features in (training, table):
        for name in SURFACE:
            features[name] = np.where(features["label"] == "recall", 4.0, -4.0)
    accuracy = accuracies(training, table, ("sum", "mean"))
    assert (accuracy.xs("surface_only", level="system") == 1).all()
    # Not 1, because the ensemble reads the features of noise, too.
    assert (accuracy.xs("radar", level="system") > 0.85).all()
    assert (accuracy.xs("mechanistic_only", level="system") < NEAR_GUESSING).all()


def test_a_set_of_one_class_is_predicted_but_not_cross_validated() -> None:
    one_class = noise(20, 2).query("label == 'recall'").reset_index(drop=True)
    predictions = evaluate_controls(
        {"sum": (noise(20, 1), one_class)}, folds=FOLDS, seed=1, fold_seed=2
    )
    assert set(predictions["protocol"]) == {"trained"}
    by_seed = right_by_seed(noise(20, 1), one_class, folds=FOLDS, seeds=2, seed=1)
    assert set(by_seed["protocol"]) == {"trained"}


def test_every_repeated_system_is_right_or_wrong_about_every_prompt_under_every_seed() -> None:
    training = noise(20, 1).assign(n_tokens=[5, 25] * 20)
    table = noise(20, 2).assign(n_tokens=[5, 25] * 20)
    by_seed = right_by_seed(training, table, folds=FOLDS, seeds=2, seed=1)
    assert (by_seed.groupby(["protocol", "system", "draw"])["id"].nunique() == 40).all()
    # 2 protocols, 3 systems, 2 seeds and 40 prompts.
    assert len(by_seed) == 2 * 3 * 2 * 40
    accuracy = by_seed.groupby("system")["right"].mean()
    assert accuracy["prompt_length"] == 1
    assert accuracy.drop("prompt_length").max() < NEAR_GUESSING
