"""The RADAR study's numbers for the paper's text."""

from pathlib import Path

import pandas as pd
import pytest

from mechaware.frames import write_csv
from mechaware.radar.features.features import FEATURES
from mechaware.radar.identity import from_origin
from mechaware.radar.study.summaries import discriminate
from mechaware.radar.study.values import effect_values


def discrimination(labels: list[str], path: Path) -> Path:
    """The file of a prompt set whose features are 0, 1, 2, ... but for the first, which is twice that."""
    table = pd.DataFrame({name: range(len(labels)) for name in FEATURES}).assign(label=labels)
    table[FEATURES[0]] *= 2
    write_csv(from_origin(discriminate(table), "m", "s"), path)
    return path


def test_the_largest_effect_of_a_set_is_that_of_its_best_feature(tmp_path: Path) -> None:
    # Means 0.5 and 2.5, both deviations sqrt(0.5): d = -2 / 0.7071, whatever the scale.
    values = effect_values(discrimination(["recall", "recall", "reasoning", "reasoning"], tmp_path / "d.csv"))
    assert values["effects/m/s/largest"]["value"] == pytest.approx(8**0.5)


def test_a_set_of_one_class_has_no_effects(tmp_path: Path) -> None:
    assert effect_values(discrimination(["recall"] * 4, tmp_path / "d.csv")) == {}
