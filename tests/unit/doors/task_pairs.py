"""Tasks on a tiny model to which every byte is a token:
the rows of their tables, and a model that answers them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import torch

import mechaware as ma
from tests.tiny_models import make_tiny_model
from tests.unit.models.patching.naive_patching import N_LAYERS

Row = dict[str, object]


class Words(NamedTuple):
    """The words that a pair's prompts begin with, which are also their right answers."""

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
    """A table of pairs that ask for the value of x; the other option is that of y, which is not
    asked for.

    The prompts of the first pair, with the options in brackets:

        clean       x=dog y=red x:    [dog|red]
        corrupted   x=cat y=red x:    [cat|red]
        third       x=fox y=red x:    [fox|red]
        irrelevant  x=dog z=red x:    [dog|red]
        unasked     x=dog y=tan x:    [dog|tan]

    Pair c is without a category.
    """
    rows: list[Row] = []
    for pair, (clean, corrupted, third) in words.items():
        # Prompt, text, wanted answer, answer it is compared with, options.
        prompts = (
            ("clean", f"x={clean} y={red} x:", clean, corrupted, f"{clean}|{red}"),
            ("corrupted", f"x={corrupted} y={red} x:", corrupted, clean, f"{corrupted}|{red}"),
            ("third", f"x={third} y={red} x:", third, clean, f"{third}|{red}"),
            ("irrelevant", f"x={clean} z={red} x:", clean, corrupted, f"{clean}|{red}"),
            ("unasked", f"x={clean} y={tan} x:", clean, corrupted, f"{clean}|{tan}"),
        )
        for prompt, text, wanted, against, options in prompts:
            rows.append(
                {
                    "pair": pair,
                    "prompt": prompt,
                    "text": text,
                    "wanted": wanted,
                    "against": against,
                    "options": options,
                    "category": "" if pair == "c" else "animal",
                    "place": 1,
                }
            )
    return rows


def letter_rows() -> list[Row]:
    """The same pairs with letters for words, so that an answer is one token."""
    return word_rows(LETTERS, red="r", tan="t")


def unequal_rows() -> list[Row]:
    """Two pairs whose words differ in length, and pair a of equal length, without categories."""
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
    """The texts of the clean prompts, in their order."""
    return [str(row["text"]) for row in rows if row["prompt"] == "clean"]


def make_answering_model(folder: Path, texts: list[str]) -> None:
    """A tiny model to which r is likeliest at the end of `texts`, then d and c: the options of
    `letter_rows`.

    One direction is added to their rows of the unembedding, so that the difference of d and c stays
    random.
    """
    network, tokenizer, _ = ma.load(make_tiny_model("llama", folder, n_layers=N_LAYERS))
    with torch.no_grad():
        ends = []
        for text in texts:
            states = network.base_model(**tokenizer(text, return_tensors="pt")).last_hidden_state
            ends.append(states[0, -1])
        mean = torch.stack(ends).mean(0)
        # Added to a row of the unembedding, it adds 1 to the row's logit of a state that equals the
        # mean.
        direction = mean / mean.square().sum()
        by_letter = torch.tensor([[15.0], [15.0], [20.0]])
        network.lm_head.weight[tokenizer("dcr").input_ids] += by_letter * direction
    network.save_pretrained(folder)
