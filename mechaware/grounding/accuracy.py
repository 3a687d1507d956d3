"""Standard accuracy: SQL decoded from a request, and how much of it is right."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import torch
from tqdm import tqdm

from mechaware.errors import UserError

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

KEYWORDS = ("SELECT", "FROM")
SPARE_TOKENS = 8  # beyond the longest gold answer: a longer one is wrong however it ends


class Score(NamedTuple):
    """How a prediction compares with the gold SQL."""

    exact_match: bool
    names_right: int
    names: int


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

    Sets the padding of `tokenizer` and clears the generation config of `model`. Raises `UserError` for a prompt that
    leaves less than `max_new_tokens` of the model's context.
    """
    from transformers import GenerationConfig

    # With penalties or beams of the model's own it would not be greedy.
    model.generation_config = GenerationConfig()  # type: ignore[no-untyped-call]
    tokenizer.padding_side = "left"
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    by_length = sorted(range(len(prompts)), key=lambda index: len(prompts[index]))
    answers = [""] * len(prompts)
    for start in tqdm(range(0, len(prompts), batch_size), unit="batch", desc="decoding"):
        batch = by_length[start : start + batch_size]
        inputs = tokenizer([prompts[index] for index in batch], return_tensors="pt", padding=True).to(model.device)
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
        # Special tokens stay but for the end: an answer with an unknown token is wrong.
        ended = [
            list(takewhile(lambda token: token != tokenizer.eos_token_id, ids)) for ids in tokens[:, width:].tolist()
        ]
        for index, text in zip(batch, tokenizer.batch_decode(ended), strict=True):
            answers[index] = text.strip()
    return answers


def score(predicted: str, gold: str) -> Score:
    """Exact match, and how many of the gold table and column names stand in the prediction (keywords left out).

    A name that the gold SQL has once counts once. Our definition where the paper gives a ratio only: order does not
    matter, and a name too many costs nothing (exact match sees both).
    """
    wanted, found = (Counter(_names(sql)) for sql in (gold, predicted))
    return Score(predicted == gold, (wanted & found).total(), wanted.total())


def _names(sql: str) -> list[str]:
    return [word for word in re.findall(r"\w+", sql) if word not in KEYWORDS]
