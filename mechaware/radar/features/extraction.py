"""From a prompt set's activations to its table of features: one row per prompt."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from mechaware.errors import UserError
from mechaware.models.activations import PromptActivations, iterate_prompts, read_prompt_ids
from mechaware.radar.features.features import FEATURES, compute_features
from mechaware.radar.features.measurements import Measurements, Reduction, reduce_row_entropy, summarise_states
from mechaware.radar.identity import IDENTITY
from mechaware.radar.prompts import read_prompts


def extract_features(
    activations: Path, prompts: Path, *, reduction: Reduction, specialised_head_entropy: float
) -> pd.DataFrame:
    """The columns id, label, category and n_tokens, then the features, in the order of the CSV `prompts`.

    Raises `UserError` if the activations were captured from other prompts, and for what `prompt_features` and
    `feature_table` refuse.
    """
    rows = read_prompts(prompts)
    if read_prompt_ids(activations) != [row.id for row in rows]:
        raise UserError(f"{activations}: captured from other prompts than {prompts} holds now; capture them again")
    table = feature_table(
        iterate_prompts(activations), reduction=reduction, specialised_head_entropy=specialised_head_entropy
    )
    table = table.assign(**{column: [getattr(row, column) for row in rows] for column in ("id", "label", "category")})
    return table[[*IDENTITY, *FEATURES]]


def feature_table(
    prompts: Iterable[PromptActivations], *, reduction: Reduction, specialised_head_entropy: float
) -> pd.DataFrame:
    """The features of many prompts beside `n_tokens`, their length, which is always reported as a confound.

    Raises `UserError` if a feature is infinite or undefined.
    """
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
        raise UserError(
            f"features {', '.join(broken)} are not finite: the model's activations overflow in float32; "
            "take it out of radar/models"
        )
    return table


def prompt_features(
    prompt: PromptActivations, *, reduction: Reduction, specialised_head_entropy: float
) -> dict[str, float]:
    """The features of one prompt, in the order of `FEATURES`, computed in float64.

    `specialised_head_entropy` is tau, in nats. Raises `UserError` for a model of one layer, whose standard deviations
    (L - 1) and slopes do not exist.
    """
    if len(prompt.confidence) < 2:
        raise UserError("RADAR's features need a model of at least 2 layers; take this one out of radar/models")
    return compute_features(
        Measurements(
            confidence=prompt.confidence.double().numpy(),
            entropy=prompt.entropy.double().numpy(),
            head_entropy=reduce_row_entropy(prompt.attention_row_entropy.double().numpy(), reduction),
            states=summarise_states(prompt.hidden_states.numpy()),
            specialised_head_entropy=specialised_head_entropy,
        )
    )
