"""AUROCs of planted items over seeds: against scikit-learn, and on scores whose AUROC is obvious.

`scored()` makes the scores: in each of three seeds six items of recall and six of reasoning, each
with a seen and an unseen row. `loss` is random and higher for seen rows, `length` is constant, and
`radar` depends on the kind alone.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp
from sklearn.metrics import roc_auc_score

from exhibits.radar.summaries.memorisation import (
    _p_of_half,
    detector_table,
    kinds_table,
)
from exhibits.radar.summaries.over_seeds import mean_over_seeds
from tests.exhibits.radar.summaries.planted_by_hand import (
    CONFIDENCE_LEVEL,
    scored,
)


def row(table: pd.DataFrame, **chosen: object) -> pd.Series:
    """The only row that has these values in these columns."""
    for name, value in chosen.items():
        table = table[table[name] == value]
    (index,) = table.index
    return table.loc[index]


def areas_by_seed(scores: pd.DataFrame, truth: str, score: str) -> list[float]:
    """The AUROC in each seed, computed by scikit-learn."""
    areas = []
    for _, rows in scores.groupby("seed"):
        areas.append(float(roc_auc_score(rows[truth], rows[score])))
    return areas


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param([0.7], (0.7, np.nan, np.nan), id="one seed"),
        pytest.param([1.0, 1.0, 1.0], (1, 1, 1), id="equal seeds"),
        # The standard error is 0.05, and t(1) = 12.7062 at 97.5%. The upper end is cut at 1.
        pytest.param([0.9, 1.0], (0.95, 0.95 - 12.7062 * 0.05, 1), id="two seeds"),
    ],
)
def test_an_interval_stays_in_the_range_and_one_seed_has_none(
    values: list[float], expected: tuple[float, float, float]
) -> None:
    estimate = mean_over_seeds(np.array(values), CONFIDENCE_LEVEL, least=0)
    assert estimate == pytest.approx(expected, nan_ok=True)


def test_an_auroc_is_the_mean_over_seeds_of_scikit_learns() -> None:
    scores = scored(forms=(("verbatim", 1), ("verbatim", 64)))

    table = detector_table(scores, ["length", "loss"], CONFIDENCE_LEVEL)
    cell = row(table, detector="loss", kind="recall", form="verbatim", dose=1)

    rows_of_cell = scores[(scores["dose"] == 1) & (scores["kind"] == "recall")]
    areas = areas_by_seed(rows_of_cell, "seen", "loss")
    expected = mean_over_seeds(np.array(areas), CONFIDENCE_LEVEL, least=0)
    assert tuple(cell[["auroc", "low", "high"]]) == pytest.approx(expected)
    # Six items in each of three seeds.
    assert cell["n"] == 18
    # The shuffled truth is the opposite of the truth, and the shuffled scores are the same.
    assert cell["shuffled"] == pytest.approx(1 - cell["auroc"])
    assert list(table["detector"].unique()) == ["length", "loss"]
    assert set(table["kind"]) == {"recall", "reasoning"}


def test_the_auroc_of_a_score_of_the_text_alone_is_one_half_without_width() -> None:
    cell = row(detector_table(scored(), ["length"], CONFIDENCE_LEVEL), kind="recall", form="all")
    assert (cell["auroc"], cell["low"], cell["high"]) == (0.5, 0.5, 0.5)


def test_a_score_of_the_kind_alone_is_blind_within_kinds_and_perfect_between_them() -> None:
    cell = row(detector_table(scored(), ["radar"], CONFIDENCE_LEVEL), kind="recall", form="all")
    assert cell["auroc"] == 0.5

    table = kinds_table(scored(), ["radar", "length"], CONFIDENCE_LEVEL)
    assert table[["auroc", "low", "high"]].to_numpy().tolist() == [[1, 1, 1], [0.5, 0.5, 0.5]]
    # Six unseen rows of each of two kinds, in each of three seeds.
    assert table["n"].tolist() == [36, 36]


def test_the_rate_of_true_positives_counts_seen_rows_above_the_threshold_of_the_unseen() -> None:
    """Seen rows score 1 by loss and unseen rows 0; by length all rows have the same score."""
    scores = scored(items=2, seeds=1)
    scores["loss"] = scores["seen"] * 1.0

    table = detector_table(scores, ["loss", "length"], CONFIDENCE_LEVEL)

    assert row(table, detector="loss", kind="recall", form="all")["tpr"] == 1
    # Where all scores tie, no row is above a threshold that at most 5% of the unseen rows exceed.
    assert row(table, detector="length", kind="recall", form="all")["tpr"] == 0


def test_the_threshold_of_a_seed_comes_from_its_own_unseen_rows() -> None:
    """Unseen rows score 0 in seed 0 and 10 in seed 1, and seen rows 1 more.

    A common threshold of 10 would miss half of the seen rows.
    """
    scores = scored(items=2, seeds=2)
    scores["loss"] = scores["seen"] + 10.0 * scores["seed"]

    table = detector_table(scores, ["loss"], CONFIDENCE_LEVEL)

    assert row(table, detector="loss", kind="recall", form="all")["tpr"] == 1


def test_the_threshold_of_a_slice_comes_from_all_unseen_rows_of_its_kind() -> None:
    """Items of dose 1 score 1 if seen and 0 if unseen, but unseen items of dose 64 score 2."""
    scores = scored(items=2, seeds=1, forms=(("verbatim", 1), ("verbatim", 64)))
    scores["loss"] = scores["seen"] * 1.0
    scores.loc[~scores["seen"] & (scores["dose"] == 64), "loss"] = 2.0

    table = detector_table(scores, ["loss"], CONFIDENCE_LEVEL)

    assert row(table, detector="loss", kind="recall", form="verbatim", dose=1)["tpr"] == 0


def test_an_auroc_is_tested_against_one_half_over_seeds_and_corrected_for_all_cells() -> None:
    scores = scored(forms=(("verbatim", 1), ("verbatim", 64)))

    table = detector_table(scores, ["length", "loss"], CONFIDENCE_LEVEL)
    cell = row(table, detector="loss", kind="recall", form="verbatim", dose=1)

    rows_of_cell = scores[(scores["dose"] == 1) & (scores["kind"] == "recall")]
    areas = areas_by_seed(rows_of_cell, "seen", "loss")
    assert cell["auroc_p"] == pytest.approx(ttest_1samp(areas, 0.5).pvalue)
    # Two detectors, two kinds, and four slices: two doses, all items, and the uncontradicted ones.
    assert len(table) == 16

    smallest = table.loc[table["auroc_p"].idxmin()]
    assert smallest["auroc_holm"] == pytest.approx(min(1, 16 * smallest["auroc_p"]))
    assert (table["auroc_holm"] >= table["auroc_p"]).all()


@pytest.mark.parametrize(
    ("areas", "p"),
    [
        ([0.5, 0.5, 0.5], 1.0),
        ([0.8, 0.8, 0.8], 0.0),
        ([0.8], np.nan),
    ],
)
def test_seeds_that_agree_leave_no_doubt_and_one_seed_has_no_test(
    areas: list[float], p: float
) -> None:
    assert _p_of_half(np.array(areas)) == pytest.approx(p, nan_ok=True)


def test_blind_readers_of_the_kind_share_one_level() -> None:
    """Two blind readers at 95% together have 97.5% each.

    With 2 degrees of freedom the quantile of t is then 6.2053. RADAR alone keeps 4.3027.
    """
    generator = np.random.default_rng(1)
    scores = scored()
    readers = ["radar", "question_words", "question_letters"]
    for name in readers:
        scores[name] = generator.normal(size=len(scores))

    table = kinds_table(scores, readers, CONFIDENCE_LEVEL)

    unseen = scores[~scores["seen"]].assign(is_recall=scores["kind"] == "recall")
    for name, quantile in zip(readers, (4.3027, 6.2053, 6.2053), strict=True):
        areas = areas_by_seed(unseen, "is_recall", name)
        half = quantile * np.std(areas, ddof=1) / 3**0.5
        cell = row(table, detector=name)
        assert cell["low"] == pytest.approx(max(0, np.mean(areas) - half), abs=1e-4)
        assert cell["high"] == pytest.approx(min(1, np.mean(areas) + half), abs=1e-4)
