"""Whether the error rates of the verdict *seen* on small models hold for a pretrained model.

The verdict is by the loss, which needs no reference model. Its rate on the small models is compared
with its rate on the pretrained model, for benchmarks of the same kind of text and the same number
of items, read the same number of times (the dose).

The small models are those of this run. The rates on the pretrained model are committed in
`config/calibration/pretrained.csv`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from exhibits.report.values import Value, value
from mechaware.core.stats.intervals import Interval, clopper_pearson
from mechaware.verdicts.error_rates import read_calibration, read_calibrations

MODEL = "smollm2-135m-instruct"
# The verdict by the loss alone; with a reference model it is "loss reference" in a calibration.
DETECTORS = "loss"
# The rate of *seen* is the rate of false alarms at dose 0, and the power at the other doses.
DOSES = (0, 4, 16)


class PlantedText(NamedTuple):
    """The name of a kind of text in the calibration of small models, and of pretrained models."""

    small: str
    pretrained: str


TEXTS = {
    "names": PlantedText(
        small="questions about invented names", pretrained="questions about invented names"
    ),
    "docstrings": PlantedText(
        small="docstrings of installed packages",
        pretrained="docstrings of packages first released in 2025 or later",
    ),
}


class RateDifference(NamedTuple):
    """The rates of the verdict *seen* in one cell, on the small models and on the pretrained model.

    - `kind`, `dose`, `n_items`: the cell, as a key of `TEXTS`, one of `DOSES`, and the number of
      items of a benchmark.
    - `small`, `pretrained`: the two rates.
    - `low`, `high`: the interval of their absolute difference.
    - `n`: the number of draws without a common item, the smaller of the two rates' numbers.
    """

    kind: str
    dose: int
    n_items: int
    small: float
    pretrained: float
    low: float
    high: float
    n: int

    @property
    def difference(self) -> float:
        """The absolute difference of the two rates."""
        return abs(self.pretrained - self.small)


def rate_values(
    small: Mapping[str, Path], pretrained: Path, *, confidence_level: float
) -> dict[str, Value]:
    """The rates in each cell that was measured on small and pretrained models, and the largest
    difference with its interval.

    Args:
        small: The calibration of the small models on each kind of text; the kinds are the keys of
            `TEXTS`.
        pretrained: The calibration of pretrained models; it has no rows until the rows that
            `make pretrained` writes are committed.
        confidence_level: The confidence level of the largest difference.

    Returns:
        Values by name.

        - `rates_by_size/{kind}/{dose}/small` and `/pretrained`: the rates of a cell.
        - `rates_by_size/largest/difference`: the largest absolute difference, with its interval and
          the smallest n of all cells. Always present; without a cell it has no number.
        - `rates_by_size/largest/{part}`: kind, dose, n_items, small and pretrained of the clearest
          cell. This is the cell whose interval has the highest lower end, and on a tie the one with
          the largest difference; another cell may have a larger difference and a wider interval.
    """
    cells = rate_differences(
        read_calibrations(small.values()),
        read_calibration(pretrained),
        confidence_level=confidence_level,
    )
    name = "rates_by_size/largest"
    if not cells:
        return {f"{name}/difference": value(None, file=pretrained)}

    values = {}
    for cell in cells:
        cell_name = f"rates_by_size/{cell.kind}/{cell.dose}"
        values[f"{cell_name}/small"] = value(cell.small, file=small[cell.kind])
        values[f"{cell_name}/pretrained"] = value(cell.pretrained, file=pretrained)

    # All intervals hold at once. If low_i <= difference_i <= high_i for every cell i, then
    # max low_i <= max difference_i <= max high_i.
    values[f"{name}/difference"] = value(
        max(cell.difference for cell in cells),
        file=pretrained,
        low=max(cell.low for cell in cells),
        high=max(cell.high for cell in cells),
        n=min(cell.n for cell in cells),
    )
    clearest = max(cells, key=lambda cell: (cell.low, cell.difference))
    for part in ("kind", "dose", "n_items", "small", "pretrained"):
        values[f"{name}/{part}"] = value(getattr(clearest, part), file=pretrained)
    return values


def rate_differences(
    small: pd.DataFrame, pretrained: pd.DataFrame, *, confidence_level: float
) -> list[RateDifference]:
    """One cell for each kind of text and each of `DOSES` that both calibrations have.

    A cell compares benchmarks of which every item was read, or none (dose 0). Of the numbers of
    items that both calibrations have, measured with the same procedure, it takes the smallest.

    The intervals of all cells hold at once at `confidence_level`. For m cells, Bonferroni's
    correction is over their 2 m rates: the exact interval of each rate is at the level
    1 - (1 - confidence_level) / (2 m). The interval of the absolute difference follows from those
    of the two rates (`_absolute`).
    """
    cells: list[_CellRows] = []
    of_model = pretrained[pretrained["model"] == MODEL]
    for kind, text in TEXTS.items():
        for dose in DOSES:
            small_rows = _rows_by_size(small, text.small, dose)
            pretrained_rows = _rows_by_size(of_model, text.pretrained, dose)
            for n_items in sorted(small_rows.index.intersection(pretrained_rows.index)):
                cell = _CellRows(
                    kind=kind,
                    dose=dose,
                    n_items=n_items,
                    small=small_rows.loc[n_items],
                    pretrained=pretrained_rows.loc[n_items],
                )
                if cell.small["procedure"] == cell.pretrained["procedure"]:
                    cells.append(cell)
                    break

    differences = []
    for cell in cells:
        level_of_rate = 1 - (1 - confidence_level) / (2 * len(cells))
        small_interval = _interval(cell.small, level_of_rate)
        pretrained_interval = _interval(cell.pretrained, level_of_rate)
        low, high = _absolute(small_interval, pretrained_interval)
        differences.append(
            RateDifference(
                kind=cell.kind,
                dose=cell.dose,
                n_items=int(cell.n_items),
                small=float(cell.small["seen"]),
                pretrained=float(cell.pretrained["seen"]),
                low=low,
                high=high,
                n=int(min(cell.small["independent"], cell.pretrained["independent"])),
            )
        )
    return differences


class _CellRows(NamedTuple):
    """A cell, and its rows in the two calibrations."""

    kind: str
    dose: int
    n_items: int
    small: pd.Series
    pretrained: pd.Series


def _rows_by_size(calibration: pd.DataFrame, text: str, dose: int) -> pd.DataFrame:
    """The rows of one kind of text and one dose, with the number of items as the index.

    Only benchmarks of which every item was read, or none if the dose is 0.
    """
    n_read = calibration["n_items"] if dose else 0
    rows = calibration[
        (calibration["text"] == text)
        & (calibration["detectors"] == DETECTORS)
        & (calibration["dose"] == dose)
        & (calibration["n_seen"] == n_read)
    ]
    return rows.set_index("n_items")


def _interval(row: pd.Series, confidence_level: float) -> Interval:
    """The exact interval of the rate `seen` as a share of `independent` draws.

    Draws that share items add no certainty, so only draws without a common item count.
    """
    n = int(row["independent"])
    n_called_seen = round(float(row["seen"]) * n)
    return clopper_pearson(n_called_seen, n, confidence_level)


def _absolute(small: Interval, pretrained: Interval) -> Interval:
    """The interval of |p - s|, for s in the interval `small` and p in the interval `pretrained`.

    p - s is between `lowest`, pretrained.low - small.high, and `highest`,
    pretrained.high - small.low. For s in [0.1, 0.3] and p in [0.5, 0.9], |p - s| is between 0.2 and
    0.8; for s in [0.1, 0.6] and p in [0.5, 0.9], between 0 and 0.8.
    """
    lowest = pretrained.low - small.high
    highest = pretrained.high - small.low
    return Interval(max(lowest, -highest, 0.0), max(abs(lowest), abs(highest)))
