"""Whether items were memorised, what moves RADAR and its proxies: on tables whose answers are known by hand."""

import numpy as np
import pandas as pd
import pytest

from mechaware.radar.causal import PROXIES
from mechaware.radar.study.memorisation import BootstrapSettings
from mechaware.radar.study.memorised_items import (
    GAIN,
    _clustered_least_squares,
    compare_proxies,
    items_table,
    regression_table,
)
from tests.unit.radar.study.planted_scores import DRAWS, scored

SETTINGS = BootstrapSettings(resamples=50, seed=5, level=0.95)
PROXY, REAL = "ablation_robustness", "real_ablation_robustness"


def table_of(
    proxy: list[float], real: list[float], kind: list[str], seen: list[bool], group: list[str]
) -> pd.DataFrame:
    """One proxy with the given columns; all others are noise."""
    noise = np.random.default_rng(0)
    names = [*PROXIES, *(f"real_{proxy}" for proxy in PROXIES)]
    table = pd.DataFrame(noise.normal(size=(len(proxy), len(names))), columns=names)
    return table.assign(**{PROXY: proxy, REAL: real}, kind=kind, seen=seen, group=group, model="one")


KINDS = ["recall"] * 4 + ["reasoning"] * 4
SEEN = [True, True, False, False] * 2


def test_correlations_and_areas_by_hand() -> None:
    # Recall: equal order, 1. Reasoning: reversed, -1. Over all: proxy ranks 1..8 and real ranks 1 2 3 4 8 7 6 5, with
    # squared differences 9 + 1 + 1 + 9 = 20: 1 - 6 * 20 / (8 * 63) = 16/21.
    proxy, real = [1.0, 2, 3, 4, 5, 6, 7, 8], [1.0, 2, 3, 4, 8, 7, 6, 5]
    rows = compare_proxies(table_of(proxy, real, KINDS, SEEN, list("abcdefgh")), SETTINGS).set_index("proxy")
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
    row = compare_proxies(table_of(proxy, real, KINDS, SEEN, list("abcdefgh")), SETTINGS).set_index("proxy").loc[PROXY]
    assert row[["n", "n_recall", "n_reasoning"]].tolist() == [6, 4, 2]
    assert np.isnan(row["correlation_reasoning"])
    assert row["auroc_real"] == 0.5  # recall: 0; reasoning: one seen, with 7, above one unseen, with 6


def test_groups_are_drawn_whole() -> None:
    # With all rows in one group every resample is the table itself.
    generator = np.random.default_rng(1)
    proxy, real = generator.normal(size=8).tolist(), generator.normal(size=8).tolist()
    row = compare_proxies(table_of(proxy, real, KINDS, SEEN, ["a"] * 8), SETTINGS).set_index("proxy").loc[PROXY]
    assert row["low"] == row["high"] == row["correlation"]


def test_a_kind_that_was_all_seen_has_no_area() -> None:
    values = [1.0, 2, 3, 4, 5, 6, 7, 8]
    seen = [True] * 4 + [True, False, True, True]
    row = (
        compare_proxies(table_of(values, values, KINDS, seen, list("abcdefgh")), SETTINGS).set_index("proxy").loc[PROXY]
    )
    assert row["auroc_proxy"] == pytest.approx(2 / 3)  # of reasoning alone: 7 and 8 above 6, 5 below
    none = compare_proxies(table_of(values, values, KINDS, [True] * 8, list("abcdefgh")), SETTINGS)
    assert none["auroc_real"].isna().all()


def test_errors_of_single_rows_as_clusters_are_whites() -> None:
    # y = (0, 1, 1, 4) on x = (0, 1, 2, 3) and an intercept: b = 1.2, a = -0.3, residuals (0.3, 0.1, -1.1, 0.7).
    x, y = np.arange(4.0), np.array([0.0, 1, 1, 4])
    coefficients, errors = _clustered_least_squares(np.column_stack([x, np.ones(4)]), y, np.arange(4))
    assert coefficients == pytest.approx([1.2, -0.3])
    # White: sum((x - 1.5)^2 e^2) / 25 = (2.25 * 0.09 + 0.25 * 0.01 + 0.25 * 1.21 + 2.25 * 0.49) / 25, times 4/3 * 3/2.
    variance = (2.25 * 0.09 + 0.25 * 0.01 + 0.25 * 1.21 + 2.25 * 0.49) / 25 * 2
    assert errors[0] == pytest.approx(np.sqrt(variance))


def test_doubled_rows_in_one_cluster_are_no_new_evidence() -> None:
    x, y = np.arange(4.0), np.array([0.0, 1, 1, 4])
    single = _clustered_least_squares(np.column_stack([x, np.ones(4)]), y, np.arange(4))[1]
    design = np.column_stack([np.tile(x, 2), np.ones(8)])
    doubled = _clustered_least_squares(design, np.tile(y, 2), np.tile(np.arange(4), 2))[1]
    # Only the correction differs: 4/3 * 7/6 in place of 4/3 * 3/2.
    assert doubled[0] == pytest.approx(single[0] * np.sqrt((7 / 6) / (3 / 2)))


def test_the_regression_finds_the_kind_and_no_dose_where_there_is_none() -> None:
    scores = scored(items=8, forms=(("verbatim", 4), ("verbatim", 64)))
    scores["radar"] += np.random.default_rng(1).normal(0, 0.01, len(scores))
    table = regression_table(scores, DRAWS).set_index("term")
    assert table.loc["kind", "estimate"] == pytest.approx(0.8, abs=0.02)
    assert abs(table.loc["dose, recall", "estimate"]) < 0.005
    assert abs(table.loc["dose, reasoning", "estimate"]) < 0.005
    # Noise cannot add to the loss, which here tells the truth.
    assert table.loc[GAIN, "low"] < 0.05


def test_a_rise_of_the_same_item_is_found_whatever_the_items_level() -> None:
    scores = scored(items=8, forms=(("verbatim", 4), ("verbatim", 64)))
    levels = {name: number / 20 for number, name in enumerate(scores["id"].unique())}
    rise = 0.03 * np.log2(1 + scores["dose"]) * scores["seen"] * (scores["kind"] == "recall")
    # Items lie at other levels, and every A is 0.2 above its B: neither is a rise of the same item.
    scores["radar"] = scores["id"].map(levels) + rise + 0.2 * (scores["twin"] == "A")
    scores["radar"] += np.random.default_rng(2).normal(0, 1e-4, len(scores))
    table = regression_table(scores, DRAWS).set_index("term")
    assert table.loc["dose, recall", "estimate"] == pytest.approx(0.03, abs=1e-3)
    assert table.loc["dose, reasoning", "estimate"] == pytest.approx(0, abs=1e-3)


def test_the_items_table_subtracts_the_twin_that_did_not_see_the_item() -> None:
    rows = pd.DataFrame(
        [
            {"seed": 0, "id": "i", "kind": "recall", "form": "verbatim", "dose": 4, "seen": seen}
            | {
                "log_likelihood": value,
                "answer_log_likelihood": 2 * value,
                "base_log_likelihood": -3.0,
                "exposure": bits,
            }
            | {"answered": seen, "base_answered": True}
            for seen, value, bits in ((True, -1.0, 3.0), (False, -2.5, 1.0))
        ]
    )
    canaries = pd.DataFrame({"half": ["A", "B"], "twin": ["A", "A"], "dose": 256, "recited": [True, False]})
    item, canary = items_table(rows, canaries, DRAWS).to_dict("records")
    assert (item["memorised"], item["gain"], item["exposure_seen"]) == (1.5, 2.0, 3.0)
    assert item["memorised_answer"] == 3.0
    assert (item["answered_seen"], item["answered_unseen"]) == (1, 0)
    assert (canary["kind"], canary["answered_seen"], canary["answered_unseen"]) == ("canary", 1, 0)
