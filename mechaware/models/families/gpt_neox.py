"""GPT-NeoX (Pythia): partial rope, projections fused by head, an MLP parallel to attention."""

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.nn import functional
from transformers.models.gpt_neox.modeling_gpt_neox import apply_rotary_pos_emb

from mechaware.models.families.family import Block, Family, rotary_embedding


def _split_block(block: Any, attention: Any, _config: Any) -> Block:
    d_head = attention.head_size
    project = partial(_project, attention.query_key_value, d_head=d_head)
    return Block(
        norm=block.input_layernorm,
        query=partial(project, part=0),
        key=partial(project, part=1),
        value=partial(project, part=2),
        output=attention.dense,
        mlp_norm=block.post_attention_layernorm,
        mlp=block.mlp,
        d_head=d_head,
        scale=attention.scaling,
        apply_rope=apply_rotary_pos_emb,
        parallel=block.use_parallel_residual,
    )


def _project(fused: nn.Linear, normed: torch.Tensor, *, part: int, d_head: int) -> torch.Tensor:
    """Queries (part 0), keys (1) or values (2) of a fused projection.

    The rows of its weight, and the entries of its bias, are ordered by head, part and d_head.
    """
    weight = fused.weight.view(-1, 3, d_head, fused.in_features)[:, part].flatten(0, 1)
    bias = None if fused.bias is None else fused.bias.view(-1, 3, d_head)[:, part].flatten()
    return functional.linear(normed, weight, bias)


GPT_NEOX = Family(
    model_type="gpt_neox",
    blocks="gpt_neox.layers",
    attention="attention",
    final_norm="gpt_neox.final_layer_norm",
    split_block=_split_block,
    rope=rotary_embedding,
)
