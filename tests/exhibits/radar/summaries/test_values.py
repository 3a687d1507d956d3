"""The RADAR study's numbers for the paper's text."""

from pathlib import Path

import pandas as pd
import pytest

from exhibits.radar.summaries.features import summarise_features
from exhibits.radar.summaries.values import effect_values, prompt_sets
from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.identity import concat_sets, with_origin

INTERVALS = {"resamples": 100, "seed": 3, "confidence_level": 0.95}


def discrimination(labels: list[str], path: Path) -> Path:
    """The file of the model m with two sets of four prompts:
    `other`, of larger effects, and s, of these labels.
    """
    two_of_each = ["recall", "recall", "reasoning", "reasoning"]
    other = features_of([0, 1, 11, 12], two_of_each)
    table = features_of([0, 1, 2, 3], labels)
    rows = [summarise_features(features, **INTERVALS) for features in (other, table)]
    write_parquet(concat_sets(rows, "m", ["other", "s"]), path)
    return path


def features_of(values: list[float], labels: list[str]) -> pd.DataFrame:
    """Prompts whose features all have these values; of the first feature they are doubled."""
    table = pd.DataFrame(dict.fromkeys(FEATURES, values)).assign(label=labels, id=list("abcd"))
    table[FEATURES[0]] *= 2
    return table


def null(effects: list[float], path: Path) -> Path:
    """The file of largest effects under permuted labels of the set s."""
    write_parquet(with_origin(pd.DataFrame({"largest_effect": effects}), "m", "s"), path)
    return path


def test_the_largest_effect_of_a_set_is_compared_with_its_own_null(tmp_path: Path) -> None:
    # Means 0.5 and 2.5, both deviations sqrt(0.5): d = -2 / sqrt(0.5) = -sqrt(8) for every feature,
    # whatever its scale.
    file = discrimination(["recall", "recall", "reasoning", "reasoning"], tmp_path / "d.parquet")
    permuted = null([1.0, 3.0, 2.0], tmp_path / "p.parquet")
    values = effect_values([file], [permuted], confidence_level=0.5)

    assert values["effects/m/s/largest"]["value"] == pytest.approx(8**0.5)
    # One of three permutations reaches sqrt(8) = 2.83: p = (1 + 1) / (1 + 3). The median of the
    # null is 2.
    assert values["effects/m/s/largest_p"]["value"] == 0.5
    assert values["effects/m/s/null_quantile"]["value"] == 2.0


def test_a_set_of_one_class_has_no_effects(tmp_path: Path) -> None:
    file = discrimination(["recall"] * 4, tmp_path / "d.parquet")
    assert effect_values([file], [null([], tmp_path / "p.parquet")], confidence_level=0.95) == {}


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
