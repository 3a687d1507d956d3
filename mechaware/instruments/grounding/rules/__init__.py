"""Rules, which test in each pair whether the model behaves like a reader of the schema.

A rule is a function of a run's measurements on the pairs (`PairMeasurements`) and of thresholds
(`Thresholds`). `paper` has R1 to R3, `grounded` our rules G1 to G5, `registry` the list of both
sets.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mechaware.core.files import atomic_write
from mechaware.core.frames import write_parquet
from mechaware.core.levels import significance_at

# In logits or shares: a value this close to a threshold meets it, so that verdicts do not depend on
# the order in which a machine sums. It is below the resolution of float32.
ROUNDING = 1e-6
# The truth value of each pair, by its id.
Verdicts = pd.Series


class Thresholds(NamedTuple):
    """The thresholds of all rules, from the config; `tau` and `alpha` are the paper's.

    - `tau`: the least gap of R1, in logits.
    - `alpha`: the share of the gap that a patch must recover or remove, 0 to 1.
    - `null_quantile`: G1's gap exceeds this quantile of the effects of irrelevant changes.
    - `unasked_share`: the largest effect of an unasked column that passes G4, as a share of an
      asked column's effect.
    - `significance`: the level of G3's test.
    """

    tau: float
    alpha: float
    null_quantile: float
    unasked_share: float
    significance: float


class ConfiguredThresholds(NamedTuple):
    """The thresholds that are keys of the config.

    `significance` is not one: it follows from the config's confidence level.
    """

    tau: float
    alpha: float
    null_quantile: float
    unasked_share: float

    def at(self, confidence_level: float) -> Thresholds:
        """All thresholds. `confidence_level` is the level of intervals, such as 0.95."""
        return Thresholds(*self, significance=significance_at(confidence_level))


class PairMeasurements(NamedTuple):
    """The tables of measurements of one run (mechaware.instruments.grounding.measuring).

    - `patching`: a row per pair and layer. The clean state of the schema word is put into the
      corrupted run.
    - `cuts`: a row per pair, mode and set of blocks. In these blocks the word's keys and values
      come from the other prompt's run: from the clean one (mode `denoise`) or from the corrupted
      one (`noise`).
    - `answers`: a row per pair and prompt (mechaware.instruments.grounding.answers).
    - `third_word_effects`: a row per pair with a third word and size of its top set, the first
      blocks of the pair's ranking. In these blocks the third word's keys and values are put into
      the clean run; third_diff is logit(third) - logit(clean).
    - `residual_map`: a row per mapped pair, position and layer. The clean state at the position is
      put into the corrupted run; recovered is the share of the gap.
    """

    patching: pd.DataFrame
    cuts: pd.DataFrame
    answers: pd.DataFrame
    third_word_effects: pd.DataFrame
    residual_map: pd.DataFrame

    @property
    def pairs(self) -> pd.Index:
        """The ids of the pairs, in the order in which they were made."""
        index: pd.Index = self.answers.drop_duplicates("pair").set_index("pair").index
        return index


def write_measurements(measured: Mapping[str, PairMeasurements], folder: Path) -> None:
    """Write the tables of several runs, by the run's name, into `folder`, which is whole or absent.

    Each table is one file for all runs, such as `patching.parquet`, with a column `run`.
    """
    with atomic_write(folder) as partial:
        for name in PairMeasurements._fields:
            tables = []
            for run, measurements in measured.items():
                tables.append(getattr(measurements, name).assign(run=run))
            write_parquet(pd.concat(tables, ignore_index=True), partial / f"{name}.parquet")


def read_measurements(folders: Iterable[Path]) -> dict[str, PairMeasurements]:
    """The tables that `write_measurements` wrote into each of `folders`, by run."""
    measured = {}
    for folder in folders:
        tables = {}
        for name in PairMeasurements._fields:
            tables[name] = pd.read_parquet(folder / f"{name}.parquet")
        for run in tables["patching"]["run"].unique():
            tables_of_run = {}
            for name, table in tables.items():
                tables_of_run[name] = table[table["run"] == run].reset_index(drop=True)
            measured[str(run)] = PairMeasurements(**tables_of_run)
    return measured


class Rule(NamedTuple):
    """A rule: its name (a column of tables) and its test.

    - `passes`: the test, which returns a Series with one truth value per pair, by the pair's id.
    - `thresholds`: the names of the thresholds that the test reads. A grid of thresholds runs the
      test once for each combination of their values; a name that is missing here gives wrong
      verdicts in the grid.
    - `prompts`: the names of the prompts that the test needs besides the clean and the corrupted
      one. If one of them is missing in all pairs, the rule is not asked, and no pair passes.
    - `explanation`: what is true of a pair that passes, in one line, with thresholds in braces ("at
      least {tau:g} logits").
    """

    name: str
    passes: Callable[[PairMeasurements, Thresholds], Verdicts]
    thresholds: tuple[str, ...] = Thresholds._fields
    prompts: tuple[str, ...] = ()
    explanation: str = ""

    def is_asked(self, measurements: PairMeasurements) -> bool:
        """Whether the measured pairs have the prompts that the test needs."""
        return set(self.prompts) <= set(measurements.answers["prompt"])
