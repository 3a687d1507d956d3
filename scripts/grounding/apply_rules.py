"""Apply the rules R1 to R3 and G1 to G5, and further ones, to what was measured of one run."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_parquet
from mechaware.grounding.rules.listed import further_rules, judge_in_detail
from mechaware.grounding.rules.rule import Measurements, Thresholds, significance_at
from scripts.command import Output, run


def main(
    *,
    patching: Path,
    cuts: Path,
    answers: Path,
    thirds: Path,
    judged_run: str,
    tau: float,
    alpha: float,
    null_quantile: float,
    most_blocks: int,
    unasked_share: float,
    confidence_level: float,
    rules: list[str],
    out: Output,
) -> None:
    """Write gap, recovery and verdicts of every pair; `rules` are names in the user's own package."""
    measured = Measurements(*map(pd.read_parquet, (patching, cuts, answers, thirds)))
    thresholds = Thresholds(tau, alpha, null_quantile, most_blocks, unasked_share, significance_at(confidence_level))
    verdicts = judge_in_detail(measured, thresholds, further_rules(rules))
    write_parquet(verdicts.assign(run=judged_run), out)


if __name__ == "__main__":
    run(main)
