"""How often tokens occur in a corpus, for DC-PDD.

Nothing here loads torch: scores are computed from evidence in a process without a model.
"""

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Int

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_TEXTS_AT_ONCE = 1000  # bounds the token ids in memory


def count_tokens(
    texts: Iterable[str], tokenizer: "PreTrainedTokenizerBase"
) -> Int[np.ndarray, " vocabulary"]:
    """How often each token of the vocabulary occurs in the texts, without special tokens."""
    counts = np.zeros(len(tokenizer), dtype=np.int64)
    remaining = iter(texts)
    while True:
        batch = list(itertools.islice(remaining, _TEXTS_AT_ONCE))
        if not batch:
            return counts
        encoded = tokenizer(batch, add_special_tokens=False, verbose=False).input_ids
        ids = list(itertools.chain.from_iterable(encoded))
        counts += np.bincount(ids, minlength=len(tokenizer))
