"""Notes on a task's verdict: how the model read the prompts of its pairs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.instruments.grounding.tasks.spacing import spacing_notes
from mechaware.instruments.grounding.tokens import tokenise
from mechaware.models.settings import precision_notes
from mechaware.models.tokenisation.chat import Template
from mechaware.models.tokenisation.vocabulary import embedding_rows

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


def reading_notes(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    pairs: Sequence[Pair],
    *,
    tokens_per_batch: int,
    template: Template = "none",
) -> list[str]:
    """The notes that apply, each a sentence for readers of the verdict.

    - The model computes in half precision (`precision_notes`).
    - Without a template: the model expects another space before the answers (`spacing_notes`). In a
      chat this does not matter, since an answer begins the model's reply.
    - With a template, always: the prompts are messages in the chat template; and the tokens of the
      first clean prompt.
    """
    notes = precision_notes(model)
    if template == "none":
        return notes + spacing_notes(model, tokenizer, pairs, tokens_per_batch=tokens_per_batch)

    first = pairs[0]
    ids = tokenise(first, tokenizer, embedding_rows(model), template)["clean"].ids
    tokens = " ".join(repr(tokenizer.decode([token])) for token in ids)
    return [
        *notes,
        "the prompts are messages of a user in the tokenizer's chat template, and the answers begin the replies; error "
        "rates are those of prompts without a template",
        f"the model reads the clean prompt of {first.id} as {tokens}",
    ]
