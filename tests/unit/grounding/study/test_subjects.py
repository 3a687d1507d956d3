"""A trained model as one row, on measurements that are written by hand."""

import pandas as pd
import pytest

from mechaware.grounding.study.subjects import Training, subject_row
from tests.unit.grounding.measured_by_hand import HandPair, measured

TRAINING = Training(
    d_model=64,
    n_layers=3,
    parameters=1234,
    tables=30,
    fields=60,
    max_columns=3,
    steps=1000,
    exact_match=0.75,
    seconds=12.5,
)
THRESHOLDS = {"tau": 0.4, "alpha": 0.9, "verdict_share": 0.5, "level": 0.95}
RULES = ("r1", "r2", "r3", "g1", "g2", "g3", "g4", "g5")


def row(run: str, pairs: dict[str, HandPair]) -> pd.Series:
    made = measured(pairs)
    names = (*RULES, "paper", "grounded", "r1_signed", "r3_top", "r3_embedding")
    passing = {name: [True] * len(pairs) for name in names}
    rules = pd.DataFrame({"run": run, "pair": list(pairs), "delta": 4.0, **passing})
    answers, cuts = (table.assign(run=run) for table in (made.answers, made.cuts))
    return subject_row(TRAINING, rules, answers, cuts, **THRESHOLDS).iloc[0]


def test_the_block_with_the_largest_mean_share_is_named_with_all_shares() -> None:
    """Block 2 recovers 0.7 of one gap and 0.9 of another, block 3 all of a third; the last pair's gap is below tau."""
    pairs = {
        "a": HandPair(ranking=(2, 1, 3), recovered=(0.7, 1.0, 1.0)),
        "b": HandPair(ranking=(2, 1, 3), recovered=(0.9, 1.0, 1.0)),
        "c": HandPair(ranking=(3, 1, 2)),
        "d": HandPair(ranking=(1, 2, 3), clean=0.1, corrupted=-0.2),
    }
    found = row("masked_2-s0", pairs)
    assert (found["top_block"], found["top_share"]) == (2, pytest.approx(1.6 / 3))
    assert found["shares"] == "0.000 0.533 0.333"  # 1.6 / 3 and 1 / 3
    assert found["known_blocks"] == "2"


def test_the_sizes_and_the_verdict_stand_in_the_row() -> None:
    found = row("w64", {"a": HandPair(place=1), "b": HandPair(place=2, answer="pet")})
    assert found[list(Training._fields)].tolist() == list(TRAINING)
    assert (found["run"], found["known_blocks"], found["n"]) == ("w64", "", 2)
    assert (found["right_first"], found["right_elsewhere"]) == (1.0, 0.0)
    assert found[[*RULES, "paper", "grounded"]].tolist() == [1.0] * 10
    assert bool(found["grounded_verdict"])
    assert "group" not in found.index


def test_without_a_gap_no_block_is_named() -> None:
    found = row("w64", {"a": HandPair(clean=0.0, corrupted=0.0)})
    assert pd.isna(found["top_block"])
    assert pd.isna(found["top_share"])
    assert found["shares"] == ""
