"""Whether the answers of a task are written with the space before them that the model expects."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.instruments.grounding.tokens import tokenise_prompt
from mechaware.models.final_logits import final_logits
from mechaware.models.tokenisation.vocabulary import embedding_rows

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_SPACES = {"one space": " ", "no space": ""}  # what may precede an answer


def spacing_notes(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    pairs: Sequence[Pair],
    *,
    tokens_per_batch: int,
) -> list[str]:
    """One sentence if the model expects the answers with another space before them than is written;
    else none.

    A spelling of the options (with one space before them, or none) is expected if, summed over the
    options and over the clean prompts, their first tokens have more probability than the first
    tokens of the options as written. A prompt adds nothing to the sum of a spelling in which all
    its options begin as written. It adds nothing to any sum, that of the options as written
    included, if in that sum's spelling two of its options begin alike or one merges with the text.

    The note's example is an option that is written in another way than expected.
    """
    clean = [pair.prompts["clean"] for pair in pairs]
    n_embeddings = embedding_rows(model)
    as_written = []
    prompts = []
    for prompt in clean:
        as_written.append(_first_tokens(prompt.text, prompt.options, tokenizer, n_embeddings))
        prompts.append(tokenise_prompt(prompt.text, (), tokenizer, n_embeddings).ids)
    probabilities = final_logits(model, prompts, tokens_per_batch=tokens_per_batch).softmax(-1)
    by_prompt = zip(probabilities, as_written, strict=True)
    written = torch.stack([row[ids].sum() for row, ids in by_prompt])

    candidates = []
    for spaces, before in _SPACES.items():
        expected = torch.zeros(len(clean))
        changed = []  # options as they are written and as they are respelled, where these differ
        for number, prompt in enumerate(clean):
            respelled = [before + option.strip() for option in prompt.options]
            first = _first_tokens(prompt.text, respelled, tokenizer, n_embeddings)
            if first and first != as_written[number]:
                expected[number] = probabilities[number, first].sum()
                spellings = zip(prompt.options, respelled, strict=True)
                changed += [(old, new) for old, new in spellings if old != new]
        if not changed:
            continue

        likelier = int((expected > written).sum())
        gain = float(expected.sum() - written.sum())
        option, respelled_option = changed[0]
        note = (
            f"the model expects {spaces} before an answer: so spelled, the answers are likelier in {likelier} of "
            f"{len(clean)} clean prompts; write '{respelled_option}' instead of '{option}', and so on"
        )
        candidates.append((gain, note))

    gain, note = max(candidates, default=(0.0, ""))
    return [note] if gain > 0 else []


def _first_tokens(
    text: str, options: Sequence[str], tokenizer: "PreTrainedTokenizerBase", n_embeddings: int
) -> list[int]:
    """The first token of each option after `text`;
    empty if an option merges with the text or two begin alike.
    """
    continued = tokenise_prompt(text, options, tokenizer, n_embeddings).answers.values()
    first = [ids[0] for ids in continued if ids]
    return first if len(set(first)) == len(options) else []
