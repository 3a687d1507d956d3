"""The architecture of the clean base C: a small Llama with random weights, and byte pairs learned from its corpus."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mechaware.errors import UserError

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

END = "<|endoftext|>"


def make_bpe_tokenizer(texts: Iterable[str], vocabulary: int) -> "PreTrainedTokenizerFast":
    """A byte-level byte-pair tokenizer of at most `vocabulary` tokens learned from `texts`; it encodes any text.

    The 256 bytes and the end-of-text token are always tokens, even if `vocabulary` is less. Encoding puts the
    end-of-text token before a text: its first token would otherwise have no context and could not be scored.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single=f"{END} $A", special_tokens=[(END, 0)])
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, bos_token=END, eos_token=END, pad_token=END
    )


def random_llama(
    tokenizer: "PreTrainedTokenizerFast", *, n_layers: int, d_model: int, n_heads: int, context_length: int, seed: int
) -> "PreTrainedModel":
    """A Llama with random weights and tied embeddings, in evaluation mode, with eager attention.

    The weights' standard deviation is 1 / sqrt(d_model), not the usual 0.02: at these widths 0.02 leaves attention flat
    for hundreds of steps. Raises `UserError` for a `d_model` that `n_heads` does not divide.
    """
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    if d_model % n_heads:
        raise UserError(
            f"radar/memorisation/base: d_model {d_model} is not a multiple of n_heads {n_heads}; correct the config"
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
    # transformers draws weights from the global generator, which the caller's own draws must not feel.
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        model: PreTrainedModel = LlamaForCausalLM(config)
    model.eval()  # type: ignore[no-untyped-call]
    return model
