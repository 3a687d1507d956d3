"""The rank correlation of a feature with length, where it is known by construction."""

import numpy as np
import pytest

from exhibits.radar.summaries.length import correlate_length
from tests.unit.instruments.radar.tables import noise

INTERVALS = {"resamples": 200, "seed": 3, "confidence_level": 0.95}


def test_attention_entropy_that_grows_with_every_token_correlates_fully_with_length() -> None:
    table = noise(5, 1).assign(n_tokens=range(10), attention_entropy=np.arange(10.0) ** 2)
    correlation = correlate_length(table, "attention_entropy", **INTERVALS)
    assert correlation == pytest.approx({"correlation": 1, "low": 1, "high": 1, "n": 10})
