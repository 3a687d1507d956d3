"""RADAR's causal proxies against the measured quantities that they are proxies of."""

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float
from tqdm import tqdm

from mechaware.radar.causal.definitions import PROXIES
from mechaware.radar.prompts import LABELS
from mechaware.stats import Estimate, area_under_roc, bootstrap_rank_correlation


def compare_proxies(table: pd.DataFrame, *, resamples: int, seed: int, level: float) -> pd.DataFrame:
    """One row per proxy: its rank correlation with the measured quantity, and how well either separates seen items.

    `table` has the columns group (of the item), model, kind (`recall` or `reasoning`), seen (whether the model was
    trained on the item), the proxies and their `real_` columns. `correlation` is Spearman's over all rows, `low` and
    `high` its bootstrap interval, which draws groups whole; the same with the suffix of a kind over its rows alone.
    `within` is the mean of the correlations within each kind and model, free of what differs between kinds and models.
    `auroc_proxy` and `auroc_real` are the probabilities that a seen item has a higher value than an unseen one of its
    kind, averaged over kinds. Rows in which either value is missing are left out of everything: `n`, `n_recall` and
    `n_reasoning` count the others. A correlation is NaN for fewer than three rows or a constant column; an area is NaN
    unless some kind has both seen and unseen items, and kinds without are left out of it.
    """
    rows = []
    for proxy, real in tqdm(PROXIES.items(), unit="proxy"):
        present = table[np.isfinite(table[proxy].astype(float)) & np.isfinite(table[real].astype(float))]
        row: dict[str, str | float | int] = {"proxy": proxy, "real": real}
        for suffix, part in [("", present), *((f"_{kind}", present[present["kind"] == kind]) for kind in LABELS)]:
            estimate = _correlate(part, proxy, real, resamples=resamples, seed=seed, level=level)
            names = (f"correlation{suffix}", f"low{suffix}", f"high{suffix}")
            row |= dict(zip(names, estimate, strict=True)) | {f"n{suffix}": len(part)}
        row |= {"within": _within(present, proxy, real)}
        row |= {"auroc_proxy": _auroc(present, proxy), "auroc_real": _auroc(present, real)}
        rows.append(row)
    return pd.DataFrame(rows)


def _correlate(part: pd.DataFrame, proxy: str, real: str, *, resamples: int, seed: int, level: float) -> Estimate:
    if len(part) < 3:
        return Estimate(np.nan, np.nan, np.nan)
    first, second = part[proxy].to_numpy(float), part[real].to_numpy(float)
    groups = part["group"].astype(str)
    return bootstrap_rank_correlation(first, second, groups, resamples=resamples, seed=seed, level=level)


def _within(table: pd.DataFrame, first: str, second: str) -> float:
    """The mean of the rank correlations within each kind and model, of those cells where both values vary."""
    cells = [part[[first, second]].astype(float) for _, part in table.groupby(["kind", "model"])]
    varying = [cell for cell in cells if (cell.nunique() > 1).all()]
    correlations = [cell[first].rank().corr(cell[second].rank()) for cell in varying]
    return float(np.mean(correlations)) if correlations else float("nan")


def _auroc(table: pd.DataFrame, column: str) -> float:
    """The area under the ROC curve of `seen` within kinds, averaged over the kinds that have both classes."""
    areas = []
    for _, part in table.groupby("kind"):
        values: Float[np.ndarray, " row"] = part[column].to_numpy(float)
        seen: Bool[np.ndarray, " row"] = part["seen"].to_numpy(bool)
        if seen.any() and not seen.all():
            areas.append(area_under_roc(values[seen], values[~seen]))
    return float(np.mean(areas)) if areas else float("nan")
