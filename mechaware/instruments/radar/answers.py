"""Does the model answer the prompt? Its greedy continuations, scored by the accepted answers of the prompt set."""

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
    """The greedy continuation of each prompt, and whether it answers the prompt rightly.

    The prompt is passed as RADAR reads it: unchanged, or inside the tokenizer's chat template. A batch holds at most
    `tokens_per_batch` tokens, padding and `answer_tokens` new ones included, or a single prompt. Columns: id, label,
    answers (the accepted ones, separated by `|`), decoded, has_answer (whether any is accepted), right.
    """
    texts = [prompt.prompt for prompt in prompts]
    prompt_ids = token_ids(tokenizer, texts, embedding_rows(model), template=template)
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
