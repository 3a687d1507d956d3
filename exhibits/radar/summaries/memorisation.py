"""How well detectors separate planted items that a model has seen from unseen ones.

`detector_table` has the detectors of seen items, within recall and within reasoning items.
`kinds_table` has the readers of the kind: scores that separate recall from reasoning items.

Every item is a row under each twin: seen under one, unseen under the other. Any score that depends
on the text alone thus has an area under the ROC curve (AUROC) of one half. The unit is the seed,
which draws its own world and items and trains its own models: a number is the mean over seeds, its
interval a t interval over seeds. The variance that comes from a seed's few items is part of the
variance between seeds. One seed has no interval.
"""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float
from scipy import stats

from exhibits.radar.summaries.over_seeds import ALL_DOSES, areas_by_seed, mean_over_seeds
from mechaware.core.stats.p_values import holm
from mechaware.core.stats.roc import true_positive_rate_at
from mechaware.instruments.radar.detectors.columns import KIND_READERS, SHUFFLED
from mechaware.instruments.radar.detectors.detector import FALSE_POSITIVE_RATE
from mechaware.planted.twins.items import CONTRADICTED
from mechaware.planted.twins.world import KINDS

# The slices of all items, and of the items that are read with their right answer.
ALL = "all"
UNCONTRADICTED = "uncontradicted"


def detector_table(
    scores: pd.DataFrame, detectors: Sequence[str], confidence_level: float
) -> pd.DataFrame:
    """One row per detector, slice of items (`_slices`) and kind.

    `scores` has the columns seed, twin, id, kind, form, dose, seen and shuffled_seen, and for each
    of `detectors` a column of scores and, with the prefix `shuffled_`, its scores with the truths
    shuffled. Kinds are never averaged: memory may move a score in opposite directions. Columns:

    - detector, kind
    - form, dose: the slice; `all` or `uncontradicted` and 0 for a slice of several doses
    - n: the number of items of all seeds
    - auroc: the AUROC of seen against unseen rows, with its interval (low, high)
    - auroc_p: the two-sided p-value of a t test over seeds against one half
    - auroc_holm: auroc_p after Holm's correction for all rows, among which a headline is chosen;
      both p-values are missing for one seed
    - tpr: the share of seen rows above the threshold that 5% of all the kind's unseen rows of the
      same seed exceed
    - shuffled: the AUROC with the truths shuffled
    """
    unseen = scores[~scores["seen"]]
    slices = _slices(scores)
    rows = []
    for name, items, kind in product(detectors, slices, KINDS):
        kind_rows = items.rows[items.rows["kind"] == kind]
        kind_unseen = unseen[unseen["kind"] == kind]
        row = {"detector": name, "kind": kind, "form": items.form, "dose": items.dose}
        rows.append(row | _numbers_of_detector(name, kind_rows, kind_unseen, confidence_level))

    table = pd.DataFrame(rows)
    after_p = list(table.columns).index("auroc_p") + 1
    table.insert(after_p, "auroc_holm", holm(table["auroc_p"].to_numpy(float)))
    return table


def _numbers_of_detector(
    name: str, rows: pd.DataFrame, unseen: pd.DataFrame, confidence_level: float
) -> dict[str, float]:
    """The numbers of `detector_table` for a detector on the rows of a kind and a slice.

    `unseen`: the unseen rows of the kind in all slices, which give the thresholds.
    """
    areas = areas_by_seed(rows, name, "seen")
    auroc = mean_over_seeds(areas, confidence_level, least=0)
    shuffled = areas_by_seed(rows, f"{SHUFFLED}_{name}", f"{SHUFFLED}_seen")
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
    """By seed, the share of seen `rows` above the threshold that 5% of the `unseen` rows exceed."""
    rates = []
    for seed, rows_of_seed in rows.groupby("seed"):
        seen_scores = rows_of_seed.loc[rows_of_seed["seen"], score].to_numpy(float)
        unseen_scores = unseen.loc[unseen["seed"] == seed, score].to_numpy(float)
        rates.append(true_positive_rate_at(seen_scores, unseen_scores, FALSE_POSITIVE_RATE))
    return rates


def _p_of_half(areas: Float[np.ndarray, " seed"]) -> float:
    """The two-sided p-value of a t test of the seeds' AUROCs against one half; NaN for one seed.

    Where all seeds agree, t has no value; p is then 1 if they agree on one half, and 0 otherwise.
    """
    if len(areas) < 2:
        return np.nan

    distances = areas - 0.5
    if np.ptp(distances) == 0:
        return float(distances[0] == 0)
    return float(stats.ttest_1samp(distances, 0).pvalue)


class _Slice(NamedTuple):
    """The rows of some items, and what the columns form and dose of `detector_table` call them."""

    form: str
    dose: int
    rows: pd.DataFrame


def _slices(scores: pd.DataFrame) -> list[_Slice]:
    """All items, the items that are read with their right answer, and each form and dose."""
    slices = [
        _Slice(ALL, ALL_DOSES, scores),
        _Slice(UNCONTRADICTED, ALL_DOSES, scores[scores["form"] != CONTRADICTED]),
    ]
    for (form, dose), rows in scores.groupby(["form", "dose"], sort=False):
        slices.append(_Slice(str(form), int(str(dose)), rows))
    return slices


def kinds_table(
    scores: pd.DataFrame, readers: Sequence[str], confidence_level: float
) -> pd.DataFrame:
    """One row per reader: its AUROC of recall against reasoning items, among unseen rows.

    A reader is a column of `scores`, and a blind reader one of `KIND_READERS` other than RADAR. The
    intervals of the blind readers have a joint level of `confidence_level` (Bonferroni): all of
    them must include one half, and of several intervals at that level one misses it too often.
    Columns: detector (the reader), n (the unseen rows), auroc, low and high.
    """
    unseen = scores[~scores["seen"]]
    unseen = unseen.assign(is_recall=unseen["kind"] == "recall")
    blind = [name for name in readers if name in KIND_READERS and name != "radar"]
    level_of_blind = 1 - (1 - confidence_level) / max(1, len(blind))
    rows = []
    for name in readers:
        areas = areas_by_seed(unseen, name, "is_recall")
        level_of_reader = level_of_blind if name in blind else confidence_level
        auroc = mean_over_seeds(areas, level_of_reader, least=0)
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
