"""The architecture of the clean base C: a small Llama with random weights."""

from typing import TYPE_CHECKING, NamedTuple

from mechaware.core.errors import UserError

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast


class BaseSizes(NamedTuple):
    """The size of the clean base and of its tokenizer.

    - `n_layers`: blocks.
    - `d_model`: the width of the residual stream, a multiple of `n_heads`.
    - `n_heads`: attention heads of a block.
    - `vocabulary`: byte-pair tokens.
    - `context_length`: in tokens.
    """

    n_layers: int
    d_model: int
    n_heads: int
    vocabulary: int
    context_length: int


def random_llama(
    tokenizer: "PreTrainedTokenizerFast",
    *,
    n_layers: int,
    d_model: int,
    n_heads: int,
    context_length: int,
    seed: int,
) -> "PreTrainedModel":
    """A Llama with random weights and tied embeddings, in evaluation mode, with eager attention.

    The weights are drawn with `seed`. Their standard deviation is 1 / sqrt(d_model) instead of the
    usual 0.02, which in a model this narrow leaves attention flat for hundreds of steps.

    Args:
        tokenizer: Its size is the size of the vocabulary.
        n_layers: Blocks.
        d_model: The width of the residual stream; an MLP has three times as many units.
        n_heads: Attention heads of a block.
        context_length: In tokens.
        seed: The seed of the weights.

    Raises:
        UserError: `d_model` is not a multiple of `n_heads`.
    """
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    if d_model % n_heads:
        raise UserError(
            f"radar/memorisation/base: d_model {d_model} is not a multiple of n_heads {n_heads}; "
            "correct the config"
        )
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=d_model,
        intermediate_size=3 * d_model,
        num_hidden_layers=n_layers,
        num_attention_heads=n_heads,
        num_key_value_heads=n_heads,
        max_position_embeddings=context_length,
        tie_word_embeddings=True,
        initializer_range=d_model**-0.5,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    config._attn_implementation = "eager"
    # transformers draws weights from the global generator, whose state must not change for others.
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        model: PreTrainedModel = LlamaForCausalLM(config)
    model.eval()  # type: ignore[no-untyped-call]
    return model
