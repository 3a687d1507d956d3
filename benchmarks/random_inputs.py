"""Configs of untrained models, and pairs of random tokens.

They cost as much to run as real ones, and need no file.
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
    """The config of a Llama; with `tied`, its output head shares the embedding's weights."""
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
    """Pairs of prompts of uniformly drawn tokens, each with a correct and an incorrect answer.

    The two prompts of a pair differ only at `position`. The seed is fixed.
    """
    generator = torch.Generator().manual_seed(0)
    pairs = []
    for ids in torch.randint(vocabulary, (n_pairs, n_tokens + 2), generator=generator).tolist():
        *clean, correct, incorrect = ids
        corrupted = [*clean[:position], (clean[position] + 1) % vocabulary, *clean[position + 1 :]]
        pairs.append(TokenPair(clean, corrupted, position, correct, incorrect))
    return pairs
