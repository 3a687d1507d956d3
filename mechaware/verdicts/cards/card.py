"""A calibration card: how often an instrument is right on planted truth, and what its test could have found.

An adapter turns a study's tables into one long table, of which all numbers of a card are computed. Its columns:

- unit: a planted unit; group: units that are not independent share one (a seed, a paper; a control is its own)
- part: units of different parts are never pooled
- condition: how the unit was planted; a unit has a row for each of its conditions, "" for none
- truth: what was planted; score: the higher, the more likely true; of a verdict 1 or 0
- length: of the text that was scored; missing where a unit has none

Separation is the one scale of all cards, 0 to 1: the area under the ROC curve (AUROC), which for a verdict is the mean
of sensitivity and specificity. Chance is 0.5, whatever the mix of truths.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from scipy.stats import norm

from mechaware.core.seeds import derive_seed
from mechaware.core.stats import (
    Estimate,
    Interval,
    area_under_roc_interval,
    areas_under_roc,
    clopper_pearson,
    proportion_over_groups,
    ratio_interval,
)

CHANCE = 0.5
# Fixed before any card was made: of ten pairs of a true and a false unit, an instrument worth using orders seven
# rightly. "No signal" is a finding only where a test would have seen this much.
FLOOR = 0.7
POWER = 0.8
DRAWS = 200  # of shuffled truths, and of planted scores

# What an interval shows; a card prints these words.
_WORKS = "it works"
_WEAK = f"above chance, not shown to reach {FLOOR}"
_NONE = f"no signal, and {FLOOR} would have been seen"
_LENGTH = "not told from length"
_CONSTANT = "one score for all"
_BELOW = "below chance"
_UNKNOWN = "we could not tell"
_NOT_SHOWN = (_BELOW, _CONSTANT, _LENGTH, _NONE, _WEAK, _UNKNOWN)


class Instrument(NamedTuple):
    """What is put to the test. `rows` is the long table (see the module).

    `claims`: what it claims to measure. `units`: the planted unit, in the plural. `cut`: from this score on it says
    yes; None if it has no threshold of its own, and scores of one group alone are compared. `sources`: table ->
    script. `missing`: what is not measured.
    """

    kind: str
    name: str
    label: str
    claims: str
    units: str
    rows: pd.DataFrame
    cut: float | None
    sources: Mapping[str, str]
    missing: str = ""


def make_card(instrument: Instrument, *, level: float, seed: int) -> dict[str, Any]:
    """The numbers of a card, as in its JSON; units without a score and parts without both truths are left out.

    Each of `parts` has `cells`, of all units and of each condition: n_true, n_false, and where it has both truths
    `separation`, `smallest` (`_Gauge.smallest`) and `finding`, else `right`, the share of units judged rightly. An
    interval that cannot be given is 0 to 1. `use` and `avoid` list the conditions by finding, or all units where no
    condition has one; `worst` has the lowest separation or share. Of all units of a part: `rates`, sensitivity and
    specificity at the cut; `shuffled`, mean, lowest and highest separation with the truth shuffled; `coverage`
    (`_Gauge.coverage`).
    """
    scored = instrument.rows.dropna(subset="score")
    parts = [
        _part(
            instrument,
            str(name),
            rows,
            level,
            derive_seed(seed, instrument.kind, instrument.name, str(name)),
        )
        for name, rows in scored.groupby("part", sort=False)
        if rows["truth"].nunique() == 2
    ]
    shown = {
        name: getattr(instrument, name)
        for name in ("kind", "name", "label", "claims", "units", "missing", "cut")
    }
    constants = {"chance": CHANCE, "floor": FLOOR, "power": POWER, "draws": DRAWS, "level": level}
    return shown | {
        "without_score": len(instrument.rows) - len(scored),
        "parts": parts,
        "constants": constants,
    }


class _Units(NamedTuple):
    truth: Bool[np.ndarray, " unit"]
    score: Float[np.ndarray, " unit"]
    group: Int[np.ndarray, " unit"]
    length: Float[np.ndarray, " unit"]

    def take(self, chosen: np.ndarray) -> "_Units":
        return _Units(*(field[chosen] for field in self))

    def split(self, by: np.ndarray) -> list["_Units"]:
        """The units by their value of `by`, without those values that have one truth only."""
        return [
            own for own in (self.take(by == value) for value in np.unique(by)) if 0 not in own.n
        ]

    @property
    def n(self) -> tuple[int, int]:
        """The numbers of true and of false units."""
        return int(self.truth.sum()), int((~self.truth).sum())


def _part(
    instrument: Instrument, name: str, rows: pd.DataFrame, level: float, seed: int
) -> dict[str, Any]:
    def units_of(table: pd.DataFrame) -> _Units:
        kinds = {"truth": bool, "score": float, "group": int, "length": float}
        return _Units(*(table[column].to_numpy(kind) for column, kind in kinds.items()))

    gauge, generator = _Gauge(instrument.cut, level), np.random.default_rng(seed)
    rows = rows.assign(group=rows["group"].factorize()[0])
    units = units_of(rows.drop_duplicates("unit"))
    everything = gauge.cell("all together", units)
    cells = [
        gauge.cell(str(condition), units_of(own))
        for condition, own in rows[rows["condition"] != ""].groupby("condition", sort=False)
        if instrument.cut is not None or own["truth"].nunique() == 2
    ]
    judged = [cell for cell in cells if "finding" in cell] or [everything]
    found = {
        finding: [cell["condition"] for cell in judged if cell["finding"] == finding]
        for finding in (_WORKS, *_NOT_SHOWN)
    }
    worst = min(
        cells or [everything], key=lambda cell: (cell.get("separation") or cell["right"]).value
    )
    return {
        "name": name,
        "cells": [everything, *cells],
        "summary": judged[0]["finding"]
        if judged == [everything]
        else f"works in {len(found[_WORKS])} of {len(judged)} conditions",
        "use": found[_WORKS],
        "avoid": {finding: found[finding] for finding in _NOT_SHOWN},
        "worst": worst["condition"],
        "rates": gauge.rates(units),
        "shuffled": gauge.shuffled(units, generator),
        "coverage": gauge.coverage(units, generator),
    }


class _Gauge(NamedTuple):
    """How one instrument's numbers are taken."""

    cut: float | None
    level: float

    def cell(self, condition: str, units: _Units) -> dict[str, Any]:
        n_true, n_false = units.n
        cell: dict[str, Any] = {"condition": condition, "n_true": n_true, "n_false": n_false}
        if 0 in units.n:
            return cell | {"right": self._right(units)}
        estimate = self.separation(units)
        smallest = self.smallest(estimate, n_true, n_false)
        finding = _finding(estimate, smallest)
        if np.ptp(units.score) == 0:
            finding = _CONSTANT
        elif finding in (_WORKS, _WEAK) and not self._is_more_than_length(units):
            finding = _LENGTH
        return cell | {"separation": estimate, "smallest": smallest, "finding": finding}

    def separation(self, units: _Units) -> Estimate:
        """The AUROC and its interval.

        Without a cut it is the mean over groups, and of one group, or of independent units, the area of all. Else the
        scores are verdicts on dependent units: the interval of the mean of two rates s and p with intervals of their
        own is by square-and-add (Newcombe 1998), low = (s + p - sqrt((s - s_low)^2 + (p - p_low)^2)) / 2.
        """
        if self.cut is None or _is_independent(units):
            return self._mean_area([[own] for own in self._compared(units)])
        rates = np.array(self.rates(units))
        value = rates[:, 0].mean()
        down, up = np.linalg.norm(rates[:, 1:] - rates[:, :1], axis=0) / 2
        return Estimate(float(value), float(value - down), float(value + up))

    def _mean_area(self, groups: list[list[_Units]]) -> Estimate:
        """The mean AUROC of groups; in a group of several pieces, of the pairs of units of one piece.

        The interval is the wider of two: over groups (t), and over as many independent units. Few groups that agree by
        chance have no width over groups.
        """
        groups = [pieces for pieces in groups if pieces]
        if not groups:
            return Estimate(CHANCE, 0.0, 1.0)
        areas = np.array(
            [
                np.average(list(map(_area, pieces)), weights=[np.prod(own.n) for own in pieces])
                for pieces in groups
            ]
        )
        value = float(areas.mean())
        n_true, n_false = np.sum([own.n for pieces in groups for own in pieces], axis=0).tolist()
        intervals = [area_under_roc_interval(value, n_true, n_false, self.level)]
        if len(areas) > 1:
            intervals.append(ratio_interval((areas - value) / len(areas), value, self.level))
        low, high = (
            min(interval.low for interval in intervals),
            max(interval.high for interval in intervals),
        )
        return Estimate(value, max(0.0, low), min(1.0, high))

    def _compared(self, units: _Units) -> list[_Units]:
        """The units whose scores are compared: those of a group without a cut, else all."""
        return units.split(units.group) if self.cut is None else [units]

    def _is_more_than_length(self, units: _Units) -> bool:
        """Whether both truths have the same lengths (or none), or units of equal length are separated, too."""
        true, false = (np.sort(units.length[units.truth == truth]) for truth in (True, False))
        if np.isnan(units.length).any() or np.array_equal(true, false):
            return True
        return (
            self._mean_area([own.split(own.length) for own in self._compared(units)]).low > CHANCE
        )

    def rates(self, units: _Units) -> list[Estimate]:
        """Sensitivity and specificity at the cut; none without a cut."""
        return (
            []
            if self.cut is None
            else [self._right(units.take(units.truth == truth)) for truth in (True, False)]
        )

    def _right(self, units: _Units) -> Estimate:
        """The share of units on the right side of the cut, with its exact interval, or that over dependent units."""
        right = (units.score >= self.cut) == units.truth
        groups = units.group.astype(str).tolist()
        if _is_independent(units):
            interval = clopper_pearson(int(right.sum()), len(right), self.level)
        else:
            interval = proportion_over_groups(right, groups, self.level) or Interval(0.0, 1.0)
        return Estimate(float(right.mean()), *interval)

    def smallest(self, estimate: Estimate, n: int, m: int) -> float | None:
        """The smallest separation that this test shows to be above chance with a probability of `POWER`; None if none.

        Without a signal the area has the variance (n + m + 1) / (12 n m) of Mann and Whitney's test, where units are
        independent; where they are not, the interval that was found is wider, and its width counts.
        """
        by_units = float(norm.ppf((1 + self.level) / 2) * np.sqrt((n + m + 1) / (12 * n * m)))
        shown = CHANCE + max(by_units, (estimate.high - estimate.low) / 2)
        return area_under_roc_interval(shown, n, m, 2 * POWER - 1).high if shown < 1 else None

    def shuffled(self, units: _Units, generator: np.random.Generator) -> Estimate:
        """Mean, lowest and highest separation over draws; truths are shuffled among scores that are compared."""
        by_group = []
        for own in self._compared(units):
            truths = generator.permuted(np.tile(own.truth.astype(float), (DRAWS, 1)), axis=1)
            by_group.append(areas_under_roc(own.score[:, None], truths.T))
        areas = np.mean(by_group, axis=0)
        return Estimate(float(areas.mean()), float(areas.min()), float(areas.max()))

    def coverage(self, units: _Units, generator: np.random.Generator) -> float:
        """The share of intervals that hold `FLOOR`, where independent scores with this separation are planted.

        These units get `DRAWS` sets of scores, normal ones, or 1 and 0 where they are verdicts on dependent units.
        """
        shape = (DRAWS, len(units.truth))
        if self.cut is None or _is_independent(units):
            drawn = generator.normal(size=shape) + np.sqrt(2) * norm.ppf(FLOOR) * units.truth
        else:
            drawn = (generator.random(shape) < FLOOR) == units.truth
        estimates = (
            self.separation(units._replace(score=scores.astype(float))) for scores in drawn
        )
        return float(np.mean([estimate.low <= FLOOR <= estimate.high for estimate in estimates]))


def _is_independent(units: _Units) -> bool:
    return len(np.unique(units.group)) == len(units.group)


def _area(units: _Units) -> float:
    return float(areas_under_roc(units.score[:, None], units.truth[:, None].astype(float))[0])


def _finding(estimate: Estimate, smallest: float | None) -> str:
    """What an interval shows, against chance and the floor."""
    if estimate.low > CHANCE:
        return _WORKS if estimate.low >= FLOOR else _WEAK
    if estimate.high < CHANCE:
        return _BELOW
    return (
        _NONE if estimate.high < FLOOR and smallest is not None and smallest <= FLOOR else _UNKNOWN
    )
