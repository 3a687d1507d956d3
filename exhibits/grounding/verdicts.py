"""The verdicts of both sets of rules on every run, beside truth and behaviour, and over grids of their thresholds."""

from collections.abc import Mapping, Sequence
from itertools import product

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
from mechaware.instruments.grounding.rules import PairMeasurements, Thresholds
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


def verdict_table(
    rules: pd.DataFrame,
    answers: pd.DataFrame,
    cuts: pd.DataFrame,
    *,
    alpha: float,
    verdict_share: float,
    level: float,
) -> pd.DataFrame:
    """One row per run, in the order of `rules`; all tables have a column `run`.

    - run, group, n (pairs)
    - right_first, right_elsewhere: the share of clean prompts answered with the column that is asked for, where it
      stands first and elsewhere; {name}_n prompts, exact interval {name}_low, {name}_high
    - prefers_absent: the share of corrupted prompts in which the clean word, which their schema lacks, is preferred
    - shortcut: the share of pairs in which the best place shortcut is right
    - the share of passing pairs for each rule, all of ours but one (grounded_but_{rule}), and for each set of rules,
      variant of the paper's, baseline and further rule ({name}), of which {name}_corrected is the share beyond the
      shortcut (`shortcuts.corrected`), and {name}_verdict whether that is at least `verdict_share`
    - of a set of rules: the share's exact interval ({set}_low, {set}_high), and the share of passing pairs where the
      wanted column is first and elsewhere ({set}_first, {set}_elsewhere)
    - known_blocks (of a control), found_block, the one that is in most pairs' sets (missing without any), and
      found_blocks, the commonest set as a whole ("1 3"; "" without any)
    """
    rows = []
    for run, part in rules.groupby("run", sort=False):
        of_run = answers[answers["run"] == run]
        answered = _with_answers(part, of_run)
        shortcut = best_shortcut(of_run)
        first = (answered["place"] == 1).to_numpy()
        right = answered["right"].to_numpy()
        sets = block_sets(cuts[cuts["run"] == run], alpha)
        row: dict[str, object] = {
            "run": run,
            "group": group_of(str(run)),
            "n": len(part),
            **_share("right_first", right[first], level),
            **_share("right_elsewhere", right[~first], level),
            "prefers_absent": answered["absent"].mean(),
            "shortcut": shortcut,
            **{rule.name: part[rule.name].mean() for rule in RULES},
            **{name: passed.mean() for name, passed in _grounded_but(part).items()},
        }
        for rule_set in RULE_SETS:
            passed = part[rule_set].to_numpy()
            interval = clopper_pearson(int(passed.sum()), len(passed), level)
            row |= {
                f"{rule_set}_low": interval.low,
                f"{rule_set}_high": interval.high,
                # A copier of one place passes only there, which the share of all pairs hides.
                f"{rule_set}_first": passed[first].mean() if first.any() else None,
                f"{rule_set}_elsewhere": passed[~first].mean() if (~first).any() else None,
            }
        shares = {name: part[name].mean() for name in (*RULE_SETS, *further_columns(part))}
        shares |= {
            name: variant.passes(answered).mean()
            for name, variant in (VARIANTS | BASELINES).items()
        }
        for name, share in shares.items():
            beyond = corrected(share, shortcut)
            row |= {
                name: share,
                f"{name}_corrected": beyond,
                f"{name}_verdict": bool(beyond >= verdict_share),
            }
        row["known_blocks"] = " ".join(map(str, known_blocks(str(run))))
        row |= {"found_block": most_common_block(sets), "found_blocks": most_common_set(sets)}
        rows.append(row)
    # An integer that may be missing; else it becomes 1.0.
    return pd.DataFrame(rows).astype({"found_block": "Int64"})


def _with_answers(rules: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """The verdicts of one run with place, right and absent of each pair (`registry._RuleVariant`), from its answers."""
    clean, corrupted = (
        answers[answers["prompt"] == prompt].set_index("pair").loc[rules["pair"]]
        for prompt in ("clean", "corrupted")
    )
    return rules.assign(
        place=clean["place"].to_numpy(),
        right=(clean["answer"] == clean["wanted"]).to_numpy(),
        absent=(corrupted["diff"] > TIE).to_numpy(),
    )


def _grounded_but(rules: pd.DataFrame) -> dict[str, pd.Series]:
    """The pairs that pass all of our rules but one, as `grounded_but_{rule}`."""
    names = [rule.name for rule in GROUNDED]
    return {
        f"grounded_but_{rule}": rules[[name for name in names if name != rule]].all(axis=1)
        for rule in names
    }


def _interval_over_policies(right: np.ndarray, n_policies: int, level: float) -> Interval:
    """The Clopper-Pearson interval of a share of controls that count as many as their policies.

    Controls of one policy answer alike, so a further one shows little. The share times the number of policies need be
    no whole number. Without controls the interval is all of 0 to 1.
    """
    if n_policies == 0:
        return Interval(0, 1)
    successes = right.mean() * n_policies
    failures = n_policies - successes
    tail = (1 - level) / 2
    low = stats.beta.ppf(tail, successes, failures + 1) if successes > 0 else 0.0
    high = stats.beta.ppf(1 - tail, successes + 1, failures) if failures > 0 else 1.0
    return Interval(float(low), float(high))


def _share(name: str, passed: np.ndarray, level: float) -> dict[str, float | None]:
    """The share of `passed` with its number and exact interval, as columns; missing without any."""
    interval = (
        clopper_pearson(int(passed.sum()), len(passed), level) if len(passed) else (None, None)
    )
    share = passed.mean() if len(passed) else None
    return {
        name: share,
        f"{name}_n": len(passed),
        f"{name}_low": interval[0],
        f"{name}_high": interval[1],
    }


def category_table(rules: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """Gap, answers and passing pairs by category, as `verdict_table` has them over all: a row per run and category.

    Columns: run, category, n, delta (the mean gap, in logits), right and absent (shares of clean prompts and corrupted
    ones, as in `registry._RuleVariant`), and the share of passing pairs for each rule, set of rules, variant, baseline
    and further rule.
    """
    answered = [
        _with_answers(part, answers[answers["run"] == run])
        for run, part in rules.groupby("run", sort=False)
    ]
    rows = pd.concat(answered, ignore_index=True)
    for name, variant in (VARIANTS | BASELINES).items():
        rows[name] = variant.passes(rows)
    shares = [
        "delta",
        "right",
        "absent",
        *(rule.name for rule in RULES),
        *RULE_SETS,
        *VARIANTS,
        *BASELINES,
    ]
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


def score_rule_sets(verdicts: pd.DataFrame, *, level: float) -> pd.DataFrame:
    """How often each set of rules, variant of the paper's, baseline and further rule is right about the controls.

    Columns: rules, measure (sensitivity: controls that ground and are found to; specificity: shortcuts that are not),
    right, n, value, low, high (in the interval the shortcuts count as many as their policies, as in `score_drawn`),
    wrong (the controls that are judged wrongly, "a, b").
    """
    rows = []
    for rule_set in (*RULE_SETS, *VARIANTS, *BASELINES, *further_columns(verdicts)):
        for measure, group, expected in (
            ("sensitivity", "grounded", True),
            ("specificity", "shortcut", False),
        ):
            part = verdicts[verdicts["group"] == group]
            right = part[f"{rule_set}_verdict"] == expected
            n_policies = part["run"].map(_policy_of_chosen).nunique()
            interval = _interval_over_policies(right.to_numpy(bool), n_policies, level)
            wrong = ", ".join(part.loc[~right, "run"])
            rows.append(
                (rule_set, measure, int(right.sum()), len(part), right.mean(), *interval, wrong)
            )
    return pd.DataFrame(
        rows, columns=["rules", "measure", "right", "n", "value", "low", "high", "wrong"]
    )


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
    level: float,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """How well each set of rules, variant, baseline and further rule ranks and judges the drawn controls, by half.

    `judged` are the rules by run and pair, `truth` has run, pair, held_out and reads: whether the requested column is
    read in that pair. A control grounds if it is read in every pair; each half needs one that does and one that does
    not. One row per rule and half. Columns:

    - rules, half (`developed`, `held_out` or both: `all`), grounded and others (numbers of controls)
    - auroc, low, high: the probability that a control that grounds passes in more pairs than another one does; in the
      interval the others count as many as their policies (`policy_of`)
    - auroc_by_share: the same if a control grounds that reads the column in at least `verdict_share` of the pairs;
      missing if all controls do, or none
    - lead, lead_low, lead_high: that less the baseline `answer_and_gap`'s, with a bootstrap interval over
      controls that ground and over policies of the others
    - sensitivity, specificity: of {name}_verdict, of {name}_n controls, with intervals {name}_low and {name}_high, in
      which the others count as many as their policies
    - pairs_right: for a set of rules, the share of pairs in which it passes exactly where the column is read
    """
    by_pair = judged.merge(truth, on=["run", "pair"])
    by_run = truth.groupby("run").agg(
        held_out=("held_out", "first"), grounds=("reads", "all"), share_read=("reads", "mean")
    )
    drawn = verdicts.merge(by_run.reset_index(), on="run")
    rows = []
    for name in (*RULE_SETS, *VARIANTS, *BASELINES, *further_columns(verdicts)):
        for half, halves in (("developed", [False]), ("held_out", [True]), ("all", [False, True])):
            of_half = drawn[drawn["held_out"].isin(halves)]
            grounds = of_half["grounds"].to_numpy(bool)
            by_share = (of_half["share_read"] >= verdict_share).to_numpy()
            grounded = of_half[grounds]
            others = of_half[~grounds]
            shares, baseline = (
                of_half[column].to_numpy(float) for column in (name, "answer_and_gap")
            )
            policies = of_half["run"].map(policy_of)
            n_policies = policies[~grounds].nunique()
            area, blind = (
                area_under_roc(one[grounds], one[~grounds]) for one in (shares, baseline)
            )
            row: dict[str, object] = {
                "rules": name,
                "half": half,
                "grounded": len(grounded),
                "others": len(others),
            }
            row |= {"auroc": area} | area_under_roc_interval(
                area, len(grounded), n_policies, level
            )._asdict()
            both_kinds = 0 < by_share.sum() < len(by_share)
            row["auroc_by_share"] = (
                area_under_roc(shares[by_share], shares[~by_share]) if both_kinds else None
            )
            lead = bootstrap_area_difference(
                shares, baseline, grounds, policies, resamples=resamples, seed=seed, level=level
            )
            row |= {"lead": area - blind, "lead_low": lead.low, "lead_high": lead.high}
            # Of those that ground each counts: they differ in where they read, on which the rules depend.
            row |= _share("sensitivity", grounded[f"{name}_verdict"].to_numpy(), level)
            refused = ~others[f"{name}_verdict"].to_numpy(bool)
            over_policies = _interval_over_policies(refused, n_policies, level)
            row |= {
                "specificity": refused.mean(),
                "specificity_n": len(refused),
                "specificity_low": over_policies.low,
                "specificity_high": over_policies.high,
            }
            pairs = by_pair[by_pair["held_out"].isin(halves)]
            row["pairs_right"] = (
                (pairs[name] == pairs["reads"]).mean() if name in RULE_SETS else None
            )
            rows.append(row)
    return pd.DataFrame(rows)


def threshold_grid(
    measurements_by_run: Mapping[str, PairMeasurements],
    thresholds: Thresholds,
    *,
    taus: Sequence[float],
    alphas: Sequence[float],
    grounded_alphas: Sequence[float],
    unasked_shares: Sequence[float],
    null_quantiles: Sequence[float],
    significances: Sequence[float],
) -> pd.DataFrame:
    """The number of pairs that pass each set of rules at points of its thresholds, the others as in `thresholds`.

    R1 to R3 have all of `taus` with all of `alphas`. G1 to G5 have all of `grounded_alphas` with all of
    `unasked_shares`, and the points at which only one of the last two thresholds differs. Columns: rules, run,
    each of `Thresholds`, passed, n, shortcut (the share of pairs in which the best place shortcut is right).
    """
    change = thresholds._replace
    points = {
        "paper": [change(tau=tau, alpha=alpha) for tau, alpha in product(taus, alphas)],
        "grounded": [
            change(alpha=a, unasked_share=share)
            for a, share in product(grounded_alphas, unasked_shares)
        ],
    }
    points["grounded"] += [change(null_quantile=quantile) for quantile in null_quantiles]
    points["grounded"] += [change(significance=level) for level in significances]
    rows = []
    for run, measurements in measurements_by_run.items():
        shortcut = best_shortcut(measurements.answers)
        # A rule is tested once for each combination of its own thresholds, not once for each point of the grid.
        verdicts: dict[tuple[object, ...], pd.Series] = {}
        for rule_set, of_set in points.items():
            # R3 holds only where R1 and R2 do.
            rules = PAPER[-1:] if rule_set == "paper" else GROUNDED
            for point in dict.fromkeys(of_set):
                passed = pd.Series(True, index=measurements.pairs)
                for rule in rules:
                    key = (rule.name, *(getattr(point, name) for name in rule.thresholds))
                    if key not in verdicts:
                        verdicts[key] = rule.passes(measurements, point)
                    passed &= verdicts[key]
                rows.append((rule_set, run, *point, int(passed.sum()), len(passed), shortcut))
    return pd.DataFrame(
        rows, columns=["rules", "run", *Thresholds._fields, "passed", "n", "shortcut"]
    )


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
        "rules", key=lambda rules: rules == "grounded", kind="stable", ignore_index=True
    )
