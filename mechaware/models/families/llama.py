"""Llama: RMS norms, rope, and grouped queries."""

from typing import Any

from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

from mechaware.models.families.family import Block, Family, rotary_embedding


def split_llama_block(block: Any, attention: Any, _config: Any) -> Block:
    """The parts of a Llama block."""
    return Block(
        norm=block.input_layernorm,
        query=attention.q_proj,
        key=attention.k_proj,
        value=attention.v_proj,
        output=attention.o_proj,
        mlp_norm=block.post_attention_layernorm,
        mlp=block.mlp,
        d_head=attention.head_dim,
        scale=attention.scaling,
        apply_rope=apply_rotary_pos_emb,
    )


LLAMA = Family(
    model_type="llama",
    blocks="model.layers",
    attention="self_attn",
    final_norm="model.norm",
    split_block=split_llama_block,
    rope=rotary_embedding,
)
