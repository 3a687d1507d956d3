"""The list of supported families. To add one, write its file beside this one and enter it in the list."""

from typing import TYPE_CHECKING

from mechaware.models.families import check_model_type
from mechaware.models.families.family import Family, Modules
from mechaware.models.families.gpt2 import GPT2
from mechaware.models.families.gpt_neo import GPT_NEO
from mechaware.models.families.gpt_neox import GPT_NEOX
from mechaware.models.families.llama import LLAMA
from mechaware.models.families.qwen import QWEN2, QWEN3

if TYPE_CHECKING:
    from transformers import PreTrainedModel

FAMILIES = {family.model_type: family for family in (GPT2, GPT_NEO, GPT_NEOX, LLAMA, QWEN2, QWEN3)}


def family_named(model_type: str) -> Family:
    """The family with this `model_type` in its config.json. Raises `UserError` for an unsupported one."""
    check_model_type(model_type)
    return FAMILIES[model_type]


def find_modules(model: "PreTrainedModel") -> Modules:
    """The modules that activations of `model` are read from. Raises `UserError` for an unsupported family."""
    return family_named(model.config.model_type).find_modules(model)
