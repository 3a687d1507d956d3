"""Measures planted texts under a twin, and scores them by every detector."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.evidence.measuring import MeasurementSettings, measure_items
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.evidence.token_counts import count_tokens
from mechaware.instruments.radar.prompts import Prompt
from mechaware.instruments.radar.question_answer import QuestionAnswer
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
    questions = [QuestionAnswer(prompt.prompt, "") for prompt in fitting]
    labels = [prompt.label for prompt in fitting]
    return measure_items(
        twin,
        [item.line for item in planted.items],
        [item.id for item in planted.items],
        settings,
        reference=base,
        unseen=[QuestionAnswer("", text) for text in planted.unseen],
        seen=[QuestionAnswer("", text) for text in planted.seen],
        kinds=(questions, labels),
    )


def score_planted_texts(
    evidence: Mapping[str, Evidence],
    planted: PlantedTexts,
    tokenizer: "PreTrainedTokenizerBase",
    *,
    seed: int,
) -> pd.DataFrame:
    """The rows of `score_texts`; `evidence` is by twin.

    DC-PDD needs the frequencies of tokens in C's corpus. The corpus of a pretrained C is not known: the tokens are then
    counted in the lines that both twins read.
    """
    corpora = planted.corpora
    read_by_twin = {twin: corpora["C"] + corpora[twin] for twin in TWINS}
    read_by_both = []
    for text_of_a, text_of_b in zip(corpora["A"], corpora["B"], strict=True):
        if text_of_a == text_of_b:
            read_by_both.append(text_of_a)
    token_counts = count_tokens(corpora["C"] or read_by_both, tokenizer)
    return score_texts(evidence, planted.items, read_by_twin, token_counts, seed=seed)
