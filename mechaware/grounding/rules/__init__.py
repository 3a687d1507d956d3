"""Rules that say of each pair whether the model behaves as one that reads the schema, and what a rule is.

A rule is a function of a model's measurements on the pairs and of the thresholds that it may ask for. `paper` has R1 to
R3, `grounded` our rules G1 to G5, `registry` the list of both sets.
"""

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

ROUNDING = 1e-6  # below the resolution of float32 logits and shares: a value this close to a threshold meets it


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
    """What is measured of one run (mechaware.grounding.measuring), as tables with a row per pair and ...

    - `patching`: layer; the clean state of the schema word is put into the corrupted run.
    - `cuts`: mode (`denoise`, `noise`) and set of blocks; the word's keys and values come from the other prompt's run.
    - `answers`: prompt (mechaware.grounding.answers).
    - `third_word_effects`: size of the top set, of pairs with a third word, whose keys and values are put into the
      clean run; third_diff is logit(third) - logit(clean).
    - `residual_map`: position and layer, of some pairs.
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


Verdicts = pd.Series  # of truth values, by pair


class Rule(NamedTuple):
    """A rule: its name (a column of tables) and its test of every pair.

    `thresholds` names those that the test asks for; a sweep makes it once for each combination of these.
    """

    name: str
    holds: Callable[[Measurements, Thresholds], Verdicts]
    thresholds: tuple[str, ...] = Thresholds._fields
