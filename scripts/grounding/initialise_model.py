"""Make a GPT-Neo with random weights and a tokenizer of the data."""

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
    """Write the model to the folder `model`.

    Its tokenizer is made from training data, vocabulary and stories: a token for each word, or
    `byte_pairs` tokens.
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
