"""Describe a trained model in one row: its size, its behaviour, where it reads the schema word, and its verdicts."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_csv, read_parquets, write_csv
from mechaware.grounding.names import HISTORY
from mechaware.grounding.schemas import TRAINING
from mechaware.grounding.study.subjects import Training, subject_row
from mechaware.models.registry import count_parameters, read_manifest
from scripts.command import Output, run


def main(
    *,
    model: Path,
    training_time: Path,
    rules: Path,
    answers: Path,
    cuts: Path,
    tables: int,
    fields: int,
    max_columns: int,
    tau: float,
    alpha: float,
    verdict_share: float,
    confidence_level: float,
    out: Output,
) -> None:
    """Write the row; `training_time` is the benchmark of the rule that trained the model."""
    manifest, last = read_manifest(model), read_csv(model / HISTORY, TRAINING).iloc[-1]
    training = Training(
        d_model=manifest.d_model,
        n_layers=manifest.n_layers,
        parameters=count_parameters(model),
        tables=tables,
        fields=fields,
        max_columns=max_columns,
        steps=int(last["step"]),
        exact_match=float(last["held_out_exact_match"]),
        seconds=float(pd.read_csv(training_time, sep="\t")["s"].iloc[0]),
    )
    measured = (read_parquets([path]) for path in (rules, answers, cuts))
    row = subject_row(training, *measured, tau=tau, alpha=alpha, verdict_share=verdict_share, level=confidence_level)
    write_csv(row, out)


if __name__ == "__main__":
    run(main)
