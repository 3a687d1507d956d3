"""How each run of the grounding study fares under the rules, beside how its model answers.

- `verdict_table`: a row per run, over all pairs: the paper's rules R1 to R3, our rules G1 to G5,
  and, for a control, the blocks that are known to read the schema word.
- `category_table`: the shares of passing pairs and of answers, by run and category of pairs.
- `block_set_table`: the sets of blocks that G2 and G3 judge, by run.

A pair's clean prompt has the wanted word, the column that its request asks for. The corrupted
prompt has another word in its place. The gap is the logit difference between these two words in the
clean prompt minus the same in the corrupted prompt. Blocks are counted from 1.
"""

import numpy as np
import pandas as pd

from mechaware.core.stats.intervals import clopper_pearson
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
    """One row per run, in the order of `rules`. All three tables have a column `run`.

    Args:
        rules: Which rules each pair passes (`judge_runs`).
        answers: A row per pair and prompt (`PairMeasurements.answers`).
        cuts: A row per pair, mode and set of blocks (`PairMeasurements.cuts`).
        alpha: The share of the gap that a set of blocks must recover and remove, 0 to 1.
        verdict_share: The least corrected share of passing pairs for a verdict of True.
        confidence_level: The level of the intervals, for instance 0.95; all are Clopper-Pearson.

    Returns:
        The columns

        - run, group (`group_of`), n (pairs)
        - right_first, right_elsewhere: the share of clean prompts that are answered with the wanted
          column, where that column is the first of its schema, and where it is not. Each of the two
          comes with its number of prompts (right_first_n) and its interval (right_first_low,
          right_first_high); without such prompts all but the number are missing
        - prefers_absent: the share of corrupted prompts in which the model prefers the clean word,
          which the corrupted schema lacks
        - shortcut: the share of clean prompts that the best shortcut answers rightly
          (`shortcuts.best_shortcut`)
        - {name}: the share of passing pairs. A name is a single rule (r1, g1), all of our rules but
          one (grounded_but_g1), a set of rules (paper, grounded), or one of `VARIANTS`, `BASELINES`
          and the further rules (`further_columns`)
        - {name}_corrected, {name}_verdict: the share corrected for the shortcut
          (`shortcuts.corrected`), and whether it is at least `verdict_share`. Single rules and
          grounded_but_{rule} have neither
        - {set}_low, {set}_high: for a set of rules, the interval of its share of passing pairs
        - {set}_first, {set}_elsewhere: for a set of rules, its share of passing pairs where the
          wanted column is first, and where it is not; missing without such pairs
        - known_blocks: for a control, the blocks that read the schema word ("1 3"); "" for a model
        - found_block: the block in the sets of most pairs (`most_common_block`); missing where no
          pair has a set
        - found_blocks: the commonest set ("1 3"); "" where no pair has a set
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
            row |= _rule_set_columns(
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
    # A missing block would turn the whole column into floats: 1.0 instead of 1.
    return pd.DataFrame(rows).astype({"found_block": "Int64"})


def _with_answers(rules: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """The rows of `rules`, which are one run's, with three further columns.

    - place: the place of the wanted column in its schema, from 1
    - right: whether the clean prompt is answered with the wanted column
    - absent: whether the model prefers the clean word in the corrupted prompt, whose schema lacks
      it, by more than `TIE` logits
    """
    clean = answers[answers["prompt"] == "clean"].set_index("pair").loc[rules["pair"]]
    corrupted = answers[answers["prompt"] == "corrupted"].set_index("pair").loc[rules["pair"]]
    return rules.assign(
        place=clean["place"].to_numpy(),
        right=(clean["answer"] == clean["wanted"]).to_numpy(),
        absent=(corrupted["diff"] > TIE).to_numpy(),
    )


def _grounded_but(rules: pd.DataFrame) -> dict[str, pd.Series]:
    """By column `grounded_but_{rule}`: whether each pair passes all of our rules but this rule."""
    passed = {}
    for left_out in GROUNDED:
        others = [rule.name for rule in GROUNDED if rule != left_out]
        passed[f"grounded_but_{left_out.name}"] = rules[others].all(axis=1)
    return passed


def _passing_pairs(answered: pd.DataFrame) -> dict[str, pd.Series]:
    """By name, whether each pair passes: sets of rules, further rules, variants and baselines."""
    passed = {name: answered[name] for name in (*RULE_SETS, *further_columns(answered))}
    for name, variant in (VARIANTS | BASELINES).items():
        passed[name] = variant.passes(answered)
    return passed


def share_columns(
    name: str, passed: np.ndarray, confidence_level: float
) -> dict[str, float | None]:
    """The share of True in `passed` as the columns {name}, {name}_n, {name}_low and {name}_high.

    n is the length of `passed`, and low to high is Clopper and Pearson's interval. If `passed` is
    empty, all but {name}_n are missing.
    """
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


def _rule_set_columns(
    name: str, passed: np.ndarray, is_first: np.ndarray, confidence_level: float
) -> dict[str, float | None]:
    """The columns that only a set of rules has: {name}_low, _high, _first and _elsewhere.

    Args:
        name: The set of rules, `paper` or `grounded`.
        passed: Whether each pair passes.
        is_first: Whether the wanted column is the first of its schema, by pair.
        confidence_level: The level of the interval, for instance 0.95.
    """
    interval = clopper_pearson(int(passed.sum()), len(passed), confidence_level)
    # A model that copies the column at one place passes only pairs that want this column, which
    # the share over all pairs hides.
    at_first = passed[is_first]
    elsewhere = passed[~is_first]
    return {
        f"{name}_low": interval.low,
        f"{name}_high": interval.high,
        f"{name}_first": at_first.mean() if len(at_first) else None,
        f"{name}_elsewhere": elsewhere.mean() if len(elsewhere) else None,
    }


def category_table(rules: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """The gap, the answers and the passing pairs, with a row per run and category of pairs.

    `rules` and `answers` are those of `verdict_table`. Columns:

    - run, category, n (pairs)
    - delta: the mean gap, in logits
    - right: the share of clean prompts that are answered with the wanted column
    - absent: the share of corrupted prompts in which the model prefers the clean word
    - {name}: the share of passing pairs, for each rule, set of rules, variant, baseline and further
      rule
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
    n_pairs = groups.size().rename("n")
    means = groups[shares].mean()
    return pd.concat([n_pairs, means], axis=1).reset_index()


def block_set_table(cuts: pd.DataFrame, *, alpha: float) -> pd.DataFrame:
    """The sets of blocks that G2 and G3 judge (`rules.grounded.block_sets`): one row per run.

    A pair's set is the smallest that both recovers and removes `alpha` of the gap. Columns:

    - run, n (pairs)
    - has_set: the share of pairs with a set
    - size: the mean number of blocks in a set; missing where no pair has one
    - all_blocks: the share of pairs whose set holds every block, to which G3 does not apply
    - redundant: the share of pairs in which fewer blocks recover the gap than remove it, or some
      set recovers it and none removes it
    - found_blocks: the commonest set ("1 3"); "" where no pair has one
    - found_share: the share of all pairs that have the commonest set
    - known_blocks: for a control, the blocks that read the schema word ("1 3"); "" for a model
    """
    rows = []
    for run, cuts_of_run in cuts.groupby("run", sort=False):
        sets = block_sets(cuts_of_run, alpha)
        n_blocks = cuts_of_run["size"].max()
        recover = sets["denoise_size"]
        remove = sets["noise_size"]
        common_set = most_common_set(sets)
        rows.append(
            {
                "run": run,
                "n": len(sets),
                "has_set": sets["size"].notna().mean(),
                "size": sets["size"].mean(),
                "all_blocks": (sets["size"] == n_blocks).mean(),
                # Where no set removes the gap, more blocks would be needed than recover it.
                "redundant": (recover < remove.fillna(np.inf)).mean(),
                "found_blocks": common_set,
                "found_share": (sets["blocks"] == common_set).mean() if common_set else 0.0,
                "known_blocks": " ".join(map(str, known_blocks(str(run)))),
            }
        )
    return pd.DataFrame(rows)
