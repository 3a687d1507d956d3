"""Qwen2 and Qwen3: Llama with biases in Qwen2's projections,
and norms of each head's queries and keys in Qwen3.
"""

from dataclasses import replace
from typing import Any

from mechaware.core.errors import UserError
from mechaware.models.families.family import Block
from mechaware.models.families.llama import LLAMA, split_llama_block


def _split_qwen2_block(block: Any, attention: Any, config: Any) -> Block:
    if "sliding_attention" in config.layer_types:
        raise UserError(
            f"model type '{config.model_type}' with a sliding window cannot be patched: set use_sliding_window to "
            "false in config.json, or choose another model"
        )
    return split_llama_block(block, attention, config)


def _split_qwen3_block(block: Any, attention: Any, config: Any) -> Block:
    parts = _split_qwen2_block(block, attention, config)
    return replace(parts, query_norm=attention.q_norm, key_norm=attention.k_norm)


QWEN2 = replace(LLAMA, model_type="qwen2", split_block=_split_qwen2_block)
QWEN3 = replace(LLAMA, model_type="qwen3", split_block=_split_qwen3_block)
