"""Scores worked by hand."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.modeling_outputs import CausalLMOutput

from mechaware.grounding.accuracy import Score, score
from mechaware.models.decoding import decode
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.models.scratch import UNKNOWN, initialise_gpt_neo, make_word_tokenizer


@pytest.mark.parametrize(
    ("predicted", "gold", "expected"),
    [
        ("SELECT price FROM orders", "SELECT price FROM orders", Score(True, 2, 2)),
        ("SELECT cost FROM orders", "SELECT price FROM orders", Score(False, 1, 2)),
        ("SELECT cost FROM goods", "SELECT price FROM orders", Score(False, 0, 2)),
        ("SELECT name, price FROM orders", "SELECT price, name FROM orders", Score(False, 3, 3)),
        ("SELECT price FROM orders", "SELECT price, name FROM orders", Score(False, 2, 3)),
        ("SELECT price, price FROM orders", "SELECT price, name FROM orders", Score(False, 2, 3)),
        ("SELECT price, name, city FROM orders", "SELECT price, name FROM orders", Score(False, 3, 3)),
        ("SELECT orders FROM price", "SELECT price FROM orders", Score(False, 2, 2)),
        ("", "SELECT price FROM orders", Score(False, 0, 2)),
        ("SELECT SELECT FROM FROM", "SELECT price FROM orders", Score(False, 0, 2)),
        ("SELECT price FROM orders ", "SELECT price FROM orders", Score(False, 2, 2)),
        ("select price from orders", "SELECT price FROM orders", Score(False, 2, 2)),
        ("SELECT Price FROM orders", "SELECT price FROM orders", Score(False, 1, 2)),
        ("SELECT prices FROM orders", "SELECT price FROM orders", Score(False, 1, 2)),
        ("SELECT unit_price FROM orders", "SELECT unit_price FROM orders", Score(True, 2, 2)),
        ("SELECT unit price FROM orders", "SELECT unit_price FROM orders", Score(False, 1, 2)),
        ("SELECT price, price FROM price", "SELECT price, price FROM price", Score(True, 3, 3)),
        ("SELECT price FROM price", "SELECT price, price FROM price", Score(False, 2, 3)),
    ],
)
def test_scores_worked_by_hand(predicted: str, gold: str, expected: Score) -> None:
    assert score(predicted, gold) == expected


NAMES = st.lists(st.sampled_from(["price", "name", "city", "a", "b_1"]), min_size=1, max_size=5)


@given(gold=NAMES, predicted=NAMES, seed=st.integers(0, 99))
def test_the_order_of_names_does_not_count_and_none_counts_twice(
    gold: list[str], predicted: list[str], seed: int
) -> None:
    def sql(names: Sequence[str]) -> str:
        return f"SELECT {', '.join(names)} FROM orders"  # noqa: S608

    shuffled = random.Random(seed).sample(predicted, len(predicted))  # noqa: S311
    found = score(sql(predicted), sql(gold))
    left = list(gold)  # names are crossed out one by one
    for name in predicted:
        if name in left:
            left.remove(name)
    assert found == Score(predicted == gold, 1 + len(gold) - len(left), 1 + len(gold))
    assert score(sql(shuffled), sql(gold))[1:] == found[1:]


def test_an_unknown_token_in_an_answer_makes_it_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = make_word_tokenizer(["### Response: SELECT price FROM orders"])
    sizes = {"n_layers": 1, "d_model": 8, "n_heads": 1, "context_length": 16}
    initialise_gpt_neo(tmp_path / "m", tokenizer, name="m", seed=0, **sizes)
    model, tokenizer = load_model(tmp_path / "m", torch.device("cpu")), load_tokenizer(tmp_path / "m")
    answer = tokenizer(" SELECT price price FROM orders").input_ids
    answer[2] = tokenizer.unk_token_id
    written = iter([*answer, tokenizer.eos_token_id])

    def forward(self: object, input_ids: torch.Tensor, **_: object) -> CausalLMOutput:
        logits = torch.zeros(*input_ids.shape, len(tokenizer))
        logits[:, -1, next(written)] = 1
        return CausalLMOutput(logits=logits)

    monkeypatch.setattr(type(model), "forward", forward)
    (predicted,) = decode(model, tokenizer, ["### Response:"], max_new_tokens=8, batch_size=1)
    assert predicted.split() == ["SELECT", f"price{UNKNOWN}", "FROM", "orders"]
    assert score(predicted, "SELECT price FROM orders") == Score(False, 2, 2)
