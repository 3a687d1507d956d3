"""Small random models of any family of mechaware.models.families,
each with a byte-level tokenizer.
"""

from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    CONFIG_MAPPING,
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedTokenizerFast,
)

from mechaware.models.families.supported import FAMILIES

WIDTH = 32
HEADS = 4
CONTEXT_LENGTH = 64
WINDOW = 4  # tokens that gpt_neo's local layer attends to
END = "<|endoftext|>"
# Factor of the weights. transformers draws them with a standard deviation of 0.02, so small that
# every head would attend almost evenly.
CONTRAST = 10.0

# gpt2 has learned positions, gpt_neo local attention, and llama rotary positions with grouped
# queries. Only the gate runs the other families.
QUICK_FAMILIES = ("gpt2", "gpt_neo", "llama")
FAMILIES_IN_TURN = [
    pytest.param(family, marks=() if family in QUICK_FAMILIES else pytest.mark.gate)
    for family in FAMILIES
]


def make_tiny_model(family: str, folder: Path, *, n_layers: int = 3, seed: int = 0) -> Path:
    """Write a model of `family` and its tokenizer into `folder`, the same for the same seed;
    returns the folder.

    Its matrices are scaled so that attention is far from even; norms keep their initial weights.
    """
    tokenizer = _byte_tokenizer()
    config = AutoConfig.for_model(
        family,
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        num_attention_heads=HEADS,
        num_hidden_layers=n_layers,
        max_position_embeddings=CONTEXT_LENGTH,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        **_family_settings(family, n_layers),
    )
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.mul_(CONTRAST)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_tiny_llama(folder: Path, tokenizer_folder: Path, *, seed: int = 0) -> None:
    """Write a random Llama of two layers and 1,024 positions into `folder`, together with the
    tokenizer of the model in `tokenizer_folder`.
    """
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_folder)
    config = AutoConfig.for_model(
        "llama",
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=1024,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _family_settings(family: str, n_layers: int) -> dict[str, Any]:
    """Settings that only some families have: narrow layers, grouped queries, a local layer.

    Those that the family's config does not know are left out.
    """
    # gpt_neo has a pattern of layers and how often it is repeated: here all layers, once. Only the
    # second layer is local.
    pattern = ["local" if layer == 1 else "global" for layer in range(n_layers)]
    settings = {
        "intermediate_size": 2 * WIDTH,
        "num_key_value_heads": 2,
        "head_dim": WIDTH // HEADS,
        "attention_types": [[pattern, 1]],
        "window_size": WINDOW,
    }
    known = CONFIG_MAPPING[family]().to_dict()
    return {name: setting for name, setting in settings.items() if name in known}


def _byte_tokenizer() -> PreTrainedTokenizerFast:
    """One token per byte, and one for the end of a text."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate([*alphabet, END])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=END, eos_token=END, model_max_length=CONTEXT_LENGTH
    )
