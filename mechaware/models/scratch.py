"""Untrained language models: tokenizers made from texts, and a GPT-Neo or a Llama with random weights."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from mechaware.errors import UserError
from mechaware.models.registry import Manifest, save_model

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

END, UNKNOWN = "<|endoftext|>", "<|unknown|>"
# A word with the size of an SQL type; other marks; spaces, of which the last belongs to the word behind them.
WORD = r" ?\w+(?:['-]\w+)*(?:\(\d+(?:, ?\d+)*\))?| ?[^\s\w]+|\s+(?!\S)|\s+"


def make_word_tokenizer(texts: Iterable[str], phrases: Iterable[str] = ()) -> "PreTrainedTokenizerFast":
    """A tokenizer with one token for each word of `texts`; as in GPT-2, a word includes the space before it.

    Names with underscores and hyphens, and SQL types with their sizes, such as `VARCHAR(20)`, are words, and so are
    `phrases` of several words. A word that is not in `texts` becomes the unknown token. Decoding restores the text,
    spaces included.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    whole = [rf" ?\b{re.escape(phrase)}\b" for phrase in sorted(phrases, key=len, reverse=True)]  # the longest first
    split = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex("|".join([*whole, WORD])), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    words = sorted({word for text in texts for word, _ in split.pre_tokenize_str(text)})
    vocabulary = {word: index for index, word in enumerate([END, UNKNOWN, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = split
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, bos_token=END, eos_token=END, pad_token=END, unk_token=UNKNOWN
    )


def make_bpe_tokenizer(texts: Iterable[str], vocabulary: int) -> "PreTrainedTokenizerFast":
    """A byte-level byte-pair tokenizer of at most `vocabulary` tokens learned from `texts`; it encodes any text.

    The 256 bytes and the end-of-text token are among them, even if `vocabulary` is less.
    An encoded text begins with the end-of-text token, without which its first token would have no context.
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

    _check_heads("radar/memorisation/base", d_model, n_heads, file="the config")
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
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        model: PreTrainedModel = LlamaForCausalLM(config)
    model.eval()  # type: ignore[no-untyped-call]
    return model


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
    """Write a GPT-Neo with random weights and its tokenizer into `folder`; returns the manifest of the folder.

    Global and local layers alternate, beginning with a global one; local layers see the last 256 tokens, as in
    TinyStories-33M. `context_length` is in tokens. The weights' standard deviation is 0.5 / sqrt(d_model): the usual
    0.02 is made for a width of 600, and narrow models that begin with it answer nothing for hundreds of steps, by
    chance more or fewer. Raises `UserError` for a `d_model` that `n_heads` does not divide.
    """
    import torch
    from transformers import GPTNeoConfig, GPTNeoForCausalLM

    _check_heads(f"model {name}", d_model, n_heads, file="config/models.yaml")
    config = GPTNeoConfig(
        vocab_size=len(tokenizer),
        hidden_size=d_model,
        num_layers=n_layers,
        num_heads=n_heads,
        max_position_embeddings=context_length,
        attention_types=[[["global" if layer % 2 == 0 else "local" for layer in range(n_layers)], 1]],
        window_size=256,
        initializer_range=0.5 * d_model**-0.5,
        embed_dropout=0.0,
        attention_dropout=0.0,
        resid_dropout=0.0,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        model = GPTNeoForCausalLM(config)
    tokenizer.model_max_length = context_length
    source = f"random weights, seed {seed}"
    return save_model(folder, model, tokenizer, name=name, kind="scratch", source=source, revision="none")


def _check_heads(name: str, d_model: int, n_heads: int, *, file: str) -> None:
    if d_model % n_heads:
        raise UserError(f"{name}: d_model {d_model} is not a multiple of n_heads {n_heads}; correct {file}")
