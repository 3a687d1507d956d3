"""The verdicts of both sets of rules over grids of their thresholds."""

from collections.abc import Mapping, Sequence
from itertools import product

import pandas as pd

from mechaware.grounding.names import condition_of, group_of
from mechaware.grounding.rules.listed import GROUNDED
from mechaware.grounding.rules.recovery import apply_rules
from mechaware.grounding.rules.rule import Measurements, Thresholds

# The thresholds of G1 to G5, as columns of their grid.
GROUNDED_THRESHOLDS = ("alpha", "most_blocks", "unasked_share", "null_quantile", "significance")


def paper_grid(patching: pd.DataFrame, taus: Sequence[float], alphas: Sequence[float]) -> pd.DataFrame:
    """The number of pairs that pass each of R1 to R3 at each pair of thresholds: run, tau, alpha, r1, r2, r3, n."""
    rows = []
    for run, part in patching.groupby("run", sort=False):
        for tau, alpha in product(taus, alphas):
            rules = apply_rules(part, tau=tau, alpha=alpha)
            rows.append((run, tau, alpha, *rules[["r1", "r2", "r3"]].sum(), len(rules)))
    return pd.DataFrame(rows, columns=["run", "tau", "alpha", "r1", "r2", "r3", "n"])


def grounded_grid(
    measured: Mapping[str, Measurements],
    thresholds: Thresholds,
    *,
    alphas: Sequence[float],
    most_blocks: Sequence[int],
    unasked_shares: Sequence[float],
    null_quantiles: Sequence[float],
    significances: Sequence[float],
) -> pd.DataFrame:
    """The number of pairs that pass G1 to G5 at each point: run, the thresholds of `GROUNDED_THRESHOLDS`, passed, n.

    The points are all of the first three thresholds together, with the last two as in `thresholds`, and those at which
    one of the last two alone differs from `thresholds`. `measured` are the runs' measurements by name.
    """
    points = [
        thresholds._replace(alpha=alpha, most_blocks=blocks, unasked_share=share)
        for alpha, blocks, share in product(alphas, most_blocks, unasked_shares)
    ]
    points += [thresholds._replace(null_quantile=quantile) for quantile in null_quantiles]
    points += [thresholds._replace(significance=level) for level in significances]
    rows = []
    for run, measurements in measured.items():
        held: dict[tuple[object, ...], pd.Series] = {}  # by rule and the thresholds that it asks for
        for at in dict.fromkeys(points):
            passed = pd.Series(True, index=measurements.pairs)
            for rule in GROUNDED:
                key = (rule.name, *(getattr(at, name) for name in rule.thresholds))
                if key not in held:
                    held[key] = rule.holds(measurements, at)
                passed &= held[key]
            rows.append((run, *(getattr(at, name) for name in GROUNDED_THRESHOLDS), int(passed.sum()), len(passed)))
    return pd.DataFrame(rows, columns=["run", *GROUNDED_THRESHOLDS, "passed", "n"])


# What `scored_grid` returns beside the thresholds, as tables name it.
LABELS = {
    "sensitivity": "Sensitivity, %",
    "specificity": "Specificity, %",
    "schema": "Pass with schema, %",
    "no_schema": "Pass without, %",
}


def scored_grid(grid: pd.DataFrame, thresholds: Sequence[str], passed: str, verdict_share: float) -> pd.DataFrame:
    """Verdicts on the controls and pass rates of the trained models at each point of a grid: one row per point.

    Columns: the `thresholds`; sensitivity (share of the controls that ground in which at least `verdict_share` of the
    pairs pass), specificity (share of the shortcuts in which fewer do), schema and no_schema (share of passing pairs,
    the mean over seeds). `passed` is the column of `grid` with the number of passing pairs.
    """
    rates = grid.assign(
        group=grid["run"].map(group_of), condition=grid["run"].map(condition_of), rate=grid[passed] / grid["n"]
    )
    rates["found"] = (rates["rate"] >= verdict_share).astype(float)
    by = list(thresholds)
    scored = pd.DataFrame(
        {
            "sensitivity": rates[rates["group"] == "grounded"].groupby(by)["found"].mean(),
            "specificity": 1 - rates[rates["group"] == "shortcut"].groupby(by)["found"].mean(),
            "schema": rates[rates["condition"] == "schema"].groupby(by)["rate"].mean(),
            "no_schema": rates[rates["condition"] == "no_schema"].groupby(by)["rate"].mean(),
        }
    )
    return scored.reset_index()
