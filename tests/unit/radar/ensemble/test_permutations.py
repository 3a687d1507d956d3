"""Permuted labels: what they keep and what they break."""

import numpy as np
import pandas as pd
import pytest

from mechaware.radar.ensemble.permutations import largest_effect, permutation_draws
from mechaware.radar.feature_extraction.features import FEATURES
from tests.unit.radar.tables import noise

FOLDS = 4
pytestmark = pytest.mark.usefixtures("few_trees")


def test_the_largest_effect_is_that_of_the_best_feature_whatever_its_sign() -> None:
    table = pd.DataFrame(0.0, index=range(4), columns=list(FEATURES))
    table["label"] = ["recall", "recall", "reasoning", "reasoning"]
    table[FEATURES[3]] = [0, 1, 2, 3]  # means 0.5 and 2.5, both deviations sqrt(0.5): d = -2 / 0.7071
    table[FEATURES[7]] = [1, 0, 0, 1]
    assert largest_effect(table) == pytest.approx(8**0.5)


def test_labels_change_sides_within_pairs_only() -> None:
    # Both prompts of a pair have the same features: no swap within pairs can move the means of the classes apart.
    table = noise(8, 1, paired=True)
    table[list(FEATURES)] = table[list(FEATURES)].iloc[::2].to_numpy().repeat(2, axis=0)
    draws = permutation_draws(table, folds=FOLDS, permutations=2, seed=5)
    assert draws["largest_effect"].tolist() == pytest.approx([0, 0], abs=1e-9)


def test_a_system_that_is_right_by_length_is_not_so_about_permuted_labels() -> None:
    table = noise(10, 1, paired=True).assign(n_tokens=[5, 25] * 10)
    draws = permutation_draws(table, folds=FOLDS, permutations=3, seed=5)
    assert (draws["prompt_length"] < 1).all()
    assert draws[["radar", "bag_of_words"]].notna().all(axis=None)
    # A draw depends on its own number alone.
    pd.testing.assert_frame_equal(permutation_draws(table, folds=FOLDS, permutations=1, seed=5), draws.head(1))


def test_prompts_without_pairs_are_permuted_freely_and_not_refitted() -> None:
    table = noise(20, 1)
    draws = permutation_draws(table, folds=FOLDS, permutations=30, seed=5)
    assert draws[["radar", "prompt_length", "bag_of_words"]].isna().all(axis=None)
    assert draws["largest_effect"].nunique() == 30
    telling = table.assign(**{FEATURES[0]: np.where(table["label"] == "recall", 5.0, -5.0) + table[FEATURES[0]]})
    assert (
        permutation_draws(telling, folds=FOLDS, permutations=30, seed=5)["largest_effect"] < largest_effect(telling)
    ).all()


def test_a_set_of_one_class_has_no_draws() -> None:
    one_class = noise(20, 2).query("label == 'recall'").reset_index(drop=True)
    assert permutation_draws(one_class, folds=FOLDS, permutations=3, seed=5).empty
