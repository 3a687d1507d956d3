"""A schema that a single block may read: in all other blocks attention to the schema's tokens is masked.

The weights stay ordinary. The entry `schema_mask` of a model's config.json says which block reads, and between which
tokens of a prompt the schema lies. `supported.mask_schema` applies it to a loaded model, `Family.split_blocks` to
patching.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import nn

if TYPE_CHECKING:
    from transformers import PretrainedConfig, PreTrainedModel

ENTRY = "schema_mask"
Ids = Int[torch.Tensor, "prompt pos"]


class SchemaMask(NamedTuple):
    """The block, from 1, that may attend to the schema, and the token ids before and behind a schema."""

    read_block: int
    opening: list[int]
    closing: list[int]


def schema_mask_of(config: "PretrainedConfig") -> SchemaMask | None:
    """The mask that a model's config has; None for an ordinary model."""
    entry = getattr(config, ENTRY, None)
    return None if entry is None else SchemaMask(**entry)


def schema_tokens(ids: Ids, mask: SchemaMask) -> Bool[torch.Tensor, "prompt pos"]:
    """Which tokens lie in a schema: behind an opening marker, before the closing one or the end of the tokens."""
    opened = _occurrences(ids, mask.opening).roll(len(mask.opening), -1)
    opened[:, : len(mask.opening)] = False  # rolled around: a marker at the very end
    closed = _occurrences(ids, mask.closing)
    return opened.cumsum(-1) > closed.cumsum(-1)


def _occurrences(ids: Ids, marker: list[int]) -> Bool[torch.Tensor, "prompt pos"]:
    """Where a sequence of tokens begins."""
    found = torch.ones_like(ids, dtype=torch.bool)
    for offset, token in enumerate(marker):
        found &= ids.roll(-offset, -1) == token
    found[:, max(0, ids.shape[1] - len(marker) + 1) :] = False
    return found


def hide_schema(model: "PreTrainedModel", attentions: list[nn.Module], mask: SchemaMask) -> None:
    """Mask attention to the schema in every forward pass of `model`, in all blocks but the one that reads.

    No query sees the keys of the schema's tokens in the other blocks: not even a schema token its own, so that
    nothing of a schema word enters the residual stream elsewhere than by its embedding. `attentions` are the model's
    attention modules. The tokens are those of one pass, so keys and values are not kept between passes
    (`use_cache`); a pass that gets any raises `RuntimeError`.
    """
    if not 1 <= mask.read_block <= len(attentions):
        raise ValueError(f"{ENTRY}: block {mask.read_block} of a model with {len(attentions)} blocks")
    model.config.use_cache = False
    hidden: list[Bool[torch.Tensor, "prompt pos"]] = []

    def find(_model: nn.Module, arguments: tuple[Any, ...], given: dict[str, Any]) -> None:
        ids = arguments[0] if arguments else given["input_ids"]
        hidden[:] = [schema_tokens(ids, mask)]

    def hide(_attention: nn.Module, arguments: tuple[Any, ...], given: dict[str, Any]) -> Any:
        scores = given["attention_mask"]
        if scores.shape[-1] != hidden[0].shape[1]:
            raise RuntimeError("a model with a schema mask reads whole prompts: run it with use_cache=False")
        hides = hidden[0][:, None, None]
        return arguments, {**given, "attention_mask": scores.masked_fill(hides, torch.finfo(scores.dtype).min)}

    model.base_model.register_forward_pre_hook(find, with_kwargs=True)
    for block, attention in enumerate(attentions, start=1):
        if block != mask.read_block:
            attention.register_forward_pre_hook(hide, with_kwargs=True)
