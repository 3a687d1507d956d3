"""GPT-2: learned position embeddings, one fused projection for queries, keys and values."""

import math
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import torch
from jaxtyping import Float
from torch.nn import functional
from transformers.activations import NewGELUActivation

from mechaware.models.families.family import Block, Embedded, Family, Ids, Map, PromptPositions

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def embed_tokens_and_positions(
    model: "PreTrainedModel", ids: Ids, positions: PromptPositions
) -> Embedded:
    """The sum of token embedding and learned position embedding."""
    tokens: torch.Tensor = model.get_input_embeddings()(ids)
    return tokens + cast(torch.Tensor, cast(Any, model.base_model).wpe(positions))


def mlp_map(mlp: Any) -> Map:
    """The MLP; if its activation is the tanh form of GELU, with a faster implementation of that form."""
    if not isinstance(mlp.act, NewGELUActivation):
        return cast(Map, mlp)
    return lambda states: cast(torch.Tensor, mlp.c_proj(_tanh_gelu(mlp.c_fc(states))))


def _tanh_gelu(x: Float[torch.Tensor, "*rows d_mlp"]) -> Float[torch.Tensor, "*rows d_mlp"]:
    """GELU in its tanh form: x (1 + tanh u) / 2 = x sigmoid(2 u) with u = sqrt(2 / pi) (x + 0.044715 x^3).

    The form in transformers reads and writes memory eight times, and a sigmoid takes a third of the time of a tanh.
    """
    slope = math.sqrt(8 / math.pi)
    over_x = torch.addcmul(x.new_tensor(slope), x, x, value=0.044715 * slope)  # 2 u / x
    return over_x.mul_(x).sigmoid_().mul_(x)


def _split_block(block: Any, attention: Any, _config: Any) -> Block:
    fused = attention.c_attn
    maps = []
    for weight, bias in zip(fused.weight.T.chunk(3), fused.bias.chunk(3), strict=True):
        maps.append(partial(functional.linear, weight=weight, bias=bias))
    query, key, value = maps
    return Block(
        norm=block.ln_1,
        query=query,
        key=key,
        value=value,
        output=attention.c_proj,
        mlp_norm=block.ln_2,
        mlp=mlp_map(block.mlp),
        d_head=attention.head_dim,
        scale=attention.scaling,
    )


GPT2 = Family(
    model_type="gpt2",
    blocks="transformer.h",
    attention="attn",
    final_norm="transformer.ln_f",
    split_block=_split_block,
    embed=embed_tokens_and_positions,
)
