"""The evidence that probes read (`detectors.probes`), apart from that of other detectors."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float


class ProbeEvidence(NamedTuple):
    """Measurements of rows, each one text x under one model; a field not measured is None.

    The first four fields are the mean of log p(x_t | x_<t) over the text's tokens x_t, in nats a
    token:

    - `log_probs`: of the text by itself.
    - `behind_others`: of the text after other texts of its benchmark (`evidence.probing`).
    - `after_ascent`: under the model after one step of gradient ascent on the text's loss
      (`models.ascent`).
    - `after_fine_tuning`: under the model after training on texts that it had not read
      (`models.fine_tuning`).

    `projection_norms`: the norm of the gradient of the text's mean loss by the weights of each
    projection of the model's blocks (`models.gradients`).
    """

    log_probs: Float[np.ndarray, " row"]
    behind_others: Float[np.ndarray, " row"] | None = None
    after_ascent: Float[np.ndarray, " row"] | None = None
    after_fine_tuning: Float[np.ndarray, " row"] | None = None
    projection_norms: Float[np.ndarray, "row projection"] | None = None


def probe_table(evidence: ProbeEvidence) -> pd.DataFrame:
    """A column for each measured field; a cell of `projection_norms` holds a row's norms."""
    columns = {}
    for field, values in evidence._asdict().items():
        if values is not None:
            columns[field] = list(values)
    return pd.DataFrame(columns)


def probe_evidence(table: pd.DataFrame) -> ProbeEvidence:
    """The evidence in a table with the columns of `probe_table`; other columns are ignored.

    A field whose column is missing is None.
    """
    fields = {}
    for field in ProbeEvidence._fields:
        if field in table:
            fields[field] = np.array(table[field].tolist(), dtype=float)
    return ProbeEvidence(**fields)
