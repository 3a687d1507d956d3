"""Chooses the detector on which a verdict on a benchmark rests, on twins whose seeds no reported number uses.

The rule was fixed before it was run. Of the detectors that need nothing but the model, the chosen one finds most
contaminated benchmarks that were read four times, as the mean over the kinds of planted text, among those whose false
alarms are held on each kind. The reference is used as well where a user has one, whichever is chosen.
"""

from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np
import pandas as pd

from mechaware.core.stats import clopper_pearson
from mechaware.instruments.radar.detectors.registry import DETECTORS
from mechaware.instruments.radar.verdicts.decision import detector_tests
from mechaware.planted.twins.items import CONTRADICTED, VERBATIM
from mechaware.verdicts.seen_calibration import Cell, PlantedModel, draw_cases

DOSE = 4
# What every user's run measures of a model, without a reference, prefixes, a corpus or a truth.
_MEASURED_ALWAYS = {"lowercase", "swapped", "gradient_norms"}
CANDIDATES = tuple(
    detector.name for detector in DETECTORS if set(detector.needs) <= _MEASURED_ALWAYS
)


def power_and_false_alarms(
    planted: Mapping[str, Sequence[PlantedModel]], *, draws: int, significance: float, seed: int
) -> pd.DataFrame:
    """How often each candidate by itself finds planted contamination, and how often it finds what is not there.

    Args:
        planted: The models of each kind of text, by its name.
        draws: At least as many benchmarks with a control, of all models of a kind together.
        significance: Of the one-sided test of a detector.
        seed: Of the draws, which are the same for all candidates.

    Returns:
        A row for each candidate and kind of text: detector, text, n_items; power, the share of benchmarks found whose
        items were all read `DOSE` times; false_alarms, of those that nobody read; the least value of its
        Clopper-Pearson interval (false_alarms_low), with as many draws as can have no item in common.
    """
    rows = []
    for text, models in planted.items():
        n_items = min(int(_is_seen(model.rows).sum()) for model in models)
        n_disjoint = min(int(_is_unseen(model.rows).sum()) for model in models) // (2 * n_items)
        power = _found(models, Cell(DOSE, n_items, n_items), draws, significance, seed)
        false_alarms = _found(models, Cell(0, n_items, 0), draws, significance, seed)

        n_independent = len(models) * max(1, n_disjoint)
        for name in CANDIDATES:
            alarms = round(false_alarms[name] * n_independent)
            rows.append(
                {
                    "detector": name,
                    "text": text,
                    "n_items": n_items,
                    "power": power[name],
                    "false_alarms": false_alarms[name],
                    "false_alarms_low": clopper_pearson(alarms, n_independent).low,
                }
            )
    return pd.DataFrame(rows)


def choose(table: pd.DataFrame, significance: float) -> str:
    """The detector that `power_and_false_alarms` speaks for; of several, the first in the order of `DETECTORS`.

    False alarms are held if they are not shown to be more frequent than `significance` on any kind of text.
    """
    held = table.groupby("detector", sort=False)["false_alarms_low"].max() <= significance
    power = table.groupby("detector", sort=False)["power"].mean()
    return str(power[held].idxmax())


def _found(
    models: Sequence[PlantedModel], cell: Cell, draws: int, significance: float, seed: int
) -> dict[str, float]:
    """The share of draws of a cell in which each candidate by itself is significant at `significance`."""
    is_item = np.arange(2 * cell.n_items) < cell.n_items
    draws_of_model = ceil(draws / len(models))
    found: dict[str, list[bool]] = {name: [] for name in CANDIDATES}
    for model in models:
        for draw_seed, rows in draw_cases(model, cell, draws=draws_of_model, seed=seed):
            scores = model.rows[list(CANDIDATES)].iloc[rows]
            for test in detector_tests(scores, is_item, draw_seed):
                # Not corrected: each candidate would be the only one asked.
                found[test.detector].append(test.p <= significance)
    return {name: float(np.mean(decisions)) for name, decisions in found.items()}


def _is_seen(rows: pd.DataFrame) -> pd.Series:
    return rows["seen"] & (rows["form"] == VERBATIM) & (rows["dose"] == DOSE)


def _is_unseen(rows: pd.DataFrame) -> pd.Series:
    """Contradicted items have wrong answers, which make them unlike the others even when unseen."""
    return ~rows["seen"] & (rows["form"] != CONTRADICTED)
