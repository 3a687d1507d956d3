"""The four scores and the weights that the config gives them."""

import numpy as np
import pandas as pd
import pytest

from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.feature_extraction.scores import SCORES, score_table


def equal_weights(**weights: float) -> pd.DataFrame:
    """The same weighted sum for all four scores."""
    rows = [(score, feature, weight) for score in SCORES for feature, weight in weights.items()]
    return pd.DataFrame(rows, columns=["score", "feature", "weight"])


def test_a_score_is_the_logistic_of_a_weighted_sum_of_standardised_features() -> None:
    # Training values 0 and 2 have mean 1 and deviation 1. A prompt with features 3 and 1 has z = 2
    # and 0; weights 1.5 and -4 give 3, and the logistic of 3 is 1 / (1 + e^-3).
    training = pd.DataFrame({name: [0.0, 2.0] for name in FEATURES})
    table = pd.DataFrame({name: [3.0 if name == "mean_confidence" else 1.0] for name in FEATURES})
    weights = equal_weights(mean_confidence=1.5, mean_entropy=-4)
    scores = score_table(training, table, weights)
    assert scores.iloc[0].tolist() == pytest.approx([1 / (1 + np.exp(-3))] * 4)


def test_a_feature_that_never_varies_in_training_does_not_move_a_score() -> None:
    training = pd.DataFrame({name: [30.0, 30.0] for name in FEATURES})
    assert score_table(
        training, training, equal_weights(effective_circuit_depth=1)
    ).to_numpy() == pytest.approx(0.5)
