"""Both sets of rules over grids of their thresholds:
the pairs that pass, and what follows for controls and models.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from mechaware.instruments.grounding.names import condition_of
from mechaware.instruments.grounding.rules import PairMeasurements, Rule, Thresholds
from mechaware.instruments.grounding.rules.grounded import GROUNDED
from mechaware.instruments.grounding.rules.paper import PAPER
from mechaware.instruments.grounding.shortcuts import best_shortcut, corrected
from mechaware.planted.sql.runs import group_of

# Which pairs pass a rule, by its name and the values of its thresholds.
_PassedByRule = dict[tuple[str, tuple[float, ...]], pd.Series]


class GridValues(NamedTuple):
    """The values of thresholds at which a grid counts the pairs that pass.

    - `taus`, `alphas`: of R1 to R3, each tau with each alpha.
    - `grounded_alphas`, `unasked_shares`: of G1 to G5, each alpha with each unasked share.
    - `null_quantiles`, `significances`: of G1 to G5, each alone, with the other thresholds as in
      the config.
    """

    taus: list[float]
    alphas: list[float]
    grounded_alphas: list[float]
    unasked_shares: list[float]
    null_quantiles: list[float]
    significances: list[float]


def threshold_grid(
    measurements_by_run: Mapping[str, PairMeasurements], thresholds: Thresholds, values: GridValues
) -> pd.DataFrame:
    """The number of pairs of each run that pass each set of rules at each point of the grid, each
    point once.

    A point has some thresholds from `values`, and the others from `thresholds`. Columns: rules,
    run, each of `Thresholds`, passed, n, shortcut (the share of clean prompts that the best
    shortcut answers rightly).
    """
    of_paper = []
    for tau, alpha in product(values.taus, values.alphas):
        of_paper.append(thresholds._replace(tau=tau, alpha=alpha))
    of_grounded = []
    for alpha, share in product(values.grounded_alphas, values.unasked_shares):
        of_grounded.append(thresholds._replace(alpha=alpha, unasked_share=share))
    for quantile in values.null_quantiles:
        of_grounded.append(thresholds._replace(null_quantile=quantile))
    for significance in values.significances:
        of_grounded.append(thresholds._replace(significance=significance))

    # The config's own values are in several grids: each point counts once.
    points = {"paper": dict.fromkeys(of_paper), "grounded": dict.fromkeys(of_grounded)}
    rows = []
    for run, measurements in measurements_by_run.items():
        shortcut = best_shortcut(measurements.answers)
        passed_by_rule: _PassedByRule = {}
        for rule_set, of_set in points.items():
            # R3 holds only where R1 and R2 do.
            rules = PAPER[-1:] if rule_set == "paper" else GROUNDED
            for point in of_set:
                passed = _pass_all(rules, measurements, point, passed_by_rule)
                rows.append((rule_set, run, *point, int(passed.sum()), len(passed), shortcut))
    return pd.DataFrame(
        rows, columns=["rules", "run", *Thresholds._fields, "passed", "n", "shortcut"]
    )


def _pass_all(
    rules: Sequence[Rule],
    measurements: PairMeasurements,
    point: Thresholds,
    passed_by_rule: _PassedByRule,
) -> pd.Series:
    """Which pairs pass all of `rules` at a point of the grid.

    `passed_by_rule` keeps the pairs that pass each rule by its own thresholds, so that a rule is
    tested once for each combination of these, not once for each point.
    """
    passed = pd.Series(True, index=measurements.pairs)
    for rule in rules:
        own_thresholds = tuple(getattr(point, name) for name in rule.thresholds)
        key = (rule.name, own_thresholds)
        if key not in passed_by_rule:
            passed_by_rule[key] = rule.passes(measurements, point)
        passed &= passed_by_rule[key]
    return passed


def scored_grid(grid: pd.DataFrame, verdict_share: float) -> pd.DataFrame:
    """Verdicts on the controls and pass rates of the trained models at each point of
    `threshold_grid`.

    One row per set of rules and point, R1 to R3 first. A run is found to ground if its share of
    passing pairs, beyond what the best shortcut answers (`shortcuts.corrected`), is at least
    `verdict_share`. Columns: rules; each of `Thresholds`, missing if no rule of the set reads it;
    sensitivity (of the controls that ground, the share that is found to), specificity (of the
    controls that do not ground, the share that is not found to), schema and no_schema (share of
    passing pairs, the mean over seeds).
    """
    rates = grid.assign(
        group=grid["run"].map(group_of),
        condition=grid["run"].map(condition_of),
        rate=grid["passed"] / grid["n"],
    )
    rates["found"] = (corrected(rates["rate"], rates["shortcut"]) >= verdict_share).astype(float)
    by = ["rules", *Thresholds._fields]
    scored = pd.DataFrame(
        {
            "sensitivity": rates[rates["group"] == "grounded"].groupby(by)["found"].mean(),
            "specificity": 1 - rates[rates["group"] == "shortcut"].groupby(by)["found"].mean(),
            "schema": rates[rates["condition"] == "schema"].groupby(by)["rate"].mean(),
            "no_schema": rates[rates["condition"] == "no_schema"].groupby(by)["rate"].mean(),
        }
    ).reset_index()
    for rule_set, rules in (("paper", PAPER), ("grounded", GROUNDED)):
        unread = set(Thresholds._fields).difference(*(rule.thresholds for rule in rules))
        scored.loc[scored["rules"] == rule_set, sorted(unread)] = np.nan
    return scored.sort_values(
        "rules", key=lambda names: names == "grounded", kind="stable", ignore_index=True
    )
