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
    """The MLP, with a faster implementation of its activation if that is GELU in its tanh form."""
    if not isinstance(mlp.act, NewGELUActivation):
        return cast(Map, mlp)
    return lambda states: cast(torch.Tensor, mlp.c_proj(_tanh_gelu(mlp.c_fc(states))))


def _tanh_gelu(x: Float[torch.Tensor, "*rows d_mlp"]) -> Float[torch.Tensor, "*rows d_mlp"]:
    """GELU in its tanh form.

        x (1 + tanh u) / 2 = x sigmoid(2 u), where u = sqrt(2 / pi) (x + 0.044715 x^3)

    It is faster than the code in transformers, which reads and writes memory eight times: a sigmoid
    takes a third of the time of a tanh, and all steps but the first are in place.
    """
    # 2 u / x = slope (1 + 0.044715 x^2), where slope = 2 sqrt(2 / pi) = sqrt(8 / pi).
    slope = math.sqrt(8 / math.pi)
    twice_u_over_x = torch.addcmul(x.new_tensor(slope), x, x, value=0.044715 * slope)
    return twice_u_over_x.mul_(x).sigmoid_().mul_(x)


def _split_block(block: Any, attention: Any, _config: Any) -> Block:
    fused = attention.c_attn  # its weight is (in, out): queries, keys and values beside each other
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
