"""A calibration card: how often an instrument is right on planted truth, and what its test could
have found.

An adapter turns a study's tables into one long table, from which all numbers of a card are
computed. A planted unit has a row for each of its conditions. The columns:

- unit: the name of the unit
- group: units that are not independent share a group (a seed, a paper); an independent unit is a
  group of its own
- part: units of different parts are never pooled
- condition: how the unit was planted; "" for none
- truth: what was planted, true or false
- score: the higher, the more likely true; 1 or 0 for a verdict; missing where there is none
- length: the length of the text that was scored; missing where a unit has no text

Separation is the one scale of all cards, 0 to 1: the area under the ROC curve (AUROC), which for a
verdict is the mean of sensitivity and specificity. Chance is 0.5, whatever the mix of truths.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from scipy.stats import norm

from mechaware.core.seeds import derive_seed
from mechaware.core.stats.intervals import (
    Estimate,
    Interval,
    clopper_pearson,
    proportion_over_groups,
    ratio_interval,
)
from mechaware.core.stats.roc import area_under_roc_interval, areas_under_roc

CHANCE = 0.5
# Fixed before any card was made: of ten pairs of a true and a false unit, an instrument worth using
# orders seven rightly. "No signal" is a finding only where a test would have seen this much.
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
    """An instrument that is tested.

    - `kind`, `name`: identify the instrument. `label`: its name in print.
    - `claims`: what it claims to measure.
    - `units`: the planted unit, in the plural.
    - `rows`: the long table (see the module).
    - `cut`: the least score of a yes; None if it has no threshold of its own, and only scores of
      one group are compared.
    - `sources`: by table, its script.
    - `missing`: what is not measured.
    - `not_planted`: what it does where nothing was planted, in sentences.
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
    not_planted: str = ""


def make_card(instrument: Instrument, *, confidence_level: float, seed: int) -> dict[str, Any]:
    """The numbers of a card, as in its JSON.

    Units without a score and parts without both truths are left out.

    Args:
        instrument: The instrument and its long table.
        confidence_level: The level of the intervals, such as 0.95. An interval that cannot be given
            is 0 to 1.
        seed: The seed of the draws of `shuffled` and `coverage`.

    Returns:
        The fields of the instrument except rows and sources; without_score, the number of rows
        without a score; constants: chance, floor, power, draws and level; and parts, with an entry
        for each part:

        - cells: one of all units together, then one for each condition; without a cut, only for
          conditions with both truths. Each has condition, n_true and n_false. With both truths it
          has separation, smallest (`_Gauge.smallest`) and finding; with one truth it has right,
          the share of units judged rightly;
        - use and avoid: the conditions by finding, or all units together where no condition has
          both truths;
        - worst: the condition with the lowest separation or share; on a tie, the first;
        - summary: in how many conditions the instrument works, in words;
        - rates: sensitivity and specificity of all units at the cut; none without a cut;
        - shuffled: mean, lowest and highest separation of all units with the truth shuffled;
        - coverage: see `_Gauge.coverage`.
    """
    scored = instrument.rows.dropna(subset="score")
    parts = []
    for name, rows in scored.groupby("part", sort=False):
        if rows["truth"].nunique() == 2:
            seed_of_part = derive_seed(seed, instrument.kind, instrument.name, str(name))
            parts.append(_part(instrument, str(name), rows, confidence_level, seed_of_part))

    return {
        "kind": instrument.kind,
        "name": instrument.name,
        "label": instrument.label,
        "claims": instrument.claims,
        "units": instrument.units,
        "missing": instrument.missing,
        "not_planted": instrument.not_planted,
        "cut": instrument.cut,
        "without_score": len(instrument.rows) - len(scored),
        "parts": parts,
        "constants": {
            "chance": CHANCE,
            "floor": FLOOR,
            "power": POWER,
            "draws": DRAWS,
            "level": confidence_level,
        },
    }


class _Units(NamedTuple):
    """Scored units of one part, one entry each; groups are numbers, and a missing length is NaN."""

    truth: Bool[np.ndarray, " unit"]
    score: Float[np.ndarray, " unit"]
    group: Int[np.ndarray, " unit"]
    length: Float[np.ndarray, " unit"]

    def take(self, chosen: Bool[np.ndarray, " unit"]) -> "_Units":
        """The chosen units."""
        return _Units(
            truth=self.truth[chosen],
            score=self.score[chosen],
            group=self.group[chosen],
            length=self.length[chosen],
        )

    def split(self, by: Int[np.ndarray, " unit"] | Float[np.ndarray, " unit"]) -> list["_Units"]:
        """The units by their value of `by`, in rising order.

        Values whose units have a single truth are left out.
        """
        pieces = []
        for value in np.unique(by):
            piece = self.take(by == value)
            if piece.has_both_truths:
                pieces.append(piece)
        return pieces

    @property
    def n_true(self) -> int:
        return int(self.truth.sum())

    @property
    def n_false(self) -> int:
        return int((~self.truth).sum())

    @property
    def n_pairs(self) -> int:
        """The number of pairs of a true and a false unit, over which an AUROC is a mean."""
        return self.n_true * self.n_false

    @property
    def has_both_truths(self) -> bool:
        """Whether there is a true unit and a false one."""
        return self.n_pairs > 0

    @property
    def is_independent(self) -> bool:
        """Whether each unit is a group of its own."""
        return len(np.unique(self.group)) == len(self.group)

    @property
    def area(self) -> float:
        """The area under the ROC curve; needs both truths."""
        positive = self.truth[:, None].astype(float)
        return float(areas_under_roc(self.score[:, None], positive)[0])


def _units_of(rows: pd.DataFrame) -> _Units:
    """The units of a long table, in which groups are already numbers."""
    return _Units(
        truth=rows["truth"].to_numpy(bool),
        score=rows["score"].to_numpy(float),
        group=rows["group"].to_numpy(int),
        length=rows["length"].to_numpy(float),
    )


def _part(
    instrument: Instrument, name: str, rows: pd.DataFrame, confidence_level: float, seed: int
) -> dict[str, Any]:
    """An entry of `parts` (`make_card`), from the rows of one part, which has both truths."""
    gauge = _Gauge(instrument.cut, confidence_level)
    generator = np.random.default_rng(seed)
    rows = rows.assign(group=rows["group"].factorize()[0])

    # A unit has a row for each of its conditions, and counts once among all.
    units = _units_of(rows.drop_duplicates("unit"))
    all_together = gauge.cell("all together", units)
    cells = []
    for condition, condition_rows in rows[rows["condition"] != ""].groupby("condition", sort=False):
        # With a single truth there is no separation, and without a cut no share of right verdicts
        # either.
        if instrument.cut is not None or condition_rows["truth"].nunique() == 2:
            cells.append(gauge.cell(str(condition), _units_of(condition_rows)))

    cells_with_finding = [cell for cell in cells if "finding" in cell]
    if cells_with_finding:
        summary = _summary([cell["finding"] for cell in cells_with_finding])
    else:
        summary = all_together["finding"]
        cells_with_finding = [all_together]

    by_finding: dict[str, list[str]] = {finding: [] for finding in (_WORKS, *_NOT_SHOWN)}
    for cell in cells_with_finding:
        by_finding[cell["finding"]].append(cell["condition"])
    worst = min(cells or [all_together], key=_separation_or_share)
    return {
        "name": name,
        "cells": [all_together, *cells],
        "summary": summary,
        "use": by_finding[_WORKS],
        "avoid": {finding: by_finding[finding] for finding in _NOT_SHOWN},
        "worst": worst["condition"],
        "rates": gauge.rates(units),
        "shuffled": gauge.shuffled(units, generator),
        "coverage": gauge.coverage(units, generator),
    }


def _summary(findings: Sequence[str]) -> str:
    """In how many conditions an instrument works, from the finding of each."""
    if set(findings) == {_UNKNOWN}:
        # "Works in 0" would read as a finding, where there are only too few units for one.
        return f"{_UNKNOWN} in any of {len(findings)} conditions"
    return f"works in {findings.count(_WORKS)} of {len(findings)} conditions"


def _separation_or_share(cell: Mapping[str, Any]) -> float:
    """The separation of a cell; with a single truth, the share of units judged rightly."""
    estimate: Estimate = cell["separation"] if "separation" in cell else cell["right"]
    return estimate.value


class _Gauge(NamedTuple):
    """Computes the numbers of one instrument, from its `cut` and the level of intervals."""

    cut: float | None
    confidence_level: float

    def cell(self, condition: str, units: _Units) -> dict[str, Any]:
        """A cell of a card (`make_card`), with the separation of the units or the share right."""
        cell: dict[str, Any] = {
            "condition": condition,
            "n_true": units.n_true,
            "n_false": units.n_false,
        }
        if not units.has_both_truths:
            return cell | {"right": self._right(units)}

        estimate = self.separation(units)
        smallest = self.smallest(estimate, units.n_true, units.n_false)
        finding = _finding(estimate, smallest)
        if np.ptp(units.score) == 0:
            finding = _CONSTANT
        elif finding in (_WORKS, _WEAK) and not self._is_more_than_length(units):
            finding = _LENGTH
        return cell | {"separation": estimate, "smallest": smallest, "finding": finding}

    def separation(self, units: _Units) -> Estimate:
        """The AUROC and its interval; needs both truths.

        - Scores without a cut: the mean of the AUROCs within groups.
        - Verdicts on independent units: the AUROC of all units.
        - Verdicts on dependent units: the mean of sensitivity s and specificity p. Its interval
          follows from the intervals of s and p by square-and-add (Newcombe 1998):

              low = (s + p - sqrt((s - s_low)^2 + (p - p_low)^2)) / 2
        """
        if self.cut is None or units.is_independent:
            return self._mean_area([[compared] for compared in self._compared(units)])

        sensitivity, specificity = self.rates(units)
        value = (sensitivity.value + specificity.value) / 2
        below = _root_of_squares(
            sensitivity.low - sensitivity.value, specificity.low - specificity.value
        )
        above = _root_of_squares(
            sensitivity.high - sensitivity.value, specificity.high - specificity.value
        )
        return Estimate(value, value - below / 2, value + above / 2)

    def _mean_area(self, groups: list[list[_Units]]) -> Estimate:
        """The mean AUROC of groups, each of which is given in pieces.

        Units of different pieces are not compared.

        The AUROC of a group is the mean over its pieces, weighted by their pairs of a true and a
        false unit. For instance a group with a piece of 1 pair and AUROC 1 and a piece of 3 pairs
        and AUROC 1/3 has 1/2. Groups without a piece are left out.

        The interval is the wider of two: the t interval over groups, and the interval for as many
        independent units. A few groups that agree by chance would give the first no width. Without
        any group the interval is 0 to 1.
        """
        areas = []
        all_pieces: list[_Units] = []
        for pieces in groups:
            if pieces:
                n_pairs = [piece.n_pairs for piece in pieces]
                areas.append(np.average([piece.area for piece in pieces], weights=n_pairs))
                all_pieces += pieces
        if not areas:
            return Estimate(CHANCE, 0.0, 1.0)

        value = float(np.mean(areas))
        n_true = sum(piece.n_true for piece in all_pieces)
        n_false = sum(piece.n_false for piece in all_pieces)
        low, high = area_under_roc_interval(value, n_true, n_false, self.confidence_level)
        if len(areas) > 1:
            residuals = (np.array(areas) - value) / len(areas)
            over_groups = ratio_interval(residuals, value, self.confidence_level)
            low = min(low, over_groups.low)
            high = max(high, over_groups.high)
        return Estimate(value, max(0.0, low), min(1.0, high))

    def _compared(self, units: _Units) -> list[_Units]:
        """The units whose scores are compared: all units, or without a cut those of each group."""
        if self.cut is None:
            return units.split(units.group)
        return [units]

    def _is_more_than_length(self, units: _Units) -> bool:
        """Whether length alone cannot explain the separation.

        True in any of three cases: a length is missing; true and false units have the same lengths;
        or units of equal length are separated above chance.
        """
        if np.isnan(units.length).any():
            return True
        lengths_of_true = np.sort(units.length[units.truth])
        lengths_of_false = np.sort(units.length[~units.truth])
        if np.array_equal(lengths_of_true, lengths_of_false):
            return True
        equally_long = [compared.split(compared.length) for compared in self._compared(units)]
        return self._mean_area(equally_long).low > CHANCE

    def rates(self, units: _Units) -> list[Estimate]:
        """Sensitivity and specificity at the cut; none without a cut."""
        if self.cut is None:
            return []
        sensitivity = self._right(units.take(units.truth))
        specificity = self._right(units.take(~units.truth))
        return [sensitivity, specificity]

    def _right(self, units: _Units) -> Estimate:
        """The share of units on the right side of the cut; a score at the cut is a yes.

        The interval is exact for independent units, otherwise over groups; it is 0 to 1 for too few
        groups.
        """
        right = (units.score >= self.cut) == units.truth
        if units.is_independent:
            interval = clopper_pearson(int(right.sum()), len(right), self.confidence_level)
        else:
            groups = units.group.astype(str).tolist()
            over_groups = proportion_over_groups(right, groups, self.confidence_level)
            interval = over_groups or Interval(0.0, 1.0)
        return Estimate(float(right.mean()), *interval)

    def smallest(self, estimate: Estimate, n: int, m: int) -> float | None:
        """The smallest separation that this test shows to be above chance with probability `POWER`.

        None if there is none. `estimate` is the separation that was found, n and m are the numbers
        of true and false units. For independent units without a signal, the area has the variance
        (n + m + 1) / (12 n m) of Mann and Whitney's test. For dependent units the interval of
        `estimate` is wider, and its width counts.
        """
        z = norm.ppf((1 + self.confidence_level) / 2)
        half_width_by_units = float(z * np.sqrt((n + m + 1) / (12 * n * m)))
        half_width_found = (estimate.high - estimate.low) / 2
        just_shown = CHANCE + max(half_width_by_units, half_width_found)
        if just_shown >= 1:
            return None
        # With this separation, the share `POWER` of all estimates is above `just_shown`: an
        # interval of level 2 `POWER` - 1 leaves out the share 1 - `POWER` on either side.
        return area_under_roc_interval(just_shown, n, m, 2 * POWER - 1).high

    def shuffled(self, units: _Units, generator: np.random.Generator) -> Estimate:
        """Mean, lowest and highest separation over draws with shuffled truths.

        Truths are shuffled among scores that are compared (`_compared`).

        Each row of `a_row_per_draw` holds the truths of all compared units, and is shuffled on its
        own. For the truths 1 0 0 and three draws:

            1 0 0        0 1 0
            1 0 0   ->   1 0 0
            1 0 0        0 0 1
        """
        by_group = []
        for compared in self._compared(units):
            a_row_per_draw = np.tile(compared.truth.astype(float), (DRAWS, 1))
            shuffled_truths = generator.permuted(a_row_per_draw, axis=1)
            by_group.append(areas_under_roc(compared.score[:, None], shuffled_truths.T))
        areas = np.mean(by_group, axis=0)
        return Estimate(float(areas.mean()), float(areas.min()), float(areas.max()))

    def coverage(self, units: _Units, generator: np.random.Generator) -> float:
        """The share of intervals that hold `FLOOR`, the separation of planted independent scores.

        The units get `DRAWS` sets of scores. Verdicts on dependent units are right with the
        probability `FLOOR`. Other scores are normal, and sqrt(2) z(`FLOOR`) higher for true units:
        the difference of a true and a false score then has this mean and the variance 2, and is
        above 0 with the probability `FLOOR`.
        """
        shape = (DRAWS, len(units.truth))
        if self.cut is None or units.is_independent:
            drawn = generator.normal(size=shape) + np.sqrt(2) * norm.ppf(FLOOR) * units.truth
        else:
            drawn = (generator.random(shape) < FLOOR) == units.truth

        n_covering = 0
        for scores in drawn:
            estimate = self.separation(units._replace(score=scores.astype(float)))
            n_covering += estimate.low <= FLOOR <= estimate.high
        return n_covering / DRAWS


def _root_of_squares(first: float, second: float) -> float:
    return float(np.sqrt(first**2 + second**2))


def _finding(estimate: Estimate, smallest: float | None) -> str:
    """What the interval of a separation shows, compared with chance and with the floor."""
    if estimate.low >= FLOOR:
        return _WORKS
    if estimate.low > CHANCE:
        return _WEAK
    if estimate.high < CHANCE:
        return _BELOW
    floor_would_be_seen = smallest is not None and smallest <= FLOOR
    if estimate.high < FLOOR and floor_would_be_seen:
        return _NONE
    return _UNKNOWN
