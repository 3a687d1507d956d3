"""How often the rules are right about controls, whose mechanism is known.

`score_rule_sets` is about the controls that were chosen by hand, `score_drawn` about those that
were drawn at random. Controls of one policy answer alike, so an interval over controls that do not
ground counts each policy once.
"""

import numpy as np
import pandas as pd
from scipy import stats

from exhibits.grounding.verdicts import share_columns
from mechaware.core.stats.intervals import Interval
from mechaware.core.stats.roc import (
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

# The group of chosen controls over which each measure is a share.
_GROUP_OF_MEASURE = {"sensitivity": "grounded", "specificity": "shortcut"}
# The values of `held_out` among the drawn controls of each half, and of both together.
_HALVES = {"developed": [False], "held_out": [True], "all": [False, True]}


def score_rule_sets(verdicts: pd.DataFrame, *, confidence_level: float) -> pd.DataFrame:
    """How often each set of rules is right about the chosen controls.

    `verdicts` is the table of `verdicts.verdict_table`. One row per measure and per set of rules,
    variant, baseline and further rule. The measures are sensitivity over the controls that ground,
    and specificity over the shortcuts, which do not. Columns:

    - rules, measure
    - right, n: the number of controls that are judged rightly, and of all
    - value: the share right / n, with its interval from low to high (`_interval_over_policies`)
    - wrong: the controls that are judged wrongly ("a, b")
    """
    rows = []
    for name in (*RULE_SETS, *VARIANTS, *BASELINES, *further_columns(verdicts)):
        for measure, group in _GROUP_OF_MEASURE.items():
            controls = verdicts[verdicts["group"] == group]
            right_verdict = group == "grounded"
            right = controls[f"{name}_verdict"] == right_verdict
            n_policies = controls["run"].map(_policy_of_chosen).nunique()
            interval = _interval_over_policies(right.to_numpy(bool), n_policies, confidence_level)
            rows.append(
                {
                    "rules": name,
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
    """The policy of a chosen control, in words; a control that grounds is a policy of its own.

    For drawn controls `policy_of` gives the policy.
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
    """How well each set of rules ranks and judges the drawn controls, by half.

    A control grounds if it reads the requested column in every pair. Each half needs a control that
    grounds and one that does not.

    Args:
        verdicts: A row per control (`verdicts.verdict_table`).
        judged: A row per run and pair: whether the pair passes each set of rules.
        truth: A row per run and pair: held_out, whether the control is in the half on which no rule
            was developed, and reads, whether it reads the requested column in that pair.
        verdict_share: The least share of pairs for `auroc_by_share`, 0 to 1.
        confidence_level: The level of the intervals, for instance 0.95.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.

    Returns:
        One row per half and per set of rules, variant, baseline and further rule, with the columns

        - rules, half (`developed`, `held_out`, or `all` for both together)
        - grounded, others: the numbers of controls that ground and that do not
        - auroc: the probability that a control that grounds passes in a larger share of pairs than
          one that does not; a tie counts as one half
        - low, high: the interval of auroc, as if each policy (`policy_of`) of the controls that do
          not ground had only one control
        - auroc_by_share: auroc if a control counts as grounding that reads the column in at least
          `verdict_share` of the pairs; missing if all controls count, or none
        - lead: auroc minus the auroc of the baseline `answer_and_gap`; lead_low, lead_high: its
          bootstrap interval over the controls that ground and over the policies of the others
        - sensitivity, specificity: the shares of controls that {rules}_verdict judges rightly,
          among those that ground and among the others, each with the number of controls
          (sensitivity_n) and an interval (sensitivity_low, sensitivity_high). The interval of
          specificity is as if each policy had only one control (`_interval_over_policies`)
        - pairs_right: the share of pairs in which a set of rules passes exactly where the column is
          read; missing for a name that is no set of rules
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
    """The columns `grounded` to `lead_high` of `score_drawn`: how well `name` ranks the controls.

    `controls` has a row per control with the columns run, grounds, share_read, `name` and
    `answer_and_gap`; the last two are shares of pairs that pass.
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
    """The columns of sensitivity and of specificity in `score_drawn`: how often `name` is right."""
    grounds = controls["grounds"].to_numpy(bool)
    passed = controls[f"{name}_verdict"].to_numpy(bool)
    refused = ~passed[~grounds]
    n_policies = controls.loc[~grounds, "run"].map(policy_of).nunique()
    interval = _interval_over_policies(refused, n_policies, confidence_level)

    # Sensitivity counts controls, not policies: controls that ground differ in the blocks in which
    # they read, and the rules depend on these blocks.
    columns = share_columns("sensitivity", passed[grounds], confidence_level)
    columns["specificity"] = refused.mean()
    columns["specificity_n"] = len(refused)
    columns["specificity_low"] = interval.low
    columns["specificity_high"] = interval.high
    return columns


def _interval_over_policies(
    right: np.ndarray, n_policies: int, confidence_level: float
) -> Interval:
    """The Clopper-Pearson interval of the share of `right`, as if of only `n_policies` controls.

    Controls of one policy answer alike, so a further control adds little. The number of successes,
    the share times `n_policies`, may be a fraction: the interval is made of quantiles of beta
    distributions, which need no integers. Without policies it is 0 to 1.
    """
    if n_policies == 0:
        return Interval(0, 1)
    successes = right.mean() * n_policies
    failures = n_policies - successes
    tail = (1 - confidence_level) / 2
    low = stats.beta.ppf(tail, successes, failures + 1) if successes > 0 else 0.0
    high = stats.beta.ppf(1 - tail, successes + 1, failures) if failures > 0 else 1.0
    return Interval(float(low), float(high))
