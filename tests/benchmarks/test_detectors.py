"""The benchmark of all detectors on items of two tiny models."""

from pathlib import Path

import pandas as pd
import pytest

from benchmarks import detectors
from mechaware.instruments.radar.detectors.registry import DETECTORS
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.planted.twins.planting import HeldOut
from tests.tiny_models import make_tiny_model


def test_both_sides_give_every_detectors_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [QuestionAnswer(f"{n} + 1?", str(n + 1)) for n in range(12)]
    make_tiny_model("llama", tmp_path / "A")
    # The reference has other weights: with equal ones every gain over it would be 0 on either side.
    make_tiny_model("llama", tmp_path / "C", seed=1)
    monkeypatch.setattr(detectors, "FOLDER", tmp_path)
    monkeypatch.setattr(
        detectors, "read_held_out", lambda _folder: HeldOut({}, {}, lines[:1], lines[1:2])
    )
    monkeypatch.setattr(detectors, "read_lines", lambda _folder, _name: lines)

    measure = detectors.passes(lines)
    shared = detectors.shared(lines, measure)

    assert list(shared) == [detector.name for detector in DETECTORS]
    pd.testing.assert_frame_equal(shared, detectors.apart(lines, measure))
