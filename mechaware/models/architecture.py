"""Where each family of transformers keeps its blocks, attention modules and final norm."""

from typing import TYPE_CHECKING, NamedTuple

from mechaware.errors import UserError

if TYPE_CHECKING:
    from torch import nn
    from transformers import PreTrainedModel


class Layout(NamedTuple):
    """Dotted names: `blocks` and `final_norm` from the model, `attention` from a block.

    A block's output is the residual stream after it. An attention module's output is a tuple whose second entry holds
    the attention weights (batch, head, query, key) when attention is eager.
    """

    blocks: str
    attention: str
    final_norm: str


LAYOUTS = {
    "gpt2": Layout("transformer.h", "attn", "transformer.ln_f"),
    "gpt_neo": Layout("transformer.h", "attn", "transformer.ln_f"),
    "gpt_neox": Layout("gpt_neox.layers", "attention", "gpt_neox.final_layer_norm"),
    "llama": Layout("model.layers", "self_attn", "model.norm"),
    "qwen2": Layout("model.layers", "self_attn", "model.norm"),
    "qwen3": Layout("model.layers", "self_attn", "model.norm"),
}


class Modules(NamedTuple):
    """A model's own modules: L blocks, their L attention modules, the final norm and the unembedding."""

    blocks: list["nn.Module"]
    attentions: list["nn.Module"]
    final_norm: "nn.Module"
    unembedding: "nn.Module"


def layout_of(model_type: str | None) -> Layout:
    """The layout of a family by its name in config.json, if it has one. Raises `UserError` for one without."""
    if model_type not in LAYOUTS:
        raise UserError(
            f"model type '{model_type}': supported are {', '.join(LAYOUTS)}; add it to LAYOUTS in {__name__}"
        )
    return LAYOUTS[model_type]


def find_modules(model: "PreTrainedModel") -> Modules:
    """The modules of `model` that activations are read from. Raises `UserError` for a family without a layout."""
    layout = layout_of(model.config.model_type)
    blocks = list(model.get_submodule(layout.blocks).children())
    return Modules(
        blocks=blocks,
        attentions=[block.get_submodule(layout.attention) for block in blocks],
        final_norm=model.get_submodule(layout.final_norm),
        unembedding=model.get_output_embeddings(),  # type: ignore[no-untyped-call]
    )
