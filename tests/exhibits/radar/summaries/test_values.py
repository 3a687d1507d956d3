"""Values of RADAR that are in no table: the largest effect, Cohen's d, of a single feature in a
prompt set, and the lengths of matched pairs.
"""

from pathlib import Path

import pandas as pd
import pytest

from exhibits.radar.summaries.features import summarise_features
from exhibits.radar.summaries.values import effect_values, prompt_sets
from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.identity import concat_sets, with_origin

INTERVALS = {"resamples": 100, "seed": 3, "confidence_level": 0.95}


def features_of(values: list[float], labels: list[str]) -> pd.DataFrame:
    """Four prompts with these labels, and with these values of every feature.

    The first feature's values are doubled: its scale differs, and its effect does not.
    """
    table = pd.DataFrame(dict.fromkeys(FEATURES, values)).assign(label=labels, id=list("abcd"))
    table[FEATURES[0]] *= 2
    return table


def write_effects(labels: list[str], path: Path) -> Path:
    """Write the effects of the features on the model m's prompt sets `s` and `other`.

    In `s` the four prompts have the values 0 to 3 and these labels. In `other` the effects are
    larger.
    """
    in_s = features_of([0, 1, 2, 3], labels)
    in_other = features_of([0, 1, 11, 12], ["recall", "recall", "reasoning", "reasoning"])
    effects = [summarise_features(features, **INTERVALS) for features in (in_other, in_s)]
    write_parquet(concat_sets(effects, "m", ["other", "s"]), path)
    return path


def write_null(largest_effects: list[float], path: Path) -> Path:
    """Write the largest effects under permuted labels in the set `s` of the model m."""
    null = pd.DataFrame({"largest_effect": largest_effects})
    write_parquet(with_origin(null, "m", "s"), path)
    return path


def test_the_largest_effect_of_a_set_is_compared_with_its_own_null(tmp_path: Path) -> None:
    effects = write_effects(
        ["recall", "recall", "reasoning", "reasoning"], tmp_path / "effects.parquet"
    )
    null = write_null([1.0, 3.0, 2.0, 2.5, 1.5], tmp_path / "null.parquet")

    values = effect_values([effects], [null], confidence_level=0.75)

    # The classes have the means 0.5 and 2.5 and the standard deviation sqrt(0.5):
    # d = -2 / sqrt(0.5) = -sqrt(8).
    assert values["effects/m/s/largest"]["value"] == pytest.approx(8**0.5)
    # One of five permutations reaches sqrt(8) = 2.83: p = (1 + 1) / (1 + 5).
    assert values["effects/m/s/largest_p"]["value"] == pytest.approx(1 / 3)
    # Three of the other four are below 2.5, and one is above: the quantile 3 / 4.
    assert values["effects/m/s/null_quantile"]["value"] == 2.5


def test_a_set_of_one_class_has_no_effects(tmp_path: Path) -> None:
    """It has no null either: `permutation_draws` gives no rows for it."""
    effects = write_effects(["recall"] * 4, tmp_path / "effects.parquet")
    null = write_null([], tmp_path / "null.parquet")

    assert effect_values([effects], [null], confidence_level=0.95) == {}


def scores_of_pairs(model: str, lengths: list[int], path: Path) -> Path:
    """The file of a model's scores of the set s: two matched pairs, whose prompts have these
    lengths in tokens.
    """
    ids = ["x01-recall", "x01-reasoning", "x02-recall", "x02-reasoning"]
    labels = ["recall", "reasoning", "recall", "reasoning"]
    rows = pd.DataFrame({"id": ids, "label": labels, "n_tokens": lengths})
    write_parquet(with_origin(rows, model, "s"), path)
    return path


def test_the_lengths_of_a_pair_are_those_of_the_first_model(tmp_path: Path) -> None:
    """Other models have other tokenizers, and the paper's text is about the first model."""
    datasets = pd.DataFrame(
        {
            "prompt_set": ["s", "s", "unpaired"],
            "role": "evaluation",
            "n": [2, 2, 7],
            "papers_kind": False,
        }
    )
    scores = [
        scores_of_pairs("first", [5, 6, 8, 6], tmp_path / "first.parquet"),
        scores_of_pairs("second", [5, 9, 8, 8], tmp_path / "second.parquet"),
    ]

    paired, unpaired = prompt_sets(datasets, scores)

    assert (paired["name"], paired["n"], paired["paired"], paired["apart"]) == ("s", 4, True, 2)
    assert (unpaired["n"], unpaired["paired"], unpaired["apart"]) == (7, False, None)
