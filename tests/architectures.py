"""The architectures on which capture and patching are tested: where the parts of each lie, written
by hand, and small random models of them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

VOCABULARY = 211
WIDTH = 32
HEADS = 4
D_HEAD = WIDTH // HEADS
N_LAYERS = 3
WINDOW = 8  # tokens; prompts of the tests are longer
# Factor of the matrices. transformers draws them with a standard deviation of 0.02, so small that
# every head would attend almost evenly.
CONTRAST = 10.0
# Standard deviation of the noise on norms and biases, which transformers sets to 1 or 0.
NORM_DEVIATION = 0.3

_SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": WIDTH,
    "intermediate_size": 2 * WIDTH,
    "num_hidden_layers": N_LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": 2,
    "head_dim": D_HEAD,
    "max_position_embeddings": 64,
    "sliding_window": WINDOW,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_WITH_EXPERTS = {
    "num_experts": 4,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": WIDTH,
    "shared_expert_intermediate_size": WIDTH,
}


# Which columns of a projection's output, `width` columns wide, are keys and values.


def _every_column(width: int) -> list[int]:
    """The output has nothing but keys, or nothing but values."""
    return list(range(width))


def _after_the_queries(width: int) -> list[int]:
    """The output has the queries of all heads, WIDTH columns, then their keys and values."""
    return list(range(WIDTH, width))


def _head_by_head(width: int) -> list[int]:
    """The output has query, key and value of the first head, then of the second, and so on.

    Each is D_HEAD columns wide: of every 3 * D_HEAD columns, the first D_HEAD are a query.
    """
    return [column for column in range(width) if column % (3 * D_HEAD) >= D_HEAD]


@dataclass(frozen=True)
class Architecture:
    """An architecture as transformers implements it, and the settings of a small model.

    - `blocks`, `final_norm`: paths of the list of blocks and of the last norm in the model.
    - `attention`: path of the attention in a block.
    - `keys_values`: paths of the projections in the attention whose outputs hold keys and values.
    - `columns`: from the width of such an output, the columns that are keys or values.
    - `settings`: what the config of the small model has besides the sizes that all models share.
    """

    label: str
    model_type: str
    blocks: str = "model.layers"
    attention: str = "self_attn"
    final_norm: str = "model.norm"
    keys_values: tuple[str, ...] = ("k_proj", "v_proj")
    columns: Callable[[int], list[int]] = _every_column
    settings: dict[str, Any] = field(default_factory=dict)


_GPT2_NAMES = {"blocks": "transformer.h", "attention": "attn", "final_norm": "transformer.ln_f"}
_FALCON_NAMES = {
    "blocks": "transformer.h",
    "attention": "self_attention",
    "final_norm": "transformer.ln_f",
    "keys_values": ("query_key_value",),
}

ARCHITECTURES = [
    Architecture(
        "GPT-2", "gpt2", **_GPT2_NAMES, keys_values=("c_attn",), columns=_after_the_queries
    ),
    Architecture(
        "GPT-Neo",
        "gpt_neo",
        **_GPT2_NAMES,
        keys_values=("attention.k_proj", "attention.v_proj"),
        settings={
            "attention_types": [[["global", "local", "global"], 1]],
            "window_size": WINDOW,
        },
    ),
    Architecture(
        "GPT-NeoX",
        "gpt_neox",
        blocks="gpt_neox.layers",
        attention="attention",
        final_norm="gpt_neox.final_layer_norm",
        keys_values=("query_key_value",),
        columns=_head_by_head,
    ),
    Architecture("Llama", "llama"),
    Architecture("Qwen2", "qwen2"),
    Architecture("Qwen3", "qwen3"),
    Architecture("Mistral", "mistral"),
    Architecture("Gemma", "gemma"),
    # Caps so low that they matter: some scores and logits of the small model would exceed them.
    Architecture(
        "Gemma 2",
        "gemma2",
        settings={
            "final_logit_softcapping": 2.0,
            "attn_logit_softcapping": 2.0,
            "query_pre_attn_scalar": D_HEAD,
        },
    ),
    Architecture(
        "Gemma 3",
        "gemma3_text",
        settings={
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
            "query_pre_attn_scalar": D_HEAD,
        },
    ),
    Architecture("Phi", "phi", final_norm="model.final_layernorm"),
    Architecture("Phi-3", "phi3", keys_values=("qkv_proj",), columns=_after_the_queries),
    Architecture("OLMo", "olmo"),
    Architecture("OLMo 2", "olmo2"),
    Architecture("Falcon", "falcon", **_FALCON_NAMES, columns=_after_the_queries),
    Architecture("GPT-J", "gptj", **_GPT2_NAMES, settings={"rotary_dim": 4}),
    Architecture(
        "OPT",
        "opt",
        blocks="model.decoder.layers",
        final_norm="model.decoder.final_layer_norm",
        settings={"ffn_dim": 2 * WIDTH, "word_embed_proj_dim": WIDTH},
    ),
    Architecture("BLOOM", "bloom", **_FALCON_NAMES, columns=_head_by_head),
    Architecture(
        "MPT",
        "mpt",
        blocks="transformer.blocks",
        attention="attn",
        final_norm="transformer.norm_f",
        keys_values=("Wqkv",),
        columns=_after_the_queries,
        settings={"max_seq_len": 64},
    ),
    Architecture("StableLM", "stablelm"),
    Architecture("Cohere", "cohere", settings={"logit_scale": 0.3}),
    Architecture(
        "Granite",
        "granite",
        settings={"logits_scaling": 7.0, "residual_multiplier": 0.6, "embedding_multiplier": 3.0},
    ),
    Architecture("SmolLM3", "smollm3"),
    Architecture("Starcoder 2", "starcoder2"),
    Architecture("Nemotron", "nemotron"),
    Architecture("GLM-4", "glm4"),
    Architecture("Mixtral", "mixtral", settings=_WITH_EXPERTS),
    Architecture("Qwen2-MoE", "qwen2_moe", settings=_WITH_EXPERTS),
    Architecture("Qwen3-MoE", "qwen3_moe", settings=_WITH_EXPERTS),
]


def tiny_model(model_type: str, settings: dict[str, Any]) -> PreTrainedModel:
    """A random model with eager attention in float32, the same at every call.

    Its config has `settings` and, where they name no other, the sizes that all models share; those
    that the model type does not know are left out. Matrices are scaled so that attention is far
    from even, and norms and biases are moved from 1 and 0.
    """
    default = AutoConfig.for_model(model_type)
    # A config also accepts the common names of its settings, such as `hidden_size` for GPT-2's
    # `n_embd`: the keys of `attribute_map`.
    known = {*default.to_dict(), *default.attribute_map}
    shared_and_own = _SIZES | settings
    config = AutoConfig.for_model(
        model_type,
        **{name: value for name, value in shared_and_own.items() if name in known},
    )
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        model = AutoModelForCausalLM.from_config(
            config, dtype=torch.float32, attn_implementation="eager"
        )
        for parameter in model.parameters():
            if parameter.ndim == 1:
                parameter.add_(NORM_DEVIATION * torch.randn_like(parameter))
            else:
                parameter.mul_(CONTRAST)
    return model.eval()
