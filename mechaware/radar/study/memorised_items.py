"""Whether the planted items were memorised, what moves RADAR's P(recall), and how good its causal proxies are.

P(recall) is regressed on what an item demands and on how often it was seen. The proxies are compared with the measured
causal quantities that they are named after.
"""

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float
from scipy import stats
from tqdm import tqdm

from mechaware.radar.detectors.detector import score_held_out
from mechaware.radar.memorisation.items import KINDS, TWINS, Item
from mechaware.radar.prompts import LABELS
from mechaware.radar.study.memorisation import BootstrapSettings
from mechaware.seeds import derive_seed
from mechaware.stats import Estimate, area_under_roc, bootstrap_mean, bootstrap_rank_correlation

CANARY = "canary"
GAIN = "gain over loss"


def item_rows(answers: dict[str, pd.DataFrame], items: list[Item], seed: int) -> pd.DataFrame:
    """The answers of both twins of one seed below one another, with what is known of each item.

    `answers` by twin, as `measure_twin` gives them. Adds seed, twin, form, dose and seen.
    """
    known = pd.DataFrame(
        [(item.id, item.form, item.dose, item.half) for item in items], columns=["id", "form", "dose", "half"]
    )
    parts = [answers[twin].merge(known, on="id", how="left").assign(twin=twin, seed=seed) for twin in TWINS]
    rows = pd.concat(parts, ignore_index=True)
    return rows.assign(seen=rows["half"] == rows["twin"])


def items_table(rows: pd.DataFrame, canaries: pd.DataFrame, settings: BootstrapSettings) -> pd.DataFrame:
    """One row per kind, form and dose, and one for the canaries.

    `n`: items of all seeds. `memorised` (counterfactual memorisation): LL(seeing twin) - LL(other twin), with the
    log-likelihood LL per token, in nats, and a bootstrap interval over items. `memorised_answer`: the same over the
    answer's tokens alone. `gain`: LL(seeing twin) - LL(C). `exposure_seen` and
    `exposure_unseen`: means, in bits. `answered_seen`, `answered_unseen` and `answered_base`: shares. Of a canary,
    `answered` is recitation of its second half.
    """
    table = []
    for (kind, form, dose), part in rows.groupby(["kind", "form", "dose"], sort=False):
        seen, unseen = (side.sort_values(["seed", "id"]) for side in (part[part["seen"]], part[~part["seen"]]))
        memorised = _difference(seen, unseen, "log_likelihood")
        interval = bootstrap_mean(
            memorised, [f"{row.seed}/{row.id}" for row in seen.itertuples()], **settings._asdict()
        )
        table.append(
            {"kind": kind, "form": form, "dose": dose, "n": len(seen)}
            | {"memorised": memorised.mean(), "low": interval.low, "high": interval.high}
            | {"memorised_answer": _difference(seen, unseen, "answer_log_likelihood").mean()}
            | {"gain": (seen["log_likelihood"] - seen["base_log_likelihood"]).mean()}
            | {"exposure_seen": seen["exposure"].mean(), "exposure_unseen": unseen["exposure"].mean()}
            | {"answered_seen": seen["answered"].mean(), "answered_unseen": unseen["answered"].mean()}
            | {"answered_base": seen["base_answered"].mean()}
        )
    is_reader = canaries["half"] == canaries["twin"]
    table.append(
        {"kind": CANARY, "form": "verbatim", "dose": canaries["dose"].iloc[0], "n": int(is_reader.sum())}
        | dict.fromkeys(
            ("memorised", "low", "high", "memorised_answer", "gain", "exposure_seen", "exposure_unseen"), np.nan
        )
        | {
            "answered_seen": canaries.loc[is_reader, "recited"].mean(),
            "answered_unseen": canaries.loc[~is_reader, "recited"].mean(),
            "answered_base": np.nan,
        }
    )
    return pd.DataFrame(table)


def _difference(seen: pd.DataFrame, unseen: pd.DataFrame, column: str) -> Float[np.ndarray, " item"]:
    return np.asarray(seen[column].to_numpy(float) - unseen[column].to_numpy(float), dtype=float)


def regression_table(scores: pd.DataFrame, settings: BootstrapSettings) -> pd.DataFrame:
    """The terms of the regression, and the gain over the loss alone: term, estimate, low, high, p, n, clusters.

    Items planted verbatim. `dose, {kind}`: by how much P(recall) of the same item is higher under the twin that saw it,
    for each unit of log2(1 + times seen), with an intercept of each pair of twins (item fixed effects). `kind`: recall
    less reasoning among unseen rows, with an intercept of each model. Intervals and two-sided p-values by the sandwich
    estimator, clustered by item. `gain over loss`: how much the mean held-out log-likelihood of `seen` rises, in nats a
    row, when a logistic regression on the loss is also given P(recall), its interval by items; no p-value.
    """
    rows = scores[scores["form"] == "verbatim"].sort_values(["seed", "id"], kind="stable")
    seen, unseen = rows[rows["seen"]], rows[~rows["seen"]]
    # Rows are sorted by seed and id: row i of both tables is the same item, so the difference removes its fixed effect.
    rise = seen["radar"].to_numpy(float) - unseen["radar"].to_numpy(float)
    dose = np.log2(1 + seen["dose"].to_numpy(float))
    by_kind = [dose * (seen["kind"] == kind).to_numpy(float) for kind in KINDS]
    # The twin that saw the item less the other: an intercept for each seed, with the sign of the item's half.
    side = np.where(seen["twin"] == TWINS[0], 1.0, -1.0)
    pairs = [side * (seen["seed"] == seed).to_numpy(float) for seed in seen["seed"].unique()]
    slopes = _terms(
        [f"dose, {kind}" for kind in KINDS], np.column_stack([*by_kind, *pairs]), rise, seen, settings.level
    )
    recall = (unseen["kind"] == "recall").to_numpy(float)
    models = pd.get_dummies(unseen["seed"].astype(str) + unseen["twin"]).to_numpy(float)
    kinds = _terms(["kind"], np.column_stack([recall, models]), unseen["radar"].to_numpy(float), unseen, settings.level)
    return pd.DataFrame([*kinds, *slopes, _gain_over_loss(scores, settings)])


def _terms(
    names: list[str],
    design: Float[np.ndarray, "row term"],
    target: Float[np.ndarray, " row"],
    rows: pd.DataFrame,
    level: float,
) -> list[dict[str, float | str | int]]:
    """The first terms of a regression, named, with their intervals and p-values."""
    clusters = (rows["seed"].astype(str) + "/" + rows["id"]).to_numpy()
    coefficients, errors = _clustered_least_squares(design, target, clusters)
    reach = stats.norm.ppf((1 + level) / 2)
    return [
        {"term": term, "estimate": value, "low": value - reach * error, "high": value + reach * error}
        | {"p": 2 * stats.norm.sf(abs(value) / error), "n": len(rows), "clusters": len(np.unique(clusters))}
        for term, value, error in zip(names, coefficients, errors, strict=False)
    ]


def _clustered_least_squares(
    design: Float[np.ndarray, "row term"], target: Float[np.ndarray, " row"], clusters: np.ndarray
) -> tuple[Float[np.ndarray, " term"], Float[np.ndarray, " term"]]:
    """Coefficients and their standard errors, robust to dependence within clusters (the sandwich, CR1).

    V = c (X'X)^-1 (sum over clusters g of X_g' e_g e_g' X_g) (X'X)^-1, c = G / (G - 1) * (n - 1) / (n - k).
    """
    bread = np.linalg.inv(design.T @ design)
    coefficients = bread @ design.T @ target
    residuals = target - design @ coefficients
    _, member = np.unique(clusters, return_inverse=True)
    n_clusters = int(member.max()) + 1
    scores = np.zeros((n_clusters, design.shape[1]))
    np.add.at(scores, member, design * residuals[:, None])
    n_rows, n_terms = design.shape
    # CR1: the residuals of few clusters are too small, since the coefficients were fitted to them.
    correction = n_clusters / (n_clusters - 1) * (n_rows - 1) / (n_rows - n_terms)
    variance = correction * bread @ scores.T @ scores @ bread
    return coefficients, np.sqrt(np.diag(variance))


def _gain_over_loss(scores: pd.DataFrame, settings: BootstrapSettings) -> dict[str, float | str | int]:
    gains, groups = [], []
    for seed, rows in scores.groupby("seed", sort=True):
        seen, items = rows["seen"].to_numpy(bool), rows["id"].tolist()
        fold_seed = derive_seed(settings.seed, "folds", str(seed))
        likelihoods = [
            _held_out_likelihood(rows[columns].to_numpy(float), seen, items, fold_seed)
            for columns in (["loss"], ["loss", "radar"])
        ]
        gains.append(likelihoods[1] - likelihoods[0])
        groups += [f"{seed}/{item}" for item in items]
    gain = np.concatenate(gains)
    interval = bootstrap_mean(gain, groups, **settings._asdict())
    row: dict[str, float | str | int] = {"term": GAIN, "estimate": float(gain.mean())}
    row |= {"low": interval.low, "high": interval.high, "p": float("nan")}
    return row | {"n": len(gain), "clusters": len(set(groups))}


def _held_out_likelihood(
    values: Float[np.ndarray, "row score"], seen: np.ndarray, items: list[str], seed: int
) -> Float[np.ndarray, " row"]:
    """The log-likelihood of each row's truth by a logistic regression fitted on other items."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def fit_score(training: np.ndarray, truth: np.ndarray, held_out: np.ndarray) -> np.ndarray:
        fitted = make_pipeline(StandardScaler(), LogisticRegression()).fit(training, truth)
        return np.asarray(fitted.predict_proba(held_out)[:, 1], dtype=float)

    chance = score_held_out(values, seen, items, fit_score, seed=seed)
    return np.log(np.where(seen, chance, 1 - chance))


def compare_proxies(table: pd.DataFrame, settings: BootstrapSettings) -> pd.DataFrame:
    """One row per proxy: its rank correlation with the measured quantity, and how well either separates seen items.

    `table` has the columns group (of the item), model, kind (`recall` or `reasoning`), seen (whether the model was
    trained on the item), the proxies and their `real_` columns. `correlation` is Spearman's over all rows, `low` and
    `high` its bootstrap interval, which draws groups whole; the same with the suffix of a kind over its rows alone.
    `within` is the mean of the correlations within each kind and model, free of what differs between kinds and models.
    `auroc_proxy` and `auroc_real` are the probabilities that a seen item has a higher value than an unseen one of its
    kind, averaged over kinds. Rows in which either value is missing are left out of everything: `n`, `n_recall` and
    `n_reasoning` count the others. A correlation is NaN for fewer than three rows or a constant column; an area is NaN
    unless some kind has both seen and unseen items; it averages the kinds that have both.
    """
    rows = []
    for real in tqdm([name for name in map(str, table) if name.startswith("real_")], unit="proxy"):
        proxy = real.removeprefix("real_")
        present = table[np.isfinite(table[proxy].astype(float)) & np.isfinite(table[real].astype(float))]
        row: dict[str, str | float | int] = {"proxy": proxy, "real": real}
        for suffix, part in [("", present), *((f"_{kind}", present[present["kind"] == kind]) for kind in LABELS)]:
            estimate = _correlate(part, proxy, real, settings)
            names = (f"correlation{suffix}", f"low{suffix}", f"high{suffix}")
            row |= dict(zip(names, estimate, strict=True)) | {f"n{suffix}": len(part)}
        row |= {"within": _within(present, proxy, real)}
        row |= {"auroc_proxy": _auroc(present, proxy), "auroc_real": _auroc(present, real)}
        rows.append(row)
    return pd.DataFrame(rows)


def _correlate(part: pd.DataFrame, proxy: str, real: str, settings: BootstrapSettings) -> Estimate:
    if len(part) < 3:
        return Estimate(np.nan, np.nan, np.nan)
    first, second = part[proxy].to_numpy(float), part[real].to_numpy(float)
    groups = part["group"].astype(str)
    return bootstrap_rank_correlation(first, second, groups, **settings._asdict())


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
