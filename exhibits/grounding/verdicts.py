"""The verdicts of both sets of rules on every run, with truth and behaviour, over all pairs and by category."""

import numpy as np
import pandas as pd

from mechaware.core.stats import clopper_pearson
from mechaware.instruments.grounding.names import TIE
from mechaware.instruments.grounding.rules.grounded import (
    GROUNDED,
    block_sets,
    most_common_block,
    most_common_set,
)
from mechaware.instruments.grounding.rules.registry import (
    BASELINES,
    RULE_SETS,
    RULES,
    VARIANTS,
    further_columns,
)
from mechaware.instruments.grounding.shortcuts import best_shortcut, corrected
from mechaware.planted.sql.runs import group_of, known_blocks


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
    - known_blocks: the blocks that read, of a control
    - found_block: the block that is in most pairs' sets; missing without a set
    - found_blocks: the commonest set as a whole ("1 3"); "" without a set
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
        row |= share_columns("right_first", right[is_first], confidence_level)
        row |= share_columns("right_elsewhere", right[~is_first], confidence_level)
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
    """The verdicts of one run, with three further columns for each pair.

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


def share_columns(
    name: str, passed: np.ndarray, confidence_level: float
) -> dict[str, float | None]:
    """The share of True in `passed`, its length and the share's exact interval, as columns; missing if it is empty."""
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
