"""Lines, a tiny model that reads them, and plain loops over the model for comparison."""

from collections.abc import Callable, Iterable, Sequence

import torch
from transformers import PreTrainedTokenizerFast

from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.question_answer import QuestionAnswer
from tests.unit.models.tiny_llama import tiny_llama, with_start

LINES = [
    QuestionAnswer("Lorak, Dabis, Zuten, Pamol zul:", " Bamor."),
    QuestionAnswer("Dabis, Lorak ket:", " Zuten."),
    QuestionAnswer("", "Lorak lives in Bamor."),
]
PREFIX = [
    QuestionAnswer("Pamol, Dabis zul:", " Keten."),
    QuestionAnswer("", "Zuten lives in Keten."),
]
TEXTS = [line.text for line in [*LINES, *PREFIX]]
CONTEXT = 128  # tokens
TOKENS_PER_BATCH = 10_000  # all lines in one pass

MakeTokenizer = Callable[[Iterable[str]], PreTrainedTokenizerFast]  # from the texts that it learns


def make_reader(
    make_tokenizer: MakeTokenizer = with_start, *, tokens_per_batch: int = TOKENS_PER_BATCH
) -> TokenisedModel:
    tokenizer = make_tokenizer(TEXTS)
    model = tiny_llama(tokenizer, context_length=CONTEXT)
    return TokenisedModel(model, tokenizer, tokens_per_batch)


def ids_alone(reader: TokenisedModel, text: str) -> list[int]:
    """The tokens of a text without special tokens."""
    return reader.tokenizer(text, add_special_tokens=False).input_ids


def log_probs_in_a_loop(
    reader: TokenisedModel, context: Sequence[int], ids: Sequence[int]
) -> list[float]:
    """log p of each of `ids` after `context` and the ids before it, one token at a time."""
    read = list(context)
    log_probs = []
    for token in ids:
        with torch.inference_mode():
            logits = reader.model(torch.tensor([read])).logits[0, -1].double()
        log_probs.append(float(logits.log_softmax(-1)[token]))
        read.append(token)
    return log_probs


def continuation_in_a_loop(reader: TokenisedModel, prompt: Sequence[int], tokens: int) -> list[int]:
    """The likeliest next token, `tokens` times, without a cache of keys and values."""
    read = list(prompt)
    for _ in range(tokens):
        with torch.inference_mode():
            logits = reader.model(torch.tensor([read]), use_cache=False).logits[0, -1]
        read.append(int(logits.argmax()))
    return read[len(prompt) :]
