"""The number of tokens that a model reads at most, under whatever name its config has it."""

from typing import Any

# Of a state-space model, or of one whose positions are distances.
UNLIMITED = 2**31 - 1
_NAMES = ("max_position_embeddings", "max_seq_len", "max_target_positions")


def context_length(config: Any) -> int:
    """The context of a model with this config of transformers, in tokens; `UNLIMITED` if the config names none.

    Of a `longrope` model (Phi-3's 128k) it is the shorter one: beyond that the rotations of all tokens of a pass are
    others, so that a text's numbers would depend on the texts beside it.
    """
    text_config = config.get_text_config()
    rope = getattr(text_config, "rope_parameters", None) or {}
    if rope.get("rope_type") == "longrope":
        shorter = rope.get("original_max_position_embeddings")
        # Phi-3 has it beside its other keys.
        return int(shorter or text_config.original_max_position_embeddings)

    for name in _NAMES:
        length = getattr(text_config, name, None)
        if length is not None:
            return int(length)
    return UNLIMITED
