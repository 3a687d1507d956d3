"""The largest number of tokens that a model reads.

The key for this number has different names in the configs of different models.
"""

from typing import Any

# The context of a state-space model, or of a model whose position embeddings depend only on
# distances.
UNLIMITED = 2**31 - 1
# Models whose first position is the padding token's id plus 1: the earlier rows of their table of
# positions are unused.
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
    """The context of a model with this config of transformers, in tokens; `UNLIMITED` if the config
    has no key for it.

    A `longrope` model (Phi-3's 128k) has two contexts. This is the shorter one: a longer text
    changes the rotations of all tokens in a pass, so the results for a text would depend on the
    other texts of its batch.

    A model of `COUNTED_FROM_PADDING`, such as RoBERTa as a decoder, has fewer positions than rows
    in its table of positions. Its context is max_position_embeddings - (pad_token_id + 1).
    """
    text_config = config.get_text_config()
    rope = getattr(text_config, "rope_parameters", None) or {}
    if rope.get("rope_type") == "longrope":
        shorter = rope.get("original_max_position_embeddings")
        # Phi-3 has this key outside of `rope_parameters`.
        return int(shorter or text_config.original_max_position_embeddings)

    for name in _NAMES:
        length = getattr(text_config, name, None)
        if length is None:
            continue
        if text_config.model_type in COUNTED_FROM_PADDING:
            length -= text_config.pad_token_id + 1
        return int(length)
    return UNLIMITED
