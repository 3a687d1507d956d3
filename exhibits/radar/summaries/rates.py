"""Do the error rates that were measured on small models hold for a pretrained one?

Compared are benchmarks of as many items of the same sort, read as often, with the verdict that
needs no reference model. The rates on small models are those of this run, and
`config/calibration/pretrained.csv` has those on the pretrained one.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from exhibits.report.values import Value, value
from mechaware.core.stats import Interval, clopper_pearson
from mechaware.verdicts.error_rates import read_calibration, read_calibrations

MODEL = "smollm2-135m-instruct"
DETECTORS = "loss"
DOSES = (0, 4, 16)  # false alarms, and power
# The kind of text as it was planted in the small models, and in the pretrained one.
TEXTS = {
    "names": ("questions about invented names", "questions about invented names"),
    "docstrings": (
        "docstrings of installed packages",
        "docstrings of packages first released in 2025 or later",
    ),
}


class RateDifference(NamedTuple):
    """The rates of the verdict *seen* in one cell, on the small models and on the pretrained one.

    `low` to `high` is the interval of the absolute difference.
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
        """How far the rates are apart, whichever is higher."""
        return abs(self.pretrained - self.small)


def rate_values(
    small: Mapping[str, Path], pretrained: Path, *, confidence_level: float
) -> dict[str, Value]:
    """The rates in each cell that was measured on both, and the largest difference with its
    interval.

    Args:
        small: The calibration of the small models on each kind of text; the kinds are the keys of
            `TEXTS`.
        pretrained: The calibration of pretrained models; without a row until `make pretrained` was
            committed.
        confidence_level: The confidence level of the largest difference.

    Returns:
        Values by name. `rates_by_size/largest/difference` is always there; without a cell it has no
        number.
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
        of_cell = f"rates_by_size/{cell.kind}/{cell.dose}"
        values[f"{of_cell}/small"] = value(cell.small, file=small[cell.kind])
        values[f"{of_cell}/pretrained"] = value(cell.pretrained, file=pretrained)

    # The intervals of all cells hold together, so that their largest ends are those of the largest
    # difference.
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
    """The cells that both calibrations have: of each kind of text and each of `DOSES`, benchmarks
    of the fewest items.

    All of the items were read, or none (dose 0). Rates of different procedures are not compared.
    The intervals of all cells together hold at `confidence_level`: Bonferroni's correction is over
    the two rates of every cell. Each is the exact interval of a rate in the draws without a common
    item. If the rates lie in [a, b] and [c, d], the second less the first lies between c - b and
    d - a.
    """
    pairs = []
    for kind, (small_text, pretrained_text) in TEXTS.items():
        for dose in DOSES:
            rows = _cells(small, small_text, dose)
            others = _cells(pretrained[pretrained["model"] == MODEL], pretrained_text, dose)
            for n_items in sorted(rows.index.intersection(others.index)):
                row = rows.loc[n_items]
                other = others.loc[n_items]
                if row["procedure"] == other["procedure"]:
                    pairs.append((kind, dose, row, other))
                    break

    differences = []
    for kind, dose, row, other in pairs:
        of_each = 1 - (1 - confidence_level) / (2 * len(pairs))
        low, high = _absolute(_interval(row, of_each), _interval(other, of_each))
        differences.append(
            RateDifference(
                kind=kind,
                dose=dose,
                n_items=int(row.name),
                small=float(row["seen"]),
                pretrained=float(other["seen"]),
                low=low,
                high=high,
                n=int(min(row["independent"], other["independent"])),
            )
        )
    return differences


def _cells(calibration: pd.DataFrame, text: str, dose: int) -> pd.DataFrame:
    """The rows of a kind and a dose whose items were all read, or none of them,
    by the number of items.
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
    n = int(row["independent"])
    return clopper_pearson(round(float(row["seen"]) * n), n, confidence_level)


def _absolute(small: Interval, pretrained: Interval) -> Interval:
    """The interval of the absolute difference of two numbers within these intervals.

    Of [0.1, 0.3] and [0.5, 0.9] it is 0.2 to 0.8, of [0.1, 0.6] and [0.5, 0.9] it is 0 to 0.8.
    """
    lowest = pretrained.low - small.high
    highest = pretrained.high - small.low
    return Interval(max(lowest, -highest, 0.0), max(abs(lowest), abs(highest)))
