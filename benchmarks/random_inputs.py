"""Models without training and pairs without meaning:
what costs as much as the real ones and needs no file.
"""

import torch
from transformers import AutoConfig, PreTrainedConfig

from mechaware.models.patching.runs import TokenPair


def llama_config(
    *,
    vocabulary: int,
    width: int,
    mlp_width: int,
    blocks: int,
    heads: int,
    kv_heads: int,
    tied: bool,
) -> PreTrainedConfig:
    """The shape of a Llama; `tied`: whether its head is its embedding."""
    return AutoConfig.for_model(
        "llama",
        vocab_size=vocabulary,
        hidden_size=width,
        intermediate_size=mlp_width,
        num_hidden_layers=blocks,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        tie_word_embeddings=tied,
    )


def random_pairs(vocabulary: int, n_pairs: int, n_tokens: int, position: int) -> list[TokenPair]:
    """Pairs of evenly drawn tokens that differ at one position, and their two answers."""
    generator = torch.Generator().manual_seed(0)
    pairs = []
    for ids in torch.randint(vocabulary, (n_pairs, n_tokens + 2), generator=generator).tolist():
        *clean, correct, incorrect = ids
        corrupted = [*clean[:position], (clean[position] + 1) % vocabulary, *clean[position + 1 :]]
        pairs.append(TokenPair(clean, corrupted, position, correct, incorrect))
    return pairs
