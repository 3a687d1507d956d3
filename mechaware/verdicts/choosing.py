"""Chooses the detector on which a verdict on a benchmark rests.

It is chosen on twins of seeds that no reported number uses.

The rule was fixed before it was run. Candidates are the detectors that need nothing but the model.
Those whose false alarms are shown to exceed the level on some kind of planted text are left out. Of
the others, the rule chooses the one that finds the most benchmarks that were read four times,
averaged over the kinds. The reference is used as well where a user has one, whichever is chosen.

The rule names a detector even if no detector is shown to be better than the loss. So the lead over
the loss is given with its interval over seeds.
"""

from collections.abc import Mapping, Sequence
from math import ceil

import numpy as np
import pandas as pd

from mechaware.core.stats.intervals import Estimate, clopper_pearson, mean_interval
from mechaware.instruments.radar.detectors.likelihood import LOSS
from mechaware.instruments.radar.detectors.ranks import scores_among
from mechaware.instruments.radar.detectors.registry import DETECTORS
from mechaware.instruments.radar.verdicts.decision import detector_tests
from mechaware.verdicts.seen_calibration import (
    Cell,
    PlantedModel,
    disjoint_draws,
    draw_cases,
    items_read,
)

DOSE = 4
# Evidence that needs nothing but the model: no reference, no prefixes, no corpus and no truth. A
# detector that needs continuations is no candidate.
_OF_THE_MODEL_ALONE = {"lowercase", "swapped", "gradient_norms"}
CANDIDATES = tuple(
    detector.name for detector in DETECTORS if set(detector.needs) <= _OF_THE_MODEL_ALONE
)


def power_and_false_alarms(
    planted: Mapping[str, Sequence[PlantedModel]], *, draws: int, significance: float, seed: int
) -> pd.DataFrame:
    """How often each candidate finds planted contamination, and how often it raises a false alarm.

    Args:
        planted: The models of each kind of text, by its name. Those of a seed have names such as
            `s100/A` and `s100/B`; the kinds have the same seeds.
        draws: The number of benchmarks, each with a control, to draw for a kind of text. Each of
            the kind's M models gives ceil(draws / M), so there may be a few more.
        significance: The level of the one-sided test of a detector.
        seed: The seed of the draws, which are the same for all candidates.

    Returns:
        A row for each candidate and kind of text, with these columns:

        - detector, text; n_items of a benchmark; models; draws of either cell.
        - power: the share of benchmarks found whose items were all read `DOSE` times; power_low,
          power_high: its 95% Clopper-Pearson interval with as many draws as can have no item in
          common (power_independent).
        - false_alarms: the share of benchmarks found that nobody read, with the same three columns.
        - mean_power: over the kinds, in all rows of a candidate; lead: mean_power minus the loss's,
          with its 95% t interval over seeds (lead_low, lead_high), NaN with one seed.
    """
    rows = []
    power_by_seed = {}
    for text, models in planted.items():
        n_items = min(len(items_read(model.rows, DOSE)) for model in models)
        seen = Cell(DOSE, n_items, n_items)
        unseen = Cell(0, n_items, 0)
        power = _significant_shares(models, seen, draws, significance, seed)
        false_alarms = _significant_shares(models, unseen, draws, significance, seed)
        power_by_seed[text] = power.groupby(_seed_of).mean()
        for name in CANDIDATES:
            rows.append(
                {
                    "detector": name,
                    "text": text,
                    "n_items": n_items,
                    "models": len(models),
                    "draws": len(models) * _draws_of_each(models, draws),
                    **_rate("power", power[name], _independent(models, seen)),
                    **_rate("false_alarms", false_alarms[name], _independent(models, unseen)),
                }
            )
    table = pd.DataFrame(rows)
    return table.merge(_leads(power_by_seed), on="detector", validate="many_to_one")


def choose(table: pd.DataFrame, significance: float) -> str:
    """The candidate with the highest mean power; on a tie, the first in the order of `DETECTORS`.

    Candidates are left out if their false alarms are shown to be more frequent than `significance`
    on some kind of text. `table` has the rows of `power_and_false_alarms`.
    """
    by_detector = table.groupby("detector", sort=False)
    is_admitted = by_detector["false_alarms_low"].max() <= significance
    power = by_detector["power"].mean()
    return str(power[is_admitted].idxmax())


def _significant_shares(
    models: Sequence[PlantedModel], cell: Cell, draws: int, significance: float, seed: int
) -> pd.DataFrame:
    """The share of a model's draws of a cell in which a candidate is significant.

    The table has a row for each model and a column for each candidate. The p-values are not
    corrected for the number of candidates: each would be the only one asked.
    """
    is_item = np.arange(2 * cell.n_items) < cell.n_items
    shares = {}
    for model in models:
        significant_by_draw = []
        cases = draw_cases(model, cell, draws=_draws_of_each(models, draws), seed=seed)
        for draw_seed, rows in cases:
            scores = scores_among(model.rows.iloc[rows], CANDIDATES)
            tests = detector_tests(scores, is_item, draw_seed)
            significant_by_draw.append({test.detector: test.p <= significance for test in tests})
        shares[model.name] = pd.DataFrame(significant_by_draw).mean()
    return pd.DataFrame(shares).T


def _draws_of_each(models: Sequence[PlantedModel], draws: int) -> int:
    return ceil(draws / len(models))


def _seed_of(model: str) -> str:
    """`s100` of `s100/A`: the twins of a seed share their base and their items."""
    return model.partition("/")[0]


def _independent(models: Sequence[PlantedModel], cell: Cell) -> int:
    """The most draws of a cell without a common item, over all models.

    The smallest number of any model, times the number of models: each model has as many draws.
    """
    by_model = []
    for model in models:
        items = {dose: items_read(model.rows, dose) for dose in (0, cell.dose)}
        by_model.append(disjoint_draws(items, cell))
    return len(models) * min(by_model)


def _rate(name: str, shares: pd.Series, independent: int) -> dict[str, float]:
    """The mean over models, with its 95% Clopper-Pearson interval.

    Draws overlap, so more of them give no more certainty: the interval has `independent` trials.
    """
    rate = float(shares.mean())
    interval = clopper_pearson(round(rate * independent), independent)
    return {
        name: rate,
        f"{name}_low": interval.low,
        f"{name}_high": interval.high,
        f"{name}_independent": independent,
    }


def _leads(power_by_seed: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """A row for each candidate: detector, mean_power, lead, lead_low and lead_high.

    `power_by_seed` has a table for each kind of text, with a row for each seed and a column for
    each candidate.
    """
    all_kinds = pd.concat(power_by_seed.values())
    mean_of_seed = all_kinds.groupby(level=0).mean()
    rows = []
    for name in CANDIDATES:
        lead = _mean_difference(mean_of_seed[name] - mean_of_seed[LOSS.name])
        rows.append(
            {
                "detector": name,
                "mean_power": float(mean_of_seed[name].mean()),
                "lead": lead.value,
                "lead_low": lead.low,
                "lead_high": lead.high,
            }
        )
    return pd.DataFrame(rows)


def _mean_difference(by_seed: pd.Series) -> Estimate:
    """The mean over seeds of a difference of two shares, with its 95% t interval, cut at -1 and 1.

    With one seed the interval is NaN.
    """
    values = by_seed.to_numpy(float)
    mean = float(values.mean())
    if len(values) == 1:
        return Estimate(mean, np.nan, np.nan)
    interval = mean_interval(values)
    return Estimate(mean, max(interval.low, -1), min(interval.high, 1))
