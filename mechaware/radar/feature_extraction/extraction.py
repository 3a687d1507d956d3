"""From a prompt set's activations to its tables of features: one row per prompt."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from mechaware.errors import UserError
from mechaware.models.activations import PromptActivations, iterate_summaries, read_prompt_ids, summarise
from mechaware.models.summaries import PromptSummary
from mechaware.radar.feature_extraction.features import FEATURES, compute_features
from mechaware.radar.feature_extraction.measurements import REDUCTIONS, Measurements, Reduction, head_entropy
from mechaware.radar.identity import IDENTITY
from mechaware.radar.prompts import read_prompts


def extract_features(
    activations: Path, prompts: Path, *, specialised_head_entropy: float
) -> dict[Reduction, pd.DataFrame]:
    """For each reduction id, label, category, n_tokens and the features, in the order of the CSV `prompts`.

    Raises `UserError` if the activations were captured from other prompts, and for what
    `summary_table` refuses.
    """
    rows = read_prompts(prompts)
    if read_prompt_ids(activations) != [row.id for row in rows]:
        raise UserError(f"{activations}: captured from other prompts than {prompts} holds now; capture them again")
    summaries = list(iterate_summaries(activations))
    identity = {column: [getattr(row, column) for row in rows] for column in ("id", "label", "category")}
    tables = {}
    for reduction in REDUCTIONS:
        table = summary_table(summaries, reduction=reduction, specialised_head_entropy=specialised_head_entropy)
        tables[reduction] = table.assign(**identity)[[*IDENTITY, *FEATURES]]
    return tables


def feature_table(
    prompts: Iterable[PromptActivations], *, reduction: Reduction, specialised_head_entropy: float
) -> pd.DataFrame:
    """`summary_table` of activations in memory."""
    return summary_table(
        map(summarise, prompts), reduction=reduction, specialised_head_entropy=specialised_head_entropy
    )


def summary_table(
    summaries: Iterable[PromptSummary], *, reduction: Reduction, specialised_head_entropy: float
) -> pd.DataFrame:
    """The features of many prompts beside `n_tokens`, their length, which is always reported as a confound.

    Raises `UserError` if a feature is infinite or undefined.
    """
    rows = [
        {
            "n_tokens": summary.n_tokens,
            **summary_features(summary, reduction=reduction, specialised_head_entropy=specialised_head_entropy),
        }
        for summary in summaries
    ]
    table = pd.DataFrame(rows, columns=["n_tokens", *FEATURES])
    broken = [name for name in table.columns if not np.isfinite(table[name]).all()]
    if broken:
        raise UserError(
            f"features {', '.join(broken)} are not finite: the model's activations overflow in float32; "
            "take it out of radar/models"
        )
    return table


def summary_features(
    summary: PromptSummary, *, reduction: Reduction, specialised_head_entropy: float
) -> dict[str, float]:
    """The features of one prompt, in the order of `FEATURES`, computed in float64.

    `specialised_head_entropy` is tau, in nats. Raises `UserError` for a model of one layer, whose standard deviations
    (L - 1) and slopes do not exist.
    """
    if len(summary.confidence) < 2:
        raise UserError("RADAR's features need a model of at least 2 layers; take this one out of radar/models")
    return compute_features(
        Measurements(
            confidence=summary.confidence,
            entropy=summary.entropy,
            head_entropy=head_entropy(summary, reduction),
            states=summary.states,
            specialised_head_entropy=specialised_head_entropy,
        )
    )
