"""Adapters as peft saves them: changes to a base model's weights, which are merged into the
weights when the model is loaded.

A merged model is like any other: its states are read and patched without peft. The package peft is
an extra, and no other module imports it.
"""

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from mechaware.core.errors import UserError, first_line

if TYPE_CHECKING:
    from transformers import PreTrainedModel

# The folder inside a model's folder that holds its adapter: transformers itself would load an
# adapter that lies next to the weights.
FOLDER = "mechaware_adapter"
CONFIG = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"


def check_adapter(folder: Path) -> None:
    """Raise `UserError` unless `folder` holds an adapter with safetensors.

    Loads neither torch nor peft.
    """
    if not (folder / CONFIG).is_file():
        raise UserError(
            f"{folder}: no {CONFIG}; give the folder that `save_pretrained` of peft wrote"
        )
    if not (folder / WEIGHTS).is_file():
        raise UserError(
            f"{folder}: no {WEIGHTS}; pickled weights are never loaded: save the adapter again with `save_pretrained` "
            "of peft"
        )


def link_adapter(adapter: Path, folder: Path) -> None:
    """Link the files of an adapter into a model's folder, where `load_model` finds them.

    Raises `UserError` as `check_adapter` does.
    """
    adapter = adapter.expanduser()
    check_adapter(adapter)
    linked = folder / FOLDER
    linked.mkdir()
    for name in (CONFIG, WEIGHTS):
        (linked / name).symlink_to(os.path.relpath(adapter.resolve() / name, linked.resolve()))


def adapter_files(folder: Path) -> list[Path]:
    """The files of the adapter that was linked into a model's folder;
    none if there is no adapter.
    """
    files = [folder / FOLDER / name for name in (CONFIG, WEIGHTS)]
    return files if files[0].exists() else []


def merge_adapter(model: "PreTrainedModel", folder: Path) -> "PreTrainedModel":
    """The base model `model` with an adapter merged into its weights, which are changed in place.

    `folder` is the adapter's own folder.

    As a check, the logits of a short text under the merged model must equal, up to rounding, those
    under the base with the unmerged adapter. They differ where the adapter changes a weight that is
    used twice, such as a head that is tied to the embedding.

    Raises:
        UserError: peft is not installed, the adapter does not fit the base model or is of a kind
            that changes no weights, or the logits differ.
    """
    from mechaware.models.families.self_check import (
        all_logits,
        allowed_difference,
        logit_difference,
    )
    from mechaware.models.families.structure import short_texts

    check_adapter(folder)
    text = short_texts(model).first
    # peft freezes the base model; below, the same weights require a gradient as before.
    trainable = {name for name, weight in model.named_parameters() if weight.requires_grad}

    wrapped = _wrap(model, folder)
    unmerged_logits = all_logits(wrapped.eval(), [text])
    merged = wrapped.merge_and_unload()
    difference = logit_difference(all_logits(merged, [text]), unmerged_logits)
    if difference > allowed_difference(merged):
        raise UserError(
            f"{folder}: merged into the weights the adapter gives logits that differ by {difference:.2g} of the "
            "largest one, since it changes weights that are used twice (tie_word_embeddings); save the merged model "
            "with a head of its own, and give that"
        )

    for name, weight in merged.named_parameters():
        weight.requires_grad_(name in trainable)
    return cast("PreTrainedModel", merged)


def _wrap(model: "PreTrainedModel", folder: Path) -> Any:
    """The base model wrapped by peft, with the unmerged adapter in `folder`.

    Raises `UserError` as `merge_adapter` does, except for logits that differ.
    """
    from safetensors import SafetensorError

    from mechaware.models.families.structure import FOREIGN_ERRORS

    peft = _import_peft(folder)
    try:
        config = peft.PeftConfig.from_pretrained(str(folder))
        if config.is_prompt_learning:
            raise UserError(
                f"{folder}: an adapter of kind {config.peft_type.value}, which changes no weights; give one that does, "
                "such as LoRA"
            )
        config.inference_mode = True
        wrapped = peft.get_peft_model(model, config)
        loaded = wrapped.load_adapter(str(folder), "default")
    except (*FOREIGN_ERRORS, ImportError, OSError, SafetensorError) as error:
        raise _misfit(folder, first_line(error)) from error

    # peft keeps random values for weights that the file lacks, and ignores weights that the model
    # lacks, both without a message. `missing_keys` may also name weights of the base model, which
    # no adapter's file has; only the names of the adapter's weights contain `default`.
    missing = {name for name in loaded.missing_keys if ".default" in name}
    unmatched = sorted({*missing, *loaded.unexpected_keys})
    if unmatched:
        raise _misfit(
            folder,
            f"weight {unmatched[0]} and {len(unmatched) - 1} more are only in the adapter or only in the model",
        )
    return wrapped


def _import_peft(folder: Path) -> Any:
    """The module peft. Raises `UserError` if it is not installed; `folder` is the adapter's, for
    the message.
    """
    try:
        return import_module("peft")
    except ImportError as error:
        raise UserError(
            f"{folder}: an adapter needs the package peft ({first_line(error)}); install it where models are loaded: "
            "pip install peft"
        ) from error


def _misfit(folder: Path, reason: str) -> UserError:
    """The error for an adapter that does not fit its base model."""
    return UserError(
        f"{folder}: the adapter does not fit the model ({reason}); give the base model that it was trained on"
    )
