"""RADAR's features (appendix D of its paper): their names, kinds and order, and the feature table.

Every public function that surface.py or mechanistic.py defines is a feature; the names and kinds
here are made from these functions. The feature table has a row per prompt.
"""

import inspect
from collections.abc import Callable, Iterable
from types import ModuleType

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.core.errors import UserError
from mechaware.instruments.radar.feature_extraction import mechanistic, surface
from mechaware.instruments.radar.feature_extraction.measurements import (
    PromptMeasurements,
    Reduction,
)
from mechaware.models.summaries import PromptSummary


def _features_in(module: ModuleType) -> dict[str, Callable[[PromptMeasurements], float]]:
    """The public functions that `module` defines, by name.

    They are in the order of its file, which is the order of the table's columns.
    """
    features = {}
    for name, value in vars(module).items():
        # Imported functions are of other modules.
        is_own = inspect.isfunction(value) and value.__module__ == module.__name__
        if is_own and not name.startswith("_"):
            features[name] = value
    return features


_SURFACE = _features_in(surface)
_MECHANISTIC = _features_in(mechanistic)

SURFACE = tuple(_SURFACE)
MECHANISTIC = tuple(_MECHANISTIC)
FEATURES = SURFACE + MECHANISTIC
FEATURE_KIND = dict.fromkeys(SURFACE, "surface") | dict.fromkeys(MECHANISTIC, "mechanistic")


def compute_features(prompt: PromptMeasurements) -> dict[str, float]:
    """The value of every feature by name, in the order of `FEATURES`."""
    functions = _SURFACE | _MECHANISTIC
    return {name: feature(prompt) for name, feature in functions.items()}


def summary_table(
    summaries: Iterable[PromptSummary], *, reduction: Reduction, specialised_head_entropy: float
) -> pd.DataFrame:
    """The feature table: a row per prompt, with the columns `n_tokens` and `FEATURES`.

    `n_tokens` is the prompt's length, which is always reported as a confound. Features are computed
    in float64. `specialised_head_entropy` is tau, in nats. Raises `UserError` for a model of one
    layer, whose standard deviations (L - 1) and slopes do not exist, and if a feature is infinite
    or undefined.
    """
    rows = []
    for summary in summaries:
        if len(summary.confidence) < 2:
            raise UserError(
                "RADAR's features need a model of at least 2 layers; "
                "remove this one from radar/models"
            )
        measurements = PromptMeasurements(
            confidence=summary.confidence,
            entropy=summary.entropy,
            head_entropy=_head_entropy(summary, reduction),
            states=summary.states,
            specialised_head_entropy=specialised_head_entropy,
        )
        rows.append({"n_tokens": summary.n_tokens, **compute_features(measurements)})
    table = pd.DataFrame(rows, columns=["n_tokens", *FEATURES])
    broken = [name for name in table.columns if not np.isfinite(table[name]).all()]
    if broken:
        raise UserError(
            f"features {', '.join(broken)} are not finite: "
            "the model's activations overflow in float32; remove it from radar/models"
        )
    return table


def _head_entropy(summary: PromptSummary, reduction: Reduction) -> Float[np.ndarray, "layer head"]:
    """H_{l,h}, the attention entropy of each head, in nats.

    A head's attention has an entropy for each query, that is, each token of the prompt. H_{l,h} is
    their sum, as printed (D.2.1), or their mean, by `reduction`.

    The sum grows with the length of the prompt. The mean, which the paper plausibly intends, also
    grows with the length, but more slowly: a later query has more keys to attend to. Neither is
    independent of length.
    """
    sum_over_queries = summary.attention_entropy
    if reduction == "sum":
        return sum_over_queries
    return sum_over_queries / summary.n_tokens
