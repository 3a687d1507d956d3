"""Planted items over the seeds: how well each detector separates seen from unseen, and recall from reasoning items.

Every item is a row under each twin: seen under one, unseen under the other. Any score that depends on the text alone
thus has an area under the ROC curve (AUROC) of one half. The unit is the seed, which draws its own world and items and
trains its own models: a number is the mean over seeds, its interval a t interval over seeds. The variance that comes
from a seed's few items is part of the variance between seeds. One seed has no interval.
"""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pandas as pd
from scipy import stats

from exhibits.radar.summaries.over_seeds import mean_over_seeds
from mechaware.core.stats import area_under_roc, holm, true_positive_rate_at
from mechaware.instruments.radar.detectors.columns import KIND_READERS, SHUFFLED
from mechaware.instruments.radar.detectors.detector import FALSE_POSITIVE_RATE
from mechaware.planted.twins.items import CONTRADICTED
from mechaware.planted.twins.world import KINDS

# The slices of all items, and of those with a right answer.
ALL = "all"
UNCONTRADICTED = "uncontradicted"


def detector_table(
    scores: pd.DataFrame, detectors: Sequence[str], confidence_level: float
) -> pd.DataFrame:
    """One row per detector, kind and slice of items: AUROC of seen with its interval, and the rate of true positives.

    `scores` has the columns seed, twin, id, kind, form, dose and seen, a column for each of `detectors`, and the same
    with the prefix `shuffled_`. Kinds are never averaged: memory may move a score in opposite directions.

    - `form`, `dose`: the slice; `all` and 0 for all items.
    - `n`: the number of items of all seeds.
    - `tpr`: the share of seen rows above the threshold that 5% of all the kind's unseen rows of the same seed exceed.
    - `shuffled`: AUROC with the truths shuffled.
    - `auroc_p`: the two-sided p-value of a t test over seeds against one half.
    - `auroc_holm`: `auroc_p` after Holm's correction for all rows, among which a headline is chosen. Both p-values are
      missing for one seed.
    """
    unseen = scores[~scores["seen"]]
    rows = []
    for form, dose, part in _slices(scores):
        for name, kind in product(detectors, KINDS):
            kind_rows = part[part["kind"] == kind]
            kind_unseen = unseen[unseen["kind"] == kind]
            row = {"detector": name, "kind": kind, "form": form, "dose": dose}
            rows.append(row | _numbers_of_detector(name, kind_rows, kind_unseen, confidence_level))

    table = pd.DataFrame(rows)
    after_p = list(table.columns).index("auroc_p") + 1
    table.insert(after_p, "auroc_holm", holm(table["auroc_p"].to_numpy(float)))
    return table.sort_values(
        "detector", key=lambda names: names.map(list(detectors).index), kind="stable"
    )


def _numbers_of_detector(
    name: str, rows: pd.DataFrame, unseen: pd.DataFrame, confidence_level: float
) -> dict[str, float]:
    """The numbers of `detector_table` for a detector on the rows of a kind and a slice.

    `unseen`: the unseen rows of the kind in all slices, which give the thresholds.
    """
    areas = _area_by_seed(rows, name, "seen")
    auroc = mean_over_seeds(np.array(areas), confidence_level, least=0)
    shuffled = _area_by_seed(rows, f"{SHUFFLED}_{name}", f"{SHUFFLED}_seen")
    return {
        "n": int(rows["seen"].sum()),
        "auroc": auroc.value,
        "low": auroc.low,
        "high": auroc.high,
        "auroc_p": _p_of_half(areas),
        "tpr": float(np.mean(_true_positive_rate_by_seed(rows, unseen, name))),
        "shuffled": float(np.mean(shuffled)),
    }


def _true_positive_rate_by_seed(
    rows: pd.DataFrame, unseen: pd.DataFrame, score: str
) -> list[float]:
    """In each seed the share of seen rows above the threshold that 5% of the seed's unseen rows exceed."""
    rates = []
    for seed, of_seed in rows.groupby("seed"):
        seen_scores = of_seed.loc[of_seed["seen"], score].to_numpy(float)
        unseen_scores = unseen.loc[unseen["seed"] == seed, score].to_numpy(float)
        rates.append(true_positive_rate_at(seen_scores, unseen_scores, FALSE_POSITIVE_RATE))
    return rates


def _p_of_half(areas: Sequence[float]) -> float:
    """The two-sided p-value of AUROCs of several seeds against one half, by a t test; NaN for one seed.

    Where all seeds agree, t has no value; p is then 1 if they agree on one half, and 0 otherwise.
    """
    if len(areas) < 2:
        return np.nan

    distances = np.array(areas) - 0.5
    if np.ptp(distances) == 0:
        return float(distances[0] == 0)
    return float(stats.ttest_1samp(distances, 0).pvalue)


def _slices(scores: pd.DataFrame) -> Iterator[tuple[str, int, pd.DataFrame]]:
    """The form, dose and rows of each slice: all items, items with a right answer, each form and dose."""
    yield ALL, 0, scores
    yield UNCONTRADICTED, 0, scores[scores["form"] != CONTRADICTED]
    for (form, dose), part in scores.groupby(["form", "dose"], sort=False):
        yield str(form), int(str(dose)), part


def _area_by_seed(rows: pd.DataFrame, score: str, truth: str) -> list[float]:
    """In each seed the AUROC by `score` of the rows where the column `truth` is true against the other rows."""
    areas = []
    for _, of_seed in rows.groupby("seed"):
        positives = of_seed.loc[of_seed[truth], score].to_numpy(float)
        negatives = of_seed.loc[~of_seed[truth], score].to_numpy(float)
        areas.append(area_under_roc(positives, negatives))
    return areas


def kinds_table(
    scores: pd.DataFrame, readers: Sequence[str], confidence_level: float
) -> pd.DataFrame:
    """One row per reader, a column of `scores`: the AUROC of recall against reasoning among unseen items.

    The intervals of the blind readers have a joint level of `confidence_level` (Bonferroni): all of them must include
    one half, and of several intervals at that level one misses it too often.
    """
    unseen = scores[~scores["seen"]]
    unseen = unseen.assign(is_recall=unseen["kind"] == "recall")
    blind = [name for name in readers if name in KIND_READERS and name != "radar"]
    level_of_blind = 1 - (1 - confidence_level) / max(1, len(blind))
    rows = []
    for name in readers:
        areas = _area_by_seed(unseen, name, "is_recall")
        level_of_reader = level_of_blind if name in blind else confidence_level
        auroc = mean_over_seeds(np.array(areas), level_of_reader, least=0)
        rows.append(
            {
                "detector": name,
                "n": len(unseen),
                "auroc": auroc.value,
                "low": auroc.low,
                "high": auroc.high,
            }
        )
    return pd.DataFrame(rows)
