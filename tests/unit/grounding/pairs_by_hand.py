"""A few matched pairs written by hand, with a third word and without, and a small random model of their words."""

from pathlib import Path

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from mechaware.controls.tokenizer import make_word_tokenizer
from mechaware.grounding.data.pairs import Pair, prompts_of
from mechaware.models.initialisation import initialise_gpt_neo
from mechaware.models.registry import load_model, load_tokenizer

N_BLOCKS = 3
DEVIATION = 0.24  # of the weights; as they are drawn, every head attends almost evenly
TYPES = ("TEXT", "DATE", "DECIMAL(10,2)")


def prompt(request_word: str, columns: list[str], types: tuple[str, ...] = TYPES) -> str:
    schema = ", ".join(f"{column} {written}" for column, written in zip(columns, types, strict=False))
    return (
        f"### Instruction: Show the {request_word} of all ### Context: CREATE TABLE orders ( {schema} ) "
        "### Response: SELECT"
    )


def make_pair(
    name: str, category: str, place: int, columns: list[str], request_word: str, words: tuple[str, str, str]
) -> Pair:
    """`words`: the corrupted, the third ("" for none) and the replacement word; the next column is not asked for.

    The other request is for the next column, too, by the other request word; pairs of two columns have none.
    """
    corrupted, third, replacement = words
    clean, at_unasked = columns[place - 1], place % len(columns)

    def with_word(at: int, word: str) -> str:
        return prompt(request_word, [*columns[:at], word, *columns[at + 1 :]])

    other = columns[at_unasked] if len(columns) > 2 else ""
    other_request = "place" if request_word == "fee" else "fee"
    synonym = category.endswith("synonyms")
    return Pair(
        id=name,
        category=category,
        place=place,
        columns=columns,
        request_word=request_word,
        clean=clean,
        corrupted=corrupted,
        third=third,
        other=other,
        other_request=other_request if other else "",
        unasked=columns[at_unasked],
        replacement=replacement,
        clean_prompt=prompt(request_word, columns),
        corrupted_prompt=with_word(place - 1, corrupted),
        third_prompt=with_word(place - 1, third) if third else "",
        unasked_prompt=with_word(at_unasked, replacement),
        both_prompt="" if synonym else with_word(at_unasked, corrupted),
        irrelevant_prompt=prompt(request_word, columns, (TYPES[1], *TYPES[1:])),
        other_prompt=prompt(other_request, columns) if other else "",
    )


PAIRS = [
    make_pair("syn", "db_synonyms", 2, ["pet", "price", "city"], "fee", ("cost", "charge", "song")),
    make_pair("scr", "db_scramble", 1, ["price", "pet"], "fee", ("team", "", "song")),
    make_pair("non", "non_db_synonyms", 3, ["team", "song", "town"], "place", ("spot", "", "pet")),
    make_pair("sup", "super_scramble", 1, ["city", "team", "pet"], "place", ("price", "spot", "cost")),
]


def make_model(folder: Path, n_blocks: int = N_BLOCKS) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """A random GPT-Neo whose tokenizer has a token for each word; its attention is far from even."""
    texts = [text for pair in PAIRS for text in prompts_of(pair).values()]
    sizes = {"n_layers": n_blocks, "d_model": 32, "n_heads": 2, "context_length": 64}
    initialise_gpt_neo(folder, make_word_tokenizer(texts), name="hand", seed=7, **sizes)
    return with_contrast(load_model(folder, torch.device("cpu"))), load_tokenizer(folder)


def with_contrast(model: PreTrainedModel) -> PreTrainedModel:
    """The model with its matrices at a standard deviation of `DEVIATION`."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.mul_(DEVIATION / model.config.initializer_range)
    return model
