"""A calibration card: how often an instrument is right on planted truth, and what its test could have found.

An adapter turns a study's tables into one long table, of which all numbers of a card are computed. Its columns:

- unit: a planted unit; group: units that are not independent share one (a seed, a paper; a control is its own)
- part: units of different parts are never pooled
- facet, condition: how the unit was planted; a unit has a row for each facet, and "" for none
- truth: what was planted; score: the higher, the more likely true; of a verdict 1 or 0
- length: of the text that was scored; missing where a unit has none

Separation is the one scale of all cards, 0 to 1: the area under the ROC curve (AUROC) of a score. Of a verdict that is
the mean of sensitivity and specificity. Chance is 0.5, whatever the mix of truths.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from scipy.stats import mannwhitneyu

from mechaware.seeds import derive_seed
from mechaware.stats import (
    Estimate,
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
SAMPLE = 22  # units of either truth that a user is assumed to have
POWER = 0.8
DRAWS = 200  # of shuffled truths, of samples of units, and of bootstrapped groups
_LEAST_UNITS = 6  # of either truth, to draw samples from

# What an interval shows; a card prints these words.
WORKS = "it works"
UNSURE = f"above chance; whether it reaches {FLOOR}, we could not tell"
WEAK = f"above chance, below {FLOOR}"
NONE = f"no signal, and we would have seen one of {FLOOR}"
UNKNOWN = "we could not tell"
MISLEADS = "it misleads: below chance"
LENGTH = "length alone does it"


class Instrument(NamedTuple):
    """What is put to the test. `rows` is the long table (see the module).

    `claims`: what it claims to measure. `units`: the planted unit, in the plural. `ladder`: the facet whose conditions
    are harder and harder, in the order of the rows. `verdicts`: its scores are 1 or 0. `within`: scores are compared
    within a group only, and averaged over groups. `sources`: table -> script. `beside`: columns of `rows` with the
    scores of what should fail, by label. `missing`: what is not measured, and the command that measures it.
    """

    kind: str
    name: str
    label: str
    claims: str
    units: str
    rows: pd.DataFrame
    ladder: str
    verdicts: bool
    within: bool
    sources: Mapping[str, str]
    beside: Mapping[str, str]
    missing: str = ""


class _Rate(NamedTuple):
    """The share of `right` of n units; the ends of its interval are NaN where there are too few groups."""

    right: int
    n: int
    low: float
    high: float


class Cell(NamedTuple):
    """An instrument in one condition of a part, or (condition "") on all units of the part.

    Where a condition has units of one truth alone, those of the other are all of the part's. `rates`: sensitivity and
    specificity of a verdict. `found`: the share of draws of `SAMPLE` units of either truth in which a one-sided
    Mann-Whitney test finds them apart; None with too few units to draw from. `by_length`: separation by the length
    alone; `at_equal_length`: by the score, among units of equal length, where length separates.
    """

    facet: str
    condition: str
    n_true: int
    n_false: int
    separation: Estimate
    rates: Sequence[_Rate]
    found: float | None
    by_length: Estimate | None
    at_equal_length: Estimate | None
    finding: str


class Part(NamedTuple):
    """The cells of a part, all of its units first, and the controls of its numbers.

    `shuffled`: mean, lowest and highest separation with the truth shuffled. `coverage`: the share of intervals, of
    groups drawn with replacement, that hold the separation of all units. It shows whether intervals allow for the
    differences between these groups; no new groups are planted. None with one group.
    """

    name: str
    cells: Sequence[Cell]
    shuffled: Estimate
    coverage: float | None
    beside: Mapping[str, Estimate]


def measure(instrument: Instrument, *, level: float, seed: int) -> list[Part]:
    """The parts of an instrument's card; a part without units of both truths is left out."""
    parts = instrument.rows.groupby("part", sort=False)
    return [_part(instrument, str(name), rows, level, seed) for name, rows in parts if rows["truth"].nunique() == 2]


def conditions(parts: Sequence[Part]) -> Iterator[tuple[Part, Cell]]:
    """The cells of single conditions, part by part."""
    return ((part, cell) for part in parts for cell in part.cells[1:])


class _Units(NamedTuple):
    truth: Bool[np.ndarray, " unit"]
    score: Float[np.ndarray, " unit"]
    group: Int[np.ndarray, " unit"]
    length: Float[np.ndarray, " unit"]

    def take(self, chosen: np.ndarray) -> "_Units":
        return _Units(*(field[chosen] for field in self))

    def split(self, by: np.ndarray) -> list["_Units"]:
        """The units by their value of `by`, without those values that have one truth only."""
        return [own for own in (self.take(by == value) for value in np.unique(by)) if own.mixed]

    @property
    def mixed(self) -> bool:
        return bool(self.truth.any() and not self.truth.all())

    @property
    def area(self) -> float:
        return area_under_roc(self.score[self.truth], self.score[~self.truth])


def _part(instrument: Instrument, name: str, rows: pd.DataFrame, level: float, seed: int) -> Part:
    def draw(*names: str) -> np.random.Generator:
        return np.random.default_rng(derive_seed(seed, instrument.kind, instrument.name, name, *names))

    gauge = _Gauge(instrument.verdicts, instrument.within, level)
    rows = rows.assign(group=rows["group"].factorize()[0])
    one_each = rows.drop_duplicates("unit")
    everything = _units(one_each)
    cells = [gauge.cell("", "", everything, draw("cell"))]
    for (facet, condition), own in rows[rows["condition"] != ""].groupby(["facet", "condition"], sort=False):
        units = _units(own)
        if not units.mixed:
            others = everything.take(everything.truth != units.truth[0])
            units = _Units(*map(np.concatenate, zip(units, others, strict=True)))
        cells.append(gauge.cell(str(facet), str(condition), units, draw("cell", str(condition))))
    beside = {
        label: gauge.separation(everything._replace(score=one_each[column].to_numpy(float)))
        for label, column in instrument.beside.items()
    }
    shuffled = gauge.shuffled(everything, draw("shuffled"))
    return Part(name, cells, shuffled, gauge.coverage(everything, draw("bootstrap")), beside)


def _units(rows: pd.DataFrame) -> _Units:
    kinds = {"truth": bool, "score": float, "group": int, "length": float}
    return _Units(*(rows[name].to_numpy(kind) for name, kind in kinds.items()))


class _Gauge(NamedTuple):
    """How one instrument's numbers are taken."""

    verdicts: bool
    within: bool
    level: float

    def cell(self, facet: str, condition: str, units: _Units, generator: np.random.Generator) -> Cell:
        estimate, by_length, equal = self.separation(units), None, None
        finding = _finding(estimate)
        if not np.isnan(units.length).any():
            by_length = self._of_scores(units._replace(score=units.length))
            if not by_length.low <= CHANCE <= by_length.high:
                equal = self._at_equal_length(units)
                if estimate.low > CHANCE and not (equal and equal.low > CHANCE):
                    finding = LENGTH
        n_true, rates = int(units.truth.sum()), self._rates(units) if self.verdicts else []
        found, n_false = self._found(units, generator), len(units.truth) - n_true
        return Cell(facet, condition, n_true, n_false, estimate, rates, found, by_length, equal, finding)

    def separation(self, units: _Units) -> Estimate:
        """See the module; of verdicts sensitivity s and specificity p are averaged.

        The interval of a sum of two rates with intervals of their own is by square-and-add (Newcombe 1998):
        low = s + p - sqrt((s - s_low)^2 + (p - p_low)^2), and high likewise.
        """
        if not self.verdicts:
            return self._of_scores(units)
        rates = np.array([(rate.right / rate.n, rate.low, rate.high) for rate in self._rates(units)])
        value = float(rates[:, 0].mean())
        down, up = np.linalg.norm(rates[:, 1:] - rates[:, :1], axis=0) / 2
        return Estimate(value, float(value - down), float(value + up))

    def shuffled(self, units: _Units, generator: np.random.Generator) -> Estimate:
        """Mean, lowest and highest separation over draws; truths are shuffled among scores that are compared."""
        areas = []
        for own in self._compared(units):
            truths = generator.permuted(np.tile(own.truth.astype(float), (DRAWS, 1)), axis=1)
            areas.append(areas_under_roc(own.score[:, None], truths.T))
        by_draw = np.mean(areas, axis=0)
        return Estimate(float(by_draw.mean()), float(by_draw.min()), float(by_draw.max()))

    def coverage(self, units: _Units, generator: np.random.Generator) -> float | None:
        """See `Part`."""
        groups = [np.flatnonzero(units.group == group) for group in np.unique(units.group)]
        known, held = self.separation(units), []
        if len(groups) < 2 or np.isnan(known.low):
            return None
        for chosen in generator.integers(len(groups), size=(DRAWS, len(groups))):
            drawn = units.take(np.concatenate([groups[index] for index in chosen]))
            if drawn.mixed:
                number = np.repeat(np.arange(len(chosen)), [len(groups[index]) for index in chosen])
                estimate = self.separation(drawn._replace(group=number))
                held.append(estimate.low <= known.value <= estimate.high)
        return float(np.mean(held))

    def _compared(self, units: _Units) -> list[_Units]:
        """The sets of units whose scores are compared."""
        return units.split(units.group) if self.within else [units]

    def _of_scores(self, units: _Units) -> Estimate:
        return self._over_groups([own.area for own in self._compared(units)], units)

    def _over_groups(self, areas: Sequence[float], units: _Units) -> Estimate:
        """The mean area with a t interval over groups, within 0 and 1; of one area, the interval over its units."""
        value = float(np.mean(areas))
        if len(areas) > 1:
            interval = ratio_interval((np.asarray(areas) - value) / len(areas), value, self.level)
        else:
            interval = area_under_roc_interval(value, int(units.truth.sum()), int((~units.truth).sum()), self.level)
        return Estimate(value, max(0.0, interval.low), min(1.0, interval.high))

    def _at_equal_length(self, units: _Units) -> Estimate | None:
        """The AUROC over pairs of a true and a false unit of equal length; None where no two are equally long.

        The length's own AUROC shows that a reader of lengths would do well here, not that the instrument is one. Among
        equal lengths such a reader is at 0.5, and whatever else the instrument reads is left.
        """
        areas, used = [], list[_Units]()
        for own in self._compared(units):
            if alike := own.split(own.length):
                pairs = [int(same.truth.sum() * (~same.truth).sum()) for same in alike]
                areas.append(float(np.average([same.area for same in alike], weights=pairs)))
                used += alike
        return self._over_groups(areas, _Units(*map(np.concatenate, zip(*used, strict=True)))) if areas else None

    def _rates(self, units: _Units) -> list[_Rate]:
        """Sensitivity and specificity, with exact intervals, or over groups where these hold several units."""
        rates = []
        for truth in (True, False):
            side = units.take(units.truth == truth)
            right = (side.score > CHANCE) == truth
            alone = len(np.unique(side.group)) == len(side.group)
            interval = clopper_pearson(int(right.sum()), len(right), self.level) if alone else None
            ends = interval or proportion_over_groups(right, side.group.tolist(), self.level) or (np.nan, np.nan)
            rates.append(_Rate(int(right.sum()), len(right), *ends))
        return rates

    def _found(self, units: _Units, generator: np.random.Generator) -> float | None:
        """See `Cell`. The test, at 1 - `level`, allows for ties; a draw is of one set of units, with replacement."""
        sets, found = self._compared(units), 0
        if min(units.truth.sum(), (~units.truth).sum()) < _LEAST_UNITS:
            return None
        for own, draws in zip(sets, generator.multinomial(DRAWS, np.full(len(sets), 1 / len(sets))), strict=True):
            true, false = (generator.choice(own.score[own.truth == side], (draws, SAMPLE)) for side in (True, False))
            varied = np.ptp(np.hstack([true, false]), axis=1) > 0  # the statistic of equal scores is undefined
            if varied.any():
                test = mannwhitneyu(true[varied], false[varied], alternative="greater", axis=1, method="asymptotic")
                found += int((test.pvalue <= 1 - self.level).sum())
        return found / DRAWS


def _finding(estimate: Estimate) -> str:
    """What an interval shows, against chance and the floor."""
    if np.isnan(estimate.low):
        return UNKNOWN
    if estimate.low > CHANCE:
        return WORKS if estimate.low >= FLOOR else WEAK if estimate.high < FLOOR else UNSURE
    return MISLEADS if estimate.high < CHANCE else NONE if estimate.high < FLOOR else UNKNOWN
