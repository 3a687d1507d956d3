"""RADAR and its controls: ranges over seeds, tests against guessing,
RADAR's lead over each control.
"""

import numpy as np
import pandas as pd

from exhibits.radar.summaries.accuracy import accuracy
from mechaware.core.stats.intervals import bootstrap_mean
from mechaware.core.stats.p_values import paired_permutation, permutation_p, sign_flip_above_zero
from mechaware.instruments.radar.controls import CROSS_VALIDATED
from mechaware.instruments.radar.systems import REPEATED


def compare_controls(
    predictions: pd.DataFrame,
    by_seed: pd.DataFrame,
    null: pd.DataFrame,
    *,
    reduction: str,
    resamples: int,
    seed: int,
    confidence_level: float,
) -> pd.DataFrame:
    """One row per protocol, system and reduction.

    A row has the accuracy with intervals, its mean and range over seeds, p-values, and RADAR's
    lead.

    `predictions` is the table of `evaluate_controls`. `by_seed` is the table of `right_by_seed`
    with the column reduction: the reduction of the ensemble that had the same folds. `null` is the
    table of `permutation_draws`. RADAR is the ensemble under the configured `reduction`.

    `p_above_guessing` tests accuracy in a set of matched pairs, one-sided. Cross-validated: the
    mean over the seeds of the p-values of `permutation_p`. Trained: `sign_flip_above_zero`; under
    the null hypothesis a pair's accuracy over the seeds is as likely to be a as (1 - a).
    `p_of_mean` (only cross-validated) is the p-value of the mean accuracy over the seeds among the
    same permutations. It is conservative, because a permutation has one seed and so varies more
    than a mean, but less so than the mean of p-values. `same_as_radar` counts the prompts to which
    system and RADAR give the same label under the config's own seed. RADAR's lead is described in
    `_against_radar`.
    """
    rows = []
    for (protocol, system, own_reduction), part in predictions.groupby(
        ["protocol", "system", "reduction"], sort=False
    ):
        radar = _of_system(predictions, protocol, "radar", reduction)
        radar_seeds = _of_system(by_seed, protocol, "radar", reduction)
        # A system that reads no attention has an empty reduction: it shares folds and draws with
        # the configured ensemble.
        shared = own_reduction or reduction
        seeds = _of_system(by_seed, protocol, system, shared)
        guessing = np.array([])
        if system in REPEATED and shared == reduction:
            guessing = null[system].dropna().to_numpy(float)

        resampling = {"resamples": resamples, "seed": seed}
        row: dict[str, object] = {
            "protocol": protocol,
            "system": system,
            "reduction": own_reduction,
        }
        row |= accuracy(part, part["group"], **resampling, confidence_level=confidence_level)
        row |= _over_seeds(seeds)
        row["p_above_guessing"] = _p_above_guessing(
            str(protocol), seeds, part, guessing, **resampling
        )
        row["p_of_mean"] = _p_of_mean(str(protocol), seeds, guessing)
        row["same_as_radar"] = _same_labels(part, radar)
        is_radar = system == "radar" and own_reduction == reduction
        if not is_radar:
            row |= _against_radar(
                part, seeds, radar_seeds, **resampling, confidence_level=confidence_level
            )
        rows.append(row)
    return pd.DataFrame(rows)


def _of_system(
    rows: pd.DataFrame, protocol: object, system: object, reduction: object
) -> pd.DataFrame:
    """The rows of one system under one protocol and reduction."""
    return rows[
        (rows["protocol"] == protocol)
        & (rows["system"] == system)
        & (rows["reduction"] == reduction)
    ]


def _over_seeds(seeds: pd.DataFrame) -> dict[str, float | int]:
    """The number of seeds, and the mean and range of the accuracy over seeds."""
    accuracies = seeds.groupby("draw")["right"].mean()  # `draw` is the seed's number
    return {
        "seeds": len(accuracies),
        "seed_mean": accuracies.mean(),
        "seed_min": accuracies.min(),
        "seed_max": accuracies.max(),
    }


def _p_above_guessing(
    protocol: str,
    seeds: pd.DataFrame,
    predictions: pd.DataFrame,
    guessing: np.ndarray,
    *,
    resamples: int,
    seed: int,
) -> float:
    """The p-value against guessing under a protocol (`compare_controls`).

    `guessing` holds accuracies under permuted labels. It is empty, and p is NaN, in a set that is
    not in pairs, for a system that is not in `REPEATED`, and under another reduction than the
    configured one.
    """
    if len(guessing) == 0:
        return float("nan")
    if protocol == CROSS_VALIDATED:
        accuracies = seeds.groupby("draw")["right"].mean()  # `draw` is the seed's number
        return permutation_p(accuracies.to_numpy(), guessing)
    pair = seeds["id"].map(predictions.set_index("id")["group"])
    # Of each pair: how often it was right, over the seeds and its two prompts, and how often it was
    # asked.
    counts = seeds["right"].groupby(pair).agg(["sum", "size"])
    above_half = counts["sum"] - counts["size"] / 2
    return sign_flip_above_zero(above_half.to_numpy(float), resamples=resamples, seed=seed)


def _p_of_mean(protocol: str, seeds: pd.DataFrame, guessing: np.ndarray) -> float:
    """The p-value of the mean accuracy over seeds among the accuracies `guessing`;
    NaN if trained, or without these.
    """
    if protocol != CROSS_VALIDATED or len(guessing) == 0:
        return float("nan")
    return permutation_p(np.array([seeds["right"].mean()]), guessing)


def _same_labels(predictions: pd.DataFrame, radar: pd.DataFrame) -> int:
    """The number of prompts to which a system and RADAR give the same label."""
    labels = predictions.set_index("id")["predicted"]
    radar_labels = radar.set_index("id")["predicted"]
    return int((labels == radar_labels[labels.index]).sum())


def _against_radar(
    predictions: pd.DataFrame,
    seeds: pd.DataFrame,
    radar_seeds: pd.DataFrame,
    *,
    resamples: int,
    seed: int,
    confidence_level: float,
) -> dict[str, float]:
    """RADAR's lead in accuracy on the same prompts, matched by id, with a bootstrap interval that
    draws pairs whole.

    Right answers to a prompt are averaged over seeds, the system's only if it was repeated. The
    p-value, by `paired_permutation` over pairs, is missing for RADAR's surface and mechanistic
    halves, which are not repeated over seeds, and for the majority class in a set of pairs, where
    `p_above_guessing` answers the same question.
    """
    by_id = predictions.set_index("id").sort_index()
    right = (by_id["predicted"] == by_id["label"]).astype(float)
    if len(seeds):
        right = seeds.groupby("id")["right"].mean()
    lead = radar_seeds.groupby("id")["right"].mean() - right
    groups = by_id["group"]
    interval = bootstrap_mean(
        lead.to_numpy(), groups, resamples=resamples, seed=seed, confidence_level=confidence_level
    )

    in_pairs = groups.duplicated().any()
    is_tested = len(seeds) > 0
    if predictions["system"].iloc[0] == "majority_class" and not in_pairs:
        is_tested = True
    p = np.nan
    if is_tested:
        # Rounded: means over seeds give 1e-17 instead of 0, which would count as a difference.
        by_pair = lead.groupby(groups).sum().round(9).to_numpy()
        p = paired_permutation(by_pair, resamples=resamples, seed=seed)
    return {
        "radar_lead": lead.mean(),
        "radar_lead_low": interval.low,
        "radar_lead_high": interval.high,
        "p_against_radar": p,
    }
