"""Tokenizers made from texts: one token for each word, or byte pairs."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

END = "<|endoftext|>"
UNKNOWN = "<|unknown|>"
# A word, perhaps with the size of an SQL type; punctuation and other symbols; white space, except
# the space before a word.
WORD = r" ?\w+(?:['-]\w+)*(?:\(\d+(?:, ?\d+)*\))?| ?[^\s\w]+|\s+(?!\S)|\s+"


def make_word_tokenizer(
    texts: Iterable[str], phrases: Iterable[str] = ()
) -> "PreTrainedTokenizerFast":
    """A tokenizer with one token for each word of `texts`; as in GPT-2, a word includes the space
    before it.

    Names with underscores and hyphens, and SQL types with their sizes, such as `VARCHAR(20)`, are
    words, and so are `phrases` of several words. A word that is not in `texts` becomes the unknown
    token. If all words of a text are known, decoding restores it, spaces included.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    # The longest first: an alternation of patterns takes the first that matches.
    longest_first = sorted(phrases, key=len, reverse=True)
    patterns = [rf" ?\b{re.escape(phrase)}\b" for phrase in longest_first]
    pattern = Regex("|".join([*patterns, WORD]))
    split = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(pattern, behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )

    words = set[str]()
    for text in texts:
        words.update(word for word, _ in split.pre_tokenize_str(text))
    vocabulary = {word: index for index, word in enumerate([END, UNKNOWN, *sorted(words)])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = split
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, bos_token=END, eos_token=END, pad_token=END, unk_token=UNKNOWN
    )


def make_bpe_tokenizer(texts: Iterable[str], vocabulary: int) -> "PreTrainedTokenizerFast":
    """A byte-level byte-pair tokenizer of at most `vocabulary` tokens learned from `texts`; it
    encodes any text.

    The 256 bytes and the end-of-text token are always tokens, even if `vocabulary` is less.
    Encoding puts the end-of-text token before a text: its first token would otherwise have no
    context and could not be scored.
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
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{END} $A", special_tokens=[(END, 0)]
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, bos_token=END, eos_token=END, pad_token=END
    )
