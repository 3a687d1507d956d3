"""The paired difference between the models trained with and without the schema."""

from pathlib import Path

from mechaware.frames import read_parquets, write_csv
from mechaware.grounding.study.summaries import compare_conditions, runs_trained_with
from scripts.command import Output, run


def main(*, rules: list[Path], confidence_level: float, bootstrap_resamples: int, seed: int, out: Output) -> None:
    """Write one row per category and quantity; the runs of several seeds are averaged pair by pair."""
    verdicts = read_parquets(rules)
    table = compare_conditions(
        verdicts,
        runs_trained_with(verdicts, "schema"),
        runs_trained_with(verdicts, "no_schema"),
        level=confidence_level,
        resamples=bootstrap_resamples,
        seed=seed,
    )
    write_csv(table, out)


if __name__ == "__main__":
    run(main)
