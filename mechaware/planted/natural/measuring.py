"""Measures planted texts under the twins A and B, and scores them by every detector.

Both twins are trained further from one base model, C.
"""

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
    """The evidence of all items under a twin: its own, and those that only the other twin read.

    `base` is the reference model. RADAR's ensemble is fitted on the prompts of `fitting`. The
    prefixes that detectors put before an item are `planted.unseen` and `planted.seen`.
    """
    fitting_questions = [QuestionAnswer(prompt.prompt, "") for prompt in fitting]
    fitting_labels = [prompt.label for prompt in fitting]
    return measure_items(
        twin,
        [item.line for item in planted.items],
        [item.id for item in planted.items],
        settings,
        reference=base,
        unseen=[QuestionAnswer("", text) for text in planted.unseen],
        seen=[QuestionAnswer("", text) for text in planted.seen],
        kinds=(fitting_questions, fitting_labels),
    )


def score_planted_texts(
    evidence: Mapping[str, Evidence],
    planted: PlantedTexts,
    tokenizer: "PreTrainedTokenizerBase",
    *,
    seed: int,
) -> pd.DataFrame:
    """The rows of `score_texts`, from the evidence of each twin, A and B.

    The detector DC-PDD needs the frequencies of tokens in the corpus of C. A pretrained C has an
    unknown corpus, and an empty one in `planted`: tokens are then counted in the lines that both
    twins read at the same line numbers.
    """
    corpora = planted.corpora
    read_by_twin = {twin: corpora["C"] + corpora[twin] for twin in TWINS}
    read_by_both = []
    for text_of_a, text_of_b in zip(corpora["A"], corpora["B"], strict=True):
        if text_of_a == text_of_b:
            read_by_both.append(text_of_a)
    counted = corpora["C"] or read_by_both
    token_counts = count_tokens(counted, tokenizer)
    return score_texts(evidence, planted.items, read_by_twin, token_counts, seed=seed)
