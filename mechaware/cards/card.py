"""A calibration card: how often an instrument is right on planted truth, and what its test could have found.

An adapter turns a study's tables into one long table, of which all numbers of a card are computed. Its columns:

- unit: a planted unit; group: units that are not independent share one (a seed, a paper; a control is its own)
- part: units of different parts are never pooled
- condition: how the unit was planted; a unit has a row for each of its conditions, "" for none
- truth: what was planted; score: the higher, the more likely true; of a verdict 1 or 0
- length: of the text that was scored; missing where a unit has none

Separation is the one scale of all cards, 0 to 1: the area under the ROC curve (AUROC) of a score. Of a verdict that is
the mean of sensitivity and specificity. Chance is 0.5, whatever the mix of truths.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from scipy.stats import norm

from mechaware.seeds import derive_seed
from mechaware.stats import (
    Estimate,
    Interval,
    area_under_roc,
    area_under_roc_interval,
    areas_under_roc,
    clopper_pearson,
    proportion_over_groups,
    ratio_interval,
)

CHANCE = 0.5
# Fixed before any card was made: of ten pairs of a true and a false unit, an instrument worth using orders seven
# rightly. "No signal" is a finding only where this much is excluded.
FLOOR = 0.7
POWER = 0.8
DRAWS = 200  # of shuffled truths, and of bootstrapped groups

# What an interval shows; a card prints these words.
_WORKS = "it works"
_WEAK = f"above chance, not shown to reach {FLOOR}"
_NONE = f"no signal, and {FLOOR} would have been seen"
_LENGTH = "length alone does it"
_BELOW = "below chance"
_UNKNOWN = "we could not tell"
_NOT_SHOWN = (_BELOW, _LENGTH, _NONE, _WEAK, _UNKNOWN)


class Instrument(NamedTuple):
    """What is put to the test. `rows` is the long table (see the module).

    `claims`: what it claims to measure. `units`: the planted unit, in the plural. `verdicts`: its scores are 1 or 0,
    pooled over groups; otherwise scores are compared within a group only. `sources`: table -> script. `missing`: what
    is not measured.
    """

    kind: str
    name: str
    label: str
    claims: str
    units: str
    rows: pd.DataFrame
    verdicts: bool
    sources: Mapping[str, str]
    missing: str = ""


def make_card(instrument: Instrument, *, level: float, seed: int) -> dict[str, Any]:
    """The numbers and sentences of a card, as in its JSON; a part without units of both truths is left out.

    Each of `parts` has `cells`, of all units and of each condition: n_true, n_false, separation and finding. Where a
    condition has units of one truth alone, those of the other are all of the part's. An interval that cannot be given
    is 0 to 1. `use` and `avoid` list the conditions by finding, `worst` has the lowest separation, and `effect` is
    that of `_smallest_effect`. Of all units of a part: `rates`, sensitivity and specificity of a verdict; `shuffled`,
    mean, lowest and highest separation with the truth shuffled; `coverage`, the share of intervals, of groups drawn
    with replacement, that hold the separation of all units: no new groups are planted, and None with one group.
    """
    parts = [
        _part(instrument, str(name), rows, level, derive_seed(seed, instrument.kind, instrument.name, str(name)))
        for name, rows in instrument.rows.groupby("part", sort=False)
        if rows["truth"].nunique() == 2
    ]
    shown = {name: getattr(instrument, name) for name in ("kind", "name", "label", "claims", "units", "missing")}
    constants = {"chance": CHANCE, "floor": FLOOR, "power": POWER, "draws": DRAWS, "level": level}
    return shown | {"parts": parts, "constants": constants}


class _Units(NamedTuple):
    truth: Bool[np.ndarray, " unit"]
    score: Float[np.ndarray, " unit"]
    group: Int[np.ndarray, " unit"]
    length: Float[np.ndarray, " unit"]

    def take(self, chosen: np.ndarray) -> "_Units":
        return _Units(*(field[chosen] for field in self))

    def split(self, by: np.ndarray) -> list["_Units"]:
        """The units by their value of `by`, without those values that have one truth only."""
        return [own for own in (self.take(by == value) for value in np.unique(by)) if 0 not in own.n]

    @property
    def n(self) -> tuple[int, int]:
        """The numbers of true and of false units."""
        return int(self.truth.sum()), int((~self.truth).sum())


def _part(instrument: Instrument, name: str, rows: pd.DataFrame, level: float, seed: int) -> dict[str, Any]:
    def units_of(table: pd.DataFrame) -> _Units:
        kinds = {"truth": bool, "score": float, "group": int, "length": float}
        return _Units(*(table[column].to_numpy(kind) for column, kind in kinds.items()))

    gauge, generator = _Gauge(instrument.verdicts, level), np.random.default_rng(seed)
    rows = rows.assign(group=rows["group"].factorize()[0])
    everything = units_of(rows.drop_duplicates("unit"))
    cells = [gauge.cell("all together", everything)]
    for condition, own in rows[rows["condition"] != ""].groupby("condition", sort=False):
        units = units_of(own)
        if 0 in units.n:
            others = everything.take(everything.truth != units.truth[0])
            units = _Units(*map(np.concatenate, zip(units, others, strict=True)))
        cells.append(gauge.cell(str(condition), units))
    with_finding = {
        finding: [cell["condition"] for cell in cells if cell["finding"] == finding]
        for finding in (_WORKS, *_NOT_SHOWN)
    }
    return {
        "name": name,
        "cells": cells,
        "use": with_finding[_WORKS],
        "avoid": {finding: with_finding[finding] for finding in _NOT_SHOWN},
        "worst": min(cells, key=lambda cell: cell["separation"].value)["condition"],
        "rates": gauge.rates(everything) if gauge.verdicts else [],
        "shuffled": gauge.shuffled(everything, generator),
        "coverage": gauge.coverage(everything, generator),
        "effect": _smallest_effect(*everything.n, level),
    }


class _Gauge(NamedTuple):
    """How one instrument's numbers are taken."""

    verdicts: bool
    level: float

    def cell(self, condition: str, units: _Units) -> dict[str, Any]:
        estimate = self.separation(units)
        finding = _LENGTH if estimate.low > CHANCE and self._is_length(units) else _finding(estimate)
        n_true, n_false = units.n
        numbers = {"n_true": n_true, "n_false": n_false, "separation": estimate}
        return {"condition": condition} | numbers | {"finding": finding}

    def _is_length(self, units: _Units) -> bool:
        """Whether lengths differ by truth, and among units of equal length no separation is shown.

        The length's own AUROC shows that a reader of lengths would do well here, not that the instrument is one. Among
        equal lengths such a reader is at 0.5, and whatever else the instrument reads is left.
        """
        if np.isnan(units.length).any():
            return False
        by_length = self._of_scores(units._replace(score=units.length))
        differs = not by_length.low <= CHANCE <= by_length.high
        return differs and self._of_scores(units, equal_length=True).low <= CHANCE

    def separation(self, units: _Units) -> Estimate:
        """See the module; of verdicts sensitivity s and specificity p are averaged.

        The interval of a sum of two rates with intervals of their own is by square-and-add (Newcombe 1998):
        low = s + p - sqrt((s - s_low)^2 + (p - p_low)^2), and high likewise.
        """
        if not self.verdicts:
            return self._of_scores(units)
        rates = np.array(self.rates(units))
        value = rates[:, 0].mean()
        down, up = np.linalg.norm(rates[:, 1:] - rates[:, :1], axis=0) / 2
        return Estimate(float(value), float(value - down), float(value + up))

    def rates(self, units: _Units) -> list[Estimate]:
        """Sensitivity and specificity, with exact intervals, or over groups where these hold several units."""
        rates = []
        for truth in (True, False):
            side = units.take(units.truth == truth)
            right = (side.score > CHANCE) == truth
            groups = side.group.astype(str).tolist()
            if len(set(groups)) == len(groups):
                interval = clopper_pearson(int(right.sum()), len(right), self.level)
            else:
                interval = proportion_over_groups(right, groups, self.level) or Interval(0.0, 1.0)
            rates.append(Estimate(float(right.mean()), *interval))
        return rates

    def shuffled(self, units: _Units, generator: np.random.Generator) -> Estimate:
        """Mean, lowest and highest separation over draws; truths are shuffled among scores that are compared."""
        areas = []
        for own in [units] if self.verdicts else units.split(units.group):
            truths = generator.permuted(np.tile(own.truth.astype(float), (DRAWS, 1)), axis=1)
            areas.append(areas_under_roc(own.score[:, None], truths.T))
        by_draw = np.mean(areas, axis=0)
        return Estimate(float(by_draw.mean()), float(by_draw.min()), float(by_draw.max()))

    def coverage(self, units: _Units, generator: np.random.Generator) -> float | None:
        """See `make_card`."""
        groups = [np.flatnonzero(units.group == group) for group in np.unique(units.group)]
        known, held = self.separation(units).value, []
        if len(groups) == 1:
            return None
        for chosen in generator.integers(len(groups), size=(DRAWS, len(groups))):
            number = np.repeat(np.arange(len(chosen)), [len(groups[index]) for index in chosen])
            drawn = units.take(np.concatenate([groups[index] for index in chosen]))._replace(group=number)
            if 0 not in drawn.n:
                estimate = self.separation(drawn)
                held.append(estimate.low <= known <= estimate.high)
        return float(np.mean(held))

    def _of_scores(self, units: _Units, *, equal_length: bool = False) -> Estimate:
        """The mean AUROC of groups, with a t interval within 0 and 1; of one group, the interval over its units.

        With `equal_length`, of the pairs of a true and a false unit of a group that are equally long.
        """
        groups = [own.split(own.length) if equal_length else [own] for own in units.split(units.group)]
        groups = [pieces for pieces in groups if pieces]
        areas = [
            np.average(
                [area_under_roc(own.score[own.truth], own.score[~own.truth]) for own in pieces],
                weights=[np.prod(own.n) for own in pieces],
            )
            for pieces in groups
        ]
        if not areas:
            return Estimate(CHANCE, 0.0, 1.0)
        value = float(np.mean(areas))
        if len(areas) > 1:
            interval = ratio_interval((np.asarray(areas) - value) / len(areas), value, self.level)
        else:
            n_true, n_false = np.sum([own.n for own in groups[0]], axis=0).tolist()
            interval = area_under_roc_interval(value, n_true, n_false, self.level)
        return Estimate(value, max(0.0, interval.low), min(1.0, interval.high))


def _finding(estimate: Estimate) -> str:
    """What an interval shows, against chance and the floor."""
    if estimate.low > CHANCE:
        return _WORKS if estimate.low >= FLOOR else _WEAK
    return _BELOW if estimate.high < CHANCE else _NONE if estimate.high < FLOOR else _UNKNOWN


def _smallest_effect(n: int, m: int, level: float) -> float:
    """The separation that n true and m false independent units show to be above chance with a probability of `POWER`.

    Without a signal the area has the variance (n + m + 1) / (12 n m) of Mann and Whitney's test.
    """
    shown = CHANCE + float(norm.ppf((1 + level) / 2) * np.sqrt((n + m + 1) / (12 * n * m)))
    return area_under_roc_interval(min(shown, 1.0), n, m, 2 * POWER - 1).high
