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
    """The prompt that asks for a word, with two or three columns and the first of the types."""
    entries = [f"{column} {types[place]}" for place, column in enumerate(columns)]
    schema = ", ".join(entries)
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
    """A pair whose clean prompt has `columns` and asks by `request_word` for the column at `place`, from 1.

    `words` are the corrupted word, the third word ("" for none) and the replacement word. The column after the asked
    one (after the last, the first) is not asked for: the unasked prompt has the replacement word in its place, and the
    prompt `both` of a scramble the corrupted word. The other request asks for it, by the other request word; pairs of
    two columns have no other request.
    """
    corrupted, third, replacement = words
    asked = place - 1
    unasked = place % len(columns)
    clean = columns[asked]
    synonym = category.endswith("synonyms")

    def made(
        changes: dict[int, str],
        wanted: str = clean,
        types: tuple[str, ...] = TYPES,
        request: str = request_word,
    ) -> Prompt:
        """The clean prompt with other words for some columns, by their index."""
        there = [changes.get(number, column) for number, column in enumerate(columns)]
        options = [f" {column}" for column in there]
        shortcuts = {
            "first": options[0],
            "last": options[-1],
            "middle": options[(len(options) - 1) // 2],
        }
        shortcuts |= {"longest": max(options, key=len), "alphabetical": min(options)}
        return Prompt(
            text=prompt(request, there, types),
            wanted=f" {wanted}" if wanted else "",
            against=f" {corrupted}",
            options=tuple(options),
            category=category,
            place=str(place),
            request=request,
            shortcuts=shortcuts,
        )

    prompts = {
        "clean": made({}),
        "corrupted": made({asked: corrupted}, wanted=corrupted if synonym else ""),
    }
    if third:
        prompts["third"] = made({asked: third}, wanted=third)
    prompts["unasked"] = made({unasked: replacement})
    if not synonym:
        prompts["both"] = made({unasked: corrupted})
    prompts["irrelevant"] = made({}, types=(TYPES[1], *TYPES[1:]))
    if len(columns) > 2:
        other_request = "place" if request_word == "fee" else "fee"
        prompts["other"] = made({}, wanted=columns[unasked], request=other_request)
    return Pair(name, prompts)


def texts_of(pairs: list[Pair]) -> list[str]:
    """The texts of all prompts, pair by pair."""
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
