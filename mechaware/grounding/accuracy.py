"""Standard accuracy: SQL decoded greedily from a request, and its agreement with the gold SQL."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from mechaware.grounding.data.rows import Row, prompt_of
from mechaware.grounding.names import CONDITIONS
from mechaware.models.decoding import decode

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

KEYWORDS = ("SELECT", "FROM")
SPARE_TOKENS = 8  # beyond the longest gold answer: an answer that is longer still is wrong, however it ends


class Score(NamedTuple):
    """Agreement of a prediction with the gold SQL: `names_right` of the `names` in the gold SQL."""

    exact_match: bool
    names_right: int
    names: int


def predict(
    model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", rows: Sequence[Row], *, batch_size: int
) -> pd.DataFrame:
    """Prediction and score of every row, with the schema in the prompt and without.

    Columns: row (from 1), evaluated_with (the condition), exact_match, names_right, names, gold, predicted.
    """
    longest = max(len(tokenizer(f" {row.sql_statement}").input_ids) for row in rows) + SPARE_TOKENS
    gold = [row.sql_statement for row in rows]
    parts = []
    for condition in CONDITIONS:
        schemas = [row.create_statement if condition == "schema" else "" for row in rows]
        prompts = [prompt_of(row.english_prompt, schema) for row, schema in zip(rows, schemas, strict=True)]
        predicted = decode(model, tokenizer, prompts, max_new_tokens=longest, batch_size=batch_size)
        scores = pd.DataFrame([score(*answers) for answers in zip(predicted, gold, strict=True)])
        parts.append(
            scores.assign(row=range(1, len(rows) + 1), evaluated_with=condition, predicted=predicted, gold=gold)
        )
    columns = ["row", "evaluated_with", "exact_match", "names_right", "names", "gold", "predicted"]
    return pd.concat(parts, ignore_index=True)[columns]


def score(predicted: str, gold: str) -> Score:
    """Exact match, and how many of the gold table and column names occur in the prediction (keywords left out).

    A name that occurs once in the gold SQL counts once. Our definition, where the paper gives a ratio only: order does
    not matter, and a superfluous name costs nothing (exact match is sensitive to both).
    """
    gold_names, predicted_names = (Counter(_names(sql)) for sql in (gold, predicted))
    return Score(predicted == gold, (gold_names & predicted_names).total(), gold_names.total())


def _names(sql: str) -> list[str]:
    return [word for word in re.findall(r"\w+", sql) if word not in KEYWORDS]
