"""The planted memorisation's tables, on scores written by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu
from sklearn.metrics import roc_auc_score

from mechaware.radar.study.memorisation import (
    _bootstrap_auroc,
    _Resamples,
    _SeenUnseenScores,
    crossed_table,
    detector_table,
    roc_table,
)
from mechaware.stats import Estimate
from tests.unit.radar.study.planted_scores import DRAWS, scored


def estimated(seen: np.ndarray, unseen: np.ndarray, resamples: int) -> Estimate:
    """The area and its interval of the items of one kind and seed, drawn as the table draws them."""
    counts = np.random.default_rng(1).multinomial(len(seen), np.full(len(seen), 1 / len(seen)), size=resamples)
    drawn = _Resamples(np.ones((resamples, 1)), {"recall": [counts.astype(float)]})
    return _bootstrap_auroc({"recall": _SeenUnseenScores([seen], [unseen])}, drawn, 0.95)["recall"]


def row(table: pd.DataFrame, **chosen: object) -> pd.Series:
    for name, value in chosen.items():
        table = table[table[name] == value]
    (index,) = table.index
    return table.loc[index]


def test_an_area_is_the_mean_over_seeds_and_kinds_of_scikit_learns() -> None:
    scores = scored(forms=(("verbatim", 1), ("verbatim", 64)))
    table = detector_table(scores, ["loss"], DRAWS)
    expected = [
        roc_auc_score(part["seen"], part["loss"]) for _, part in scores[scores["dose"] == 1].groupby(["seed", "kind"])
    ]
    assert row(table, kind="both", dose=1)["auroc"] == pytest.approx(np.mean(expected))
    assert row(table, kind="recall", dose=64)["n"] == 12  # six items in each of two seeds


def test_a_score_of_the_text_alone_has_one_half_and_no_width() -> None:
    overall = row(detector_table(scored(), ["length"], DRAWS), kind="both", form="all")
    assert (overall["auroc"], overall["low"], overall["high"]) == (0.5, 0.5, 0.5)


def test_a_detector_of_the_kind_is_blind_within_kinds_and_perfect_between_them() -> None:
    overall = row(detector_table(scored(), ["radar"], DRAWS), kind="both", form="all")
    assert (overall["auroc"], overall["auroc_kind"]) == (0.5, 1.0)


def test_exchanged_truths_turn_the_area_around() -> None:
    overall = row(detector_table(scored(), ["loss"], DRAWS), kind="both", form="all")
    assert overall["shuffled"] == pytest.approx(1 - overall["auroc"])


def test_the_interval_of_an_area_draws_an_items_two_rows_together() -> None:
    # Each item scores 1 higher when seen, and items lie 10 apart: within an item the seen row always wins.
    levels = np.arange(4) * 10.0
    estimate = estimated(levels + 1, levels, 400)
    # 4 own pairs won; of the 12 others, each item against another, half are won: (4 + 6) / 16.
    assert estimate.value == 10 / 16
    # Copies of one item alone have AUROC 1, two copies of each of two items 3/4; it is never below 10/16.
    assert estimate.low >= 10 / 16
    assert estimate.high <= 1


def test_one_seed_and_distinct_scores_give_the_plain_bootstrap_of_items() -> None:
    generator = np.random.default_rng(3)
    seen, unseen = generator.normal(0.8, 1, 30), generator.normal(0, 1, 30)
    estimate = estimated(seen, unseen, 2000)
    drawn = []
    for _ in range(2000):
        items = generator.integers(30, size=30)
        drawn.append(mannwhitneyu(seen[items], unseen[items]).statistic / 900)
    low, high = np.quantile(drawn, [0.025, 0.975])
    # The ends of two bootstraps of 2,000 draws differ by less than a tenth of the interval's width.
    assert estimate.low == pytest.approx(low, abs=0.1 * (high - low))
    assert estimate.high == pytest.approx(high, abs=0.1 * (high - low))


def test_the_rate_of_true_positives_counts_seen_rows_above_the_threshold_of_the_unseen() -> None:
    scores = scored(items=2, seeds=1)
    scores["loss"] = scores["seen"] * 1.0
    table = detector_table(scores, ["loss", "length"], DRAWS)
    assert row(table, detector="loss", kind="recall", form="all")["tpr"] == 1
    # Where all scores tie, no row lies above the threshold: a rate of false positives of 5% allows none of them.
    assert row(table, detector="length", kind="recall", form="all")["tpr"] == 0


def test_a_roc_curve_has_the_area_of_its_detector() -> None:
    scores = scored(seeds=1)
    curve = roc_table(scores, ["loss"], 64).query("kind == 'recall'")
    expected = roc_auc_score(*(scores[scores["kind"] == "recall"][name] for name in ("seen", "loss")))
    # A grid of a hundred steps cuts at most one step of height from each of the six rises.
    assert np.trapezoid(curve["tpr"], curve["fpr"]) == pytest.approx(expected, abs=0.01)
    assert list(curve["tpr"])[-1] == 1


def test_the_crossed_table_counts_what_radar_calls_recall() -> None:
    table = crossed_table(scored(), DRAWS).query("form == 'verbatim'")
    assert row(table, kind="recall", dose=0)["share"] == 1
    assert row(table, kind="reasoning", dose=64)["share"] == 0
    assert row(table, kind="reasoning", dose=64)["mean"] == pytest.approx(0.1)
    assert row(table, kind="reasoning", dose=0)["n"] == 12
