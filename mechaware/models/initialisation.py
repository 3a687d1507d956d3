"""The base of the trained models: a GPT-Neo with random weights."""

from pathlib import Path
from typing import TYPE_CHECKING

from mechaware.core.errors import UserError
from mechaware.models.registry import Manifest, save_model

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


def initialise_gpt_neo(
    folder: Path,
    tokenizer: "PreTrainedTokenizerFast",
    *,
    name: str,
    n_layers: int,
    d_model: int,
    n_heads: int,
    context_length: int,
    seed: int,
) -> Manifest:
    """Write a GPT-Neo with random weights and its tokenizer into `folder`; returns its manifest.

    Sets `tokenizer.model_max_length` to `context_length`, which is in tokens.

    Global and local layers alternate, beginning with a global one; local layers see the last 256
    tokens, as in TinyStories-33M.

    The standard deviation of the weights is 0.5 / sqrt(d_model), which is the usual 0.02 at a width
    of about 600. A narrow model that starts from 0.02 gives no right answer for hundreds of
    training steps; how many depends on the seed.

    Raises `UserError` for a `d_model` that is not a multiple of `n_heads`.
    """
    import torch
    from transformers import GPTNeoConfig, GPTNeoForCausalLM

    if d_model % n_heads:
        raise UserError(
            f"model {name}: d_model {d_model} is not a multiple of n_heads {n_heads}; "
            "correct config/models.yaml"
        )
    layer_types = ["global" if layer % 2 == 0 else "local" for layer in range(n_layers)]
    config = GPTNeoConfig(
        vocab_size=len(tokenizer),
        hidden_size=d_model,
        num_layers=n_layers,
        num_heads=n_heads,
        max_position_embeddings=context_length,
        attention_types=[[layer_types, 1]],  # the list of types, used once
        window_size=256,
        # The same function as GPT-Neo's own `gelu_new`, computed in one kernel instead of eight: a
        # training step takes a third less time.
        activation_function="gelu_pytorch_tanh",
        initializer_range=0.5 * d_model**-0.5,
        embed_dropout=0.0,
        attention_dropout=0.0,
        resid_dropout=0.0,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    # transformers draws weights from the global generator of the CPU: fork it, so that the caller's
    # state does not change.
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        model = GPTNeoForCausalLM(config)
    tokenizer.model_max_length = context_length
    source = f"random weights, seed {seed}"
    return save_model(
        folder, model, tokenizer, name=name, kind="scratch", source=source, revision="none"
    )
