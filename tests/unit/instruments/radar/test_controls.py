"""Controls on data whose right answer is known by construction, and what permuted labels keep."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from mechaware.instruments.radar.controls import (
    _largest_effect,
    _systems,
    evaluate_controls,
    permutation_draws,
    right_by_seed,
)
from mechaware.instruments.radar.feature_extraction.features import FEATURES, SURFACE
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


def test_the_majority_of_a_balanced_set_is_reasoning_as_in_a_tie_of_the_ensemble() -> None:
    systems = {system.name: system for system in _systems(1)}
    predictions = systems["majority_class"].fit_predict(noise(20, 1), noise(20, 2))
    assert set(predictions["predicted"]) == {"reasoning"}


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


def test_the_largest_effect_is_the_best_features_whatever_its_sign() -> None:
    table = pd.DataFrame(0.0, index=range(4), columns=list(FEATURES))
    table["label"] = ["recall", "recall", "reasoning", "reasoning"]
    # Means 0.5 and 2.5, both deviations sqrt(0.5): d = -2 / sqrt(0.5) = -sqrt(8).
    table[FEATURES[3]] = [0, 1, 2, 3]
    table[FEATURES[7]] = [1, 0, 0, 1]  # equal means: d = 0
    assert _largest_effect(table) == pytest.approx(8**0.5)


def test_labels_are_swapped_within_pairs_only() -> None:
    # Both prompts of a pair have the same features: no swap within pairs can move the means of the
    # classes apart. Rows 0 and 1 are a pair, and so on.
    table = noise(8, 1, paired=True)
    first_of_pairs = table[list(FEATURES)].iloc[::2].to_numpy()
    table[list(FEATURES)] = first_of_pairs.repeat(2, axis=0)
    draws = permutation_draws(table, folds=FOLDS, permutations=2, seed=5)
    assert draws["largest_effect"].tolist() == pytest.approx([0, 0], abs=1e-9)


def test_length_that_separates_the_classes_does_not_separate_permuted_labels() -> None:
    table = noise(10, 1, paired=True).assign(n_tokens=[5, 25] * 10)
    draws = permutation_draws(table, folds=FOLDS, permutations=3, seed=5)
    assert (draws["prompt_length"] < 1).all()
    assert draws[["radar", "bag_of_words"]].notna().all(axis=None)


def test_a_draw_does_not_depend_on_the_number_of_draws() -> None:
    table = noise(10, 1, paired=True).assign(n_tokens=[5, 25] * 10)
    one = permutation_draws(table, folds=FOLDS, permutations=1, seed=5)
    three = permutation_draws(table, folds=FOLDS, permutations=3, seed=5)
    pd.testing.assert_frame_equal(one, three.head(1))


def test_prompts_without_pairs_are_permuted_freely_and_not_refitted() -> None:
    table = noise(20, 1)
    draws = permutation_draws(table, folds=FOLDS, permutations=30, seed=5)
    assert draws[["radar", "prompt_length", "bag_of_words"]].isna().all(axis=None)
    assert draws["largest_effect"].nunique() == 30

    # A feature that separates the classes has a larger effect under the true labels than under any
    # permuted ones.
    separating = FEATURES[0]
    table[separating] += np.where(table["label"] == "recall", 5.0, -5.0)
    draws = permutation_draws(table, folds=FOLDS, permutations=30, seed=5)
    assert (draws["largest_effect"] < _largest_effect(table)).all()


def test_a_set_of_one_class_has_no_draws() -> None:
    one_class = noise(20, 2).query("label == 'recall'").reset_index(drop=True)
    assert permutation_draws(one_class, folds=FOLDS, permutations=3, seed=5).empty
