"""GDS's features of gradients, by hand."""

import numpy as np
import pytest

from mechaware.instruments.radar.detectors.gradient_deviation import gradient_features


def test_features_are_logarithms_standardised_within_a_model() -> None:
    # Logarithms of model x: 0, 2 and 4 (mean 2, deviation sqrt(8 / 3)); of model y: 1 and 2.
    norms = np.exp(np.array([[0.0], [1.0], [2.0], [2.0], [4.0]]))
    features = gradient_features(norms, ["x", "y", "x", "y", "x"])
    distance = 2 / (8 / 3) ** 0.5
    assert features[:, 0].tolist() == pytest.approx([-distance, -1.0, 0.0, 1.0, distance])
