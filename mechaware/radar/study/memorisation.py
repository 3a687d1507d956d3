"""How well each detector separates seen from unseen planted items, within kinds.

Every item is a row under each twin: seen under one, unseen under the other. Any score that depends on the text alone
thus has an area under the ROC curve (AUROC) of one half. Bootstrap intervals draw seeds, and items with both rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.radar.detectors.detector import FALSE_POSITIVE_RATE
from mechaware.radar.memorisation.items import CONTRADICTED, KINDS, VERBATIM
from mechaware.seeds import derive_seed
from mechaware.stats import Estimate, area_under_roc, percentile_interval, resample_counts, true_positive_rate_at

ALL, KIND_MEAN = "all", "both"  # the slice of all items; the mean over the two kinds
CROSSED_FORMS = (VERBATIM, CONTRADICTED)


class BootstrapSettings(NamedTuple):
    """How intervals are drawn: the number of resamples, the seed of the draws, and the confidence level."""

    resamples: int
    seed: int
    level: float


class _SeenUnseenScores(NamedTuple):
    """A score of the same items when seen and when unseen, one pair of arrays for each seed."""

    seen: list[Float[np.ndarray, " item"]]
    unseen: list[Float[np.ndarray, " item"]]


class _SeenUnseenRows(NamedTuple):
    """The rows of items when seen and when unseen, in the order of their ids, one pair of tables for each seed."""

    seen: list[pd.DataFrame]
    unseen: list[pd.DataFrame]

    def scored_by(self, column: str) -> _SeenUnseenScores:
        """The scores of the rows."""
        seen, unseen = ([rows[column].to_numpy(float) for rows in side] for side in self)
        return _SeenUnseenScores(seen, unseen)


class _Resamples(NamedTuple):
    """The weights of each resample: of each seed, as a share, and by kind and seed the counts of each item."""

    seeds: Float[np.ndarray, "resample seed"]
    items: Mapping[str, list[Float[np.ndarray, "resample item"]]]


def detector_table(scores: pd.DataFrame, detectors: Sequence[str], settings: BootstrapSettings) -> pd.DataFrame:
    """One row per detector, kind and slice of items: AUROC of seen with its interval, and the rate of true positives.

    `scores` has the columns seed, twin, id, kind, form, dose and seen, a column for each of `detectors`, and the same
    with the prefix `shuffled_`. `kind` is one of `KINDS`, or `both`: the mean over kinds, since a score may differ
    between kinds for other reasons. `form` and `dose` name the slice; `all` and 0: all items. `tpr`: share of seen rows
    above the threshold that 5% of the kind's unseen rows exceed. `shuffled`: AUROC with the truths shuffled.
    `auroc_kind`: AUROC of recall against reasoning among unseen items (slice `all` of `both` alone). All detectors
    share the resamples of a slice.
    """
    rows = []
    all_items = _rows_by_kind(scores, "seen")
    for form, dose, part in _slices(scores):
        resamples = _draw_resamples(part, settings, form, dose)
        rows_by_kind, shuffled = _rows_by_kind(part, "seen"), _rows_by_kind(part, "shuffled_seen")
        for name in detectors:
            pairs = {kind: rows_by_kind[kind].scored_by(name) for kind in KINDS}
            estimates = _bootstrap_auroc(pairs, resamples, settings.level)
            tpr = {kind: _true_positive_rate(pairs[kind], all_items[kind].scored_by(name)) for kind in KINDS}
            shuffled_auroc = {kind: _mean_auroc(shuffled[kind].scored_by(f"shuffled_{name}")) for kind in KINDS}
            for kind, estimate in estimates.items():
                averaged = KINDS if kind == KIND_MEAN else (kind,)
                rows.append(
                    {"detector": name, "kind": kind, "form": form, "dose": dose}
                    | {"n": sum(len(seen) for part_kind in averaged for seen in pairs[part_kind].seen)}
                    | {"auroc": estimate.value, "low": estimate.low, "high": estimate.high}
                    | {"tpr": float(np.mean([tpr[part_kind] for part_kind in averaged]))}
                    | {"shuffled": float(np.mean([shuffled_auroc[part_kind] for part_kind in averaged]))}
                    | {"auroc_kind": _kind_auroc(scores, name) if (form, kind) == (ALL, KIND_MEAN) else np.nan}
                )
    table = pd.DataFrame(rows)
    return table.sort_values("detector", key=lambda names: names.map(list(detectors).index), kind="stable")


def _bootstrap_auroc(
    pairs: Mapping[str, _SeenUnseenScores], resamples: _Resamples, level: float
) -> dict[str, Estimate]:
    """The mean over seeds of the AUROC of each kind, and over the kinds as `both`, with percentile intervals.

    Each resample draws seeds, and in each seed items with both of their rows.
    """
    drawn, values = {}, {}
    for kind, rows in pairs.items():
        areas = [_resampled_areas(*sides) for sides in zip(rows.seen, rows.unseen, resamples.items[kind], strict=True)]
        drawn[kind] = (resamples.seeds * np.stack(areas, axis=1)).sum(axis=1)
        values[kind] = _mean_auroc(rows)
    drawn[KIND_MEAN], values[KIND_MEAN] = np.mean(list(drawn.values()), axis=0), float(np.mean(list(values.values())))
    return {kind: Estimate(values[kind], *percentile_interval(drawn[kind], level)) for kind in drawn}


def _resampled_areas(
    seen: Float[np.ndarray, " item"], unseen: Float[np.ndarray, " item"], items: Float[np.ndarray, "resample item"]
) -> Float[np.ndarray, " resample"]:
    """The AUROC in each resample: wins of seen over unseen rows, weighted by how often both items are drawn."""
    # AUROC = sum_ij c_i c_j win(i, j) / n^2, with the count c_i of item i: a drawn item brings its seen and unseen row.
    wins = (seen[:, None] > unseen) + 0.5 * (seen[:, None] == unseen)
    return np.asarray(((items @ wins) * items).sum(axis=1) / len(seen) ** 2, dtype=float)


def _draw_resamples(part: pd.DataFrame, settings: BootstrapSettings, *names: str | int) -> _Resamples:
    """Resamples of the seeds and items of a slice, which `names` name."""
    generator = np.random.default_rng(derive_seed(settings.seed, *names))
    n_seeds = part["seed"].nunique()
    seeds = resample_counts(generator, n_seeds, settings.resamples) / n_seeds
    items = {
        kind: [
            resample_counts(generator, size, settings.resamples).astype(float)
            for size in part[part["kind"] == kind].groupby("seed", sort=True)["id"].nunique()
        ]
        for kind in KINDS
    }
    return _Resamples(seeds, items)


def roc_table(scores: pd.DataFrame, detectors: Sequence[str], dose: int) -> pd.DataFrame:
    """The ROC curve of each detector on the items planted verbatim `dose` times: detector, kind, fpr, tpr.

    The mean over seeds of each kind's rate of true positives at a hundred rates of false positives.
    """
    grid = np.linspace(0, 1, 101)  # curves of different seeds have other thresholds, and are averaged here
    part = scores[(scores["form"] == "verbatim") & (scores["dose"] == dose)]
    sides = _rows_by_kind(part, "seen")
    rows = []
    for name in detectors:
        for kind in KINDS:
            pairs = sides[kind].scored_by(name)
            curves = [_roc(seen, unseen, grid) for seen, unseen in zip(pairs.seen, pairs.unseen, strict=True)]
            rows.append(
                pd.DataFrame(
                    {"detector": name, "kind": kind, "dose": dose, "fpr": grid, "tpr": np.mean(curves, axis=0)}
                )
            )
    return pd.concat(rows, ignore_index=True)


def crossed_table(scores: pd.DataFrame, settings: BootstrapSettings) -> pd.DataFrame:
    """RADAR's probability of recall by kind and by whether the text was seen, on verbatim and on contradicted items.

    `dose` is 0 for the rows of unseen items: of all items of the form. `mean` with its interval, and `share`: how many
    RADAR calls recall (above one half).
    """
    rows = []
    for form in CROSSED_FORMS:
        of_form = scores[scores["form"] == form]
        slices = {0: of_form[~of_form["seen"]]}
        slices |= {int(dose): of_form[of_form["seen"] & (of_form["dose"] == dose)] for dose in of_form["dose"].unique()}
        for kind in KINDS:
            for dose, part in slices.items():
                values = part[part["kind"] == kind]
                if values.empty:
                    continue
                by_seed = [rows["radar"].to_numpy(float) for _, rows in values.groupby("seed", sort=True)]
                estimate = _bootstrap_means(by_seed, settings, form, kind, dose)
                rows.append(
                    {"form": form, "kind": kind, "dose": dose, "n": len(values)}
                    | {"mean": estimate.value, "low": estimate.low, "high": estimate.high}
                    | {"share": float((values["radar"] > 0.5).mean())}
                )
    return pd.DataFrame(rows)


def _slices(scores: pd.DataFrame) -> Iterator[tuple[str, int, pd.DataFrame]]:
    yield ALL, 0, scores
    for (form, dose), part in scores.groupby(["form", "dose"], sort=False):
        yield str(form), int(str(dose)), part


def _rows_by_kind(part: pd.DataFrame, seen: str) -> dict[str, _SeenUnseenRows]:
    """The rows of each kind, by the column `seen`."""
    sides = {}
    for kind in KINDS:
        # By id, so that entry i of `seen` and of `unseen` is the same item, as `_resampled_areas` needs.
        of_kind = part[part["kind"] == kind].sort_values("id", kind="stable")
        seeds = [rows for _, rows in of_kind.groupby("seed", sort=True)]
        sides[kind] = _SeenUnseenRows([rows[rows[seen]] for rows in seeds], [rows[~rows[seen]] for rows in seeds])
    return sides


def _mean_auroc(rows: _SeenUnseenScores) -> float:
    return float(np.mean([area_under_roc(seen, unseen) for seen, unseen in zip(rows.seen, rows.unseen, strict=True)]))


def _true_positive_rate(chosen: _SeenUnseenScores, of_kind: _SeenUnseenScores) -> float:
    """The mean over seeds of the share of seen rows above the threshold of all unseen rows of the kind."""
    rates = [
        true_positive_rate_at(seen, unseen, FALSE_POSITIVE_RATE)
        for seen, unseen in zip(chosen.seen, of_kind.unseen, strict=True)
    ]
    return float(np.mean(rates))


def _kind_auroc(scores: pd.DataFrame, name: str) -> float:
    """The mean over seeds of the AUROC of recall against reasoning among unseen rows."""
    unseen = scores[~scores["seen"]]
    areas = []
    for _, rows in unseen.groupby("seed"):
        recall, reasoning = (rows.loc[rows["kind"] == kind, name].to_numpy(float) for kind in KINDS)
        areas.append(area_under_roc(recall, reasoning))
    return float(np.mean(areas))


def _roc(
    seen: Float[np.ndarray, " item"], unseen: Float[np.ndarray, " item"], grid: Float[np.ndarray, " rate"]
) -> Float[np.ndarray, " rate"]:
    """The rate of true positives at each rate of false positives, with straight lines between thresholds."""
    thresholds = np.unique(np.concatenate([seen, unseen]))[::-1]  # falling, so that both rates rise for np.interp
    fpr = np.concatenate([[0.0], [(unseen >= threshold).mean() for threshold in thresholds]])
    tpr = np.concatenate([[0.0], [(seen >= threshold).mean() for threshold in thresholds]])
    return np.asarray(np.interp(grid, fpr, tpr), dtype=float)


def _bootstrap_means(
    by_seed: Sequence[Float[np.ndarray, " row"]], settings: BootstrapSettings, *names: str | int
) -> Estimate:
    """The mean over seeds of the mean over rows; each row is another item."""
    generator = np.random.default_rng(derive_seed(settings.seed, *names))
    n_seeds = len(by_seed)
    seeds = resample_counts(generator, n_seeds, settings.resamples) / n_seeds
    drawn = np.zeros(settings.resamples)
    for number, values in enumerate(by_seed):
        counts = resample_counts(generator, len(values), settings.resamples)
        drawn += seeds[:, number] * (counts @ values) / len(values)
    mean = float(np.mean([values.mean() for values in by_seed]))
    return Estimate(mean, *percentile_interval(drawn, settings.level))
