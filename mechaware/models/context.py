"""The number of tokens that a model reads at most, which configs name differently."""

from typing import Any

# Of a state-space model, or of one whose positions are distances.
UNLIMITED = 2**31 - 1
# Types of models whose positions count from behind the id of the padding token, so that their tables have rows before.
COUNTED_FROM_PADDING = (
    "camembert",
    "data2vec-text",
    "roberta",
    "roberta-prelayernorm",
    "xlm-roberta",
    "xlm-roberta-xl",
    "xmod",
)
_NAMES = ("max_position_embeddings", "max_seq_len", "max_target_positions")


def context_length(config: Any) -> int:
    """The context of a model with this config of transformers, in tokens; `UNLIMITED` if the config names none.

    Of a `longrope` model (Phi-3's 128k) it is the shorter one: beyond that the rotations of all tokens of a pass are
    others, so that a text's numbers would depend on the texts beside it. RoBERTa as a decoder has fewer positions than
    rows in its table of them.
    """
    text_config = config.get_text_config()
    rope = getattr(text_config, "rope_parameters", None) or {}
    if rope.get("rope_type") == "longrope":
        shorter = rope.get("original_max_position_embeddings")
        # Phi-3 has it beside its other keys.
        return int(shorter or text_config.original_max_position_embeddings)

    for name in _NAMES:
        length = getattr(text_config, name, None)
        if length is None:
            continue
        if text_config.model_type in COUNTED_FROM_PADDING:
            length -= text_config.pad_token_id + 1
        return int(length)
    return UNLIMITED
