"""The paired difference between the models trained with and without the schema, over pairs and seeds."""

from pathlib import Path

from mechaware.frames import read_parquets, write_csv
from mechaware.grounding.study.summaries import compare_conditions
from scripts.command import Output, run


def main(*, rules: list[Path], confidence_level: float, bootstrap_resamples: int, seed: int, out: Output) -> None:
    """Write one row per category and quantity."""
    table = compare_conditions(read_parquets(rules), level=confidence_level, resamples=bootstrap_resamples, seed=seed)
    write_csv(table, out)


if __name__ == "__main__":
    run(main)
