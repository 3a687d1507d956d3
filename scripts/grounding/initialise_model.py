"""Make a GPT-Neo with random weights, and a tokenizer from the texts that it will read."""

from dataclasses import asdict
from pathlib import Path

from mechaware.instruments.grounding.data.rows import read_rows, tokenizer_texts
from mechaware.models.initialisation import initialise_gpt_neo
from mechaware.models.tokenizers import make_bpe_tokenizer, make_word_tokenizer
from mechaware.planted.sql.generation import read_vocabulary
from mechaware.planted.sql.stories import story_words
from scripts.command import Output


def main(
    *,
    training: Path,
    vocabulary: Path,
    tables: int,
    fields: int,
    name: str,
    n_layers: int,
    d_model: int,
    n_heads: int,
    context_length: int,
    byte_pairs: int,
    seed: int,
    model: Output,
) -> dict[str, object]:
    """Write the model and its tokenizer to the folder `model`; returns its description.

    The tokenizer is made from the training rows, the vocabulary and the words of the stories.

    Args:
        training: The training rows, requests for SQL.
        vocabulary: The YAML file of tables, fields and phrasings (`read_vocabulary`).
        tables: How many tables of this file are used, the first ones.
        fields: How many fields of this file are used, the first ones.
        name: The model's name in its description.
        n_layers: The number of blocks.
        d_model: The width of the residual stream.
        n_heads: The number of heads in a block.
        context_length: The most tokens that the model reads.
        byte_pairs: The most tokens of a byte-pair tokenizer; 0 for a tokenizer with a token for
            each word.
        seed: The seed of the weights.
        model: The folder of the model.
    """
    words = read_vocabulary(vocabulary, tables=tables, fields=fields).words()
    texts = [*tokenizer_texts(read_rows(training), words), *story_words()]
    tokenizer = make_bpe_tokenizer(texts, byte_pairs) if byte_pairs else make_word_tokenizer(texts)
    manifest = initialise_gpt_neo(
        model,
        tokenizer,
        name=name,
        n_layers=n_layers,
        d_model=d_model,
        n_heads=n_heads,
        context_length=context_length,
        seed=seed,
    )
    return asdict(manifest)
