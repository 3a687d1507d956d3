"""How often each set of rules is right about the controls, whose mechanism is known: the chosen and the drawn ones."""

import numpy as np
import pandas as pd
from scipy import stats

from exhibits.grounding.verdicts import share_columns
from mechaware.core.stats import (
    Interval,
    area_under_roc,
    area_under_roc_interval,
    bootstrap_area_difference,
)
from mechaware.instruments.grounding.rules.registry import (
    BASELINES,
    RULE_SETS,
    VARIANTS,
    further_columns,
)
from mechaware.planted.controls.schema_readers import CONTROLS
from mechaware.planted.sql.runs import policy_of

# The values of `held_out` that each part of the drawn controls has.
_HALVES = {"developed": [False], "held_out": [True], "all": [False, True]}


def score_rule_sets(verdicts: pd.DataFrame, *, confidence_level: float) -> pd.DataFrame:
    """How often each set of rules, variant of the paper's, baseline and further rule is right about the controls.

    A row for each set and measure: sensitivity over the controls that ground, and specificity over the shortcuts, which
    do not. Columns: rules, measure, right (the number of controls judged rightly) of n, value (their share), low and
    high (`_interval_over_policies`), and wrong (the controls that are judged wrongly, "a, b").
    """
    measures = (
        # measure, group of the controls, right verdict
        ("sensitivity", "grounded", True),
        ("specificity", "shortcut", False),
    )
    rows = []
    for rule_set in (*RULE_SETS, *VARIANTS, *BASELINES, *further_columns(verdicts)):
        for measure, group, expected in measures:
            controls = verdicts[verdicts["group"] == group]
            right = controls[f"{rule_set}_verdict"] == expected
            n_policies = controls["run"].map(_policy_of_chosen).nunique()
            interval = _interval_over_policies(right.to_numpy(bool), n_policies, confidence_level)
            rows.append(
                {
                    "rules": rule_set,
                    "measure": measure,
                    "right": int(right.sum()),
                    "n": len(controls),
                    "value": right.mean(),
                    "low": interval.low,
                    "high": interval.high,
                    "wrong": ", ".join(controls.loc[~right, "run"]),
                }
            )
    return pd.DataFrame(rows)


def _policy_of_chosen(run: str) -> str:
    """The policy of a chosen control, as `policy_of` gives a drawn one's; one that grounds has a policy of its own.

    Controls of one policy answer alike.
    """
    draw = CONTROLS[run].draw
    if draw.grounded:
        return run
    has_habit = draw.habit > 0
    return f"{draw.policy}, lowered: {draw.lowers}, habit: {has_habit}"


def score_drawn(
    verdicts: pd.DataFrame,
    judged: pd.DataFrame,
    truth: pd.DataFrame,
    *,
    verdict_share: float,
    confidence_level: float,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """How well each set of rules, variant, baseline and further rule ranks and judges the drawn controls, by half.

    `verdicts` has a row per control (`verdicts.verdict_table`). `judged` has, by run and pair, whether the pair passes
    each rule; `truth` has run, pair, held_out and reads: whether the requested column is read in that pair. A control
    grounds if the column is read in every pair; each half needs a control that grounds and one that does not. One row
    per rule and half. Columns:

    - rules, half (`developed`, `held_out` or both: `all`), grounded and others (numbers of controls)
    - auroc, low, high: the probability that a control that grounds passes in more pairs than another one does (a tie
      counts as one half); in the interval the others count as many as their policies (`policy_of`)
    - auroc_by_share: the same, but a control grounds if it reads the column in at least `verdict_share` of the pairs;
      missing if all controls do, or none
    - lead, lead_low, lead_high: auroc less the auroc of the baseline `answer_and_gap`, with a bootstrap interval over
      controls that ground and over policies of the others
    - sensitivity, specificity: shares of controls that {rules}_verdict judges rightly; the number of controls is
      {column}_n, the interval {column}_low to {column}_high, in which the others count as many as their policies
    - pairs_right: for a set of rules, the share of pairs in which it passes exactly where the column is read
    """
    by_pair = judged.merge(truth, on=["run", "pair"])
    by_run = truth.groupby("run").agg(
        held_out=("held_out", "first"), grounds=("reads", "all"), share_read=("reads", "mean")
    )
    drawn = verdicts.merge(by_run.reset_index(), on="run")
    rows = []
    for name in (*RULE_SETS, *VARIANTS, *BASELINES, *further_columns(verdicts)):
        for half, held_out in _HALVES.items():
            controls = drawn[drawn["held_out"].isin(held_out)]
            pairs = by_pair[by_pair["held_out"].isin(held_out)]

            row: dict[str, object] = {"rules": name, "half": half}
            row |= _rank_controls(
                controls,
                name,
                verdict_share=verdict_share,
                confidence_level=confidence_level,
                resamples=resamples,
                seed=seed,
            )
            row |= _judge_controls(controls, name, confidence_level)
            row["pairs_right"] = None
            if name in RULE_SETS:
                row["pairs_right"] = (pairs[name] == pairs["reads"]).mean()
            rows.append(row)
    return pd.DataFrame(rows)


def _rank_controls(
    controls: pd.DataFrame,
    name: str,
    *,
    verdict_share: float,
    confidence_level: float,
    resamples: int,
    seed: int,
) -> dict[str, float | None]:
    """How well the share of passing pairs ranks controls: the columns `grounded` to `lead_high` of `score_drawn`.

    `controls` has a row per control: run, grounds, share_read, the shares of passing pairs by `name` and by
    `answer_and_gap`.
    """
    grounds = controls["grounds"].to_numpy(bool)
    policies = controls["run"].map(policy_of)
    shares = controls[name].to_numpy(float)
    baseline = controls["answer_and_gap"].to_numpy(float)

    area = area_under_roc(shares[grounds], shares[~grounds])
    n_grounded = int(grounds.sum())
    n_policies = policies[~grounds].nunique()
    interval = area_under_roc_interval(area, n_grounded, n_policies, confidence_level)

    reads_enough = (controls["share_read"] >= verdict_share).to_numpy()
    area_by_share = None
    if reads_enough.any() and not reads_enough.all():
        area_by_share = area_under_roc(shares[reads_enough], shares[~reads_enough])

    area_of_baseline = area_under_roc(baseline[grounds], baseline[~grounds])
    lead = bootstrap_area_difference(
        shares,
        baseline,
        grounds,
        policies,
        resamples=resamples,
        seed=seed,
        confidence_level=confidence_level,
    )
    return {
        "grounded": n_grounded,
        "others": len(controls) - n_grounded,
        "auroc": area,
        "low": interval.low,
        "high": interval.high,
        "auroc_by_share": area_by_share,
        "lead": area - area_of_baseline,
        "lead_low": lead.low,
        "lead_high": lead.high,
    }


def _judge_controls(
    controls: pd.DataFrame, name: str, confidence_level: float
) -> dict[str, float | None]:
    """How often the verdicts by `name` are right: the columns of sensitivity and specificity of `score_drawn`."""
    grounds = controls["grounds"].to_numpy(bool)
    passed = controls[f"{name}_verdict"].to_numpy(bool)
    refused = ~passed[~grounds]
    n_policies = controls.loc[~grounds, "run"].map(policy_of).nunique()
    interval = _interval_over_policies(refused, n_policies, confidence_level)

    # Each control that grounds counts: they differ in the blocks that read, on which the rules depend.
    columns = share_columns("sensitivity", passed[grounds], confidence_level)
    columns["specificity"] = refused.mean()
    columns["specificity_n"] = len(refused)
    columns["specificity_low"] = interval.low
    columns["specificity_high"] = interval.high
    return columns


def _interval_over_policies(
    right: np.ndarray, n_policies: int, confidence_level: float
) -> Interval:
    """The Clopper-Pearson interval of the share of `right` controls, as if there were only `n_policies` controls.

    Controls of one policy answer alike, so a further one adds little. The number judged rightly, the share times
    `n_policies`, may be a fraction. Without policies the interval is 0 to 1.
    """
    if n_policies == 0:
        return Interval(0, 1)
    successes = right.mean() * n_policies
    failures = n_policies - successes
    tail = (1 - confidence_level) / 2
    low = stats.beta.ppf(tail, successes, failures + 1) if successes > 0 else 0.0
    high = stats.beta.ppf(1 - tail, successes + 1, failures) if failures > 0 else 1.0
    return Interval(float(low), float(high))
