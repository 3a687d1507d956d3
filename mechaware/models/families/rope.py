"""Rotary position embedding, for the families whose base model holds it as `rotary_emb`."""

from typing import TYPE_CHECKING, Any, cast

import torch

from mechaware.models.families.block import Rope
from mechaware.models.families.family import PromptPositions

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def rotary_embedding(model: "PreTrainedModel", positions: PromptPositions) -> Rope:
    """Cosine and sine of the model's rotary embedding at `positions`."""
    rotary = cast(Any, model.base_model).rotary_emb
    cos, sin = rotary(torch.empty(0, dtype=model.dtype, device=positions.device), positions)
    return cos, sin
