"""Measures planted texts under a twin, and scores them by every detector."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.evidence.measuring import (
    MeasurementSettings,
    count_tokens,
    measure_items,
)
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.prompts import Prompt, QuestionAnswer
from mechaware.planted.natural.planting import PlantedTexts
from mechaware.planted.twins.items import TWINS
from mechaware.planted.twins.scoring import score_texts

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def measure_texts(
    twin: TokenisedModel,
    base: TokenisedModel,
    planted: PlantedTexts,
    fitting: Sequence[Prompt],
    settings: MeasurementSettings,
) -> Evidence:
    """The evidence of all items under a twin, seen and unseen alike.

    `base` is the reference model. RADAR's ensemble is fitted on the prompts of `fitting`.
    """
    return measure_items(
        twin,
        [item.line for item in planted.items],
        [item.id for item in planted.items],
        settings,
        reference=base,
        unseen=[QuestionAnswer("", text) for text in planted.unseen],
        seen=[QuestionAnswer("", text) for text in planted.seen],
        kinds=(
            [QuestionAnswer(prompt.prompt, "") for prompt in fitting],
            [prompt.label for prompt in fitting],
        ),
    )


def score_planted_texts(
    evidence: Mapping[str, Evidence],
    planted: PlantedTexts,
    tokenizer: "PreTrainedTokenizerBase",
    *,
    seed: int,
) -> pd.DataFrame:
    """The rows of `score_texts`; `evidence` is by twin.

    DC-PDD counts tokens in what C read. The corpus of a pretrained base is not known: there it counts them in the lines
    that both twins read.
    """
    both_read = [
        text
        for text, other in zip(*(planted.corpora[twin] for twin in TWINS), strict=True)
        if text == other
    ]
    return score_texts(
        evidence,
        planted.items,
        {twin: planted.corpora["C"] + planted.corpora[twin] for twin in TWINS},
        count_tokens(planted.corpora["C"] or both_read, tokenizer),
        seed=seed,
    )
