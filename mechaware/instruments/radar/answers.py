"""Does the model answer the prompt? Its greedy continuations, scored by the accepted answers of the prompt set."""

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from mechaware.instruments.radar.prompts import Prompt
from mechaware.models.decoding import decode
from mechaware.models.tokenisation.chat import Template
from mechaware.models.tokenisation.token_ids import token_ids
from mechaware.models.tokenisation.vocabulary import embedding_rows

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

# Numbers (with separators of thousands and decimals), and words, whose parts a hyphen joins.
WORD = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[^\W\d]+(?:-[^\W\d]+)*")


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
            "right": _is_right(text, prompt.answers),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _is_right(decoded: str, answers: Sequence[str]) -> bool:
    """Whether the first line of `decoded` that holds text contains an accepted answer as a whole sequence of words.

    Case, punctuation and the separators of thousands do not count, and 30.00 is 30. A hyphenated word is one word, so
    that `seven` is not found in `twenty-seven`. Our definition: a line that names the answer among others is right.
    """
    # A base model writes on: later lines are new questions of its own.
    lines = decoded.strip().splitlines()
    line_words = _words(lines[0]) if lines else []
    for answer in answers:
        words = _words(answer)
        for start in range(len(line_words) - len(words) + 1):
            if line_words[start : start + len(words)] == words:
                return True
    return False


def _words(text: str) -> list[str]:
    """The words of a text as they are compared: `Twenty-Seven` is `twenty-seven`, `1,000.00` is `1000`."""
    words = WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return [re.sub(r"\.0+$", "", word.replace(",", "")) for word in words]
