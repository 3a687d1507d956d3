"""Pass rates and mean gaps of every run, by category, with intervals."""

from pathlib import Path

from mechaware.frames import read_parquets, write_csv
from mechaware.grounding.study.summaries import summarise_rules
from scripts.command import Output, run


def main(*, rules: list[Path], confidence_level: float, bootstrap_resamples: int, seed: int, out: Output) -> None:
    """Write one row per run, category and quantity."""
    verdicts = read_parquets(rules)
    write_csv(summarise_rules(verdicts, level=confidence_level, resamples=bootstrap_resamples, seed=seed), out)


if __name__ == "__main__":
    run(main)
