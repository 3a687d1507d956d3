"""Answers of models with chosen logits to the prompts of pairs written by hand."""

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


def answered(
    monkeypatch: pytest.MonkeyPatch,
    tokenizer: PreTrainedTokenizerBase,
    pairs: Sequence[Pair],
    logits: dict[str, float],
) -> pd.DataFrame:
    """The answers of a model that gives these tokens these logits after every prompt, and others -9."""

    def given(_model: object, prompts: Sequence[object], **_: object) -> torch.Tensor:
        row = torch.full((len(tokenizer),), -9.0)
        for token, logit in logits.items():
            row[tokenizer.convert_tokens_to_ids(token)] = logit
        return row.repeat(len(prompts), 1)

    monkeypatch.setattr(answers, "final_logits", given)
    model: Any = None
    table = answer_table(
        model,
        tokenizer,
        pairs,
        [tokenise(pair, tokenizer, len(tokenizer)) for pair in pairs],
        tokens_per_batch=100,
    )
    for column in ("wanted", "answer", "first"):  # an answer includes the space before it
        table[column] = table[column].str.strip()
    return table.set_index(["pair", "prompt"])


def test_every_prompt_of_a_pair_has_its_wanted_column(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast
) -> None:
    table = answered(monkeypatch, tokenizer, PAIRS, {})
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

    # Every row of the table, in its order.
    assert list(table["wanted"].items()) == list(expected.items())

    clean = table.xs("clean", level="prompt")
    assert clean["category"].tolist() == [pair.category for pair in PAIRS]
    assert clean["place"].tolist() == [2, 1, 3, 1]


def test_the_answer_is_the_best_column_of_the_prompts_own_schema(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast
) -> None:
    # `fee`, the request's word, is in no schema, and is the most likely of all.
    logits = {
        "Ġfee": 9.0,
        "Ġcost": 5.0,
        "Ġprice": 4.0,
        "Ġsong": 3.5,
        "Ġcity": 3.0,
        "Ġcharge": 2.0,
        "Ġpet": 1.0,
    }

    table = answered(monkeypatch, tokenizer, PAIRS[:1], logits).loc["syn"]

    assert table["answer"].to_dict() == {
        "clean": "price",  # pet, price, city
        "corrupted": "cost",  # pet, cost, city
        "third": "city",  # pet, charge, city
        "unasked": "price",  # pet, price, song
        "irrelevant": "price",
        "other": "price",
    }
    assert set(table["first"]) == {"pet"}

    # In pet, price, city the wanted column, price, is the middle one and has the longest name.
    shortcuts = {name: bool(table.loc["clean", f"shortcut_{name}"]) for name in PLACE_SHORTCUTS}
    assert shortcuts == {
        "first": False,
        "last": False,
        "middle": True,
        "longest": True,
        "alphabetical": False,
    }
    assert not table["most_likely"].any()
    assert set(table["likeliest"].str.strip()) == {"fee"}

    # pet, price, city; and pet, charge, city, in which no cost is.
    total = sum(math.exp(logit) for logit in logits.values())
    total += (len(tokenizer) - len(logits)) * math.exp(-9)
    for prompt, held in (("clean", (1.0, 4.0, 3.0)), ("third", (1.0, 2.0, 3.0))):
        assert table.loc[prompt, "options_probability"] == pytest.approx(
            sum(map(math.exp, held)) / total
        )

    # The alphabet's first of pet, charge and city, which is the longest, too; and of pet, price, city.
    chosen = {name: table[f"choice_{name}"].str.strip() for name in PLACE_SHORTCUTS}
    assert [chosen["alphabetical"][prompt] for prompt in ("third", "clean")] == ["charge", "city"]
    assert [chosen["last"][prompt] for prompt in ("third", "unasked")] == ["city", "song"]
    assert table["diff"].tolist() == [-1.0] * 6  # 4 of price minus 5 of cost, whatever the prompt
    assert table["unasked_diff"].tolist() == [-0.5] * 6  # 3 of city minus 3.5 of song


@pytest.mark.parametrize(
    ("lead", "answer"), [(0.0, ""), (0.0009, ""), (0.0012, "price"), (-0.0012, "city")]
)
def test_two_columns_that_differ_by_less_than_a_thousandth_are_no_answer(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast, lead: float, answer: str
) -> None:
    logits = {"Ġfee": 9.0, "Ġprice": 1.0 + lead, "Ġcity": 1.0}

    table = answered(monkeypatch, tokenizer, PAIRS[:1], logits).loc["syn"]

    assert table.loc["clean", "answer"] == answer
    assert table.loc["unasked", "answer"] == "price"  # song stands for city


def test_the_wanted_column_may_be_the_most_likely_token_of_all(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast
) -> None:
    table = answered(monkeypatch, tokenizer, PAIRS, {"Ġprice": 5.0, "Ġteam": 4.0})
    likely = table.index[table["most_likely"]].tolist()

    assert likely == [
        ("syn", "clean"),
        ("syn", "unasked"),
        ("syn", "irrelevant"),
        ("scr", "clean"),
        ("scr", "unasked"),
        ("scr", "both"),
        ("scr", "irrelevant"),
    ]
    # In the corrupted prompt of a scramble no column is wanted, so that none is found.
    assert table.loc[("sup", "corrupted"), "answer"] == "price"


def test_worked_examples_before_a_prompt_change_no_column(
    monkeypatch: pytest.MonkeyPatch, tokenizer: PreTrainedTokenizerFast
) -> None:
    logits = {"Ġcost": 5.0, "Ġprice": 4.0, "Ġsong": 3.5, "Ġcity": 3.0, "Ġcharge": 2.0, "Ġpet": 1.0}
    shown = with_examples(PAIRS, f"{PAIRS[0].prompts['corrupted'].text} cost FROM orders\n")
    without = answered(monkeypatch, tokenizer, PAIRS, logits)
    pd.testing.assert_frame_equal(answered(monkeypatch, tokenizer, shown, logits), without)


def test_a_column_of_several_tokens_counts_by_its_first(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("Ġ", letter) for letter in "pct"]
    tokens = [*letters, *("".join(merge) for merge in merges)]
    vocabulary = {token: index for index, token in enumerate(tokens)}
    backend = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend)
    # Of pet, price and city the first two begin alike: neither is the answer, however likely it is.
    table = answered(monkeypatch, tokenizer, PAIRS[:1], {"Ġp": 2.0, "Ġc": 1.0, "Ġ": 7.0}).loc["syn"]
    # The one token with which pet and price begin counts once; the 256 other tokens have the logit -9.
    total = math.exp(2) + math.exp(1) + math.exp(7) + (len(tokenizer) - 3) * math.exp(-9)

    assert table.loc["clean", "options_probability"] == pytest.approx(
        (math.exp(2) + math.exp(1)) / total
    )
    assert table.loc["clean", "likeliest"] == "Ġ"  # this tokenizer decodes to its own letters
    assert table.loc["clean", "answer"] == ""
    assert table.loc["corrupted", "answer"] == "pet"  # pet, cost, city
    assert table.loc["clean", "diff"] == 1.0  # price and cost
    # 1 of city, and 7 of the space that song begins with.
    assert table.loc["clean", "unasked_diff"] == -6.0
