"""GPT-Neo: GPT-2 with separate projections, unscaled attention scores,
and local attention in some layers.
"""

from typing import Any

from mechaware.models.families.family import Block, Family
from mechaware.models.families.gpt2 import embed_tokens_and_positions, mlp_map


def _split_block(block: Any, attention: Any, config: Any) -> Block:
    attention = attention.attention
    return Block(
        norm=block.ln_1,
        query=attention.q_proj,
        key=attention.k_proj,
        value=attention.v_proj,
        output=attention.out_proj,
        mlp_norm=block.ln_2,
        mlp=mlp_map(block.mlp),
        d_head=attention.head_dim,
        scale=1.0,
        window=config.window_size if attention.attention_type == "local" else None,
    )


GPT_NEO = Family(
    model_type="gpt_neo",
    blocks="transformer.h",
    attention="attn",
    final_norm="transformer.ln_f",
    split_block=_split_block,
    embed=embed_tokens_and_positions,
)
