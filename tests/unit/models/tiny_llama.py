"""A Llama of 2 layers and width 32, and tokenizers with and without a start token."""

from collections.abc import Iterable

from tokenizers import processors
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from mechaware.models.tokenizers import make_bpe_tokenizer
from mechaware.planted.twins.base import random_llama

VOCABULARY = 320
SIZES = {"n_layers": 2, "d_model": 32, "n_heads": 2}


def with_start(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """The project's own tokenizer, which begins a text with the end-of-text token."""
    return make_bpe_tokenizer(texts, VOCABULARY)


def without_start(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """The same tokens, but nothing put before a text, as in GPT-2."""
    tokenizer = make_bpe_tokenizer(texts, VOCABULARY)
    tokenizer.backend_tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def tiny_llama(
    tokenizer: PreTrainedTokenizerFast, *, context_length: int = 256, seed: int = 0
) -> PreTrainedModel:
    """Random weights, the same for the same seed."""
    return random_llama(tokenizer, **SIZES, context_length=context_length, seed=seed)
