"""The family of a model: one of `FAMILIES`, or else found by the model's structure and checked.

Each of `FAMILIES` has a file in this folder (gpt2.py, llama.py and so on), which splits a block
into the parts of `family.Block`, so that patching is faster. To add an architecture, write its file
and enter its family in `FAMILIES`.
"""

from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from mechaware.core.errors import first_line
from mechaware.models.families.family import Family, Modules
from mechaware.models.families.gpt2 import GPT2
from mechaware.models.families.gpt_neo import GPT_NEO
from mechaware.models.families.gpt_neox import GPT_NEOX
from mechaware.models.families.llama import LLAMA
from mechaware.models.families.own_forward import eager_attention
from mechaware.models.families.qwen import QWEN2, QWEN3
from mechaware.models.families.self_check import (
    check_reading,
    check_states,
    keys_values_refusal,
)
from mechaware.models.families.structure import (
    FOREIGN_ERRORS,
    NoInternalsError,
    find_family,
    refusal,
)

if TYPE_CHECKING:
    from transformers import PreTrainedModel

FAMILIES = {family.model_type: family for family in (GPT2, GPT_NEO, GPT_NEOX, LLAMA, QWEN2, QWEN3)}
# By model in memory: the family that was found, or why there is none.
_FOUND: "WeakKeyDictionary[PreTrainedModel, Family | NoInternalsError]" = WeakKeyDictionary()


def family_of(model: "PreTrainedModel") -> Family:
    """The family of `model`, by which its states are read and patched.

    For a model of none of `FAMILIES`, the first call runs a few passes of two short texts
    (`check_states`). Raises `NoInternalsError`, a `UserError`, for a model whose states cannot be
    read exactly.
    """
    if model.config.model_type in FAMILIES:
        return FAMILIES[model.config.model_type]
    if model not in _FOUND:
        _FOUND[model] = _found_by_structure(model)
    found = _FOUND[model]
    if isinstance(found, NoInternalsError):
        # A new error each time: the traceback of a raised error holds the model in memory.
        raise NoInternalsError(str(found))
    return found


def find_modules(model: "PreTrainedModel") -> Modules:
    """The modules that activations of `model` are read from. Raises what `family_of` raises."""
    return family_of(model).find_modules(model)


def check_attention(model: "PreTrainedModel") -> None:
    """Raise `NoInternalsError` unless states and attention weights of every block can be read."""
    if not family_of(model).attention:
        raise refusal(
            model,
            "not every block has one module of the same name that gives those of all heads, in rows that sum to 1",
            what="attention weights",
        )


def internals_refusal(model: "PreTrainedModel") -> str | None:
    """Why states and attention weights of `model` cannot be read, in one line,
    or None if they can.
    """
    try:
        check_attention(model)
    except NoInternalsError as error:
        return str(error)
    return None


def check_causal(model: "PreTrainedModel") -> None:
    """Raise `UserError` for a model that does not read from left to right.

    `FAMILIES` are known to do so and are not checked.
    """
    if model.config.model_type not in FAMILIES:
        check_reading(model)


def _found_by_structure(model: "PreTrainedModel") -> Family | NoInternalsError:
    """The family that `find_family` finds, if the model passes `check_states`; else the error that
    says why not.

    The family's `cut_refusal` says why another text's keys and values cannot be put in place of the
    model's; None if they can.
    """
    # Attention gives its weights only where it is eager.
    with eager_attention(model):
        try:
            family = find_family(model)
            check_states(model, family)
        except NoInternalsError as error:
            return NoInternalsError(str(error))  # without a traceback, which would hold the model
        except FOREIGN_ERRORS as error:
            return refusal(model, first_line(error))
        return replace(family, cut_refusal=keys_values_refusal(model, family))
