"""RADAR's P(recall) regressed on what an item demands and on how often it was seen, and what it adds to the loss."""

import numpy as np
import pandas as pd
from jaxtyping import Float
from scipy import stats

from mechaware.radar.detectors.cross_fitting import score_held_out
from mechaware.radar.memorisation.items import TWINS
from mechaware.radar.memorisation.world import KINDS
from mechaware.radar.study.memorisation import Draws
from mechaware.seeds import derive_seed
from mechaware.stats import bootstrap_mean

GAIN = "gain over loss"


def regression_table(scores: pd.DataFrame, draws: Draws) -> pd.DataFrame:
    """The terms of the regression, and the gain over the loss alone: term, estimate, low, high, p, n, clusters.

    Items planted verbatim. `dose, {kind}`: by how much P(recall) of the same item is higher under the twin that saw it,
    for each unit of log2(1 + times seen), with an intercept of each pair of twins (item fixed effects). `kind`: recall
    less reasoning among unseen rows, with an intercept of each model. Intervals and two-sided p-values by the sandwich
    estimator, clustered by item. `gain over loss`: how much the mean held-out log-likelihood of `seen` rises, in nats a
    row, when a logistic regression on the loss is also given P(recall), its interval by items; no p-value.
    """
    rows = scores[scores["form"] == "verbatim"].sort_values(["seed", "id"], kind="stable")
    seen, unseen = rows[rows["seen"]], rows[~rows["seen"]]
    rise = seen["radar"].to_numpy(float) - unseen["radar"].to_numpy(float)
    dose = np.log2(1 + seen["dose"].to_numpy(float))
    by_kind = [dose * (seen["kind"] == kind).to_numpy(float) for kind in KINDS]
    # The twin that saw the item less the other: an intercept for each seed, with the sign of the item's half.
    side = np.where(seen["twin"] == TWINS[0], 1.0, -1.0)
    pairs = [side * (seen["seed"] == seed).to_numpy(float) for seed in seen["seed"].unique()]
    slopes = _terms([f"dose, {kind}" for kind in KINDS], np.column_stack([*by_kind, *pairs]), rise, seen, draws.level)
    recall = (unseen["kind"] == "recall").to_numpy(float)
    models = pd.get_dummies(unseen["seed"].astype(str) + unseen["twin"]).to_numpy(float)
    kinds = _terms(["kind"], np.column_stack([recall, models]), unseen["radar"].to_numpy(float), unseen, draws.level)
    return pd.DataFrame([*kinds, *slopes, _gain_over_loss(scores, draws)])


def _terms(
    names: list[str],
    design: Float[np.ndarray, "row term"],
    target: Float[np.ndarray, " row"],
    rows: pd.DataFrame,
    level: float,
) -> list[dict[str, float | str | int]]:
    """The first terms of a regression, named, with their intervals and p-values."""
    clusters = (rows["seed"].astype(str) + "/" + rows["id"]).to_numpy()
    coefficients, errors = clustered_least_squares(design, target, clusters)
    reach = stats.norm.ppf((1 + level) / 2)
    return [
        {"term": term, "estimate": value, "low": value - reach * error, "high": value + reach * error}
        | {"p": 2 * stats.norm.sf(abs(value) / error), "n": len(rows), "clusters": len(np.unique(clusters))}
        for term, value, error in zip(names, coefficients, errors, strict=False)
    ]


def clustered_least_squares(
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
    correction = n_clusters / (n_clusters - 1) * (n_rows - 1) / (n_rows - n_terms)
    variance = correction * bread @ scores.T @ scores @ bread
    return coefficients, np.sqrt(np.diag(variance))


def _gain_over_loss(scores: pd.DataFrame, draws: Draws) -> dict[str, float | str | int]:
    gains, groups = [], []
    for seed, rows in scores.groupby("seed", sort=True):
        seen, items = rows["seen"].to_numpy(bool), rows["id"].tolist()
        fold_seed = derive_seed(draws.seed, "folds", str(seed))
        likelihoods = [
            _held_out_likelihood(rows[columns].to_numpy(float), seen, items, fold_seed)
            for columns in (["loss"], ["loss", "radar"])
        ]
        gains.append(likelihoods[1] - likelihoods[0])
        groups += [f"{seed}/{item}" for item in items]
    gain = np.concatenate(gains)
    interval = bootstrap_mean(gain, groups, resamples=draws.resamples, seed=draws.seed, level=draws.level)
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
