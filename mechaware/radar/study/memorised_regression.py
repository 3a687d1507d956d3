"""RADAR's P(recall) regressed on what an item demands and on how often it was seen, and what it adds to the loss."""

import numpy as np
import pandas as pd
from jaxtyping import Float
from scipy import stats

from mechaware.radar.detectors.cross_fitting import score_held_out
from mechaware.radar.study.memorisation import Draws
from mechaware.seeds import derive_seed
from mechaware.stats import bootstrap_mean

TERMS = ("kind", "dose", "kind x dose")
GAIN = "gain over loss"


def regression_table(scores: pd.DataFrame, draws: Draws) -> pd.DataFrame:
    """The terms of the regression, and the gain over the loss alone: term, estimate, low, high, p, n, clusters.

    Least squares of P(recall) on kind (1 for recall, 0 for reasoning), dose (log2(1 + times seen), 0 if unseen), their
    product, and an intercept of each model, over items planted verbatim; intervals and two-sided p-values by the
    sandwich estimator clustered by item. `gain over loss`: how much the mean held-out log-likelihood of `seen` rises,
    in nats a row, when a logistic regression on the loss is also given P(recall), its interval by items; no p-value.
    """
    rows = scores[scores["form"] == "verbatim"].reset_index(drop=True)
    kind = (rows["kind"] == "recall").to_numpy(float)
    dose = np.where(rows["seen"], np.log2(1 + rows["dose"].to_numpy(float)), 0.0)
    models = pd.get_dummies(rows["seed"].astype(str) + rows["twin"]).to_numpy(float)
    design = np.column_stack([kind, dose, kind * dose, models])
    clusters = (rows["seed"].astype(str) + "/" + rows["id"]).to_numpy()
    coefficients, errors = clustered_least_squares(design, rows["radar"].to_numpy(float), clusters)
    reach = stats.norm.ppf((1 + draws.level) / 2)
    n_clusters = len(np.unique(clusters))
    table = [
        {"term": term, "estimate": value, "low": value - reach * error, "high": value + reach * error}
        | {"p": 2 * stats.norm.sf(abs(value) / error), "n": len(rows), "clusters": n_clusters}
        for term, value, error in zip(TERMS, coefficients, errors, strict=False)
    ]
    return pd.DataFrame([*table, _gain_over_loss(scores, draws)])


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
