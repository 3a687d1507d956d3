"""Trained models of a grounding run beside the reported run's models of the same seeds, which
another machine trained.

Run `.venv/bin/python -m benchmarks.seeds` after `make results`, on another kind of machine than the
reported run's. It prints exact match and the passes of R1 and of R1 to R3 for each model of both
runs, their means over the seeds that both have, with t intervals, and whether these overlap.
`--reported results` writes docs/measured/grounding_seeds.csv from the results of a reported run
instead.
"""

import argparse
import json
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mechaware.core.frames import write_csv
from mechaware.core.stats.intervals import mean_interval
from mechaware.instruments.grounding.training_conditions import PRIMARY

MEASURED = Path("docs/measured/grounding_seeds.csv")
QUANTITIES = ("exact_match", "r1", PRIMARY)
_CONFIDENCE_LEVEL = 0.95


class SeedMean(NamedTuple):
    """A mean over seeds with its t interval."""

    mean: float
    low: float
    high: float


def models_of(results: Path) -> pd.DataFrame:
    """A row per trained model.

    Columns: run, condition, seed, steps, `QUANTITIES` as shares, and the commit and machine of its
    training.
    """
    grounding = results / "grounding"
    trained = pd.read_parquet(grounding / "trained.parquet").set_index("run")
    rules = pd.read_parquet(grounding / "rules.parquet")
    passed = rules.groupby("run")[["r1", PRIMARY]].mean()

    table = trained[["condition", "seed", "steps", "exact_match"]].join(passed)
    commits = []
    machines = []
    for run in table.index:
        record = json.loads((grounding / f"models/{run}.provenance.json").read_text())
        commits.append(record["git"]["commit"])
        machines.append("; ".join(record["machines"]))
    return table.assign(commit=commits, machine=machines).reset_index()


def mean_over_seeds(values: pd.Series) -> SeedMean:
    """The mean of one value a seed, and its t interval."""
    by_seed = values.to_numpy(float)
    interval = mean_interval(by_seed, _CONFIDENCE_LEVEL)
    return SeedMean(float(by_seed.mean()), interval.low, interval.high)


def compare(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Means of two runs, given as tables of `models_of`, over the seeds that both have.

    A row per condition and quantity: seeds, one and other with their `_low` and `_high`, and
    whether the intervals overlap. Raises `ValueError` for a condition with fewer than two shared
    seeds, which have no interval.
    """
    rows = []
    for condition in one["condition"].unique():
        one_by_seed = one[one["condition"] == condition].set_index("seed")
        other_by_seed = other[other["condition"] == condition].set_index("seed")
        shared = sorted(set(one_by_seed.index) & set(other_by_seed.index))
        if len(shared) < 2:
            raise ValueError(
                f"{condition}: shared seeds {shared}; train two or more that both runs have"
            )

        one_by_seed = one_by_seed.loc[shared]
        other_by_seed = other_by_seed.loc[shared]
        for quantity in QUANTITIES:
            row: dict[str, object] = {
                "condition": condition,
                "quantity": quantity,
                "seeds": len(shared),
            }
            first = mean_over_seeds(one_by_seed[quantity])
            second = mean_over_seeds(other_by_seed[quantity])
            row |= {"one": first.mean, "one_low": first.low, "one_high": first.high}
            row |= {"other": second.mean, "other_low": second.low, "other_high": second.high}
            row["overlap"] = first.low <= second.high and second.low <= first.high
            rows.append(row)
    return pd.DataFrame(rows)


def main() -> None:
    """Print the comparison, or write the reported models."""
    parser = argparse.ArgumentParser(description="Compare trained models of the same seeds.")
    parser.add_argument("results", nargs="?", type=Path, default=Path("results"))
    parser.add_argument("--reported", type=Path, help="results to write to docs/measured")
    arguments = parser.parse_args()
    if arguments.reported:
        write_csv(models_of(arguments.reported), MEASURED)
        return

    reported = pd.read_csv(MEASURED)
    here = models_of(arguments.results)
    columns = ["run", "steps", *QUANTITIES, "machine"]
    print(reported.loc[reported["run"].isin(here["run"]), columns].to_string(index=False))
    print(here[columns].to_string(index=False))
    print("\nMeans over shared seeds, `one` reported and `other` here:")
    print(compare(reported, here).to_string(index=False))


if __name__ == "__main__":
    main()
