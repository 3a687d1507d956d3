"""Opens a model for a notebook: from a folder, the Hugging Face hub, or a model in memory."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mechaware.core.errors import UserError, first_line
from mechaware.models.adapters import check_adapter, merge_adapter
from mechaware.models.devices import default_device
from mechaware.models.hub import download_from_hub
from mechaware.models.registry import ATTENTION, load_model, load_tokenizer
from mechaware.models.settings import Attention, DeviceMap, Dtype, ModelSettings
from mechaware.models.sources import check_model_folder
from mechaware.models.tokenisation.chat import Template, ask

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class LoadedModel(NamedTuple):
    """A causal language model in evaluation mode, and its tokenizer."""

    network: "PreTrainedModel"  # by default in float32 with eager attention
    tokenizer: "PreTrainedTokenizerBase"
    # The text around each prompt or question that the model reads, including the prompts of pairs.
    template: Template = "none"


def load(
    source: "str | Path | tuple[PreTrainedModel, PreTrainedTokenizerBase]",
    *,
    revision: str | None = None,
    template: Template = "none",
    dtype: Dtype = "float32",
    device_map: DeviceMap = "none",
    attention: Attention = "eager",
    adapter: "str | Path | None" = None,
) -> LoadedModel:
    """Open a causal language model and its tokenizer, on the first visible GPU or else the CPU.

    Only safetensors are loaded, never a pickle, never a model's own code.

    Args:
        source: A folder that `save_pretrained` wrote; or a name on the Hugging Face hub,
            `owner/name`, whose files are kept in the hub's own cache; or a pair (model, tokenizer)
            that transformers loaded, whose model stays on its devices and is changed in place: to
            `dtype`, unless it is quantised, to `attention`, and to evaluation mode.
        revision: A commit, branch or tag on the hub. Default: the newest commit of its main branch.
        template: The text around a prompt: nothing, or with `chat` the tokenizer's own chat
            template, in which a prompt is a user's message and an answer begins the reply.
        dtype: Precision of the weights and of what is computed with them: float32, bfloat16 or
            float16.
        device_map: `auto` distributes the weights over all GPUs, as accelerate does. Weights that
            fit no GPU are put into main memory or on disk; then likelihoods can be read, but no
            activations.
        attention: How attention is computed where its weights are not read: eager, sdpa, or flash,
            which needs the package flash-attn. Where they are read, it is always eager.
        adapter: A folder that `save_pretrained` of peft wrote, whose changes are merged into the
            weights. Needs the package peft. Default: none.

    Returns:
        The model and its tokenizer, for the functions of `mechaware.radar`.

    Raises:
        UserError: The folder or the hub's repository is missing or incomplete, the hub cannot be
            reached, or the model is no causal language model of transformers. The tokenizer has no
            chat template. The attention cannot be computed. A model in memory is wrapped by peft.
            The adapter is missing or does not fit the model, or peft is not installed.
    """
    if adapter is not None:
        adapter = Path(adapter).expanduser()
        check_adapter(adapter)

    if isinstance(source, tuple):
        network, tokenizer = source
        if hasattr(network, "merge_and_unload"):
            raise UserError("a model that peft has wrapped; give model.merge_and_unload()")
        _check_template(tokenizer, template)
        _prepare(network, dtype, attention)
    else:
        folder = _model_folder(source, revision)
        check_model_folder(folder)
        tokenizer = load_tokenizer(folder)
        _check_template(tokenizer, template)
        settings = ModelSettings(template, dtype, device_map, attention)
        network = load_model(folder, default_device(), settings)
    if adapter is not None:
        network = merge_adapter(network, adapter)
    return LoadedModel(network, tokenizer, template)


def _check_template(tokenizer: "PreTrainedTokenizerBase", template: Template) -> None:
    """Raise `UserError` for a template that fails, before the model is loaded or changed."""
    ask(tokenizer, ["a prompt"], template)


def _prepare(network: "PreTrainedModel", dtype: Dtype, attention: Attention) -> None:
    """Change a model in memory to what `load_model` would have loaded, except for its devices.

    Raises `UserError` for attention that cannot be computed, and for a model that is not causal.
    """
    import torch

    from mechaware.models.families.supported import check_causal

    try:
        network.set_attn_implementation(ATTENTION[attention])
    except (ImportError, ValueError) as error:
        raise UserError(
            f"attention: {attention} cannot be computed for this model ({first_line(error)}); "
            "choose another, such as eager"
        ) from error
    # Quantised weights are no floating point numbers: a cast would destroy them.
    if getattr(network, "hf_quantizer", None) is None:
        torch.nn.Module.to(network, dtype=getattr(torch, dtype))
    torch.nn.Module.eval(network)
    check_causal(network)


def _model_folder(source: str | Path, revision: str | None) -> Path:
    """The folder `source`, or the folder in the hub's cache with the model of that name.

    Raises `UserError` if there is neither.
    """
    from httpx import HTTPError

    folder = Path(source).expanduser()
    if folder.is_dir():
        return folder
    try:
        return download_from_hub(str(source), revision).folder
    # ValueError: not a name that the hub can have.
    except (OSError, HTTPError, ValueError) as error:
        raise UserError(
            f"{source}: no such folder, and not fetched from the hub ({first_line(error)}); "
            "correct the name or the revision, connect to the hub, or give a folder"
        ) from error
