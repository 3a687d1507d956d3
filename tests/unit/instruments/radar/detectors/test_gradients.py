"""Scores from norms of gradients, against values worked out by hand."""

import numpy as np

from mechaware.instruments.radar.detectors.gradients import GRADIENT_NORM
from tests.unit.instruments.radar.detectors.made_evidence import scored, tokens


def test_a_small_gradient_counts_as_seen() -> None:
    evidence = scored(tokens([-1]), tokens([-1]), gradient_norms=np.array([3.0, 0.25]))
    assert GRADIENT_NORM.score(evidence, 0).tolist() == [-3, -0.25]
