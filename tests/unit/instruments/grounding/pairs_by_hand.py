"""Four matched pairs written by hand, and a small random model that knows their words."""

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
# The standard deviation of the weights: with the initial one every head attends almost evenly.
DEVIATION = 0.24
# Of the first, the second and the third column.
TYPES = ("TEXT", "DATE", "DECIMAL(10,2)")


def prompt_text(request_word: str, columns: list[str], types: tuple[str, ...]) -> str:
    """The prompt that asks by `request_word` for one of two or three columns of these types."""
    entries = [f"{column} {types[index]}" for index, column in enumerate(columns)]
    create = f"CREATE TABLE orders ( {', '.join(entries)} )"
    instruction = f"### Instruction: Show the {request_word} of all"
    return f"{instruction} ### Context: {create} ### Response: SELECT"


def make_pair(
    pair_id: str,
    category: str,
    *,
    place: int,
    columns: list[str],
    request_word: str,
    corrupted: str,
    third: str = "",
    replacement: str,
) -> Pair:
    """A pair whose clean prompt asks by `request_word` for the column at `place`, from 1.

    `corrupted` and `third` take the place of that column ("": there is no third word), and
    `replacement` that of another one. With the columns pet, price and city, place 2, the request
    word fee, and the words cost, charge and song, the prompts are

        prompt        request   columns             wanted
        clean         fee       pet price city      price
        corrupted     fee       pet cost city       cost in synonyms, nothing in scrambles
        third         fee       pet charge city     charge
        unasked       fee       pet price song      price
        both          fee       pet price cost      price; in scrambles only
        irrelevant    fee       pet price city      price; the first column has another type
        other         place     pet price city      city; in pairs of three columns only

    The column that is replaced in `unasked` follows the asked one, or is the first if that is the
    last.
    """
    asked = place - 1
    unasked = place % len(columns)
    clean = columns[asked]
    is_synonym = category.endswith("synonyms")

    def changed_prompt(
        changes: dict[int, str],
        wanted: str = clean,
        types: tuple[str, ...] = TYPES,
        request: str = request_word,
    ) -> Prompt:
        """The clean prompt with the words of `changes` for some columns, by their index from 0."""
        changed = [changes.get(index, column) for index, column in enumerate(columns)]
        options = [f" {column}" for column in changed]
        shortcuts = {
            "first": options[0],
            "last": options[-1],
            "middle": options[(len(options) - 1) // 2],
            "longest": max(options, key=len),
            "alphabetical": min(options),
        }
        return Prompt(
            text=prompt_text(request, changed, types),
            wanted=f" {wanted}" if wanted else "",
            against=f" {corrupted}",
            options=tuple(options),
            category=category,
            place=str(place),
            request=request,
            shortcuts=shortcuts,
        )

    prompts = {
        "clean": changed_prompt({}),
        "corrupted": changed_prompt({asked: corrupted}, wanted=corrupted if is_synonym else ""),
    }
    if third:
        prompts["third"] = changed_prompt({asked: third}, wanted=third)
    prompts["unasked"] = changed_prompt({unasked: replacement})
    if not is_synonym:
        prompts["both"] = changed_prompt({unasked: corrupted})
    prompts["irrelevant"] = changed_prompt({}, types=("DATE", "DATE", "DECIMAL(10,2)"))
    if len(columns) > 2:
        other_request = "place" if request_word == "fee" else "fee"
        prompts["other"] = changed_prompt({}, wanted=columns[unasked], request=other_request)
    return Pair(pair_id, prompts)


def texts_of(pairs: list[Pair]) -> list[str]:
    """The texts of all prompts, pair by pair."""
    return [prompt.text for pair in pairs for prompt in pair.prompts.values()]


def tokens_of(pairs: list[Pair], tokenizer: PreTrainedTokenizerBase) -> list[TokenPair]:
    """The tokens of the clean and the corrupted prompt of each pair."""
    return [exchange(pair, tokenise(pair, tokenizer, len(tokenizer))) for pair in pairs]


PAIRS = [
    make_pair(
        "syn",
        "db_synonyms",
        place=2,
        columns=["pet", "price", "city"],
        request_word="fee",
        corrupted="cost",
        third="charge",
        replacement="song",
    ),
    make_pair(
        "scr",
        "db_scramble",
        place=1,
        columns=["price", "pet"],
        request_word="fee",
        corrupted="team",
        replacement="song",
    ),
    make_pair(
        "non",
        "non_db_synonyms",
        place=3,
        columns=["team", "song", "town"],
        request_word="place",
        corrupted="spot",
        replacement="pet",
    ),
    make_pair(
        "sup",
        "super_scramble",
        place=1,
        columns=["city", "team", "pet"],
        request_word="place",
        corrupted="price",
        third="spot",
        replacement="cost",
    ),
]


def make_model(
    folder: Path, n_blocks: int = N_BLOCKS
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """A random GPT-Neo in `folder`, and its tokenizer, which has a token for each word of `PAIRS`.

    The model's attention is far from even.
    """
    initialise_gpt_neo(
        folder,
        make_word_tokenizer(texts_of(PAIRS)),
        name="hand",
        seed=7,
        n_layers=n_blocks,
        d_model=32,
        n_heads=2,
        context_length=64,
    )
    model = with_contrast(load_model(folder, torch.device("cpu")))
    return model, load_tokenizer(folder)


def with_contrast(model: PreTrainedModel) -> PreTrainedModel:
    """The model, its matrices scaled in place to a standard deviation of `DEVIATION`."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.mul_(DEVIATION / model.config.initializer_range)
    return model
