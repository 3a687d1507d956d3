"""Families that only the tests have, whose architectures scale or cap their logits, and small
random models of them.

`support` enters a family in the list of supported families for the time of a test.
"""

from dataclasses import replace
from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel
from transformers.models.gemma2.modeling_gemma2 import apply_rotary_pos_emb

from mechaware.models.families import supported
from mechaware.models.families.family import Block, Family, Map
from mechaware.models.families.llama import LLAMA
from tests.tiny_models import CONTEXT_LENGTH, CONTRAST, HEADS, WIDTH, WINDOW
from tests.unit.models.patching.naive_patching import N_LAYERS

VOCABULARY = 250
# Uncapped, logits of the tiny model reach 3.
BOUND = 1.0


def _split_gemma2_block(block: Any, attention: Any, _config: Any) -> Block:
    """Gemma 2 also norms the outputs of attention and MLP before it adds them to the residual
    stream.
    """

    def then(first: Map, second: Map) -> Map:
        return lambda states: second(first(states))

    return Block(
        norm=block.input_layernorm,
        query=attention.q_proj,
        key=attention.k_proj,
        value=attention.v_proj,
        output=then(attention.o_proj, block.post_attention_layernorm),
        mlp_norm=block.pre_feedforward_layernorm,
        mlp=then(block.mlp, block.post_feedforward_layernorm),
        d_head=attention.head_dim,
        scale=attention.scaling,
        window=attention.sliding_window,
        apply_rope=apply_rotary_pos_emb,
    )


GEMMA2 = replace(LLAMA, model_type="gemma2", split_block=_split_gemma2_block)
# The tests read only the logits of these two families. For logits, the names of LLAMA's modules are
# right.
COHERE = replace(LLAMA, model_type="cohere")
GRANITE = replace(LLAMA, model_type="granite")

# Settings of the config, by family.
ADJUSTED = {
    GEMMA2: {
        "final_logit_softcapping": BOUND,
        "attn_logit_softcapping": None,  # patching does not compute a cap of attention scores
        "query_pre_attn_scalar": WIDTH // HEADS,
        "sliding_window": WINDOW,
    },
    COHERE: {"logit_scale": 0.3},
    GRANITE: {"logits_scaling": 7.0},
}


def tiny_adjusted(family: Family) -> PreTrainedModel:
    """A random model of a family of `ADJUSTED`: float32, eager attention,
    the same at every call.
    """
    config = AutoConfig.for_model(
        family.model_type,
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_hidden_layers=N_LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=2,
        head_dim=WIDTH // HEADS,
        max_position_embeddings=CONTEXT_LENGTH,
        **ADJUSTED[family],
    )
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        model = AutoModelForCausalLM.from_config(
            config, dtype=torch.float32, attn_implementation="eager"
        )
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.mul_(CONTRAST)
    return model.eval()


def support(family: Family, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enter `family` in the list of families with a file."""
    monkeypatch.setitem(supported.FAMILIES, family.model_type, family)
