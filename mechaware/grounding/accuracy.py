"""Standard accuracy: SQL decoded greedily from a request, and its agreement with the gold SQL."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
import torch
from tqdm import tqdm

from mechaware.errors import UserError
from mechaware.grounding.data.rows import Row, prompt_of
from mechaware.grounding.names import CONDITIONS

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


@torch.inference_mode()
def decode(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    prompts: Sequence[str],
    *,
    max_new_tokens: int,
    batch_size: int,
) -> list[str]:
    """The greedy continuation of each prompt up to the end of text, in the order given.

    Sets the padding of `tokenizer` and replaces the generation config of `model`. Raises `UserError` for a prompt that
    leaves less than `max_new_tokens` of the model's context.
    """
    from transformers import GenerationConfig

    # The model's own config may set penalties or beams, with which decoding is not greedy.
    model.generation_config = GenerationConfig()  # type: ignore[no-untyped-call]
    tokenizer.padding_side = "left"
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    by_length = sorted(range(len(prompts)), key=lambda index: len(prompts[index]))
    answers = [""] * len(prompts)
    for start in tqdm(range(0, len(prompts), batch_size), unit="batch", desc="decoding"):
        batch = by_length[start : start + batch_size]
        continued = _continue_batch(model, tokenizer, [prompts[index] for index in batch], max_new_tokens)
        for index, text in zip(batch, continued, strict=True):
            answers[index] = text.strip()
    return answers


def _continue_batch(
    model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", prompts: list[str], max_new_tokens: int
) -> list[str]:
    inputs = tokenizer(prompts, return_tensors="pt", padding=True).to(model.device)
    width = inputs["input_ids"].shape[1]
    if width + max_new_tokens > model.config.max_position_embeddings:
        raise UserError(
            f"a prompt of {width} tokens and {max_new_tokens} for the answer exceed the model's context of "
            f"{model.config.max_position_embeddings}; take a longer context, or rows with fewer columns"
        )
    tokens = model.generate(  # type: ignore[operator]
        input_ids=inputs["input_ids"],
        attention_mask=inputs["attention_mask"],
        do_sample=False,
        max_new_tokens=max_new_tokens,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    # Other special tokens are kept: an answer with an unknown token is wrong.
    ended = [list(takewhile(lambda token: token != tokenizer.eos_token_id, ids)) for ids in tokens[:, width:].tolist()]
    texts: list[str] = tokenizer.batch_decode(ended)
    return texts


def score(predicted: str, gold: str) -> Score:
    """Exact match, and how many of the gold table and column names occur in the prediction (keywords left out).

    A name that occurs once in the gold SQL counts once. Our definition, where the paper gives a ratio only: order does
    not matter, and a superfluous name costs nothing (exact match is sensitive to both).
    """
    gold_names, predicted_names = (Counter(_names(sql)) for sql in (gold, predicted))
    return Score(predicted == gold, (gold_names & predicted_names).total(), gold_names.total())


def _names(sql: str) -> list[str]:
    return [word for word in re.findall(r"\w+", sql) if word not in KEYWORDS]
