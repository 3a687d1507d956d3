"""How often verdicts of a procedure were wrong on planted truth, looked up in a calibration.

A calibration is a table. Each row has a rate or a group of rates, and these columns besides:

- procedure: the procedure that was measured (`Procedure.text`)
- n_layers, d_model: the number of blocks and the width of the planted models; missing where papers
  were planted
- text, text_length: what was planted, in words, such as "invented names", and its median length in
  characters
"""

from collections.abc import Iterable
from math import log
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.frames import Schema, read_csv
from mechaware.verdicts.procedure import Procedure, differences, parse_procedure

_SCHEMA = Schema(
    text=("detectors", "rules", "half", "judge", "procedure", "text", "model", "machines", "commit")
)
# The weights in a block, in units of d_model^2: 4 of attention, and 8 of an MLP whose hidden layer
# is four times as wide as the residual stream.
_MATRICES = 12


class Rate(NamedTuple):
    """One rate with its interval.

    - `measure`: what was counted, such as "false alarms".
    - `value`, `low`, `high`: the rate and its interval, from 0 to 1.
    - `n`: the number of independent cases behind it.
    - `case`: properties of these cases, by name; whole numbers are counts, other numbers shares.
    """

    measure: str
    value: float
    low: float
    high: float
    n: int
    case: dict[str, str | int | float]


class ErrorRates(NamedTuple):
    """The error rates of a verdict.

    - `rates`: the rates, in the order of the page.
    - `missing`: why there are none, or none for a part of the verdict; sentences.
    - `distance`: how the planted cases differ from the user's; sentences.
    """

    rates: list[Rate]
    missing: list[str]
    distance: list[str]

    def record(self) -> dict[str, object]:
        """The rates as JSON holds them."""
        return {
            "rates": [rate._asdict() for rate in self.rates],
            "missing": self.missing,
            "distance": self.distance,
        }


class ModelSize(NamedTuple):
    """The number of blocks of a model and its width."""

    n_layers: int
    d_model: int

    @property
    def weights(self) -> float:
        """The number of weights in its blocks, about 12 n_layers d_model^2."""
        return _MATRICES * self.n_layers * self.d_model**2


class CalibrationRows(NamedTuple):
    """The rows of a calibration that belong to a verdict.

    - `rows`: the rows; none where the procedure was not measured.
    - `missing`: why there are none, a phrase; empty where there are some.
    - `distance`: as in `ErrorRates`.
    """

    rows: pd.DataFrame
    missing: str
    distance: list[str]


def read_calibration(path: Path) -> pd.DataFrame:
    """The table of a calibration. Raises `UserError` if it has no column "procedure"."""
    table = read_csv(path, _SCHEMA)
    if "procedure" not in table:
        raise UserError(
            f"{path}: no column 'procedure'; error rates belong to a procedure: make the file again"
        )
    return table


def read_calibrations(paths: Iterable[Path]) -> pd.DataFrame:
    """The rows of several calibrations, at least one, in one table.

    If no file has a row, the first of the empty tables. Raises `UserError` as `read_calibration`.
    """
    tables = [read_calibration(path) for path in paths]
    # Columns of an empty table have no type: with them, `concat` would turn numbers into objects.
    with_rows = [table for table in tables if not table.empty]
    if not with_rows:
        return tables[0]
    return pd.concat(with_rows, ignore_index=True)


def find_error_rates(
    procedure: Procedure, calibration: pd.DataFrame, *, size: ModelSize | None, text_length: float
) -> CalibrationRows:
    """The rows measured with exactly this procedure, on the nearest size of model and kind of text.

    The nearest size minimises |log(weights / weights of the model)|, and the nearest kind of text
    |log(length / text_length)|. On a tie the first in the calibration is taken.

    Args:
        procedure: The procedure of the verdict.
        calibration: The table of `read_calibration`.
        size: The size of the model that the verdict is about; None where the verdict is about a
            text, and the procedure names the model that reads it.
        text_length: The median length, in characters, of the texts that the verdict is about;
            above 0.

    Returns:
        The rows. If there are none, `missing` names one difference from the measured procedure that
        differs in the fewest points.
    """
    rows = calibration[calibration["procedure"] == procedure.text]
    if rows.empty:
        return CalibrationRows(rows, _why_missing(procedure, calibration), [])

    distance = []
    if size is not None:
        rows, size_distance = nearest_size(rows, size)
        if size_distance:
            distance.append(size_distance)

    rows, text_distance = _nearest_text(rows, text_length)
    distance.append(text_distance)
    return CalibrationRows(rows, "", distance)


def _why_missing(procedure: Procedure, calibration: pd.DataFrame) -> str:
    """That the procedure was not measured, with one difference from the most similar measured one.

    Only procedures of the same instrument are compared.
    """
    candidates = []
    for text in calibration["procedure"].unique():
        # Rows of rules on which no verdict rests have no procedure.
        if not text:
            continue

        calibrated = parse_procedure(text)
        if calibrated.instrument == procedure.instrument:
            candidates.append(differences(procedure, calibrated))
    if not candidates:
        return "not measured with this procedure"

    fewest = min(candidates, key=len)
    return f"not measured with this procedure: {fewest[0]}"


def nearest_size(calibration: pd.DataFrame, size: ModelSize) -> tuple[pd.DataFrame, str]:
    """The rows of the planted models whose blocks have the nearest number of weights.

    Returns:
        The rows, and how the sizes differ, in a sentence, which is empty for equal sizes. On a tie
        the first size is taken.

    Raises:
        ValueError: `calibration` has no row.
    """
    columns = calibration[["n_layers", "d_model"]]
    sizes = []
    for n_layers, d_model in columns.drop_duplicates().to_numpy():
        sizes.append(ModelSize(int(n_layers), int(d_model)))
    nearest = min(sizes, key=lambda planted: abs(log(planted.weights / size.weights)))

    rows = calibration[(columns == np.array(nearest)).all(axis=1)]
    if nearest == size:
        return rows, ""
    ratio = _times(size.weights / nearest.weights, "as many weights in its blocks")
    return rows, (
        f"measured on models of {nearest.n_layers} blocks of width {nearest.d_model}; "
        f"this one has {size.n_layers} of width {size.d_model}: {ratio}"
    )


class _PlantedText(NamedTuple):
    """A kind of planted text, in words, and its median length in characters."""

    text: str
    length: float


def _nearest_text(calibration: pd.DataFrame, length: float) -> tuple[pd.DataFrame, str]:
    """The rows of the kind of planted text with the nearest median length.

    Returns:
        The rows, and how the lengths differ, in a sentence. On a tie the first kind is taken.
    """
    columns = calibration[["text", "text_length"]]
    kinds = []
    for text, planted_length in columns.drop_duplicates().itertuples(index=False, name=None):
        kinds.append(_PlantedText(text, planted_length))
    nearest = min(kinds, key=lambda kind: abs(log(kind.length / length)))

    has_text = calibration["text"] == nearest.text
    has_length = calibration["text_length"] == nearest.length
    rows = calibration[has_text & has_length]
    ratio = _times(length / nearest.length, "as long")
    return rows, (
        f"measured on {nearest.text} with a median length of {nearest.length:g} characters; "
        f"these texts have {length:g}: {ratio}"
    )


def _times(ratio: float, what: str) -> str:
    """A ratio in words: "270 times as many weights", "0.5 times as long".

    Ratios that round to 100 or more are whole numbers: `.2g` would print 99.6 as 1e+02.
    """
    number = f"{ratio:.2g}" if ratio < 99.5 else f"{ratio:.0f}"
    return f"{number} times {what}"
