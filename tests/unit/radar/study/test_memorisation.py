"""The planted memorisation's tables, on scores written by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu
from sklearn.metrics import roc_auc_score

from mechaware.radar.study.memorisation import (
    Draws,
    Resamples,
    Rows,
    bootstrap_auroc,
    crossed_table,
    detector_table,
    roc_table,
)
from mechaware.radar.study.memorised_items import items_table
from mechaware.radar.study.memorised_regression import GAIN, clustered_least_squares, regression_table
from mechaware.stats import Estimate

DRAWS = Draws(resamples=400, seed=7, level=0.95)


def scored(items: int = 6, seeds: int = 2, forms: tuple[tuple[str, int], ...] = (("verbatim", 64),)) -> pd.DataFrame:
    """Rows of both twins, each item seen under its own twin, with a score that is the dose when seen, else noise."""
    generator = np.random.default_rng(0)
    rows = []
    for seed in range(seeds):
        for kind in ("recall", "reasoning"):
            for form, dose in forms:
                for number in range(items):
                    half = "AB"[number % 2]
                    for twin in "AB":
                        seen = twin == half
                        rows.append(
                            {"seed": seed, "twin": twin, "id": f"{kind}-{form}-{dose}-{number}{half}", "kind": kind}
                            | {"form": form, "dose": dose, "seen": seen, "shuffled_seen": not seen}
                            | {"loss": float(seen) * np.log2(1 + dose) + generator.normal(), "length": 30.0}
                            | {"radar": 0.9 if kind == "recall" else 0.1}
                        )
    table = pd.DataFrame(rows)
    for name in ("loss", "length", "radar"):
        table[f"shuffled_{name}"] = table[name]
    return table


def estimated(seen: np.ndarray, unseen: np.ndarray, resamples: int) -> Estimate:
    """The area and its interval of the items of one kind and seed, drawn as the table draws them."""
    counts = np.random.default_rng(1).multinomial(len(seen), np.full(len(seen), 1 / len(seen)), size=resamples)
    drawn = Resamples(np.ones((resamples, 1)), {"recall": [counts.astype(float)]})
    return bootstrap_auroc({"recall": Rows([seen], [unseen])}, drawn, 0.95)["recall"]


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


def test_errors_of_single_rows_as_clusters_are_whites() -> None:
    # y = (0, 1, 1, 4) on x = (0, 1, 2, 3) and an intercept: b = 1.2, a = -0.3, residuals (0.3, 0.1, -1.1, 0.7).
    x, y = np.arange(4.0), np.array([0.0, 1, 1, 4])
    coefficients, errors = clustered_least_squares(np.column_stack([x, np.ones(4)]), y, np.arange(4))
    assert coefficients == pytest.approx([1.2, -0.3])
    # White: sum((x - 1.5)^2 e^2) / 25 = (2.25 * 0.09 + 0.25 * 0.01 + 0.25 * 1.21 + 2.25 * 0.49) / 25, times 4/3 * 3/2.
    variance = (2.25 * 0.09 + 0.25 * 0.01 + 0.25 * 1.21 + 2.25 * 0.49) / 25 * 2
    assert errors[0] == pytest.approx(np.sqrt(variance))


def test_doubled_rows_in_one_cluster_are_no_new_evidence() -> None:
    x, y = np.arange(4.0), np.array([0.0, 1, 1, 4])
    single = clustered_least_squares(np.column_stack([x, np.ones(4)]), y, np.arange(4))[1]
    design = np.column_stack([np.tile(x, 2), np.ones(8)])
    doubled = clustered_least_squares(design, np.tile(y, 2), np.tile(np.arange(4), 2))[1]
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
