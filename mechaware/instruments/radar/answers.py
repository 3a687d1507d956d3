"""Does the model answer a prompt? Its greedy continuation, checked against the accepted answers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from mechaware.core.accepted_answers import is_accepted
from mechaware.instruments.radar.prompts import Prompt
from mechaware.models.decoding import decode
from mechaware.models.tokenisation.chat import Template
from mechaware.models.tokenisation.token_ids import token_ids
from mechaware.models.tokenisation.vocabulary import embedding_rows

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


def answer_prompts(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    prompts: Sequence[Prompt],
    *,
    answer_tokens: int,
    tokens_per_batch: int,
    template: Template = "none",
) -> pd.DataFrame:
    """The greedy continuation of each prompt, and whether it has an accepted answer.

    The prompt is passed as RADAR reads it: unchanged, or inside the tokenizer's chat template. A
    batch holds at most `tokens_per_batch` tokens, padding and `answer_tokens` new ones included, or
    a single prompt.

    Returns:
        A row per prompt:

        - id, label: as in the prompt set.
        - answers: the prompt's accepted answers, separated by `|`.
        - decoded: the continuation, of at most `answer_tokens` tokens.
        - has_answer: whether the prompt set has an accepted answer to the prompt.
        - right: whether the continuation has an accepted answer (`is_accepted`); False for a prompt
          without accepted answers.
    """
    texts = [prompt.prompt for prompt in prompts]
    prompt_ids = token_ids(tokenizer, texts, embedding_rows(model), template=template)
    # Every batch has the size that fits the longest prompt.
    longest = max(len(ids) for ids in prompt_ids) + answer_tokens
    decoded = decode(
        model,
        tokenizer,
        texts,
        max_new_tokens=answer_tokens,
        batch_size=max(1, tokens_per_batch // longest),
        template=template,
    )
    rows = []
    for prompt, text in zip(prompts, decoded, strict=True):
        row = {
            "id": prompt.id,
            "label": prompt.label,
            "answers": "|".join(prompt.answers),
            "decoded": text,
            "has_answer": bool(prompt.answers),
            "right": is_accepted(text, prompt.answers),
        }
        rows.append(row)
    return pd.DataFrame(rows)
