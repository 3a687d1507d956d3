"""One transformer block as its parts, so that keys and values can be kept and shared between forward passes.

Norms, projections, rotary embedding and MLP are the model's own modules; only the attention between them is computed
here. States have the shape (run, prompt, pos, d_model): several runs of the same prompts, which share their positions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch.nn import functional

States = Float[torch.Tensor, "run prompt pos d_model"]
Heads = Float[torch.Tensor, "run prompt head pos d_head"]
Z = Float[torch.Tensor, "run prompt pos d_z"]  # outputs of all heads side by side, before the output projection
Mask = Float[torch.Tensor, "prompt query key"]  # 0 for a key that the query sees, minus infinity for the others
Rope = tuple[Float[torch.Tensor, "prompt pos d_rope"], Float[torch.Tensor, "prompt pos d_rope"]]  # cosine, sine
Map = Callable[[torch.Tensor], torch.Tensor]
View = tuple[int | None, bool]  # a block's window, and whether it hides the schema
CHUNK_TOKENS = 512  # tokens per pass: small enough for intermediate results to stay in the processor's caches


@dataclass(frozen=True)
class Block:
    """The parts of one block. Every `Map` keeps the leading axes of its input and changes at most the last.

    `query`, `key` and `value` map d_model to the width of all their heads; `output` maps z back to d_model.
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
    window: int | None = None  # keys that a query sees, its own included; None for all up to its own
    query_norm: Map | None = None  # applied to each head
    key_norm: Map | None = None
    apply_rope: Callable[..., Any] | None = None  # the family's `apply_rotary_pos_emb`
    parallel: bool = False  # the MLP reads the block's input instead of the residual stream after attention
    hides_schema: bool = False  # no query sees the schema's tokens (schema_mask.py)

    @property
    def view(self) -> View:
        """What decides which keys a query sees; blocks with the same view share a mask."""
        return self.window, self.hides_schema

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
        """The heads' outputs z = softmax(scale * queries keys^T + mask) values, heads side by side."""
        z = functional.scaled_dot_product_attention(
            queries.flatten(0, 1),
            keys.flatten(0, 1),
            values.flatten(0, 1),
            attn_mask=mask.repeat(len(queries), 1, 1)[:, None],
            scale=self.scale,
            enable_gqa=queries.shape[2] != keys.shape[2],
        )
        return z.transpose(1, 2).reshape(*queries.shape[:2], queries.shape[3], queries.shape[2] * self.d_head)

    def write_outputs(self, residual: States, z: Z) -> None:
        """Turn the block's input into its output, in place: add the outputs of attention and MLP."""
        attention_output = self.output(z)
        if not self.parallel:
            residual.add_(attention_output)
        rows, additions = residual.view(-1, residual.shape[-1]), attention_output.view(-1, residual.shape[-1])
        for chunk, addition in zip(torch.split(rows, CHUNK_TOKENS), torch.split(additions, CHUNK_TOKENS), strict=True):
            chunk.add_(self.mlp(self.mlp_norm(chunk)))
            if self.parallel:
                chunk.add_(addition)

    def _heads(
        self, projected: Float[torch.Tensor, "run prompt pos d_projected"], norm: Map | None, rope: Rope | None
    ) -> Heads:
        heads = projected.view(*projected.shape[:-1], projected.shape[-1] // self.d_head, self.d_head)
        heads = (heads if norm is None else norm(heads)).transpose(2, 3)
        if self.apply_rope is None or rope is None:
            return heads
        # apply_rope rotates a pair of tensors: the second one here has no runs.
        rotated: torch.Tensor = self.apply_rope(heads, heads[:0], *rope)[0]
        return rotated
