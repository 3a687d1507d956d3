"""Tables of pairs, and a tiny model that answers them; every byte is a token."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import torch

import mechaware as ma
from tests.tiny_models import make_tiny_model
from tests.unit.models.patching.naive_patching import N_LAYERS

Row = dict[str, object]


class Prompt(NamedTuple):
    """One prompt of a pair: its cells in the table, under the names of the columns.

    `against` is the answer with which the wanted one is compared.
    """

    prompt: str
    text: str
    wanted: str
    against: str
    options: str


class Words(NamedTuple):
    """The values of x in a pair's prompts, which are also their right answers."""

    clean: str
    corrupted: str
    third: str


# dog and cat differ in three bytes, dog and big in two: all answers differ in their first byte.
WORDS = {
    "a": Words("dog", "cat", "fox"),
    "b": Words("cog", "dat", "fig"),
    "c": Words("dog", "big", "pug"),
}
LETTERS = {
    "a": Words("d", "c", "f"),
    "b": Words("c", "d", "f"),
    "c": Words("d", "b", "p"),
}
# dolphin and cow have seven and three bytes, doe and cattle three and six.
UNEQUAL = {
    "d": Words("doe", "cattle", "bee"),
    "e": Words("dolphin", "cow", "bat"),
}
# The years of a differ in the last digit, those of b from the third digit on.
YEARS = {
    "a": ("1984", "1987"),
    "b": ("1935", "1954"),
}


def word_rows(words: Mapping[str, Words] = WORDS, red: str = "red", tan: str = "tan") -> list[Row]:
    """A table of pairs that ask for the value of x. The other option is the value of y.

    The prompts of the first pair, with the options in brackets:

        clean       x=dog y=red x:    [dog|red]
        corrupted   x=cat y=red x:    [cat|red]
        third       x=fox y=red x:    [fox|red]
        irrelevant  x=dog z=red x:    [dog|red]
        unasked     x=dog y=tan x:    [dog|tan]

    The wanted answer is in place 1 of every prompt. Pair c is without a category.
    """
    rows: list[Row] = []
    for pair, (clean, corrupted, third) in words.items():
        prompts = (
            Prompt("clean", f"x={clean} y={red} x:", clean, corrupted, f"{clean}|{red}"),
            Prompt(
                "corrupted", f"x={corrupted} y={red} x:", corrupted, clean, f"{corrupted}|{red}"
            ),
            Prompt("third", f"x={third} y={red} x:", third, clean, f"{third}|{red}"),
            Prompt("irrelevant", f"x={clean} z={red} x:", clean, corrupted, f"{clean}|{red}"),
            Prompt("unasked", f"x={clean} y={tan} x:", clean, corrupted, f"{clean}|{tan}"),
        )
        category = "" if pair == "c" else "animal"
        for prompt in prompts:
            rows.append({"pair": pair, **prompt._asdict(), "category": category, "place": 1})
    return rows


def letter_rows() -> list[Row]:
    """The same pairs with letters for words, so that an answer is one token."""
    return word_rows(LETTERS, red="r", tan="t")


def unequal_rows() -> list[Row]:
    """Two pairs whose words differ in length, then pair a, whose words do not.

    None has a category.
    """
    words = UNEQUAL | {"a": WORDS["a"]}
    return [row | {"category": ""} for row in word_rows(words)]


def year_rows() -> list[Row]:
    """A clean and a corrupted prompt for each pair of years, without options of their own."""
    rows: list[Row] = []
    for pair, (clean, corrupted) in YEARS.items():
        for prompt, year, other in (("clean", clean, corrupted), ("corrupted", corrupted, clean)):
            rows.append(
                {
                    "pair": pair,
                    "prompt": prompt,
                    "text": f"x={year} y=2001 x:",
                    "wanted": year,
                    "against": other,
                }
            )
    return rows


def clean_texts(rows: list[Row]) -> list[str]:
    """The texts of the clean prompts, in the order of `rows`."""
    return [str(row["text"]) for row in rows if row["prompt"] == "clean"]


def make_answering_model(folder: Path, texts: list[str]) -> None:
    """Make a tiny model that answers `letter_rows`: r is likeliest at the end of `texts`, then d
    and c.

    The rows of d, c and r in the unembedding are moved along one direction, those of d and c
    equally far. So it stays random which of d and c is likelier.
    """
    network, tokenizer, _ = ma.load(make_tiny_model("llama", folder, n_layers=N_LAYERS))
    with torch.no_grad():
        ends = []
        for text in texts:
            states = network.base_model(**tokenizer(text, return_tensors="pt")).last_hidden_state
            ends.append(states[0, -1])
        mean = torch.stack(ends).mean(0)
        # Added to the row of a letter, it adds 1 to the letter's logit if the state is the mean.
        direction = mean / mean.square().sum()
        # For d, c and r; without them all logits of the model are much smaller.
        added_logits = torch.tensor([[15.0], [15.0], [20.0]])
        network.lm_head.weight[tokenizer("dcr").input_ids] += added_logits * direction
    network.save_pretrained(folder)
