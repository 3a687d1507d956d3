"""The verdict: of every run the truth or behaviour beside what both sets of rules say, and how often they are right."""

import pandas as pd

from mechaware.grounding.names import TIE, group_of, known_blocks
from mechaware.grounding.rules.effects import block_sets, most_common_block
from mechaware.grounding.rules.listed import BASELINES, READINGS, RULE_SETS, RULES
from mechaware.stats import Interval, clopper_pearson


def verdict_table(
    rules: pd.DataFrame, answers: pd.DataFrame, cuts: pd.DataFrame, *, alpha: float, verdict_share: float, level: float
) -> pd.DataFrame:
    """One row per run, in the order of `rules`; all tables have a column `run`.

    Columns: run, group, n (pairs), right_first and right_elsewhere (share of clean prompts answered with the column
    that is asked for, where it stands first and elsewhere), prefers_absent (share of corrupted prompts in which the
    clean word, which their schema lacks, is preferred to the corrupted one), a share of passing pairs for each rule and
    set of rules, the set's exact interval ({set}_low, {set}_high), its share where the wanted column stands first and
    elsewhere ({set}_first, {set}_elsewhere) and its verdict ({set}_verdict: at least `verdict_share` of the pairs
    pass), the verdict of every other reading of the paper's rules and of every baseline ({name}_verdict), known_blocks
    (of a control or a masked model), and found_block, the one that is in most pairs' sets (missing without any).
    """
    rows = []
    for run, part in rules.groupby("run", sort=False):
        of_run = answers[(answers["run"] == run) & (answers["prompt"] == "clean")].set_index("pair").loc[part["pair"]]
        corrupted = answers[(answers["run"] == run) & (answers["prompt"] == "corrupted")]
        first = (of_run["place"] == 1).to_numpy()
        right = (of_run["answer"] == of_run["wanted"]).to_numpy()
        row: dict[str, object] = {
            "run": run,
            "group": group_of(str(run)),
            "n": len(part),
            "right_first": right[first].mean() if first.any() else None,
            "right_elsewhere": right[~first].mean() if (~first).any() else None,
            "prefers_absent": (corrupted["diff"] > TIE).mean(),
            **{rule.name: part[rule.name].mean() for rule in RULES},
        }
        for rule_set in RULE_SETS:
            passed = part[rule_set].to_numpy()
            interval = clopper_pearson(int(passed.sum()), len(passed), level)
            row |= {
                rule_set: passed.mean(),
                f"{rule_set}_low": interval.low,
                f"{rule_set}_high": interval.high,
                f"{rule_set}_first": passed[first].mean() if first.any() else None,
                f"{rule_set}_elsewhere": passed[~first].mean() if (~first).any() else None,
                f"{rule_set}_verdict": bool(passed.mean() >= verdict_share),
            }
        for name, reading in (READINGS | BASELINES).items():
            row[f"{name}_verdict"] = bool(reading.passes(part.assign(right=right)).mean() >= verdict_share)
        row["known_blocks"] = " ".join(map(str, known_blocks(str(run))))
        row["found_block"] = most_common_block(block_sets(cuts[cuts["run"] == run], alpha))
        rows.append(row)
    return pd.DataFrame(rows).astype({"found_block": "Int64"})


def score_rule_sets(verdicts: pd.DataFrame, *, level: float) -> pd.DataFrame:
    """How often each set of rules, each other reading of the paper's and each baseline is right about the controls.

    Columns: rules, measure (sensitivity: controls that ground and are found to; specificity: shortcuts that are not),
    right, n, value, low, high (exact), wrong (the controls that are judged wrongly, "a, b").
    """
    rows = []
    for rule_set in (*RULE_SETS, *READINGS, *BASELINES):
        for measure, group, expected in (("sensitivity", "grounded", True), ("specificity", "shortcut", False)):
            part = verdicts[verdicts["group"] == group]
            right = part[f"{rule_set}_verdict"] == expected
            interval = clopper_pearson(int(right.sum()), len(part), level) if len(part) else Interval(0, 1)
            wrong = ", ".join(part.loc[~right, "run"])
            rows.append((rule_set, measure, int(right.sum()), len(part), right.mean(), *interval, wrong))
    return pd.DataFrame(rows, columns=["rules", "measure", "right", "n", "value", "low", "high", "wrong"])
