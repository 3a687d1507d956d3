"""Transformer blocks of each family taken apart at their attention, so that keys and values can be kept and shared.

Norms, projections, rotary embedding and MLP are the model's own; only the attention between them is computed here.
States have the shape (run, prompt, pos, d_model): several runs of the same prompts, which share their positions.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import torch
from jaxtyping import Float, Int
from torch import nn
from torch.nn import functional
from transformers.activations import NewGELUActivation

from mechaware.errors import UserError
from mechaware.models.architecture import find_modules

if TYPE_CHECKING:
    from transformers import PreTrainedModel

States = Float[torch.Tensor, "run prompt pos d_model"]
Heads = Float[torch.Tensor, "run prompt head pos d_head"]
Attended = Float[torch.Tensor, "run prompt pos d_attention"]
Mask = Float[torch.Tensor, "prompt query key"]  # 0 for a key that a query sees, else minus infinity
Rotation = tuple[Float[torch.Tensor, "prompt pos d_rotary"], Float[torch.Tensor, "prompt pos d_rotary"]]
Map = Callable[[torch.Tensor], torch.Tensor]
CHUNK_TOKENS = 512  # that are worked on at once: what is computed in between stays in the caches


@dataclass(frozen=True)
class Block:
    """One block: normed states to queries, keys and values, and attended values to the block's output."""

    norm: Map
    query: Map  # d_model to the width of all heads; likewise key and value
    key: Map
    value: Map
    output: Map
    mlp_norm: Map
    mlp: Map
    d_head: int
    scale: float  # of the attention scores
    window: int | None = None  # keys that a query sees, its own position included; None for all before it
    query_norm: Map | None = None  # of each head
    key_norm: Map | None = None
    rotate: Callable[..., Any] | None = None  # the family's apply_rotary_pos_emb
    parallel: bool = False  # the MLP reads the block's input, not the state after attention

    def queries(self, normed: States, rotation: Rotation | None) -> Heads:
        """The queries of normed states, rotated where the family has a rotary embedding."""
        return self._heads(self.query(normed), self.query_norm, rotation)

    def keys(self, normed: States, rotation: Rotation | None) -> Heads:
        """The keys of normed states, rotated likewise."""
        return self._heads(self.key(normed), self.key_norm, rotation)

    def values(self, normed: States) -> Heads:
        """The values of normed states."""
        return self._heads(self.value(normed), None, None)

    def attend(
        self,
        queries: Float[torch.Tensor, "run prompt head query d_head"],
        keys: Float[torch.Tensor, "run prompt kv_head key d_head"],
        values: Float[torch.Tensor, "run prompt kv_head key d_head"],
        mask: Mask,
    ) -> Attended:
        """What the heads read from the values, every run and prompt on its own."""
        attended = functional.scaled_dot_product_attention(
            queries.flatten(0, 1),
            keys.flatten(0, 1),
            values.flatten(0, 1),
            attn_mask=mask.repeat(len(queries), 1, 1)[:, None],
            scale=self.scale,
            enable_gqa=queries.shape[2] != keys.shape[2],
        )
        return attended.transpose(1, 2).reshape(*queries.shape[:2], queries.shape[3], queries.shape[2] * self.d_head)

    def close(self, states: States, attended: Attended) -> None:
        """Turn the block's input into its output, in place: output projection, residual and MLP."""
        attention_output = self.output(attended)
        if not self.parallel:
            states.add_(attention_output)
        rows, additions = states.view(-1, states.shape[-1]), attention_output.view(-1, states.shape[-1])
        for part, addition in zip(torch.split(rows, CHUNK_TOKENS), torch.split(additions, CHUNK_TOKENS), strict=True):
            part.add_(self.mlp(self.mlp_norm(part)))
            if self.parallel:
                part.add_(addition)

    def _heads(
        self, projected: Float[torch.Tensor, "run prompt pos d_projected"], norm: Map | None, rotation: Rotation | None
    ) -> Heads:
        heads = projected.view(*projected.shape[:-1], projected.shape[-1] // self.d_head, self.d_head)
        heads = (heads if norm is None else norm(heads)).transpose(2, 3)
        if self.rotate is None or rotation is None:
            return heads
        # It rotates a pair of tensors: the second one here holds no run.
        rotated: torch.Tensor = self.rotate(heads, heads[:0], *rotation)[0]
        return rotated


class Positions(NamedTuple):
    """Columns of a batch: where they lie in their prompts, how they are rotated, and per window which keys they see."""

    columns: Int[torch.Tensor, "prompt pos"]
    places: Int[torch.Tensor, "prompt pos"]
    rotation: Rotation | None
    masks: dict[int | None, Mask]


def take_apart(model: "PreTrainedModel") -> list[Block]:
    """The blocks of `model`. Raises `UserError` for an unsupported family, and for layers with a sliding window."""
    modules, config = find_modules(model), model.config
    # GPT-Neo does not list its local layers here; their window is known.
    if "sliding_attention" in (getattr(config, "layer_types", None) or ()):
        raise UserError(
            f"model type '{config.model_type}' with a sliding window cannot be patched: set use_sliding_window to "
            "false in config.json, or choose another model"
        )
    family = FAMILIES[config.model_type]
    return [family(*parts, config) for parts in zip(modules.blocks, modules.attentions, strict=True)]


def embed(
    model: "PreTrainedModel", ids: Int[torch.Tensor, "prompt pos"], places: Int[torch.Tensor, "prompt pos"]
) -> Float[torch.Tensor, "prompt pos d_model"]:
    """The residual stream before the first block, of tokens `ids` at `places` in their prompts."""
    embedded: torch.Tensor = model.get_input_embeddings()(ids)
    learned = getattr(model.base_model, "wpe", None)
    return embedded if learned is None else embedded + learned(places)


def _rotation_at(model: "PreTrainedModel", places: Int[torch.Tensor, "prompt pos"]) -> Rotation | None:
    """Cosine and sine of the rotary embedding at `places`, for families that have one."""
    rotary = getattr(model.base_model, "rotary_emb", None)
    if rotary is None:
        return None
    cos, sin = rotary(torch.empty(0, dtype=model.dtype, device=places.device), places)
    return cos, sin


def logit_differences(
    model: "PreTrainedModel", states: Float[torch.Tensor, "run prompt d_model"], answers: Int[torch.Tensor, "prompt 2"]
) -> Float[torch.Tensor, "run prompt"]:
    """logit(first answer) - logit(second), from states after the last block: the final norm and two unembeddings."""
    modules = find_modules(model)
    unembedding = cast(nn.Linear, modules.unembedding)
    logits = torch.einsum("rpd,pad->rpa", modules.final_norm(states), unembedding.weight[answers])
    if unembedding.bias is not None:
        logits += unembedding.bias[answers]
    return logits[..., 0] - logits[..., 1]


def find_positions(
    model: "PreTrainedModel",
    blocks: list[Block],
    padding: Int[torch.Tensor, " prompt"],
    columns: Int[torch.Tensor, "prompt pos"],
    n_columns: int,
) -> Positions:
    """Where `columns` of `n_columns` lie in prompts that begin after `padding` columns, and what they see there."""
    # Padding, which nothing real sees, takes any place inside the context.
    places = (columns - padding[:, None]).clamp(0, model.config.max_position_embeddings - 1)
    keys = torch.arange(n_columns, device=columns.device)
    back = columns[:, :, None] - keys  # how far before the query a key lies
    causal = (back > 0) & (keys >= padding[:, None, None])
    masks = {}
    for window in {block.window for block in blocks}:
        seen = causal if window is None else causal & (back < window)
        # Each sees itself, padding too: a row without any key would be NaN.
        masks[window] = torch.zeros_like(back, dtype=model.dtype).masked_fill_(~(seen | (back == 0)), -torch.inf)
    return Positions(columns, places, _rotation_at(model, places), masks)


def _gpt2(block: Any, attention: Any, _config: Any) -> Block:
    fused = attention.c_attn
    weights, biases = fused.weight.T.chunk(3), fused.bias.chunk(3)
    query, key, value = (
        partial(functional.linear, weight=weight, bias=bias) for weight, bias in zip(weights, biases, strict=True)
    )
    return Block(
        norm=block.ln_1,
        query=query,
        key=key,
        value=value,
        output=attention.c_proj,
        mlp_norm=block.ln_2,
        mlp=_gpt_mlp(block.mlp),
        d_head=attention.head_dim,
        scale=attention.scaling,
    )


def _gpt_neo(block: Any, attention: Any, config: Any) -> Block:
    attention = attention.attention
    return Block(
        norm=block.ln_1,
        query=attention.q_proj,
        key=attention.k_proj,
        value=attention.v_proj,
        output=attention.out_proj,
        mlp_norm=block.ln_2,
        mlp=_gpt_mlp(block.mlp),
        d_head=attention.head_dim,
        scale=1.0,  # the family leaves its scores as they are
        window=config.window_size if attention.attention_type == "local" else None,
    )


def _gpt_mlp(mlp: Any) -> Map:
    """The MLP, with a faster form of its activation if that is the usual one."""
    if not isinstance(mlp.act, NewGELUActivation):
        return cast(Map, mlp)
    return lambda states: cast(torch.Tensor, mlp.c_proj(_tanh_gelu(mlp.c_fc(states))))


def _tanh_gelu(x: Float[torch.Tensor, "*rows d_mlp"]) -> Float[torch.Tensor, "*rows d_mlp"]:
    """GELU in its tanh form: x (1 + tanh u) / 2 = x sigmoid(2 u) with u = sqrt(2 / pi) (x + 0.044715 x^3).

    transformers passes over memory eight times for it, and a sigmoid takes a third of the time of a tanh.
    """
    slope = math.sqrt(8 / math.pi)
    return torch.addcmul(x.new_tensor(slope), x, x, value=0.044715 * slope).mul_(x).sigmoid_().mul_(x)


def _gpt_neox(block: Any, attention: Any, _config: Any) -> Block:
    d_head = attention.head_size
    query, key, value = (partial(_third, attention.query_key_value, part=part, d_head=d_head) for part in range(3))
    return Block(
        norm=block.input_layernorm,
        query=query,
        key=key,
        value=value,
        output=attention.dense,
        mlp_norm=block.post_attention_layernorm,
        mlp=block.mlp,
        d_head=d_head,
        scale=attention.scaling,
        rotate=_rotation_of(attention),
        parallel=block.use_parallel_residual,
    )


def _third(fused: nn.Linear, normed: torch.Tensor, *, part: int, d_head: int) -> torch.Tensor:
    """The queries, keys or values of a projection whose rows are (head, one of the three, d_head)."""
    weight = fused.weight.view(-1, 3, d_head, fused.in_features)[:, part].flatten(0, 1)
    bias = None if fused.bias is None else fused.bias.view(-1, 3, d_head)[:, part].flatten()
    return functional.linear(normed, weight, bias)


def _llama(block: Any, attention: Any, _config: Any) -> Block:
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
        query_norm=getattr(attention, "q_norm", None),
        key_norm=getattr(attention, "k_norm", None),
        rotate=_rotation_of(attention),
    )


def _rotation_of(attention: nn.Module) -> Callable[..., Any]:
    rotate: Callable[..., Any] = sys.modules[type(attention).__module__].apply_rotary_pos_emb
    return rotate


FAMILIES: dict[str, Callable[[Any, Any, Any], Block]] = {
    "gpt2": _gpt2,
    "gpt_neo": _gpt_neo,
    "gpt_neox": _gpt_neox,
    "llama": _llama,
    "qwen2": _llama,
    "qwen3": _llama,
}
