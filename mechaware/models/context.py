"""The number of tokens that a model reads at most, under whatever name its config has it."""

from typing import Any

# Of a state-space model, or of one whose positions are distances.
UNLIMITED = 2**31 - 1
_NAMES = ("max_position_embeddings", "max_seq_len")


def context_length(config: Any) -> int:
    """The context of a model with this config of transformers, in tokens; `UNLIMITED` if the config names none."""
    text_config = config.get_text_config()
    for name in _NAMES:
        length = getattr(text_config, name, None)
        if length is not None:
            return int(length)
    return UNLIMITED
