"""An architecture for capture and patching: its modules, the parts of a block, and its logits.

With a block in parts, keys and values can be kept and shared between forward passes. Norms,
projections, rotary embedding and MLP are the model's own modules; only the attention between them
is computed here. States have the shape (run, prompt, pos, d_model): several runs of the same
prompts, which share their positions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import torch
from jaxtyping import Float, Int
from torch import nn
from torch.nn import functional

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Ids = Int[torch.Tensor, "prompt pos"]
PromptPositions = Int[torch.Tensor, "prompt pos"]  # of tokens in their prompts, from 0
Embedded = Float[torch.Tensor, "prompt pos d_model"]
States = Float[torch.Tensor, "run prompt pos d_model"]
Heads = Float[torch.Tensor, "run prompt head pos d_head"]
# Outputs of all heads side by side, before the output projection.
Z = Float[torch.Tensor, "run prompt pos d_z"]
# 0 for a key that the query sees, minus infinity for the others.
Mask = Float[torch.Tensor, "prompt query key"]
# Cosine, sine.
Rope = tuple[Float[torch.Tensor, "prompt pos d_rope"], Float[torch.Tensor, "prompt pos d_rope"]]
Map = Callable[[torch.Tensor], torch.Tensor]
# Tokens per pass: small enough for intermediate results to stay in the processor's caches.
CHUNK_TOKENS = 512


@dataclass(frozen=True)
class Block:
    """The parts of one block. Every `Map` keeps the leading axes of its input and changes at most
    the last one.

    `norm` is applied before attention, `mlp_norm` before the MLP. `query`, `key` and `value` map
    d_model to the width of all heads together; `output` maps z back to d_model.
    """

    norm: Map
    query: Map
    key: Map
    value: Map
    output: Map
    mlp_norm: Map
    mlp: Map
    d_head: int
    scale: float  # factor of the attention scores
    # The number of keys that a query sees, its own included; None for all keys up to its own.
    window: int | None = None
    query_norm: Map | None = None  # applied to each head
    key_norm: Map | None = None
    apply_rope: Callable[..., Any] | None = None  # the family's `apply_rotary_pos_emb`
    # The MLP reads the block's input instead of the residual stream after attention.
    parallel: bool = False

    def queries(self, normed: States, rope: Rope | None) -> Heads:
        """The queries of normed states, rotated if the family has rope."""
        return self._heads(self.query(normed), self.query_norm, rope)

    def keys(self, normed: States, rope: Rope | None) -> Heads:
        """The keys of normed states, rotated if the family has rope."""
        return self._heads(self.key(normed), self.key_norm, rope)

    def values(self, normed: States) -> Heads:
        """The values of normed states."""
        return self._heads(self.value(normed), None, None)

    def attend(
        self,
        queries: Float[torch.Tensor, "run prompt head query d_head"],
        keys: Float[torch.Tensor, "run prompt kv_head key d_head"],
        values: Float[torch.Tensor, "run prompt kv_head key d_head"],
        mask: Mask,
    ) -> Z:
        """The output z = softmax(scale * queries keys^T + mask) values of each head,
        all heads side by side.
        """
        n_runs, n_prompts, n_heads, n_queries, _ = queries.shape
        # The axes run and prompt become one axis of n_runs * n_prompts rows; all heads of a row
        # share its mask, (row, 1, query, key).
        z = functional.scaled_dot_product_attention(
            queries.flatten(0, 1),
            keys.flatten(0, 1),
            values.flatten(0, 1),
            attn_mask=mask.repeat(n_runs, 1, 1)[:, None],
            scale=self.scale,
            enable_gqa=n_heads != keys.shape[2],
        )
        return z.transpose(1, 2).reshape(n_runs, n_prompts, n_queries, n_heads * self.d_head)

    def write_outputs(self, residual: States, z: Z) -> None:
        """Turn the block's input into its output, in place:
        add the outputs of attention and MLP.
        """
        attention_output = self.output(z)
        if not self.parallel:
            residual.add_(attention_output)

        d_model = residual.shape[-1]
        rows = torch.split(residual.view(-1, d_model), CHUNK_TOKENS)
        additions = torch.split(attention_output.view(-1, d_model), CHUNK_TOKENS)
        for chunk, addition in zip(rows, additions, strict=True):
            chunk.add_(self.mlp(self.mlp_norm(chunk)))
            if self.parallel:
                chunk.add_(addition)

    def _heads(
        self,
        projected: Float[torch.Tensor, "run prompt pos d_projected"],
        norm: Map | None,
        rope: Rope | None,
    ) -> Heads:
        """A projection as heads, normed and rotated if the family does so."""
        n_heads = projected.shape[-1] // self.d_head
        heads = projected.view(*projected.shape[:-1], n_heads, self.d_head)
        if norm is not None:
            heads = norm(heads)
        heads = heads.transpose(2, 3)
        if self.apply_rope is None or rope is None:
            return heads
        # apply_rope rotates two tensors: the second one here is empty.
        rotated: torch.Tensor = self.apply_rope(heads, heads[:0], *rope)[0]
        return rotated


class Modules(NamedTuple):
    """A model's own modules: L blocks, their L attention modules (or none), the final norm and the
    unembedding.

    The output of a block is the residual stream after it. The output of an attention module is a
    tuple; with eager attention its second entry holds the attention weights (batch, head, query,
    key).
    """

    blocks: list[nn.Module]
    attentions: list[nn.Module]
    final_norm: nn.Module
    unembedding: nn.Linear


def _embed_tokens(model: "PreTrainedModel", ids: Ids, _positions: PromptPositions) -> Embedded:
    """Only the token embeddings, for families without learned position embeddings."""
    embedded: torch.Tensor = model.get_input_embeddings()(ids)
    return embedded


def adjust_logits(
    logits: Float[torch.Tensor, "*rows vocab"], config: Any
) -> Float[torch.Tensor, "*rows vocab"]:
    """The model's logits from the unembedding's: scaled or capped if the architecture has a setting
    for it.

    `config` is the model's. In transformers an architecture may have a factor `logit_scale`
    (Cohere), a divisor `logits_scaling` (Granite), or a bound `final_logit_softcapping` (Gemma 2),
    which turns a logit x into bound * tanh(x / bound). Each acts on every logit separately, so
    `logits` may be a part of a row.
    """
    factor = _setting(config, "logit_scale")
    if factor is not None:
        logits = logits * factor

    divisor = _setting(config, "logits_scaling")
    if divisor is not None:
        logits = logits / divisor

    bound = _setting(config, "final_logit_softcapping")
    if bound is not None:
        logits = torch.tanh(logits / bound) * bound

    return logits


def _setting(config: Any, name: str) -> float | None:
    """A setting that the architecture declares, or None.

    A key that is only in config.json is ignored.
    """
    return getattr(config, name) if hasattr(type(config), name) else None


def rotary_embedding(model: "PreTrainedModel", positions: PromptPositions) -> Rope:
    """Cosine and sine of the rotary embedding at `positions`,
    for base models that hold it as `rotary_emb`.
    """
    rotary = cast(Any, model.base_model).rotary_emb
    cos, sin = rotary(torch.empty(0, dtype=model.dtype, device=positions.device), positions)
    return cos, sin


@dataclass(frozen=True)
class Family:
    """One architecture.

    - `model_type`: its name in config.json.
    - `blocks`, `final_norm`: dotted names of modules in the model.
    - `attention`: the dotted name of the attention module in a block; "" if not every block gives
      attention weights.
    - `split_block(block, attention, config)`: the block's parts. It raises `UserError` for a
      setting of the config that patching does not support. None for a family that was found by
      structure, which is patched by the model's own forward pass.
    - `embed(model, ids, positions)`: the residual stream before block 1.
    - `rope(model, positions)`: the rotary position embedding; None for families without one.
    - `cut_refusal`: why keys and values cannot be cut block by block; None if they can.
    - `mlp`: the dotted name of the MLP in a block, for families with a file.
    """

    model_type: str
    blocks: str
    attention: str
    final_norm: str
    split_block: Callable[[Any, Any, Any], Block] | None = None
    embed: Callable[["PreTrainedModel", Ids, PromptPositions], Embedded] = _embed_tokens
    rope: Callable[["PreTrainedModel", PromptPositions], Rope] | None = None
    cut_refusal: str | None = None
    mlp: str = "mlp"

    def find_modules(self, model: "PreTrainedModel") -> Modules:
        """The modules of `model`, which must be of this family."""
        blocks = list(model.get_submodule(self.blocks).children())
        attentions = []
        if self.attention:
            attentions = [block.get_submodule(self.attention) for block in blocks]
        return Modules(
            blocks=blocks,
            attentions=attentions,
            final_norm=model.get_submodule(self.final_norm),
            unembedding=model.get_output_embeddings(),  # type: ignore[no-untyped-call]
        )

    def logits(
        self,
        model: "PreTrainedModel",
        states: Float[torch.Tensor, "*rows d_model"],
        *,
        normed: bool = False,
        out: Float[torch.Tensor, "row vocab"] | None = None,
    ) -> Float[torch.Tensor, "*rows vocab"]:
        """The logits over the whole vocabulary that `model` would give if `states` were its states
        after the last block.

        Args:
            model: A model of this family.
            states: Of the residual stream, after any block.
            normed: Whether the final norm has been applied to them, as to transformers'
                `last_hidden_state`.
            out: Memory for the unembedding's output, which is overwritten; `states` must have the
                shape (row, d_model). It holds the result unless the architecture scales or caps
                its logits. Default: new memory.
        """
        modules = self.find_modules(model)
        weight = modules.unembedding.weight
        bias = modules.unembedding.bias
        if not normed:
            states = modules.final_norm(states)

        if out is None:
            logits = functional.linear(states, weight, bias)
        else:
            logits = torch.mm(states, weight.T, out=out)
            if bias is not None:
                logits += bias
        return adjust_logits(logits, model.config.get_text_config())

    def answer_logits(
        self,
        model: "PreTrainedModel",
        states: Float[torch.Tensor, "run prompt d_model"],
        answers: Int[torch.Tensor, "prompt answer"],
    ) -> Float[torch.Tensor, "run prompt answer"]:
        """The logits of each prompt's `answers` (token ids) only, from states after the last block.

        They equal those entries of `logits`, but need only the answers' rows of the unembedding.
        """
        modules = self.find_modules(model)
        weight = modules.unembedding.weight
        bias = modules.unembedding.bias
        logits = torch.einsum("rpd,pad->rpa", modules.final_norm(states), weight[answers])
        if bias is not None:
            logits += bias[answers]
        return adjust_logits(logits, model.config.get_text_config())

    def split_blocks(self, model: "PreTrainedModel") -> list[Block]:
        """The blocks of `model` as their parts.

        Raises:
            UserError: The config has a setting that patching does not support.
            ValueError: The family was found by structure.
        """
        if self.split_block is None:
            raise ValueError(f"model type '{self.model_type}' has no parts of blocks")
        modules = self.find_modules(model)
        parts = []
        for block, attention in zip(modules.blocks, modules.attentions, strict=True):
            parts.append(self.split_block(block, attention, model.config))
        return parts
