"""The SQL that a model writes for the test requests, and how far it agrees with the gold SQL."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from mechaware.instruments.grounding.data.rows import Row, prompt_of
from mechaware.instruments.grounding.names import CONDITIONS
from mechaware.models.decoding import decode

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

# Not counted as names: every query has them, so they would only raise the share of right names.
_KEYWORDS = ("SELECT", "FROM")
# Tokens beyond the longest gold answer: an answer that is longer still is wrong, however it ends.
_SPARE_TOKENS = 8


class _Score(NamedTuple):
    """How far a prediction agrees with the gold SQL.

    - `exact_match`: whether they are equal.
    - `names_right`: how many table and column names of the gold SQL the prediction has.
    - `names`: how many the gold SQL has.
    """

    exact_match: bool
    names_right: int
    names: int


def predict(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    rows: Sequence[Row],
    *,
    batch_size: int,
) -> pd.DataFrame:
    """Prediction and score of every row, with the schema in the prompt and without.

    Columns: row (from 1), evaluated_with (the condition), exact_match, names_right, names, gold,
    predicted.
    """
    gold_sql = [row.sql_statement for row in rows]
    longest = max(len(tokenizer(f" {sql}").input_ids) for sql in gold_sql)
    parts = []
    for condition in CONDITIONS:
        prompts = []
        for row in rows:
            schema = row.create_statement if condition == "schema" else ""
            prompts.append(prompt_of(row.english_prompt, schema))
        predicted = decode(
            model,
            tokenizer,
            prompts,
            max_new_tokens=longest + _SPARE_TOKENS,
            batch_size=batch_size,
        )

        scores = [_score(answer, gold) for answer, gold in zip(predicted, gold_sql, strict=True)]
        part = pd.DataFrame(scores).assign(
            row=range(1, len(rows) + 1),
            evaluated_with=condition,
            predicted=predicted,
            gold=gold_sql,
        )
        parts.append(part)
    columns = ["row", "evaluated_with", "exact_match", "names_right", "names", "gold", "predicted"]
    return pd.concat(parts, ignore_index=True)[columns]


def _score(predicted: str, gold: str) -> _Score:
    """Exact match, and how many of the gold table and column names occur in the prediction.

    A name counts at most as often as it occurs in the gold SQL: of `a, b, b`, the prediction
    `b, b, b` has two right. This definition is ours, since the paper gives only a ratio. Order does
    not matter, and a superfluous name costs nothing; exact match is sensitive to both.
    """
    gold_names = Counter(_names(gold))
    predicted_names = Counter(_names(predicted))
    names_right = gold_names & predicted_names
    return _Score(predicted == gold, names_right.total(), gold_names.total())


def _names(sql: str) -> list[str]:
    """The names of tables and columns in a query: all of its words but the keywords."""
    return [word for word in re.findall(r"\w+", sql) if word not in _KEYWORDS]
