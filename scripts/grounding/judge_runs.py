"""Apply the rules to the measurements of all runs, and write the tables that depend on thresholds.

The tables, by the argument that names the file:

- `rules`: which rules each pair of each run passes
- `comparison`: the difference between the two training conditions
- `verdict`: the shares of passing pairs of each run, and the verdicts
- `categories`: the gap, the answers and the passing pairs of each run, by category of pairs
- `rule_sets`: how often verdicts are right about the controls that were chosen by hand
- `drawn`: how well rules rank and judge the controls that were drawn at random
- `calibration`: the rows of `drawn`, with the procedures of verdicts
- `block_sets`: the sets of blocks that rules G2 and G3 judge
- `recovery`: the share of the gap that patching recovers, by layer
- `reading`: the share of the gap that cutting a block moves, by block
- `grid`: the number of pairs that pass at each point of a grid of thresholds
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from exhibits.grounding.control_scores import score_drawn, score_rule_sets
from exhibits.grounding.threshold_grid import GridValues, threshold_grid
from exhibits.grounding.verdicts import block_set_table, category_table, verdict_table
from mechaware.core.frames import write_csv, write_parquet
from mechaware.instruments.grounding.profiles import cut_profile, recovery_profile
from mechaware.instruments.grounding.rules import (
    ConfiguredThresholds,
    PairMeasurements,
    read_measurements,
)
from mechaware.instruments.grounding.rules.registry import further_rules, judge_runs
from mechaware.instruments.grounding.training_conditions import compare_conditions
from mechaware.verdicts.reads import with_procedures
from scripts.command import Flags, Output


def main(
    *,
    measured: list[Path],
    truth: Path,
    own_rules: list[str],
    configured: Flags[ConfiguredThresholds],
    verdict_share: float,
    confidence_level: float,
    bootstrap_resamples: int,
    grid_values: Flags[GridValues],
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
    """Write each table.

    `measured` are folders with the measurements of all runs. `truth` has a row for each pair of a
    drawn control: whether the control reads the requested column in both prompts. `own_rules` are
    dotted names of rules in the user's own package.
    """
    by_run = read_measurements(measured)
    patching = _of_all_runs(by_run, "patching")
    cuts = _of_all_runs(by_run, "cuts")
    answers = _of_all_runs(by_run, "answers")

    thresholds = configured.at(confidence_level)
    bootstrap: dict[str, Any] = {
        "confidence_level": confidence_level,
        "resamples": bootstrap_resamples,
    }

    judged = judge_runs(by_run, thresholds, further_rules(own_rules))
    write_parquet(judged, rules)
    compared = compare_conditions(judged, seed=comparison_seed, **bootstrap)
    write_parquet(compared, comparison)
    write_parquet(category_table(judged, answers), categories)

    verdicts = verdict_table(
        judged,
        answers,
        cuts,
        alpha=thresholds.alpha,
        verdict_share=verdict_share,
        confidence_level=confidence_level,
    )
    write_parquet(verdicts, verdict)

    scored_sets = score_rule_sets(verdicts, confidence_level=confidence_level)
    write_parquet(scored_sets, rule_sets)

    true_readings = pd.read_parquet(truth)
    scored_drawn = score_drawn(
        verdicts, judged, true_readings, verdict_share=verdict_share, seed=drawn_seed, **bootstrap
    )
    write_parquet(scored_drawn, drawn)
    calibrated = with_procedures(scored_drawn, true_readings, thresholds, verdict_share)
    write_csv(calibrated, calibration)

    write_parquet(block_set_table(cuts, alpha=thresholds.alpha), block_sets)
    recovered = recovery_profile(patching, tau=thresholds.tau, seed=recovery_seed, **bootstrap)
    write_parquet(recovered, recovery)
    moved_by_cuts = cut_profile(cuts, tau=thresholds.tau, seed=reading_seed, **bootstrap)
    write_csv(moved_by_cuts, reading)

    write_parquet(threshold_grid(by_run, thresholds, grid_values), grid)


def _of_all_runs(by_run: Mapping[str, PairMeasurements], table: str) -> pd.DataFrame:
    """A table of `PairMeasurements`, by its name, of all runs; its column `run` names the run."""
    tables = [getattr(measurements, table) for measurements in by_run.values()]
    return pd.concat(tables, ignore_index=True)
