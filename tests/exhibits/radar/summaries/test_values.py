"""The RADAR study's numbers for the paper's text."""

from pathlib import Path

import pandas as pd
import pytest

from exhibits.radar.summaries.features import summarise_features
from exhibits.radar.summaries.values import effect_values
from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.identity import concat_sets, with_origin

INTERVALS = {"resamples": 100, "seed": 3, "confidence_level": 0.95}


def discrimination(labels: list[str], path: Path) -> Path:
    """The file of a model: in the set s, of `labels`, features are 0, 1, 2, ... but for the first, twice that.

    In another set, before it, two labels are further apart.
    """
    rows = []
    for given, far in ((["recall", "recall", "reasoning", "reasoning"], 9), (labels, 0)):
        values = [0, 1, 2 + far, 3 + far]
        table = pd.DataFrame(dict.fromkeys(FEATURES, values)).assign(label=given, id=list("abcd"))
        table[FEATURES[0]] *= 2
        rows.append(summarise_features(table, **INTERVALS))
    write_parquet(concat_sets(rows, "m", ["other", "s"]), path)
    return path


def null(effects: list[float], path: Path) -> Path:
    write_parquet(with_origin(pd.DataFrame({"largest_effect": effects}), "m", "s"), path)
    return path


def test_the_largest_effect_of_a_set_is_that_of_its_best_feature(tmp_path: Path) -> None:
    # Means 0.5 and 2.5, both deviations sqrt(0.5): d = -2 / 0.7071, whatever the scale.
    file = discrimination(["recall", "recall", "reasoning", "reasoning"], tmp_path / "d.parquet")
    values = effect_values(
        [file], [null([1.0, 3.0, 2.0], tmp_path / "p.parquet")], confidence_level=0.5
    )

    assert values["effects/m/s/largest"]["value"] == pytest.approx(8**0.5)
    # One of three permutations reaches 2.83: 2 of 4. The null's median is 2.
    assert values["effects/m/s/largest_p"]["value"] == 0.5
    assert values["effects/m/s/null_quantile"]["value"] == 2.0


def test_a_set_of_one_class_has_no_effects(tmp_path: Path) -> None:
    file = discrimination(["recall"] * 4, tmp_path / "d.parquet")
    assert effect_values([file], [null([], tmp_path / "p.parquet")], confidence_level=0.95) == {}
