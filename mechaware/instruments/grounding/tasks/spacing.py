"""Whether the answers of a task are written with the space before them that the model expects."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from mechaware.instruments.grounding.answers import final_logits
from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.instruments.grounding.tokens import tokenise_prompt
from mechaware.models.tokenisation.vocabulary import embedding_rows

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_SPACES = {"one space": " ", "no space": ""}  # what may stand before an answer


def spacing_notes(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    pairs: Sequence[Pair],
    *,
    tokens_per_batch: int,
) -> list[str]:
    """One sentence if the model expects the answers with another space before them than is written; else none.

    It does if, over the clean prompts, the first tokens of all options with that space have more probability together
    than those of the options as written. Prompts count where the options so written have first tokens of their own.
    """
    clean = [pair.prompts["clean"] for pair in pairs]
    n_embeddings = embedding_rows(model)
    as_written = [
        _first_tokens(prompt.text, prompt.options, tokenizer, n_embeddings) for prompt in clean
    ]
    prompts = [tokenise_prompt(prompt.text, (), tokenizer, n_embeddings).ids for prompt in clean]
    probabilities = final_logits(model, prompts, tokens_per_batch=tokens_per_batch).softmax(-1)
    written = torch.stack(
        [row[ids].sum() for row, ids in zip(probabilities, as_written, strict=True)]
    )

    candidates = []
    for spaces, before in _SPACES.items():
        respelled = [[before + option.strip() for option in prompt.options] for prompt in clean]
        expected = torch.zeros(len(clean))
        for number, (prompt, options) in enumerate(zip(clean, respelled, strict=True)):
            first = _first_tokens(prompt.text, options, tokenizer, n_embeddings)
            if first != as_written[number]:
                expected[number] = probabilities[number, first].sum()
        likelier = int((expected > written).sum())
        gain = float(expected.sum() - written.sum())
        note = (
            f"the model expects {spaces} before an answer: so spelled, the answers are likelier in {likelier} of "
            f"{len(clean)} clean prompts; write '{respelled[0][0]}' instead of '{clean[0].options[0]}', and so on"
        )
        candidates.append((gain, note))

    gain, note = max(candidates)
    return [note] if gain > 0 else []


def _first_tokens(
    text: str, options: Sequence[str], tokenizer: "PreTrainedTokenizerBase", n_embeddings: int
) -> list[int]:
    """The first token of each option behind `text`; none if an option merges with the text or two begin alike."""
    continued = tokenise_prompt(text, options, tokenizer, n_embeddings).answers.values()
    first = [ids[0] for ids in continued if ids]
    return first if len(set(first)) == len(options) else []
