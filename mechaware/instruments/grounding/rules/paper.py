"""The rules R1 to R3 of the symbolic-mechanistic paper, with the gaps, recoveries and best layers.

A patching table has one row per pair and layer: pair, category, layer, clean_diff, corrupted_diff,
patched_diff. `patched_diff` is measured in the corrupted run, with the clean state put in at the
layer. Layer l >= 1 is the residual stream after block l. Layer 0, the embedding, recovers the whole
gap by construction, and is scored only in the readings r3_embedding and r3_both (`apply_readings`).
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

# Two recoveries that differ by less than this share of the gap are equal to within float32; the
# earlier layer then counts as the best.
_TIE = 1e-4


def _rule(name: str, explanation: str, thresholds: tuple[str, ...]) -> Rule:
    """The rule whose verdicts are the column `name` of `apply_rules`; it reads these thresholds."""

    def passes(measurements: PairMeasurements, values: Thresholds) -> Verdicts:
        rules = apply_rules(measurements.patching, tau=values.tau, alpha=values.alpha)
        return rules.set_index("pair")[name].loc[measurements.pairs]

    return Rule(name, passes, thresholds, explanation=explanation)


PAPER = (
    _rule(
        "r1",
        "the exchanged word moves the answers' logit difference by {tau:g} or more",
        thresholds=("tau",),
    ),
    _rule(
        "r2",
        "R1, and the word's clean state after some block restores {alpha:.0%} of that move",
        thresholds=("tau", "alpha"),
    ),
    _rule(
        "r3",
        "R2, and among such blocks is the one that restores most in most pairs",
        thresholds=("tau", "alpha"),
    ),
)


def apply_rules(
    patching: pd.DataFrame, *, tau: float, alpha: float, first_layer: int = 1
) -> pd.DataFrame:
    """One row per pair, in the order of `patching`: gap, recovery and the verdicts of R1 to R3.

    From the paper's sections Symbolic Rules, Activation Patching Protocol and Hierarchical Rule
    System. For pair i and the layers l >= `first_layer` (0 is the embedding):

        delta       = clean_diff - corrupted_diff, the schema-sensitivity gap
        Rec(l)      = max(0, sign(delta) * (patched_diff(l) - corrupted_diff))
        RecFrac     = min(max_l Rec(l), |delta|) / |delta|; 0 if delta is 0
        L*_i        = the l with the largest Rec(l); none if no layer recovers anything
        TopLayers_i = all l with Rec(l) / |delta| >= alpha; none if delta is 0
        L*          = the most frequent L*_i over all pairs

        R1 = |delta| >= tau
        R2 = R1 and RecFrac >= alpha
        R3 = R2 and L* in TopLayers_i

    On a tie the earliest layer is L*_i or L*. For L*_i, recoveries tie that differ by less than
    `_TIE` of the gap. A value within `ROUNDING` of tau or alpha counts as equal to it.

    Columns:

    - pair, category, clean_diff, corrupted_diff
    - delta: in logits
    - best_recovery: max_l Rec(l), in logits, not capped at the gap
    - top_layer: L*_i; missing where no layer recovers anything
    - recovered: RecFrac
    - top_layers: TopLayers_i as text, for instance "1 2"
    - r1, r2, r3
    - r1_signed: another reading of R1, delta > tau, as in the paper's results section
    - r3_top: another reading of R3, where L* is the most frequent member of the TopLayers_i
    """
    recovery = recovery_by_layer(patching, first_layer)
    pairs = patching.drop_duplicates("pair").set_index("pair").loc[recovery.index]
    delta = (pairs["clean_diff"] - pairs["corrupted_diff"]).to_numpy()
    gap = np.abs(delta)

    layers = recovery.columns.to_numpy()
    uncapped = recovery.to_numpy()
    best = uncapped.max(axis=1)
    # L*_i is the earliest layer that ties with the best: later copies of its state differ only by
    # rounding.
    is_best = (uncapped > 0) & (uncapped >= (best - _TIE * gap)[:, None])
    shares = recovered_shares(recovery, gap)
    reaches = (gap[:, None] > 0) & (shares >= alpha - ROUNDING)

    rules = pd.DataFrame(
        {
            "pair": recovery.index,
            "category": pairs["category"].to_numpy(),
            "clean_diff": pairs["clean_diff"].to_numpy(),
            "corrupted_diff": pairs["corrupted_diff"].to_numpy(),
            "delta": delta,
            "best_recovery": best,
            "top_layer": pd.array(layers[is_best.argmax(axis=1)], dtype="Int64"),
            "recovered": shares.max(axis=1),
            "top_layers": [" ".join(map(str, layers[reached])) for reached in reaches],
            "r1": gap >= tau - ROUNDING,
            "r1_signed": delta > tau + ROUNDING,
        }
    )
    # Where nothing is recovered, `argmax` gave the first layer.
    rules.loc[best == 0, "top_layer"] = pd.NA

    some_layer_reaches = rules["top_layers"] != ""
    rules["r2"] = rules["r1"] & some_layer_reaches
    commonest_best = most_common_top_layer(rules)
    rules["r3"] = rules["r2"] & _contains(reaches, layers, commonest_best)
    commonest_member = _most_frequent(layers, reaches.sum(axis=0))
    rules["r3_top"] = rules["r2"] & _contains(reaches, layers, commonest_member)
    return rules


def apply_readings(patching: pd.DataFrame, *, tau: float, alpha: float) -> pd.DataFrame:
    """The table of `apply_rules` with three more columns: R3 in further readings.

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
    """Rec (`apply_rules`) of each layer from `first_layer` on: pair x layer, in logits.

    It is 0 where a patch moves the difference away from the clean one, and not capped at the gap.
    Pairs are in the order of `patching`.
    """
    rows = patching[patching["layer"] >= first_layer]
    gap = rows["clean_diff"] - rows["corrupted_diff"]
    shift = rows["patched_diff"] - rows["corrupted_diff"]
    rows = rows.assign(recovery=np.maximum(0, np.sign(gap) * shift))
    by_pair_and_layer = rows.pivot(index="pair", columns="layer", values="recovery")
    return by_pair_and_layer.loc[rows["pair"].unique()]


def recovered_shares(recovery: pd.DataFrame, gap: np.ndarray) -> np.ndarray:
    """`recovery` (pair x layer, in logits) as a share of each pair's `gap`, capped at 1.

    `gap` is |delta| of each pair, in logits. Shares are 0 where there is no gap.
    """
    capped = np.minimum(recovery.to_numpy(), gap[:, None])
    divisor = np.where(gap > 0, gap, 1)
    shares: np.ndarray = capped / divisor[:, None]
    return shares


def most_common_top_layer(rules: pd.DataFrame) -> int | None:
    """L*, from the table of `apply_rules`; None if no layer recovers anything in any pair."""
    counts = rules["top_layer"].value_counts()
    if counts.empty:
        return None
    return int(counts.index[counts == counts.max()].min())


def _most_frequent(layers: np.ndarray, counts: np.ndarray) -> int | None:
    """The layer with the largest of `counts`, the earliest on a tie; None if all are 0."""
    if not counts.any():
        return None
    return int(layers[counts.argmax()])


def _contains(reaches: np.ndarray, layers: np.ndarray, layer: int | None) -> np.ndarray:
    """Whether `layer` is in TopLayers_i, for each pair i; False for all pairs if it is None.

    `reaches` (pair x layer) is whether each of `layers` is in TopLayers_i.
    """
    contained: np.ndarray = (reaches & (layers == layer)).any(axis=1)
    return contained
