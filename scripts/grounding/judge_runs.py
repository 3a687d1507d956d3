"""Apply the rules to what was measured of every run; gather verdicts, accuracy, behaviour and readings in tables."""

from pathlib import Path

import pandas as pd

from mechaware.frames import Schema, read_csv, read_parquets, write_csv, write_parquet
from mechaware.grounding import summaries, verdicts
from mechaware.grounding.names import HISTORY
from mechaware.grounding.rules import PairMeasurements, Thresholds, significance_at
from mechaware.grounding.rules.registry import further_rules, judge_pairs
from mechaware.grounding.shortcuts import best_shortcut, shortcut_table
from scripts.command import Output, run


def main(
    *,
    runs: list[str],
    patching: list[Path],
    cuts: list[Path],
    answers: list[Path],
    third_word_effects: list[Path],
    residual_maps: list[Path],
    models: list[Path],
    predictions: list[Path],
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
    rules: Output,
    training: Output,
    accuracy: Output,
    comparison: Output,
    verdict: Output,
    rule_sets: Output,
    drawn: Output,
    categories: Output,
    block_sets: Output,
    recovery: Output,
    reading: Output,
    behaviour: Output,
    shortcuts: Output,
    residual_map: Output,
    thresholds: Output,
    grounded_thresholds: Output,
) -> None:
    """Write each table; measurements are given for all `runs`, `models` and `predictions` for the trained runs alone.

    `own_rules` are names in the user's own package. The parameters from `taus` to `significances` are the points of the
    grids of thresholds.
    """
    files = zip(patching, cuts, answers, third_word_effects, residual_maps, strict=True)
    measured = {name: PairMeasurements(*map(pd.read_parquet, paths)) for name, paths in zip(runs, files, strict=True)}
    all_patching, all_cuts, all_answers, _, all_maps = (
        pd.concat(tables, ignore_index=True) for tables in zip(*measured.values(), strict=True)
    )
    level, draws = confidence_level, {"level": confidence_level, "resamples": bootstrap_resamples}
    configured = Thresholds(tau, alpha, null_quantile, unasked_share, significance_at(confidence_level))

    judged = pd.concat(
        [
            judge_pairs(tables, configured, further_rules(own_rules)).assign(run=name)
            for name, tables in measured.items()
        ],
        ignore_index=True,
    )
    write_parquet(judged, rules)
    write_parquet(summaries.compare_conditions(judged, seed=comparison_seed, **draws), comparison)
    by_run = verdicts.verdict_table(
        judged, all_answers, all_cuts, alpha=alpha, verdict_share=verdict_share, level=level
    )
    write_parquet(by_run, verdict)
    write_parquet(verdicts.score_rule_sets(by_run, level=level), rule_sets)
    write_parquet(verdicts.score_drawn(by_run, judged, pd.read_parquet(truth), level=level), drawn)
    write_parquet(verdicts.category_table(judged, all_answers), categories)
    write_parquet(verdicts.block_set_table(all_cuts, alpha=alpha), block_sets)

    write_parquet(summaries.recovery_profile(all_patching, tau=tau, seed=recovery_seed, **draws), recovery)
    write_csv(summaries.cut_profile(all_cuts, tau=tau, seed=reading_seed, **draws), reading)
    write_parquet(summaries.behaviour_table(all_answers, level=level), behaviour)
    write_parquet(shortcut_table(all_answers), shortcuts)
    write_parquet(summaries.map_profile(all_maps), residual_map)

    shares = {name: best_shortcut(tables.answers) for name, tables in measured.items()}
    paper = verdicts.paper_grid(all_patching, taus, alphas)
    write_parquet(paper.assign(shortcut=paper["run"].map(shares)), thresholds)
    grid = verdicts.grounded_grid(
        measured,
        configured,
        alphas=grounded_alphas,
        unasked_shares=unasked_shares,
        null_quantiles=null_quantiles,
        significances=significances,
    )
    write_parquet(grid.assign(shortcut=grid["run"].map(shares)), grounded_thresholds)

    history = [read_csv(model / HISTORY, Schema()).assign(run=model.name) for model in models]
    write_parquet(pd.concat(history, ignore_index=True), training)
    write_parquet(summaries.score_by_condition(read_parquets(predictions), level=level), accuracy)


if __name__ == "__main__":
    run(main)
