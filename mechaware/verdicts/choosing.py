"""Chooses the detector on which a verdict on a benchmark rests, on twins of seeds that no reported number uses.

The rule was fixed before it was run. The candidates are the detectors that need nothing but the model. Those that are
shown to give too many false alarms on some kind of planted text are dropped. Of the others, the chosen detector finds
the largest share of contaminated benchmarks whose items were read four times, as the mean over the kinds of text. The
detector with a reference model is used in addition where a user has such a model, whichever is chosen.
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
# The evidence that every user's run has: it needs no reference, no prefixes, no corpus and no truth.
_ALWAYS_AVAILABLE = {"lowercase", "swapped", "gradient_norms"}
CANDIDATES = tuple(
    detector.name for detector in DETECTORS if set(detector.needs) <= _ALWAYS_AVAILABLE
)


def power_and_false_alarms(
    planted: Mapping[str, Sequence[PlantedModel]], *, draws: int, significance: float, seed: int
) -> pd.DataFrame:
    """How often each candidate by itself finds planted contamination, and how often it finds what is not there.

    Args:
        planted: By kind of text, the planted models.
        draws: The number of benchmarks with a control that are drawn from all models of a kind together, rounded up to
            equally many of each model.
        significance: Of the one-sided test of a detector.
        seed: Of the draws, which are the same for all candidates.

    Returns:
        A row for each kind of text and candidate. Columns: detector, text, n_items; power, the share of benchmarks
        found among those whose items were all read `DOSE` times; false_alarms, the share found among those of which no
        item was read; false_alarms_low, the lower end of its Clopper-Pearson interval, for which n is the most draws
        that can have no item in common.
    """
    rows = []
    for text, models in planted.items():
        n_items = min(int(_is_seen(model.rows).sum()) for model in models)
        power = _share_found(models, Cell(DOSE, n_items, n_items), draws, significance, seed)
        false_alarms = _share_found(models, Cell(0, n_items, 0), draws, significance, seed)

        # A draw without contamination takes 2 n_items unseen items: a benchmark and its control.
        n_unseen = min(int(_is_unseen(model.rows).sum()) for model in models)
        n_disjoint = n_unseen // (2 * n_items)
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
    """The candidate with the highest mean power; on a tie, the first in the order of `DETECTORS`.

    Candidates are left out if their false alarms are shown to be more frequent than `significance` on some kind of
    text. `table` has the rows of `power_and_false_alarms`.
    """
    by_detector = table.groupby("detector", sort=False)
    is_admitted = by_detector["false_alarms_low"].max() <= significance
    power = by_detector["power"].mean()
    return str(power[is_admitted].idxmax())


def _share_found(
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
