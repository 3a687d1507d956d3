"""What permuted labels keep and what they destroy, on data of known structure."""

import numpy as np
import pandas as pd
import pytest

from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.permuted_labels import _largest_effect, permutation_draws
from tests.unit.instruments.radar.tables import noise

FOLDS = 4
pytestmark = pytest.mark.usefixtures("few_trees")


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
