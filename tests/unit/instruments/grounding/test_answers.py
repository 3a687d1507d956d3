"""Answers of models with chosen logits to the prompts of pairs written by hand.

The pairs are `PAIRS` (pairs_by_hand.py): syn, scr, non and sup. The prompts of syn, the first, have
the columns

    clean         pet price city       corrupted     pet cost city
    third         pet charge city      unasked       pet price song
    irrelevant    pet price city       other         pet price city
"""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

from mechaware.instruments.grounding import answers
from mechaware.instruments.grounding.answers import answer_table
from mechaware.instruments.grounding.data.pairs import PLACE_SHORTCUTS, Pair, with_examples
from mechaware.instruments.grounding.tokens import tokenise
from mechaware.models.tokenizers import make_word_tokenizer
from tests.unit.instruments.grounding.pairs_by_hand import PAIRS, texts_of


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return make_word_tokenizer(texts_of(PAIRS))


def answer(
    monkeypatch: pytest.MonkeyPatch,
    tokenizer: PreTrainedTokenizerBase,
    pairs: Sequence[Pair],
    logits: dict[str, float],
) -> pd.DataFrame:
    """The table of answers, by pair and prompt, of a model with the same logits after every prompt.

    The tokens that `logits` does not name have -9. Answers are given without the space before them.
    """

    def chosen_logits(_model: object, prompts: Sequence[object], **_: object) -> torch.Tensor:
        row = torch.full((len(tokenizer),), -9.0)
        for token, logit in logits.items():
            row[tokenizer.convert_tokens_to_ids(token)] = logit
        return row.repeat(len(prompts), 1)

    monkeypatch.setattr(answers, "final_logits", chosen_logits)
    model: Any = None
    table = answer_table(
        model,
        tokenizer,
        pairs,
        [tokenise(pair, tokenizer, len(tokenizer)) for pair in pairs],
        tokens_per_batch=100,
    )
    for column in ("wanted", "answer", "first"):
        table[column] = table[column].str.strip()
    return table.set_index(["pair", "prompt"])


def test_every_prompt_of_a_pair_has_its_wanted_column_in_the_order_of_the_prompts(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast
) -> None:
    # From the pairs' columns and request words, by the table in `make_pair`.
    wanted = {
        "syn": {
            "clean": "price",
            "corrupted": "cost",
            "third": "charge",
            "unasked": "price",
            "irrelevant": "price",
            "other": "city",
        },
        "scr": {
            "clean": "price",
            "corrupted": "",
            "unasked": "price",
            "both": "price",
            "irrelevant": "price",
        },
        "non": {
            "clean": "town",
            "corrupted": "spot",
            "unasked": "town",
            "irrelevant": "town",
            "other": "team",
        },
        "sup": {
            "clean": "city",
            "corrupted": "",
            "third": "spot",
            "unasked": "city",
            "both": "city",
            "irrelevant": "city",
            "other": "team",
        },
    }
    expected = {}
    for pair, by_prompt in wanted.items():
        for prompt, word in by_prompt.items():
            expected[pair, prompt] = word

    table = answer(monkeypatch, tokenizer, PAIRS, {})

    assert list(table["wanted"].items()) == list(expected.items())


def test_every_prompt_has_the_category_and_the_place_of_its_pair(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast
) -> None:
    table = answer(monkeypatch, tokenizer, PAIRS, {})

    clean = table.xs("clean", level="prompt")
    assert clean["category"].tolist() == [pair.category for pair in PAIRS]
    assert clean["place"].tolist() == [2, 1, 3, 1]


# `fee`, the request's word, is in no schema, and is the most likely token of all.
LOGITS = {
    "Ġfee": 9.0,
    "Ġcost": 5.0,
    "Ġprice": 4.0,
    "Ġsong": 3.5,
    "Ġcity": 3.0,
    "Ġcharge": 2.0,
    "Ġpet": 1.0,
}


@pytest.fixture
def syn(monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast) -> pd.DataFrame:
    """The answers of a model with LOGITS to the prompts of the pair syn."""
    return answer(monkeypatch, tokenizer, PAIRS[:1], LOGITS).loc["syn"]


def test_the_answer_is_the_likeliest_column_of_the_prompts_own_schema(syn: pd.DataFrame) -> None:
    assert syn["answer"].to_dict() == {
        "clean": "price",  # of pet 1, price 4, city 3
        "corrupted": "cost",  # of pet 1, cost 5, city 3
        "third": "city",  # of pet 1, charge 2, city 3
        "unasked": "price",  # of pet 1, price 4, song 3.5
        "irrelevant": "price",
        "other": "price",
    }
    assert set(syn["first"]) == {"pet"}


def test_the_likeliest_token_may_be_no_column(syn: pd.DataFrame) -> None:
    assert not syn["most_likely"].any()
    assert set(syn["likeliest"].str.strip()) == {"fee"}


def test_a_shortcut_is_right_where_it_chooses_the_wanted_column(syn: pd.DataFrame) -> None:
    """Of pet, price, city the wanted column, price, is the middle one and has the longest name."""
    is_right = {name: bool(syn.loc["clean", f"shortcut_{name}"]) for name in PLACE_SHORTCUTS}

    assert is_right == {
        "first": False,
        "last": False,
        "middle": True,
        "longest": True,
        "alphabetical": False,
    }


def test_a_shortcut_chooses_among_the_columns_of_the_prompts_own_schema(syn: pd.DataFrame) -> None:
    """The alphabet's first is charge of pet, charge, city, and city of pet, price, city."""
    alphabetical = syn["choice_alphabetical"].str.strip()
    last = syn["choice_last"].str.strip()

    assert alphabetical["third"] == "charge"
    assert alphabetical["clean"] == "city"
    assert last["third"] == "city"
    assert last["unasked"] == "song"


@pytest.mark.parametrize(
    ("prompt", "options"),
    [("clean", ("pet", "price", "city")), ("third", ("pet", "charge", "city"))],
)
def test_the_options_probability_is_that_of_the_prompts_own_columns(
    syn: pd.DataFrame,
    tokenizer: PreTrainedTokenizerFast,
    prompt: str,
    options: tuple[str, ...],
) -> None:
    n_others = len(tokenizer) - len(LOGITS)
    total = sum(math.exp(logit) for logit in LOGITS.values()) + n_others * math.exp(-9)
    of_options = sum(math.exp(LOGITS[f"Ġ{option}"]) for option in options)

    assert syn.loc[prompt, "options_probability"] == pytest.approx(of_options / total)


def test_all_prompts_of_a_pair_compare_the_same_two_answers(syn: pd.DataFrame) -> None:
    assert len(syn) == 6
    # 4 of price, the clean word, minus 5 of cost, the corrupted one.
    assert set(syn["diff"]) == {-1.0}
    # 3 of city, which the unasked prompt replaces, minus 3.5 of song, its replacement.
    assert set(syn["unasked_diff"]) == {-0.5}


@pytest.mark.parametrize(
    ("lead", "preferred"), [(0.0, ""), (0.0009, ""), (0.0012, "price"), (-0.0012, "city")]
)
def test_two_columns_that_differ_by_less_than_a_thousandth_are_no_answer(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast, lead: float, preferred: str
) -> None:
    logits = {"Ġfee": 9.0, "Ġprice": 1.0 + lead, "Ġcity": 1.0}

    table = answer(monkeypatch, tokenizer, PAIRS[:1], logits).loc["syn"]

    assert table.loc["clean", "answer"] == preferred
    # The unasked prompt has song, at -9, in place of city.
    assert table.loc["unasked", "answer"] == "price"


def test_the_wanted_column_may_be_the_most_likely_token_of_all(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast
) -> None:
    """`price` is the likeliest token after every prompt.

    It is wanted in three prompts of syn and, of scr, in all but the corrupted one.
    """
    table = answer(monkeypatch, tokenizer, PAIRS, {"Ġprice": 5.0, "Ġteam": 4.0})

    assert table.index[table["most_likely"]].tolist() == [
        ("syn", "clean"),
        ("syn", "unasked"),
        ("syn", "irrelevant"),
        ("scr", "clean"),
        ("scr", "unasked"),
        ("scr", "both"),
        ("scr", "irrelevant"),
    ]


def test_where_no_column_is_wanted_the_answer_is_not_the_wanted_one(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast
) -> None:
    table = answer(monkeypatch, tokenizer, PAIRS, {"Ġprice": 5.0, "Ġteam": 4.0})

    # The corrupted prompt of sup, a scramble, has price in place of the wanted city.
    corrupted = table.loc[("sup", "corrupted")]
    assert corrupted["answer"] == "price"
    assert corrupted["wanted"] == ""
    assert not corrupted["most_likely"]


def test_worked_examples_before_a_prompt_change_no_column(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast
) -> None:
    logits = {"Ġcost": 5.0, "Ġprice": 4.0, "Ġsong": 3.5, "Ġcity": 3.0, "Ġcharge": 2.0, "Ġpet": 1.0}
    example = f"{PAIRS[0].prompts['corrupted'].text} cost FROM orders\n"

    alone = answer(monkeypatch, tokenizer, PAIRS, logits)
    after_example = answer(monkeypatch, tokenizer, with_examples(PAIRS, example), logits)

    pd.testing.assert_frame_equal(after_example, alone)


# Columns of several tokens


@pytest.fixture(scope="module")
def letter_tokenizer() -> PreTrainedTokenizerFast:
    """A tokenizer with a token for each byte, and for a space with p, with c or with t.

    " price" is `Ġp`, `r`, `i`, `c`, `e`; " song" is `Ġ`, `s`, `o`, `n`, `g`.
    """
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("Ġ", "p"), ("Ġ", "c"), ("Ġ", "t")]
    tokens = [*letters, "Ġp", "Ġc", "Ġt"]
    vocabulary = {token: index for index, token in enumerate(tokens)}
    backend = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return PreTrainedTokenizerFast(tokenizer_object=backend)


LETTER_LOGITS = {"Ġp": 2.0, "Ġc": 1.0, "Ġ": 7.0}


@pytest.fixture
def by_letters(
    monkeypatch: pytest.MonkeyPatch, letter_tokenizer: PreTrainedTokenizerFast
) -> pd.DataFrame:
    """The answers of a model with LETTER_LOGITS to the prompts of the pair syn."""
    return answer(monkeypatch, letter_tokenizer, PAIRS[:1], LETTER_LOGITS).loc["syn"]


def test_two_likeliest_columns_with_the_same_first_token_are_no_answer(
    by_letters: pd.DataFrame,
) -> None:
    # Of pet, price and city the first two begin with `Ġp`, the likeliest of their first tokens.
    assert by_letters.loc["clean", "answer"] == ""
    # Of pet, cost and city only pet does.
    assert by_letters.loc["corrupted", "answer"] == "pet"


def test_a_first_token_that_two_columns_share_counts_once_in_the_options_probability(
    by_letters: pd.DataFrame, letter_tokenizer: PreTrainedTokenizerFast
) -> None:
    n_others = len(letter_tokenizer) - len(LETTER_LOGITS)
    total = math.exp(2) + math.exp(1) + math.exp(7) + n_others * math.exp(-9)
    of_options = math.exp(2) + math.exp(1)

    assert by_letters.loc["clean", "options_probability"] == pytest.approx(of_options / total)


def test_the_likeliest_of_all_tokens_is_decoded(by_letters: pd.DataFrame) -> None:
    # This tokenizer has no decoder: `Ġ` stays as it is.
    assert by_letters.loc["clean", "likeliest"] == "Ġ"


def test_a_difference_of_two_columns_is_that_of_their_first_tokens(
    by_letters: pd.DataFrame,
) -> None:
    # 2 of price minus 1 of cost.
    assert by_letters.loc["clean", "diff"] == 1.0
    # 1 of city minus 7 of the space with which song begins.
    assert by_letters.loc["clean", "unasked_diff"] == -6.0
