"""The planted items over the seeds: who finds the seen ones, whether they were memorised, and who reads their kind.

Every item is a row under each twin: seen under one, unseen under the other. Any score that depends on the text alone
thus has an area under the ROC curve (AUROC) of one half. The unit is the seed, which draws its own world and items and
trains its own models: a number is the mean over seeds, its interval a t interval over seeds. The variance that comes
from a seed's few items is part of the variance between seeds. One seed has no interval.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd
from scipy import stats

from exhibits.radar.summaries.over_seeds import mean_over_seeds
from mechaware.core.stats import area_under_roc, holm, true_positive_rate_at
from mechaware.instruments.radar.detectors.columns import KIND_READERS, SHUFFLED
from mechaware.instruments.radar.detectors.detector import FALSE_POSITIVE_RATE
from mechaware.planted.twins.items import CONTRADICTED, KINDS, TWINS, VERBATIM, Item

# The slices of all items, and of those with a right answer.
ALL = "all"
UNCONTRADICTED = "uncontradicted"
CANARY = "canary"


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


def item_rows(
    answers: Mapping[str, pd.DataFrame], scores: pd.DataFrame, items: Sequence[Item], seed: int
) -> pd.DataFrame:
    """The answers of both twins of one seed below one another, with what is known of each item, and P(recall).

    `answers` maps a twin to the table of `measure_twin`; `scores` is the table of `score_twins`. The columns seed,
    twin, form, dose, half, seen and p_recall are added.
    """
    known = pd.DataFrame(
        [(item.id, item.form, item.dose, item.half) for item in items],
        columns=["id", "form", "dose", "half"],
    )
    parts = []
    for twin in TWINS:
        twin_rows = answers[twin].merge(known, on="id", how="left")
        parts.append(twin_rows.assign(twin=twin, seed=seed))
    rows = pd.concat(parts, ignore_index=True)
    rows = rows.assign(seen=rows["half"] == rows["twin"])
    p_recall = scores[["twin", "id", "radar"]].rename(columns={"radar": "p_recall"})
    return rows.merge(p_recall, on=["twin", "id"], validate="one_to_one")


def items_table(
    rows: pd.DataFrame, canaries: pd.DataFrame, confidence_level: float
) -> pd.DataFrame:
    """One row per kind, form and dose, and one for the canaries: what was memorised, and what RADAR calls recall.

    LL is the log-likelihood per token, in nats. The seeing twin was trained on the item, the other twin was not.

    - `n`: the number of items of all seeds.
    - `memorised`: counterfactual memorisation, LL(seeing twin) - LL(other twin).
    - `memorised_answer`: the same over only the answer's tokens.
    - `gain`: LL(seeing twin) - LL(clean base), from which both twins were trained.
    - `exposure_seen`, `exposure_unseen`: the mean exposure under the seeing and under the other twin, in bits.
    - `answered_seen`, `answered_unseen`, `answered_base`: the shares of items that the seeing twin, the other twin and
      the clean base answer. For a canary, `answered` means that its second half is recited.
    - `called_seen`, `called_unseen`: how many of the `n` items RADAR calls recall (P(recall) above one half) under
      either twin.
    - `called_change`: `called_seen` - `called_unseen`, as a share of n.
    - `p_recall_change`: the mean over items of P(recall) under the seeing twin minus P(recall) under the other.
    - `p_recall_p`, `p_recall_holm`: the two-sided p-value of `p_recall_change` by a t test over seeds, and this p-value
      after Holm's correction for all rows.
    """
    rows = rows.assign(called=rows["p_recall"] > 0.5)
    table = []
    for (kind, form, dose), part in rows.groupby(["kind", "form", "dose"], sort=False):
        row = {"kind": kind, "form": form, "dose": dose}
        table.append(
            row
            | _what_memory_did(part, confidence_level)
            | _what_radar_says(part, confidence_level)
        )

    p_values = np.array([row["p_recall_p"] for row in table])
    for row, corrected in zip(table, holm(p_values), strict=True):
        row["p_recall_holm"] = corrected
    table.append(_canary_row(canaries))
    # The row of the canaries has no counts, which only a nullable type of integers can hold.
    return pd.DataFrame(table).astype({"called_seen": "Int64", "called_unseen": "Int64"})


def _what_memory_did(rows: pd.DataFrame, confidence_level: float) -> dict[str, float]:
    """The columns of `items_table` from `n` to `answered_base`."""
    seen = rows[rows["seen"]]
    unseen = rows[~rows["seen"]]
    memorised = _change_by_seed(rows, "log_likelihood")
    memorised_answer = _change_by_seed(rows, "answer_log_likelihood")
    columns: dict[str, float] = {"n": len(seen)}
    columns |= _with_ends("memorised", memorised, confidence_level, least=-np.inf, most=np.inf)
    columns["memorised_answer"] = float(np.mean(memorised_answer))
    columns["gain"] = (seen["log_likelihood"] - seen["base_log_likelihood"]).mean()
    columns["exposure_seen"] = seen["exposure"].mean()
    columns["exposure_unseen"] = unseen["exposure"].mean()
    columns["answered_seen"] = seen["answered"].mean()
    columns["answered_unseen"] = unseen["answered"].mean()
    columns["answered_base"] = seen["base_answered"].mean()
    return columns


def _what_radar_says(rows: pd.DataFrame, confidence_level: float) -> dict[str, float]:
    """The columns of `items_table` from `called_seen` to `p_recall_p`."""
    called_change = _change_by_seed(rows, "called")
    p_recall_change = _change_by_seed(rows, "p_recall")
    columns: dict[str, float] = {
        "called_seen": int(rows.loc[rows["seen"], "called"].sum()),
        "called_unseen": int(rows.loc[~rows["seen"], "called"].sum()),
    }
    columns |= _with_ends("called_change", called_change, confidence_level, least=-1, most=1)
    columns |= _with_ends("p_recall_change", p_recall_change, confidence_level, least=-1, most=1)
    columns["p_recall_p"] = np.nan
    if len(p_recall_change) > 1:
        columns["p_recall_p"] = float(stats.ttest_1samp(p_recall_change, 0).pvalue)
    return columns


def _canary_row(canaries: pd.DataFrame) -> dict[str, object]:
    """The row of the canaries: how often the twin that read a canary recites it, and how often the other twin does."""
    is_reader = canaries["half"] == canaries["twin"]
    return {
        "kind": CANARY,
        "form": VERBATIM,
        "dose": canaries["dose"].iloc[0],
        "n": int(is_reader.sum()),
        "answered_seen": canaries.loc[is_reader, "recited"].mean(),
        "answered_unseen": canaries.loc[~is_reader, "recited"].mean(),
    }


def _change_by_seed(rows: pd.DataFrame, column: str) -> list[float]:
    """In each seed the mean over items of a column under the seeing twin minus its mean under the other twin."""
    changes = []
    for _, of_seed in rows.groupby("seed"):
        seen_mean = of_seed.loc[of_seed["seen"], column].mean()
        unseen_mean = of_seed.loc[~of_seed["seen"], column].mean()
        changes.append(seen_mean - unseen_mean)
    return changes


def _with_ends(
    name: str, by_seed: Sequence[float], confidence_level: float, *, least: float, most: float
) -> dict[str, float]:
    """The mean over seeds as a column `name`, and the ends of its interval."""
    estimate = mean_over_seeds(np.array(by_seed), confidence_level, least=least, most=most)
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
