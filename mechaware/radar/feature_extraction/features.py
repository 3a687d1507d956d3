"""RADAR's features (its appendix D): their names, kinds and order, and the tables of them, one row per prompt.

A feature is a function of surface.py or mechanistic.py. Everything here is made from those functions.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from mechaware.errors import UserError
from mechaware.models.prompt_summary import PromptSummary
from mechaware.radar.feature_extraction.measurements import (
    Measurements,
    Reduction,
    Register,
    head_entropy,
)
from mechaware.radar.feature_extraction.mechanistic import mechanistic_feature
from mechaware.radar.feature_extraction.surface import surface_feature

_REGISTERS: dict[str, Register] = {"surface": surface_feature, "mechanistic": mechanistic_feature}

SURFACE = tuple(surface_feature)
MECHANISTIC = tuple(mechanistic_feature)
FEATURES = SURFACE + MECHANISTIC
FEATURE_KIND = {name: kind for kind, register in _REGISTERS.items() for name in register}


def compute_features(prompt: Measurements) -> dict[str, float]:
    """The value of every feature by name, in the order of `FEATURES`."""
    return {name: feature(prompt) for register in _REGISTERS.values() for name, feature in register.items()}


def summary_table(
    summaries: Iterable[PromptSummary], *, reduction: Reduction, specialised_head_entropy: float
) -> pd.DataFrame:
    """The features of many prompts beside `n_tokens`, their length, which is always reported as a confound.

    They are computed in float64. `specialised_head_entropy` is tau, in nats. Raises `UserError` for a model of one
    layer, whose standard deviations (L - 1) and slopes do not exist, and if a feature is infinite or undefined.
    """
    rows = []
    for summary in summaries:
        if len(summary.confidence) < 2:
            raise UserError("RADAR's features need a model of at least 2 layers; take this one out of radar/models")
        measurements = Measurements(
            confidence=summary.confidence,
            entropy=summary.entropy,
            head_entropy=head_entropy(summary, reduction),
            states=summary.states,
            specialised_head_entropy=specialised_head_entropy,
        )
        rows.append({"n_tokens": summary.n_tokens, **compute_features(measurements)})
    table = pd.DataFrame(rows, columns=["n_tokens", *FEATURES])
    broken = [name for name in table.columns if not np.isfinite(table[name]).all()]
    if broken:
        raise UserError(
            f"features {', '.join(broken)} are not finite: the model's activations overflow in float32; "
            "take it out of radar/models"
        )
    return table
