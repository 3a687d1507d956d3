"""Apply the rules R1 to R3 and G1 to G5 to what was measured of one run."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_parquet
from mechaware.grounding.rules.listed import judge_pairs
from mechaware.grounding.rules.recovery import apply_rules
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
    out: Output,
) -> None:
    """Write gap, recovery and verdicts of every pair; no model is touched."""
    measured = Measurements(*map(pd.read_parquet, (patching, cuts, answers, thirds)))
    thresholds = Thresholds(tau, alpha, null_quantile, most_blocks, unasked_share, significance_at(confidence_level))
    details = apply_rules(measured.patching, tau=tau, alpha=alpha)
    details["r3_embedding"] = apply_rules(measured.patching, tau=tau, alpha=alpha, first_layer=0)["r3"]
    verdicts = judge_pairs(measured, thresholds)
    added = ["pair", *verdicts.columns.difference(details.columns, sort=False)]
    places = measured.answers.drop_duplicates("pair")[["pair", "place"]]
    table = places.merge(details, on="pair").merge(verdicts[added], on="pair", validate="one_to_one")
    write_parquet(table.assign(run=judged_run), out)


if __name__ == "__main__":
    run(main)
