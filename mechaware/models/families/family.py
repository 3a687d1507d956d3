"""The interface of a family of models: what capture and patching need to know about an architecture."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import nn

from mechaware.models.families.block import Block, Rope
from mechaware.models.families.schema_mask import schema_mask_of

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Ids = Int[torch.Tensor, "prompt pos"]
PromptPositions = Int[torch.Tensor, "prompt pos"]  # of tokens in their prompts, from 0
Embedded = Float[torch.Tensor, "prompt pos d_model"]


class Modules(NamedTuple):
    """A model's own modules: L blocks, their L attention modules, the final norm and the unembedding.

    A block's output is the residual stream after it. An attention module's output is a tuple whose second entry holds
    the attention weights (batch, head, query, key) if the model was loaded with eager attention.
    """

    blocks: list[nn.Module]
    attentions: list[nn.Module]
    final_norm: nn.Module
    unembedding: nn.Linear


def embed_tokens(model: "PreTrainedModel", ids: Ids, _positions: PromptPositions) -> Embedded:
    """The token embeddings alone, for families without learned position embeddings."""
    embedded: torch.Tensor = model.get_input_embeddings()(ids)
    return embedded


@dataclass(frozen=True)
class Family:
    """All that is particular to one architecture.

    `blocks` and `final_norm` are dotted names of modules in the model, `attention` the dotted name in a block.
    `split_block(block, attention, config)` returns the block's parts; it raises `UserError` for a setting of the config
    that patching does not support. `embed(model, ids, positions)` is the residual stream before block 1.
    `rope(model, positions)` is the rotary position embedding there; None for families without one.
    """

    model_type: str  # as in config.json
    blocks: str
    attention: str
    final_norm: str
    split_block: Callable[[Any, Any, Any], Block]
    embed: Callable[["PreTrainedModel", Ids, PromptPositions], Embedded] = embed_tokens
    rope: Callable[["PreTrainedModel", PromptPositions], Rope] | None = None

    def find_modules(self, model: "PreTrainedModel") -> Modules:
        """The modules of `model`, which must be of this family."""
        blocks = list(model.get_submodule(self.blocks).children())
        return Modules(
            blocks=blocks,
            attentions=[block.get_submodule(self.attention) for block in blocks],
            final_norm=model.get_submodule(self.final_norm),
            unembedding=model.get_output_embeddings(),  # type: ignore[no-untyped-call]
        )

    def split_blocks(self, model: "PreTrainedModel") -> list[Block]:
        """The blocks of `model` as their parts. Raises `UserError` for a setting that patching does not support."""
        modules = self.find_modules(model)
        blocks = [
            self.split_block(block, attention, model.config)
            for block, attention in zip(modules.blocks, modules.attentions, strict=True)
        ]
        mask = schema_mask_of(model.config)
        if mask is None:
            return blocks
        return [replace(block, hides_schema=number != mask.read_block) for number, block in enumerate(blocks, start=1)]
