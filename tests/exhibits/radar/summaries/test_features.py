"""Effects of single features against numbers worked by hand."""

import pytest

from exhibits.radar.summaries.features import summarise_features
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from tests.unit.instruments.radar.tables import noise

INTERVALS = {"resamples": 200, "seed": 3, "confidence_level": 0.95}


def test_an_interval_of_an_effect_draws_pairs_whole() -> None:
    """Both prompts of a pair have the same features: drawn whole, the classes stay equal;
    drawn apart, they differ.
    """
    paired = noise(20, 2, paired=True)
    names = list(FEATURES)
    of_first_prompts = paired[names].iloc[::2].to_numpy()
    paired[names] = of_first_prompts.repeat(2, axis=0)

    rows = summarise_features(paired, **INTERVALS)

    assert rows[["cohens_d", "d_low", "d_high"]].abs().to_numpy().max() < 1e-9


def test_an_effect_lies_in_its_interval() -> None:
    rows = summarise_features(noise(20, 2), **INTERVALS)

    assert (rows["d_low"] < rows["cohens_d"]).all()
    assert (rows["cohens_d"] < rows["d_high"]).all()


def test_standard_deviations_by_class_divide_by_n_minus_1() -> None:
    """Recall 1, 2, 6: mean 3, variance (4 + 1 + 9) / 2. Reasoning 0, 4, 4, 8:
    mean 4, variance (16 + 16) / 3.
    """
    values = [1.0, 2.0, 6.0, 0.0, 4.0, 4.0, 8.0]
    table = noise(4, 1)[:7].assign(label=["recall"] * 3 + ["reasoning"] * 4, mean_confidence=values)
    row = summarise_features(table, **INTERVALS).set_index("feature").loc["mean_confidence"]
    moments = row[["recall_mean", "recall_sd", "reasoning_mean", "reasoning_sd"]].tolist()

    assert moments == pytest.approx([3, 7**0.5, 4, (32 / 3) ** 0.5])
    # Pooled: (2 * 7 + 3 * 32 / 3) / 5.
    assert row["cohens_d"] == pytest.approx(-1 / (46 / 5) ** 0.5)


def test_a_set_of_one_class_has_no_separation() -> None:
    recall = noise(20, 2).query("label == 'recall'").reset_index(drop=True)

    assert summarise_features(recall, **INTERVALS).empty
