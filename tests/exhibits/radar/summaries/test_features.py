"""The effect of a single feature, Cohen's d of recall against reasoning, worked by hand."""

import pytest

from exhibits.radar.summaries.features import summarise_features
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from tests.unit.instruments.radar.tables import noise

INTERVALS = {"resamples": 200, "seed": 3, "confidence_level": 0.95}


def test_the_interval_of_an_effect_is_from_whole_pairs() -> None:
    """The two prompts of a pair, one of each class, have the same features: with whole pairs the
    classes are equal in every resample, and with single prompts they would differ.
    """
    paired = noise(n=20, seed=2, paired=True)
    names = list(FEATURES)
    # The rows alternate: a pair's recall prompt, then its reasoning prompt.
    recall_features = paired[names].iloc[::2].to_numpy()
    paired[names] = recall_features.repeat(2, axis=0)

    rows = summarise_features(paired, **INTERVALS)

    assert rows[["cohens_d", "d_low", "d_high"]].abs().to_numpy().max() < 1e-9


def test_an_effect_lies_in_its_interval() -> None:
    rows = summarise_features(noise(n=20, seed=2), **INTERVALS)

    assert (rows["d_low"] < rows["cohens_d"]).all()
    assert (rows["cohens_d"] < rows["d_high"]).all()


def test_standard_deviations_by_class_divide_by_n_minus_1() -> None:
    recall = [1.0, 2.0, 6.0]
    reasoning = [0.0, 4.0, 4.0, 8.0]
    seven_prompts = noise(n=4, seed=1)[:7]
    table = seven_prompts.assign(
        label=["recall"] * 3 + ["reasoning"] * 4, mean_confidence=recall + reasoning
    )

    row = summarise_features(table, **INTERVALS).set_index("feature").loc["mean_confidence"]
    moments = row[["recall_mean", "recall_sd", "reasoning_mean", "reasoning_sd"]].tolist()

    # Variances: (4 + 1 + 9) / 2 = 7 and (16 + 0 + 0 + 16) / 3.
    assert moments == pytest.approx([3, 7**0.5, 4, (32 / 3) ** 0.5])
    # The difference of the means is -1, and the pooled variance (2 * 7 + 3 * 32 / 3) / 5 = 46 / 5.
    assert row["cohens_d"] == pytest.approx(-1 / (46 / 5) ** 0.5)


def test_a_set_of_one_class_has_no_rows() -> None:
    table = noise(n=20, seed=2)
    recall = table[table["label"] == "recall"].reset_index(drop=True)

    assert summarise_features(recall, **INTERVALS).empty
