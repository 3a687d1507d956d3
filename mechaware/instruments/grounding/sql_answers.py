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

# Not counted as names: every query has them, so that they would only raise the share of right names.
_KEYWORDS = ("SELECT", "FROM")
# Tokens beyond the longest gold answer: an answer that is longer still is wrong, however it ends.
_SPARE_TOKENS = 8


class _Score(NamedTuple):
    """Agreement of a prediction with the gold SQL: whether they are equal, and how many of its `names` are right."""

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

    Columns: row (from 1), evaluated_with (the condition), exact_match, names_right, names, gold, predicted.
    """
    gold = [row.sql_statement for row in rows]
    n_longest = max(len(tokenizer(f" {sql}").input_ids) for sql in gold)
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
            max_new_tokens=n_longest + _SPARE_TOKENS,
            batch_size=batch_size,
        )

        scores = [_score(answer, right) for answer, right in zip(predicted, gold, strict=True)]
        part = pd.DataFrame(scores).assign(
            row=range(1, len(rows) + 1),
            evaluated_with=condition,
            predicted=predicted,
            gold=gold,
        )
        parts.append(part)
    columns = ["row", "evaluated_with", "exact_match", "names_right", "names", "gold", "predicted"]
    return pd.concat(parts, ignore_index=True)[columns]


def _score(predicted: str, gold: str) -> _Score:
    """Exact match, and how many of the gold table and column names occur in the prediction (keywords left out).

    A name counts at most as often as it occurs in the gold SQL. This definition is ours, since the paper gives only a
    ratio: order does not matter, and a superfluous name costs nothing (exact match is sensitive to both).
    """
    gold_names = Counter(_names(gold))
    predicted_names = Counter(_names(predicted))
    names_right = gold_names & predicted_names
    return _Score(predicted == gold, names_right.total(), gold_names.total())


def _names(sql: str) -> list[str]:
    """The names of tables and columns in a query."""
    return [word for word in re.findall(r"\w+", sql) if word not in _KEYWORDS]
