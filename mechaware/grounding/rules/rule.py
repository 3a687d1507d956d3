"""What a rule is: a function of a model's measurements on the pairs, and the thresholds that it may ask for."""

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd


class Thresholds(NamedTuple):
    """The thresholds of all rules, from the config.

    `tau` (logits) and `alpha` (share of the gap) are the paper's; `null_quantile` is that of the effects of irrelevant
    changes, `most_blocks` the largest size of a set of blocks, `unasked_share` the share of the gap that a change of a
    column that is not asked for may reach, and `significance` the level of the test of G3.
    """

    tau: float
    alpha: float
    null_quantile: float
    most_blocks: int
    unasked_share: float
    significance: float


def significance_at(confidence_level: float) -> float:
    """The level of a test, 1 - `confidence_level`, without the rounding error that a p-value of so many draws hits."""
    return round(1 - confidence_level, 9)


class Measurements(NamedTuple):
    """What is measured of one run, as tables (mechaware.grounding.measuring says how).

    `patching` has one row per pair, mode and layer; `cuts` one per pair, mode and set of blocks; `answers` one per pair
    and prompt; `thirds` one per size of the set of blocks and pair that has a third word.
    """

    patching: pd.DataFrame
    cuts: pd.DataFrame
    answers: pd.DataFrame
    thirds: pd.DataFrame

    @property
    def pairs(self) -> pd.Index:
        """The ids of the pairs, in the order in which they were made."""
        index: pd.Index = self.answers.drop_duplicates("pair").set_index("pair").index
        return index


Verdicts = pd.Series  # of truth values, by pair
Holds = Callable[[Measurements, Thresholds], Verdicts]


class Rule(NamedTuple):
    """A rule: its name (a column of tables) and its test of every pair.

    `thresholds` names those that the test asks for; a sweep makes it once for each combination of these.
    """

    name: str
    holds: Holds
    thresholds: tuple[str, ...] = Thresholds._fields
