"""Evidence is read as it was written, and the rows of several parts are joined in order."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mechaware.instruments.radar.evidence.evidence import (
    Evidence,
    Samples,
    join_evidence,
    read_evidence,
    write_evidence,
)
from mechaware.models.summaries import TokenScores
from tests.unit.instruments.radar.detectors.made_evidence import (
    items_under_two_models,
    scored,
    tokens,
)

# The file of the evidence leaves out what is known of the model's training.
NOT_KEPT = {"corpus", "token_counts", "seen"}


def assert_equal(read: object, written: object) -> None:
    """Equal values, and arrays of equal types, whatever the field holds."""
    if isinstance(written, pd.DataFrame):
        pd.testing.assert_frame_equal(read, written)
    elif isinstance(written, np.ndarray):
        np.testing.assert_array_equal(read, written)
        assert read.dtype == written.dtype
    elif isinstance(written, TokenScores | Samples):
        for part_read, part_written in zip(read, written, strict=True):
            assert_equal(part_read, part_written)
    elif isinstance(written, list | tuple) and not any(isinstance(value, str) for value in written):
        assert len(read) == len(written)
        for value_read, value_written in zip(read, written, strict=True):
            assert_equal(value_read, value_written)
    else:
        assert read == written


def with_anomaly(n_items: int, seed: int) -> Evidence:
    """Evidence with every field: two rows an item, one under each of two models.

    `items_under_two_models` gives all fields but `anomaly`, which only a benchmark's rows have.
    """
    evidence = items_under_two_models(n_items, seed)
    anomaly = np.linspace(-1, seed, len(evidence.groups))
    return evidence._replace(anomaly=anomaly)


def test_every_field_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = with_anomaly(4, seed=3)
    write_evidence(written, tmp_path / "evidence")
    read = read_evidence(tmp_path / "evidence")
    for name in Evidence._fields:
        if name in NOT_KEPT:
            assert getattr(read, name) is None
        else:
            assert getattr(written, name) is not None
            assert_equal(getattr(read, name), getattr(written, name))


def test_texts_of_unequal_lengths_keep_their_own_tokens(tmp_path: Path) -> None:
    rows = [tokens([-1.0, -2.0, -3.0]), tokens([-2.0]), tokens([-3.0, -4.0, -5.0, -6.0, -7.0])]
    write_evidence(scored(*rows), tmp_path / "evidence")
    read = read_evidence(tmp_path / "evidence")
    for scores_read, scores_written in zip(read.scores, rows, strict=True):
        assert_equal(scores_read, scores_written)


def test_absent_fields_stay_absent(tmp_path: Path) -> None:
    write_evidence(scored(tokens([-1.0, -2.0])), tmp_path / "evidence")
    read = read_evidence(tmp_path / "evidence")
    present = {name for name, value in read._asdict().items() if value is not None}
    assert present == {"texts", "groups", "scores"}


# Each row is the tokens of the greedy continuation, and those of each drawn continuation.
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([([4, 5], []), ([6, 7], [])], id="none drawn"),
        pytest.param([([], []), ([], [])], id="none drawn, and greedy ones empty"),
        pytest.param([([], [[], []]), ([], [[], []])], id="all empty"),
        pytest.param([([], [[3], []]), ([4], [[], [5, 6]]), ([], [[], []])], id="some empty"),
        pytest.param([([4], [[5], []]), ([6], [[7, 8], []])], id="the last one drawn empty"),
    ],
)
def test_continuations_without_tokens_are_read_as_they_were_written(
    tmp_path: Path, rows: list[tuple[list[int], list[list[int]]]]
) -> None:
    samples = []
    for greedy, drawn in rows:
        drawn_ids = [np.array(ids, dtype=int) for ids in drawn]
        samples.append(Samples(np.array(greedy, dtype=int), drawn_ids))
    scores = [tokens([-1.0]) for _ in rows]
    write_evidence(scored(*scores, samples=samples), tmp_path / "evidence")
    assert_equal(read_evidence(tmp_path / "evidence").samples, samples)


def test_joined_rows_lie_below_one_another() -> None:
    # Each part has three items under two models: 6 rows.
    parts = [with_anomaly(3, seed=seed) for seed in (0, 1)]
    joined = join_evidence(parts)
    for name in Evidence._fields:
        first = getattr(parts[0], name)
        second = getattr(parts[1], name)
        rows = getattr(joined, name)
        if name == "token_counts":  # of the vocabulary, not of rows
            assert_equal(rows, first)
        elif name == "features":
            pd.testing.assert_frame_equal(rows.iloc[:6], first)
            pd.testing.assert_frame_equal(rows.iloc[6:].reset_index(drop=True), second)
        else:
            assert len(rows) == 12
            assert_equal(rows[:6], first)
            assert_equal(rows[6:], second)


def test_a_field_that_one_part_lacks_is_none() -> None:
    whole = with_anomaly(2, seed=0)
    joined = join_evidence([whole, whole._replace(samples=None, states=None)])
    missing = {name for name, value in joined._asdict().items() if value is None}
    assert missing == {"samples", "states"}
