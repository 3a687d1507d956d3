"""From activations to a table of features: one row per prompt, 37 columns and what identifies the prompt."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from mechaware.errors import UserError
from mechaware.models.activations import PromptActivations
from mechaware.radar.features.features import (
    FEATURES,
    Reduction,
    mechanistic_features,
    reduce_row_entropy,
    summarise_states,
    surface_features,
)


def prompt_features(
    prompt: PromptActivations, *, reduction: Reduction, specialised_head_entropy: float
) -> dict[str, float]:
    """The 37 features of one prompt, in the order of `FEATURES`, computed in float64.

    Raises `UserError` for a model of one layer, whose standard deviations (L - 1) and slopes do not exist.
    """
    confidence, entropy = prompt.confidence.double().numpy(), prompt.entropy.double().numpy()
    if len(confidence) < 2:
        raise UserError("RADAR's features need a model of at least 2 layers; this one has 1")
    row_entropy = prompt.attention_row_entropy.double().numpy()
    states = summarise_states(prompt.hidden_states.numpy())
    head_entropy = reduce_row_entropy(row_entropy, reduction)
    features = surface_features(confidence, entropy) | mechanistic_features(
        head_entropy, states, specialised_head_entropy=specialised_head_entropy
    )
    return {name: float(features[name]) for name in FEATURES}


def feature_table(
    prompts: Iterable[PromptActivations], *, reduction: Reduction, specialised_head_entropy: float
) -> pd.DataFrame:
    """The features of many prompts, with their number of tokens, which is always reported as a confound."""
    rows = [
        {
            "n_tokens": len(prompt.hidden_states),
            **prompt_features(prompt, reduction=reduction, specialised_head_entropy=specialised_head_entropy),
        }
        for prompt in prompts
    ]
    table = pd.DataFrame(rows, columns=["n_tokens", *FEATURES])
    broken = [name for name in table.columns if not np.isfinite(table[name]).all()]
    if broken:
        raise UserError(f"features {', '.join(broken)} are not finite; the model's activations overflow in float32")
    return table
