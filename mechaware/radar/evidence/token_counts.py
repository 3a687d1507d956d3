"""How often each token of a vocabulary occurs in a corpus."""

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Int

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

TEXTS_AT_ONCE = 1000


def count_tokens(texts: Iterable[str], tokenizer: "PreTrainedTokenizerBase") -> Int[np.ndarray, " vocabulary"]:
    """How often each token of the vocabulary occurs in the texts, without special tokens."""
    counts = np.zeros(len(tokenizer), dtype=np.int64)
    remaining = iter(texts)
    while batch := list(itertools.islice(remaining, TEXTS_AT_ONCE)):
        encoded = tokenizer(batch, add_special_tokens=False, verbose=False).input_ids
        counts += np.bincount(list(itertools.chain.from_iterable(encoded)), minlength=len(tokenizer))
    return counts
