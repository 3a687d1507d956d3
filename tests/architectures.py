"""The architectures on which capture and patching are tested:
their parts by hand, and small random models of them.
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
# transformers draws matrices with deviation 0.02, with which every head attends almost evenly.
CONTRAST = 10.0
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


def _every_column(_width: int) -> list[int]:
    return list(range(_width))


def _after_the_queries(width: int) -> list[int]:
    """Columns: all queries, then keys and values."""
    return list(range(WIDTH, width))


def _head_by_head(width: int) -> list[int]:
    """Columns: query, key and value of the first head, of the second, ..."""
    return [column for column in range(width) if column // D_HEAD % 3]


@dataclass(frozen=True)
class Architecture:
    """An architecture as transformers has it: where its parts lie, and the settings of a small
    model.

    `keys_values` are the projections in a block's attention whose outputs are keys and values, in
    the `columns` there.
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
        "gpt_neox.layers",
        "attention",
        "gpt_neox.final_layer_norm",
        ("query_key_value",),
        _head_by_head,
    ),
    Architecture("Llama", "llama"),
    Architecture("Qwen2", "qwen2"),
    Architecture("Qwen3", "qwen3"),
    Architecture("Mistral", "mistral"),
    Architecture("Gemma", "gemma"),
    # The caps bend: uncapped, scores and logits of the small model reach beyond them.
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
        "model.decoder.layers",
        final_norm="model.decoder.final_layer_norm",
        settings={"ffn_dim": 2 * WIDTH, "word_embed_proj_dim": WIDTH},
    ),
    Architecture("BLOOM", "bloom", **_FALCON_NAMES, columns=_head_by_head),
    Architecture(
        "MPT",
        "mpt",
        "transformer.blocks",
        "attn",
        "transformer.norm_f",
        ("Wqkv",),
        _after_the_queries,
        {"max_seq_len": 64},
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
    """A random model with eager attention in float32, the same at every call; settings that it
    lacks are passed over.

    Its matrices are scaled so that attention is far from even, and its norms and biases are moved
    from 1 and 0.
    """
    default = AutoConfig.for_model(model_type)
    renamed = default.attribute_map
    known = {*default.to_dict(), *renamed}
    config = AutoConfig.for_model(
        model_type,
        **{name: value for name, value in (_SIZES | settings).items() if name in known},
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
