"""The evidence that probes read (`detectors.probes`), measured apart from the evidence of other detectors."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float


class ProbeEvidence(NamedTuple):
    """Rows, each one text x under one model; a field that is None was not measured.

    The first four are the mean of log p(x_t | x_<t) in nats a token:

    - `log_probs`: the text by itself.
    - `behind_others`: the text's tokens after other texts of its benchmark (`evidence.probing`).
    - `after_ascent`: after one step of gradient ascent on the text's loss (`models.ascent`).
    - `after_fine_tuning`: after the model was trained on texts that it had not read (`models.fine_tuning`).

    `projection_norms`: the norm of the gradient of the text's mean loss by the weights of each projection of the blocks
    (`models.gradients`).
    """

    log_probs: Float[np.ndarray, " row"]
    behind_others: Float[np.ndarray, " row"] | None = None
    after_ascent: Float[np.ndarray, " row"] | None = None
    after_fine_tuning: Float[np.ndarray, " row"] | None = None
    projection_norms: Float[np.ndarray, "row projection"] | None = None


def probe_table(evidence: ProbeEvidence) -> pd.DataFrame:
    """A column for each measured field; a cell of `projection_norms` is the list of a row's norms."""
    columns = {}
    for field, values in evidence._asdict().items():
        if values is not None:
            columns[field] = list(values)
    return pd.DataFrame(columns)


def probe_evidence(table: pd.DataFrame) -> ProbeEvidence:
    """The evidence in the columns of `probe_table`, row by row; other columns are passed over."""
    fields = {}
    for field in ProbeEvidence._fields:
        if field in table:
            fields[field] = np.array(table[field].tolist(), dtype=float)
    return ProbeEvidence(**fields)
