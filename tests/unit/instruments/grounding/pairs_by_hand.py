"""A few matched pairs written by hand, with a third word and without, and a small random model of their words."""

from pathlib import Path

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from mechaware.instruments.grounding.data.pairs import Pair, Prompt
from mechaware.instruments.grounding.tokens import exchange, tokenise
from mechaware.models.initialisation import initialise_gpt_neo
from mechaware.models.patching.runs import TokenPair
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.models.tokenizers import make_word_tokenizer

N_BLOCKS = 3
DEVIATION = 0.24  # of the weights; as they are drawn, every head attends almost evenly
TYPES = ("TEXT", "DATE", "DECIMAL(10,2)")


def prompt(request_word: str, columns: list[str], types: tuple[str, ...] = TYPES) -> str:
    schema = ", ".join(
        f"{column} {written}" for column, written in zip(columns, types, strict=False)
    )
    return (
        f"### Instruction: Show the {request_word} of all ### Context: CREATE TABLE orders ( {schema} ) "
        "### Response: SELECT"
    )


def make_pair(
    name: str,
    category: str,
    place: int,
    columns: list[str],
    request_word: str,
    words: tuple[str, str, str],
) -> Pair:
    """`words`: the corrupted, the third ("" for none) and the replacement word; the next column is not asked for.

    The other request is also for the next column, by the other request word; pairs of two columns have none.
    """
    corrupted, third, replacement = words
    at = place - 1
    clean = columns[place - 1]
    synonym = category.endswith("synonyms")

    def made(
        changed: int = 0,
        word: str = "",
        wanted: str = clean,
        types: tuple[str, ...] = TYPES,
        request: str = request_word,
    ) -> Prompt:
        """The clean prompt, with `word` for the column `changed` places behind the wanted one."""
        there = [
            word if word and n == (at + changed) % len(columns) else name
            for n, name in enumerate(columns)
        ]
        options = [f" {name}" for name in there]
        shortcuts = {
            "first": options[0],
            "last": options[-1],
            "middle": options[(len(options) - 1) // 2],
        }
        shortcuts |= {"longest": max(options, key=len), "alphabetical": min(options)}
        answers = wanted and f" {wanted}", f" {corrupted}", tuple(options)
        return Prompt(
            prompt(request, there, types), *answers, category, str(place), request, shortcuts
        )

    other = columns[place % len(columns)] if len(columns) > 2 else ""
    prompts = {
        "clean": made(),
        "corrupted": made(0, corrupted, corrupted if synonym else ""),
        "third": made(0, third, third),
        "unasked": made(1, replacement),
        "both": made(1, corrupted),
        "irrelevant": made(types=(TYPES[1], *TYPES[1:])),
        "other": made(wanted=other, request="place" if request_word == "fee" else "fee"),
    }
    left_out = {"third": not third, "both": synonym, "other": not other}
    return Pair(name, {name: given for name, given in prompts.items() if not left_out.get(name)})


def texts_of(pairs: list[Pair]) -> list[str]:
    return [prompt.text for pair in pairs for prompt in pair.prompts.values()]


def tokens_of(pairs: list[Pair], tokenizer: PreTrainedTokenizerBase) -> list[TokenPair]:
    """The clean and the corrupted prompt of each pair."""
    return [exchange(pair, tokenise(pair, tokenizer, len(tokenizer))) for pair in pairs]


PAIRS = [
    make_pair("syn", "db_synonyms", 2, ["pet", "price", "city"], "fee", ("cost", "charge", "song")),
    make_pair("scr", "db_scramble", 1, ["price", "pet"], "fee", ("team", "", "song")),
    make_pair("non", "non_db_synonyms", 3, ["team", "song", "town"], "place", ("spot", "", "pet")),
    make_pair(
        "sup", "super_scramble", 1, ["city", "team", "pet"], "place", ("price", "spot", "cost")
    ),
]


def make_model(
    folder: Path, n_blocks: int = N_BLOCKS
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """A random GPT-Neo whose tokenizer has a token for each word; its attention is far from even."""
    sizes = {"n_layers": n_blocks, "d_model": 32, "n_heads": 2, "context_length": 64}
    initialise_gpt_neo(folder, make_word_tokenizer(texts_of(PAIRS)), name="hand", seed=7, **sizes)
    return with_contrast(load_model(folder, torch.device("cpu"))), load_tokenizer(folder)


def with_contrast(model: PreTrainedModel) -> PreTrainedModel:
    """The model with its matrices at a standard deviation of `DEVIATION`."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.mul_(DEVIATION / model.config.initializer_range)
    return model
