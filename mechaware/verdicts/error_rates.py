"""How often verdicts of a procedure were wrong on planted truth, and the one lookup of these rates in a calibration.

A calibration is a table with a row for each rate or group of rates, and these columns besides the rates:

- procedure: with which they were measured (`Procedure.text`)
- n_layers, d_model: the number of blocks and the width of the planted models; missing where papers were planted
- text, text_length: what was planted in words, such as "invented names", and its median length in characters
"""

from collections.abc import Iterable
from math import log
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.frames import Schema, read_csv
from mechaware.verdicts.procedure import Procedure, differences, read_procedure

_SCHEMA = Schema(
    text=("detectors", "rules", "half", "judge", "procedure", "text", "model", "machines", "commit")
)
_MATRICES = 12  # weights in a block, in units of d_model^2: 4 of attention and 8 of an MLP of four times the width


class Rate(NamedTuple):
    """One rate with its interval.

    - `measure`: what was counted, such as "false alarms".
    - `value`, `low`, `high`: the rate and its interval, from 0 to 1.
    - `n`: the number of independent cases behind it.
    - `case`: their properties, by name; whole numbers are counts, other numbers shares.
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
        """About as many weights its blocks have: 12 n_layers d_model^2."""
        return _MATRICES * self.n_layers * self.d_model**2


class MeasuredRows(NamedTuple):
    """The rows of a calibration for a verdict; without any, `missing` says why. `distance`: as in `ErrorRates`."""

    rows: pd.DataFrame
    missing: str
    distance: list[str]


def read_calibration(path: Path) -> pd.DataFrame:
    """The table of a calibration. Raises `UserError` if it does not name the procedures that it measured."""
    table = read_csv(path, _SCHEMA)
    if "procedure" not in table:
        raise UserError(
            f"{path}: no column 'procedure'; error rates belong to a procedure: make the file again"
        )
    return table


def read_calibrations(paths: Iterable[Path]) -> pd.DataFrame:
    """The tables of several calibrations as one; a file without a row adds none. Raises as `read_calibration` does."""
    tables = [read_calibration(path) for path in paths]
    # Their columns have no type, which would make the numbers of the others objects.
    return pd.concat([table for table in tables if not table.empty], ignore_index=True)


def find_error_rates(
    procedure: Procedure, calibration: pd.DataFrame, *, size: ModelSize | None, text_length: float
) -> MeasuredRows:
    """The rows that were measured with exactly this procedure, on the nearest size of model and kind of text.

    `size` and `text_length` are of the model and of the texts that the verdict is about, the length being a median in
    characters. The nearest is the one with the smallest ratio of weights or of lengths. `size` is None where the
    verdict is about a text, and the procedure names the model that reads it.
    """
    measured = calibration[calibration["procedure"] == procedure.text]
    if measured.empty:
        return MeasuredRows(measured, _why_missing(procedure, calibration), [])

    of_size = ""
    if size is not None:
        measured, of_size = nearest_size(measured, size)
    measured, of_text = _nearest_text(measured, text_length)
    return MeasuredRows(measured, "", [sentence for sentence in (of_size, of_text) if sentence])


def _why_missing(procedure: Procedure, calibration: pd.DataFrame) -> str:
    """In what the procedure differs from the measured one that is most like it."""
    texts = [text for text in calibration["procedure"].unique() if text]
    candidates = [
        differences(procedure, read_procedure(text))
        for text in texts
        if _same_instrument(procedure, text)
    ]
    if not candidates:
        return "not measured with this procedure"
    fewest = min(candidates, key=len)
    return f"not measured with this procedure: {fewest[0]}"


def _same_instrument(procedure: Procedure, text: str) -> bool:
    return read_procedure(text).instrument == procedure.instrument


def nearest_size(measured: pd.DataFrame, size: ModelSize) -> tuple[pd.DataFrame, str]:
    """The rows of the planted models whose blocks have the nearest number of weights, and how far they are away.

    The distance is a sentence, empty for a model of the same size. Needs at least one row.
    """
    columns = measured[["n_layers", "d_model"]]
    sizes = [
        ModelSize(int(n_layers), int(d_model))
        for n_layers, d_model in columns.drop_duplicates().to_numpy()
    ]
    nearest = min(sizes, key=lambda planted: abs(log(planted.weights / size.weights)))
    rows = measured[(columns == np.array(nearest)).all(axis=1)]
    if nearest == size:
        return rows, ""
    return rows, (
        f"measured on models of {nearest.n_layers} blocks of width {nearest.d_model}; this one has {size.n_layers} of "
        f"width {size.d_model}: {_times(size.weights / nearest.weights, 'as many weights in its blocks')}"
    )


def _nearest_text(measured: pd.DataFrame, length: float) -> tuple[pd.DataFrame, str]:
    """The rows of the planted texts whose median length is nearest, and how far it is away."""
    kinds = measured[["text", "text_length"]].drop_duplicates().itertuples(index=False, name=None)
    text, planted_length = min(kinds, key=lambda kind: abs(log(kind[1] / length)))
    rows = measured[(measured["text"] == text) & (measured["text_length"] == planted_length)]
    return rows, (
        f"measured on {text} with a median length of {planted_length:g} characters; these texts have {length:g}: "
        f"{_times(length / planted_length, 'as long')}"
    )


def _times(ratio: float, what: str) -> str:
    """A ratio in words: "270 times as many weights", "0.5 times as long"."""
    return f"{ratio:.2g} times {what}" if ratio < 100 else f"{ratio:.0f} times {what}"
