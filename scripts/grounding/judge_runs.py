"""Apply the rules to the measurements of every run, and collect verdicts, recovery and readings in tables."""

from pathlib import Path

import pandas as pd

from exhibits.grounding import verdicts
from mechaware.core.frames import write_csv, write_parquet
from mechaware.core.levels import significance_at
from mechaware.instruments.grounding import summaries
from mechaware.instruments.grounding.rules import Thresholds, read_measurements
from mechaware.instruments.grounding.rules.registry import further_rules, judge_pairs
from mechaware.verdicts.reads import with_procedures
from scripts.command import Output


def main(
    *,
    measured: list[Path],
    truth: Path,
    own_rules: list[str],
    tau: float,
    alpha: float,
    null_quantile: float,
    unasked_share: float,
    verdict_share: float,
    confidence_level: float,
    bootstrap_resamples: int,
    taus: list[float],
    alphas: list[float],
    grounded_alphas: list[float],
    unasked_shares: list[float],
    null_quantiles: list[float],
    significances: list[float],
    comparison_seed: int,
    recovery_seed: int,
    reading_seed: int,
    drawn_seed: int,
    rules: Output,
    comparison: Output,
    verdict: Output,
    rule_sets: Output,
    drawn: Output,
    calibration: Output,
    categories: Output,
    block_sets: Output,
    recovery: Output,
    reading: Output,
    grid: Output,
) -> None:
    """Write each table that depends on a threshold; `measured` has the folders of all runs.

    `own_rules` are names in the user's own package. The parameters from `taus` to `significances` are the points of the
    grids of thresholds.
    """
    by_run = read_measurements(measured)
    runs = list(by_run.values())
    all_patching = pd.concat([tables.patching for tables in runs], ignore_index=True)
    all_cuts = pd.concat([tables.cuts for tables in runs], ignore_index=True)
    all_answers = pd.concat([tables.answers for tables in runs], ignore_index=True)

    draws = {"confidence_level": confidence_level, "resamples": bootstrap_resamples}
    significance = significance_at(confidence_level)
    configured = Thresholds(tau, alpha, null_quantile, unasked_share, significance)
    further = further_rules(own_rules)
    judged_runs = []
    for name, tables in by_run.items():
        judged_runs.append(judge_pairs(tables, configured, further).assign(run=name))
    judged = pd.concat(judged_runs, ignore_index=True)
    write_parquet(judged, rules)
    write_parquet(summaries.compare_conditions(judged, seed=comparison_seed, **draws), comparison)

    verdict_table = verdicts.verdict_table(
        judged,
        all_answers,
        all_cuts,
        alpha=alpha,
        verdict_share=verdict_share,
        confidence_level=confidence_level,
    )
    write_parquet(verdict_table, verdict)
    write_parquet(
        verdicts.score_rule_sets(verdict_table, confidence_level=confidence_level), rule_sets
    )

    known = pd.read_parquet(truth)
    scored = verdicts.score_drawn(
        verdict_table, judged, known, verdict_share=verdict_share, seed=drawn_seed, **draws
    )
    write_parquet(scored, drawn)
    write_csv(with_procedures(scored, known, configured, verdict_share), calibration)

    write_parquet(verdicts.category_table(judged, all_answers), categories)
    write_parquet(verdicts.block_set_table(all_cuts, alpha=alpha), block_sets)

    profile = summaries.recovery_profile(all_patching, tau=tau, seed=recovery_seed, **draws)
    write_parquet(profile, recovery)
    write_csv(summaries.cut_profile(all_cuts, tau=tau, seed=reading_seed, **draws), reading)

    points = verdicts.threshold_grid(
        by_run,
        configured,
        taus=taus,
        alphas=alphas,
        grounded_alphas=grounded_alphas,
        unasked_shares=unasked_shares,
        null_quantiles=null_quantiles,
        significances=significances,
    )
    write_parquet(points, grid)
