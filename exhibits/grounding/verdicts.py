"""The verdicts of both sets of rules on every run, with truth and behaviour, and over grids of their thresholds."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from mechaware.core.stats import (
    Interval,
    area_under_roc,
    area_under_roc_interval,
    bootstrap_area_difference,
    clopper_pearson,
)
from mechaware.instruments.grounding.names import TIE, condition_of
from mechaware.instruments.grounding.rules import PairMeasurements, Rule, Thresholds
from mechaware.instruments.grounding.rules.grounded import (
    GROUNDED,
    block_sets,
    most_common_block,
    most_common_set,
)
from mechaware.instruments.grounding.rules.paper import PAPER
from mechaware.instruments.grounding.rules.registry import (
    BASELINES,
    RULE_SETS,
    RULES,
    VARIANTS,
    further_columns,
)
from mechaware.instruments.grounding.shortcuts import best_shortcut, corrected
from mechaware.planted.controls.schema_readers import CONTROLS
from mechaware.planted.sql.runs import group_of, known_blocks, policy_of

# Which pairs pass a rule, by its name and the values of its thresholds.
_PassedByRule = dict[tuple[str, tuple[float, ...]], pd.Series]
# The values of `held_out` that each part of the drawn controls has.
_HALVES = {"developed": [False], "held_out": [True], "all": [False, True]}


def verdict_table(
    rules: pd.DataFrame,
    answers: pd.DataFrame,
    cuts: pd.DataFrame,
    *,
    alpha: float,
    verdict_share: float,
    confidence_level: float,
) -> pd.DataFrame:
    """One row per run, in the order of `rules`; all tables have a column `run`.

    - run, group, n (pairs)
    - right_first, right_elsewhere: the share of clean prompts answered with the column that is asked for, where it
      is the first of its schema and elsewhere; {name}_n prompts, exact interval {name}_low, {name}_high
    - prefers_absent: the share of corrupted prompts in which the clean word, which their schema lacks, is preferred
    - shortcut: the share of pairs in which the best place shortcut is right
    - {name}: the share of passing pairs, for each rule, all of our rules but one (grounded_but_{rule}), each set of
      rules, variant of the paper's, baseline and further rule
    - {name}_corrected, {name}_verdict, for all but the single rules and grounded_but: the share beyond the shortcut
      (`shortcuts.corrected`), and whether it is at least `verdict_share`
    - of a set of rules: the share's exact interval ({set}_low, {set}_high), and the share of passing pairs where the
      wanted column is first and elsewhere ({set}_first, {set}_elsewhere)
    - known_blocks (of a control), found_block, the one that is in most pairs' sets (missing without any), and
      found_blocks, the commonest set as a whole ("1 3"; "" without any)
    """
    rows = []
    for run, rules_of_run in rules.groupby("run", sort=False):
        answers_of_run = answers[answers["run"] == run]
        answered = _with_answers(rules_of_run, answers_of_run)
        shortcut = best_shortcut(answers_of_run)
        is_first = (answered["place"] == 1).to_numpy()
        right = answered["right"].to_numpy()

        row: dict[str, object] = {
            "run": run,
            "group": group_of(str(run)),
            "n": len(rules_of_run),
        }
        row |= _share("right_first", right[is_first], confidence_level)
        row |= _share("right_elsewhere", right[~is_first], confidence_level)
        row["prefers_absent"] = answered["absent"].mean()
        row["shortcut"] = shortcut

        for rule in RULES:
            row[rule.name] = rules_of_run[rule.name].mean()
        for name, passed in _grounded_but(rules_of_run).items():
            row[name] = passed.mean()
        for rule_set in RULE_SETS:
            row |= _set_of_rules(
                rule_set, rules_of_run[rule_set].to_numpy(), is_first, confidence_level
            )
        for name, passed in _passing_pairs(answered).items():
            share = passed.mean()
            beyond_shortcut = corrected(share, shortcut)
            row[name] = share
            row[f"{name}_corrected"] = beyond_shortcut
            row[f"{name}_verdict"] = bool(beyond_shortcut >= verdict_share)

        sets = block_sets(cuts[cuts["run"] == run], alpha)
        row["known_blocks"] = " ".join(map(str, known_blocks(str(run))))
        row["found_block"] = most_common_block(sets)
        row["found_blocks"] = most_common_set(sets)
        rows.append(row)
    # An integer that may be missing; else it becomes 1.0.
    return pd.DataFrame(rows).astype({"found_block": "Int64"})


def _with_answers(rules: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """The verdicts of one run, with three columns more for each pair.

    - place: of the wanted column in its schema, from 1
    - right: whether the clean prompt is answered with the column that is asked for
    - absent: whether the corrupted prompt prefers the clean word, which its schema lacks (by more than `TIE` logits)
    """
    clean = answers[answers["prompt"] == "clean"].set_index("pair").loc[rules["pair"]]
    corrupted = answers[answers["prompt"] == "corrupted"].set_index("pair").loc[rules["pair"]]
    return rules.assign(
        place=clean["place"].to_numpy(),
        right=(clean["answer"] == clean["wanted"]).to_numpy(),
        absent=(corrupted["diff"] > TIE).to_numpy(),
    )


def _grounded_but(rules: pd.DataFrame) -> dict[str, pd.Series]:
    """The pairs that pass all of our rules but one, as `grounded_but_{rule}`."""
    passed = {}
    for left_out in GROUNDED:
        others = [rule.name for rule in GROUNDED if rule != left_out]
        passed[f"grounded_but_{left_out.name}"] = rules[others].all(axis=1)
    return passed


def _passing_pairs(answered: pd.DataFrame) -> dict[str, pd.Series]:
    """The pairs that pass each set of rules, further rule, variant and baseline, by its name."""
    passed = {name: answered[name] for name in (*RULE_SETS, *further_columns(answered))}
    for name, variant in (VARIANTS | BASELINES).items():
        passed[name] = variant.passes(answered)
    return passed


def _interval_over_policies(
    right: np.ndarray, n_policies: int, confidence_level: float
) -> Interval:
    """The Clopper-Pearson interval of the share of controls judged rightly, as if there were `n_policies` of them.

    Controls of one policy answer alike, so a further one adds little. The number judged rightly, share times
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


def _share(name: str, passed: np.ndarray, confidence_level: float) -> dict[str, float | None]:
    """The share of `passed` with its number and exact interval, as columns; missing without any."""
    n = len(passed)
    if n == 0:
        return {name: None, f"{name}_n": 0, f"{name}_low": None, f"{name}_high": None}

    interval = clopper_pearson(int(passed.sum()), n, confidence_level)
    return {
        name: passed.mean(),
        f"{name}_n": n,
        f"{name}_low": interval.low,
        f"{name}_high": interval.high,
    }


def _set_of_rules(
    name: str, passed: np.ndarray, is_first: np.ndarray, confidence_level: float
) -> dict[str, float | None]:
    """The exact interval of a set's share of passing pairs, and its shares by place of the wanted column, as columns.

    Args:
        name: The set of rules, which begins the columns' names.
        passed: Whether each pair passes.
        is_first: Whether the wanted column is the first of its schema, by pair.
        confidence_level: Of the interval, for instance 0.95.
    """
    interval = clopper_pearson(int(passed.sum()), len(passed), confidence_level)
    # A copier of one place passes only there, which the share of all pairs hides.
    at_first = passed[is_first]
    elsewhere = passed[~is_first]
    return {
        f"{name}_low": interval.low,
        f"{name}_high": interval.high,
        f"{name}_first": at_first.mean() if len(at_first) else None,
        f"{name}_elsewhere": elsewhere.mean() if len(elsewhere) else None,
    }


def category_table(rules: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """Gap, answers and passing pairs by category, as `verdict_table` has them over all: a row per run and category.

    Columns: run, category, n, delta (the mean gap, in logits), right and absent (shares of clean prompts and corrupted
    ones, as in `_with_answers`), and the share of passing pairs for each rule, set of rules, variant, baseline and
    further rule.
    """
    answered = []
    for run, rules_of_run in rules.groupby("run", sort=False):
        answered.append(_with_answers(rules_of_run, answers[answers["run"] == run]))
    rows = pd.concat(answered, ignore_index=True)
    for name, variant in (VARIANTS | BASELINES).items():
        rows[name] = variant.passes(rows)

    shares = ["delta", "right", "absent"]
    shares += [rule.name for rule in RULES]
    shares += [*RULE_SETS, *VARIANTS, *BASELINES]
    shares += further_columns(rules)
    groups = rows.groupby(["run", "category"], sort=False)
    return pd.concat([groups.size().rename("n"), groups[shares].mean()], axis=1).reset_index()


def block_set_table(cuts: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """The sets of blocks that G2 and G3 read (`rules.grounded.block_sets`): one row per run.

    Columns: run, n (pairs), has_set (share of pairs with a set that both recovers and removes `alpha` of the gap), size
    (mean number of its blocks), all_blocks (share of pairs whose set holds every block: G3 does not ask these),
    redundant (share of pairs in which fewer blocks recover the gap than remove it, or some recover and none remove it),
    found_blocks (the commonest set, "1 3"; "" without any) with its share of all pairs, found_share, and known_blocks.
    """
    rows = []
    for run, part in cuts.groupby("run", sort=False):
        sets = block_sets(part, alpha)
        recover = sets["denoise_size"]
        remove = sets["noise_size"]
        common_set = most_common_set(sets)
        rows.append(
            {
                "run": run,
                "n": len(sets),
                "has_set": sets["size"].notna().mean(),
                "size": sets["size"].mean(),
                "all_blocks": (sets["size"] == part["size"].max()).mean(),
                # Missing: no set of the ranking removes the gap, so more blocks would be needed than recover it.
                "redundant": (recover < remove.fillna(np.inf)).mean(),
                "found_blocks": common_set,
                "found_share": (sets["blocks"] == common_set).mean() if common_set else 0.0,
                "known_blocks": " ".join(map(str, known_blocks(str(run)))),
            }
        )
    return pd.DataFrame(rows)


def score_rule_sets(verdicts: pd.DataFrame, *, confidence_level: float) -> pd.DataFrame:
    """How often each set of rules, variant of the paper's, baseline and further rule is right about the controls.

    Columns: rules, measure (sensitivity: controls that ground and are found to; specificity: shortcuts that are not),
    right, n, value, low, high (in the interval the shortcuts count as many as their policies, as in `score_drawn`),
    wrong (the controls that are judged wrongly, "a, b").
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
    """As `policy_of`, of a chosen control: those that do not ground and share these choices answer alike."""
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

    `judged` has, by run and pair, whether the pair passes each rule; `truth` has run, pair, held_out and reads: whether
    the requested column is read in that pair. A control grounds if it is read in every pair; each half needs one that
    does and one that does not. One row per rule and half. Columns:

    - rules, half (`developed`, `held_out` or both: `all`), grounded and others (numbers of controls)
    - auroc, low, high: the probability that a control that grounds passes in more pairs than another one does; in the
      interval the others count as many as their policies (`policy_of`)
    - auroc_by_share: the same if a control grounds that reads the column in at least `verdict_share` of the pairs;
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

    # Of those that ground each counts: they differ in where they read, on which the rules depend.
    columns = _share("sensitivity", passed[grounds], confidence_level)
    columns["specificity"] = refused.mean()
    columns["specificity_n"] = len(refused)
    columns["specificity_low"] = interval.low
    columns["specificity_high"] = interval.high
    return columns


class GridValues(NamedTuple):
    """The values of thresholds at which a grid counts the pairs that pass.

    - `taus`, `alphas`: of R1 to R3, each tau with each alpha.
    - `grounded_alphas`, `unasked_shares`: of G1 to G5, each alpha with each unasked share.
    - `null_quantiles`, `significances`: of G1 to G5, each alone, with the other thresholds as in the config.
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
    """The number of pairs that pass each set of rules at points of its thresholds, the others as in `thresholds`.

    Columns: rules, run, each of `Thresholds`, passed, n, shortcut (the share of pairs in which the best place shortcut
    is right).
    """
    points = {
        "paper": [
            thresholds._replace(tau=tau, alpha=alpha)
            for tau, alpha in product(values.taus, values.alphas)
        ],
        "grounded": [
            thresholds._replace(alpha=alpha, unasked_share=share)
            for alpha, share in product(values.grounded_alphas, values.unasked_shares)
        ],
    }
    for quantile in values.null_quantiles:
        points["grounded"].append(thresholds._replace(null_quantile=quantile))
    for significance in values.significances:
        points["grounded"].append(thresholds._replace(significance=significance))

    rows = []
    for run, measurements in measurements_by_run.items():
        shortcut = best_shortcut(measurements.answers)
        passed_by_rule: _PassedByRule = {}
        for rule_set, of_set in points.items():
            # R3 holds only where R1 and R2 do.
            rules = PAPER[-1:] if rule_set == "paper" else GROUNDED
            for point in dict.fromkeys(of_set):  # the config's own values are in several grids
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

    `passed_by_rule` keeps the pairs that pass each rule by its own thresholds, so that a rule is tested once for each
    combination of these, not once for each point.
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
    """Verdicts on the controls and pass rates of the trained models at each point of `threshold_grid`.

    One row per set of rules and point, R1 to R3 first. Columns: rules; each of `Thresholds`, missing if no rule of the
    set reads it; sensitivity (share of the controls that ground whose corrected share of passing pairs is at least
    `verdict_share`), specificity (share of the shortcuts in which it is less), schema and no_schema (share of passing
    pairs, the mean over seeds).
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
