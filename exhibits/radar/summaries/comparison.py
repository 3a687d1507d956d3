"""Compares RADAR with its controls: ranges over seeds, tests against guessing, RADAR's leads."""

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

    RADAR is the ensemble under the configured `reduction`.

    Args:
        predictions: The table of `evaluate_controls`, under the config's own seed.
        by_seed: The tables of `right_by_seed` for every reduction, with the column reduction. A
            seed gives the same folds to all systems.
        null: The table of `permutation_draws`: accuracies under permuted labels.
        reduction: The configured reduction of attention entropies.
        resamples: The bootstrap resamples of an interval, and the most sign flips of a p-value.
        seed: The seed of resamples and sign flips.
        confidence_level: The level of the intervals.

    Columns:

    - protocol, system, reduction: as in `predictions`; the reduction is empty for a system that
      reads no attention
    - correct, n, accuracy, its intervals, and ties (`accuracy`)
    - seeds, seed_mean, seed_min, seed_max: the number of seeds, and the mean and range of the
      accuracy over them
    - p_above_guessing: the one-sided p-value of the accuracy against guessing, in a set of matched
      pairs. Cross-validated: the mean over the seeds of the p-values of `permutation_p`. Trained:
      `sign_flip_above_zero`; under the null hypothesis, a pair's accuracy over the seeds is as
      likely to be a as (1 - a).
    - p_of_mean (only cross-validated): the p-value of the mean accuracy over the seeds, under the
      same permutations. It is conservative: a permutation has one seed, and so its accuracy varies
      more than a mean over seeds. It is less conservative than the mean of p-values.
    - same_as_radar: the number of prompts to which the system and RADAR give the same label, under
      the config's own seed
    - radar_lead, radar_lead_low, radar_lead_high, p_against_radar: RADAR's lead over the system
      (`_radar_lead`); missing for RADAR itself
    """
    rows = []
    for (protocol, system, own_reduction), part in predictions.groupby(
        ["protocol", "system", "reduction"], sort=False
    ):
        radar = _rows_of_system(predictions, protocol, "radar", reduction)
        radar_by_seed = _rows_of_system(by_seed, protocol, "radar", reduction)
        # A system that reads no attention has an empty reduction in `predictions`. In `by_seed` it
        # has the same rows under each reduction: take those under the configured reduction.
        seed_reduction = own_reduction or reduction
        system_by_seed = _rows_of_system(by_seed, protocol, system, seed_reduction)
        null_accuracies = np.array([])
        if system in REPEATED and seed_reduction == reduction:
            null_accuracies = null[system].dropna().to_numpy(float)

        row: dict[str, object] = {
            "protocol": protocol,
            "system": system,
            "reduction": own_reduction,
        }
        row |= accuracy(
            part,
            part["group"],
            resamples=resamples,
            seed=seed,
            confidence_level=confidence_level,
        )
        row |= _seed_summary(system_by_seed)
        row["p_above_guessing"] = _p_above_guessing(
            str(protocol), part, system_by_seed, null_accuracies, resamples=resamples, seed=seed
        )
        row["p_of_mean"] = _p_of_mean(str(protocol), system_by_seed, null_accuracies)
        row["same_as_radar"] = _same_labels(part, radar)
        is_radar = system == "radar" and own_reduction == reduction
        if not is_radar:
            row |= _radar_lead(
                part,
                system_by_seed,
                radar_by_seed,
                resamples=resamples,
                seed=seed,
                confidence_level=confidence_level,
            )
        rows.append(row)
    return pd.DataFrame(rows)


def _rows_of_system(
    rows: pd.DataFrame, protocol: object, system: object, reduction: object
) -> pd.DataFrame:
    """The rows of one system under one protocol and reduction."""
    return rows[
        (rows["protocol"] == protocol)
        & (rows["system"] == system)
        & (rows["reduction"] == reduction)
    ]


def _seed_summary(by_seed: pd.DataFrame) -> dict[str, float | int]:
    """The number of seeds, and the mean and range of a system's accuracy over them."""
    accuracies = _accuracy_by_seed(by_seed)
    return {
        "seeds": len(accuracies),
        "seed_mean": accuracies.mean(),
        "seed_min": accuracies.min(),
        "seed_max": accuracies.max(),
    }


def _accuracy_by_seed(by_seed: pd.DataFrame) -> pd.Series:
    """A system's accuracy under each seed; the column draw has the seed's number."""
    return by_seed.groupby("draw")["right"].mean()


def _p_above_guessing(
    protocol: str,
    predictions: pd.DataFrame,
    by_seed: pd.DataFrame,
    null_accuracies: np.ndarray,
    *,
    resamples: int,
    seed: int,
) -> float:
    """The p-value of a system against guessing under a protocol (`compare_controls`).

    `null_accuracies` are the system's accuracies under permuted labels. They are empty, and the
    p-value is NaN, in a set that is not in pairs, for a system that is not in `REPEATED`, and under
    another reduction than the configured one.
    """
    if len(null_accuracies) == 0:
        return float("nan")
    if protocol == CROSS_VALIDATED:
        return permutation_p(_accuracy_by_seed(by_seed).to_numpy(), null_accuracies)

    pair_by_id = predictions.set_index("id")["group"]
    right_of_pair = by_seed["right"].groupby(by_seed["id"].map(pair_by_id))
    # A pair has two answers under each seed. Guessing is right in half of them on average.
    n_right = right_of_pair.sum()
    n_answers = right_of_pair.size()
    above_half = n_right - n_answers / 2
    return sign_flip_above_zero(above_half.to_numpy(float), resamples=resamples, seed=seed)


def _p_of_mean(protocol: str, by_seed: pd.DataFrame, null_accuracies: np.ndarray) -> float:
    """The p-value of a system's mean accuracy over seeds among its accuracies on permuted labels.

    NaN under the protocol `trained`, and without accuracies on permuted labels.
    """
    if protocol != CROSS_VALIDATED or len(null_accuracies) == 0:
        return float("nan")
    return permutation_p(np.array([by_seed["right"].mean()]), null_accuracies)


def _same_labels(predictions: pd.DataFrame, radar: pd.DataFrame) -> int:
    """The number of prompts to which a system and RADAR give the same label."""
    labels = predictions.set_index("id")["predicted"]
    radar_labels = radar.set_index("id")["predicted"]
    return int((labels == radar_labels[labels.index]).sum())


def _radar_lead(
    predictions: pd.DataFrame,
    by_seed: pd.DataFrame,
    radar_by_seed: pd.DataFrame,
    *,
    resamples: int,
    seed: int,
    confidence_level: float,
) -> dict[str, float]:
    """RADAR's lead in accuracy over a system on the same prompts, matched by id.

    A prompt's accuracy is the share of seeds under which it is answered rightly; for a system that
    is not repeated over seeds, it is 1 or 0 under the config's own seed. The bootstrap interval
    draws pairs whole. The p-value is `paired_permutation` over pairs. Its cases:

        system                             p_against_radar
        repeated over seeds                tested
        RADAR's halves, surface and        missing: not repeated over seeds
        mechanistic
        majority class, set without pairs  tested
        majority class, set of pairs       missing: `p_above_guessing` of RADAR answers the same
                                           question
    """
    by_id = predictions.set_index("id").sort_index()
    is_repeated = len(by_seed) > 0
    if is_repeated:
        right = by_seed.groupby("id")["right"].mean()
    else:
        right = (by_id["predicted"] == by_id["label"]).astype(float)
    lead = radar_by_seed.groupby("id")["right"].mean() - right
    groups = by_id["group"]
    interval = bootstrap_mean(
        lead.to_numpy(), groups, resamples=resamples, seed=seed, confidence_level=confidence_level
    )

    is_majority_class = predictions["system"].iloc[0] == "majority_class"
    in_pairs = groups.duplicated().any()
    p = np.nan
    if is_repeated or (is_majority_class and not in_pairs):
        # Rounded: means over seeds give 1e-17 instead of 0, which would count as a difference.
        lead_by_pair = lead.groupby(groups).sum().round(9).to_numpy()
        p = paired_permutation(lead_by_pair, resamples=resamples, seed=seed)
    return {
        "radar_lead": lead.mean(),
        "radar_lead_low": interval.low,
        "radar_lead_high": interval.high,
        "p_against_radar": p,
    }
