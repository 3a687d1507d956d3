"""The rules R1 to R3 of the symbolic-mechanistic paper, with the gaps, recoveries and best layers behind them.

A patching table has one row per pair and layer: pair, category, layer, clean_diff, corrupted_diff, patched_diff, where
clean states are put into the corrupted run. Layer l >= 1 is the residual stream after block l. Layer 0, the embedding,
recovers the whole gap by construction and is scored in a variant only.
"""

import numpy as np
import pandas as pd

from mechaware.instruments.grounding.rules import (
    ROUNDING,
    PairMeasurements,
    Rule,
    Thresholds,
    Verdicts,
)

# Two recoveries that differ by less than this share of the gap are a tie to within float32: the earlier layer wins.
_TIE = 1e-4


def _rule(name: str, explanation: str, *names_of_thresholds: str) -> Rule:
    """The rule whose verdicts are the column `name` of `apply_rules`."""

    def passes(measurements: PairMeasurements, thresholds: Thresholds) -> Verdicts:
        rules = apply_rules(measurements.patching, tau=thresholds.tau, alpha=thresholds.alpha)
        return rules.set_index("pair")[name].loc[measurements.pairs]

    return Rule(name, passes, names_of_thresholds, explanation=explanation)


PAPER = (
    _rule("r1", "the exchanged word moves the answers' logit difference by {tau:g} or more", "tau"),
    _rule(
        "r2",
        "R1, and the word's clean state after some block restores {alpha:.0%} of that move",
        "tau",
        "alpha",
    ),
    _rule(
        "r3",
        "R2, and among such blocks is the one that restores most in most pairs",
        "tau",
        "alpha",
    ),
)


def apply_rules(
    patching: pd.DataFrame, *, tau: float, alpha: float, first_layer: int = 1
) -> pd.DataFrame:
    """One row per pair, in the order of `patching`: gap, recovery and the verdicts of R1, R2 and R3.

    From the paper's sections Symbolic Rules, Activation Patching Protocol and Hierarchical Rule System:
    R1 = |delta| >= tau; R2 = R1 and RecFrac >= alpha; R3 = R2 and L* in TopLayers_i.

    Columns: pair, category, clean_diff, corrupted_diff, delta (the schema-sensitivity gap, in logits), best_recovery
    (logits, at least 0, uncapped), top_layer (L*_i; the earliest on a tie, missing where no layer recovers anything),
    recovered (RecFrac, 0 to 1, 0 where the gap is 0), top_layers (TopLayers_i, for instance "1 2": the layers that
    recover at least `alpha` of the gap), r1, r2, r3, and two other readings: r1_signed (delta > tau, as in the results
    section) and r3_top (L* as the most frequent member of the TopLayers instead of the most frequent L*_i).
    Layers from `first_layer` on are scored; 0 is the embedding.
    """
    recovery = recovery_by_layer(patching, first_layer)
    of_pairs = patching.drop_duplicates("pair").set_index("pair").loc[recovery.index]
    delta = (of_pairs["clean_diff"] - of_pairs["corrupted_diff"]).to_numpy()
    gap = np.abs(delta)

    layers = recovery.columns.to_numpy()
    uncapped = recovery.to_numpy()
    best = uncapped.max(axis=1)
    # The earliest layer within a tie is L*_i: copies of a state in later layers differ only by rounding.
    is_best = (uncapped > 0) & (uncapped >= (best - _TIE * gap)[:, None])
    shares = recovered_shares(recovery, gap)
    reaches = (gap[:, None] > 0) & (shares >= alpha - ROUNDING)

    rules = pd.DataFrame(
        {
            "pair": recovery.index,
            "category": of_pairs["category"].to_numpy(),
            "clean_diff": of_pairs["clean_diff"].to_numpy(),
            "corrupted_diff": of_pairs["corrupted_diff"].to_numpy(),
            "delta": delta,
            "best_recovery": best,
            "top_layer": pd.array(layers[is_best.argmax(axis=1)], dtype="Int64"),
            "recovered": shares.max(axis=1),
            "top_layers": [" ".join(map(str, layers[row])) for row in reaches],
            "r1": gap >= tau - ROUNDING,
            "r1_signed": delta > tau + ROUNDING,
        }
    )
    # `argmax` of a row without a True is 0, the first layer.
    rules.loc[best == 0, "top_layer"] = pd.NA

    some_layer_reaches = rules["top_layers"] != ""
    rules["r2"] = rules["r1"] & some_layer_reaches
    commonest_best = most_common_top_layer(rules)
    rules["r3"] = rules["r2"] & _contains(reaches, layers, commonest_best)
    commonest_member = _most_frequent(layers, reaches.sum(axis=0))
    rules["r3_top"] = rules["r2"] & _contains(reaches, layers, commonest_member)
    return rules


def apply_readings(patching: pd.DataFrame, *, tau: float, alpha: float) -> pd.DataFrame:
    """The table of `apply_rules`, with R3 in three further readings as columns.

    - r3_signed: R1 takes the gap with its sign, as the paper's results section does.
    - r3_embedding: the embedding counts as a layer.
    - r3_both: the gap has its sign, and the embedding counts as a layer.
    """
    rules = apply_rules(patching, tau=tau, alpha=alpha)
    with_embedding = apply_rules(patching, tau=tau, alpha=alpha, first_layer=0)
    rules["r3_signed"] = rules["r1_signed"] & rules["r3"]
    rules["r3_embedding"] = with_embedding["r3"]
    rules["r3_both"] = rules["r1_signed"] & rules["r3_embedding"]
    return rules


def recovery_by_layer(patching: pd.DataFrame, first_layer: int = 1) -> pd.DataFrame:
    """Recovery of each layer from `first_layer` on: pair x layer, in logits.

    max(0, sign(clean_diff - corrupted_diff) * (patched_diff - corrupted_diff)): 0 where a patch moves the difference
    away from clean, and not capped at the gap. Pairs are in the order of `patching`.
    """
    rows = patching[patching["layer"] >= first_layer]
    gap = rows["clean_diff"] - rows["corrupted_diff"]
    shift = rows["patched_diff"] - rows["corrupted_diff"]
    table = rows.assign(recovery=np.maximum(0, np.sign(gap) * shift))
    return table.pivot(index="pair", columns="layer", values="recovery").loc[rows["pair"].unique()]


def recovered_shares(recovery: pd.DataFrame, gap: np.ndarray) -> np.ndarray:
    """Recovery (pair x layer) as a share of the size of each pair's gap, capped at 1; 0 where there is no gap."""
    capped = np.minimum(recovery.to_numpy(), gap[:, None])
    divisor = np.where(gap > 0, gap, 1)
    shares: np.ndarray = capped / divisor[:, None]
    return shares


def most_common_top_layer(rules: pd.DataFrame) -> int | None:
    """L*: the most frequent L*_i, the earlier layer on a tie; None if no layer recovers anything in any pair."""
    counts = rules["top_layer"].value_counts()
    if counts.empty:
        return None
    return int(counts.index[counts == counts.max()].min())


def _most_frequent(layers: np.ndarray, counts: np.ndarray) -> int | None:
    """The layer with the largest count, the earliest on a tie; None if all counts are 0."""
    if not counts.any():
        return None
    return int(layers[counts.argmax()])


def _contains(reaches: np.ndarray, layers: np.ndarray, layer: int | None) -> np.ndarray:
    """Whether `layer` is among the TopLayers of each pair; False for all pairs if it is None."""
    contained: np.ndarray = (reaches & (layers == layer)).any(axis=1)
    return contained
