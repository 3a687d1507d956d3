"""Proxies against measured quantities on tables whose correlations and areas are known by hand."""

import numpy as np
import pandas as pd
import pytest

from mechaware.radar.causal.definitions import PROXIES
from mechaware.radar.study.proxies import compare_proxies

SETTINGS = {"resamples": 50, "seed": 5, "level": 0.95}
PROXY, REAL = "ablation_robustness", "real_ablation_robustness"


def table_of(
    proxy: list[float], real: list[float], kind: list[str], seen: list[bool], group: list[str]
) -> pd.DataFrame:
    """One proxy with the given columns; all others are noise."""
    noise = np.random.default_rng(0)
    names = [*PROXIES, *PROXIES.values()]
    table = pd.DataFrame(noise.normal(size=(len(proxy), len(names))), columns=names)
    return table.assign(**{PROXY: proxy, REAL: real}, kind=kind, seen=seen, group=group, model="one")


KINDS = ["recall"] * 4 + ["reasoning"] * 4
SEEN = [True, True, False, False] * 2


def test_correlations_and_areas_by_hand() -> None:
    # Recall: equal order, 1. Reasoning: reversed, -1. Over all: proxy ranks 1..8 and real ranks 1 2 3 4 8 7 6 5, with
    # squared differences 9 + 1 + 1 + 9 = 20: 1 - 6 * 20 / (8 * 63) = 16/21.
    proxy, real = [1.0, 2, 3, 4, 5, 6, 7, 8], [1.0, 2, 3, 4, 8, 7, 6, 5]
    rows = compare_proxies(table_of(proxy, real, KINDS, SEEN, list("abcdefgh")), **SETTINGS).set_index("proxy")
    row = rows.loc[PROXY]
    assert row["real"] == REAL
    assert row[["correlation", "correlation_recall", "correlation_reasoning"]].tolist() == pytest.approx(
        [16 / 21, 1, -1]
    )
    assert row["low_recall"] == row["high_recall"] == pytest.approx(1)
    assert row["low"] < 16 / 21 < row["high"]
    assert row[["n", "n_recall", "n_reasoning"]].tolist() == [8, 4, 4]
    # Every seen item has less of the proxy than the unseen ones of its kind: 0 and 0. Of the real quantity: 0 and 1.
    assert row["auroc_proxy"] == 0
    assert row["auroc_real"] == 0.5
    assert list(rows.index) == list(PROXIES)


def test_rows_with_a_missing_value_are_left_out_and_counted() -> None:
    proxy, real = [1.0, 2, 3, 4, 5, 6, 7, 8], [1.0, 2, 3, 4, np.nan, 7, 6, np.nan]
    row = (
        compare_proxies(table_of(proxy, real, KINDS, SEEN, list("abcdefgh")), **SETTINGS).set_index("proxy").loc[PROXY]
    )
    assert row[["n", "n_recall", "n_reasoning"]].tolist() == [6, 4, 2]
    assert np.isnan(row["correlation_reasoning"])
    assert row["auroc_real"] == 0.5  # recall: 0; reasoning: one seen, with 7, above one unseen, with 6


def test_groups_are_drawn_whole() -> None:
    # With all rows in one group every resample is the table itself.
    generator = np.random.default_rng(1)
    proxy, real = generator.normal(size=8).tolist(), generator.normal(size=8).tolist()
    row = compare_proxies(table_of(proxy, real, KINDS, SEEN, ["a"] * 8), **SETTINGS).set_index("proxy").loc[PROXY]
    assert row["low"] == row["high"] == row["correlation"]


def test_a_kind_that_was_all_seen_has_no_area() -> None:
    values = [1.0, 2, 3, 4, 5, 6, 7, 8]
    seen = [True] * 4 + [True, False, True, True]
    row = (
        compare_proxies(table_of(values, values, KINDS, seen, list("abcdefgh")), **SETTINGS)
        .set_index("proxy")
        .loc[PROXY]
    )
    assert row["auroc_proxy"] == pytest.approx(2 / 3)  # of reasoning alone: 7 and 8 above 6, 5 below
    none = compare_proxies(table_of(values, values, KINDS, [True] * 8, list("abcdefgh")), **SETTINGS)
    assert none["auroc_real"].isna().all()
