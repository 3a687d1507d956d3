"""The likelihoods of a benchmark's orders, and their tests under a model that has seen nothing.

A sorted file alarms, and is refused; a shuffled file does not alarm, and is accepted.
"""

import random
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from mechaware.core.errors import UserError
from mechaware.instruments.radar.benchmark import Benchmark, read_benchmark
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.order.decision import order_tests
from mechaware.instruments.radar.order.meaning import check_order
from mechaware.instruments.radar.order.measuring import measure_orders
from mechaware.models.registry import load_tokenizer
from tests.tiny_models import make_tiny_model

HEADS = 8
HEAD_WIDTH = 8
LETTERS = "bdfgklmnprst"
ORDERS = list(range(21))  # the published order, 0, and 20 permutations


@pytest.fixture(scope="module")
def copier(tmp_path_factory: pytest.TempPathFactory) -> TokenisedModel:
    """A BLOOM whose weights are written by hand: it predicts the tokens that it read last.

    It has one block, whose MLP adds nothing. The queries are 0, so that a head attends by distance
    alone. The values are copied to the unembedding, which is the embedding. It was never trained.
    """
    folder = make_tiny_model("gpt2", tmp_path_factory.mktemp("copier") / "bytes", n_layers=1)
    tokenizer = load_tokenizer(folder)
    width = HEADS * HEAD_WIDTH
    config = AutoConfig.for_model(
        "bloom", vocab_size=len(tokenizer), hidden_size=width, n_head=HEADS, n_layer=1
    )
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
        block = model.transformer.h[0]
        torch.nn.init.normal_(model.transformer.word_embeddings.weight, std=0.5)
        for layer in (block.self_attention.query_key_value, block.mlp.dense_4h_to_h):
            torch.nn.init.zeros_(layer.weight)
        # Each head has HEAD_WIDTH rows of queries (0), of keys (1) and of values (2). The values of
        # head h are the entries of the state from h * HEAD_WIDTH on.
        weights = block.self_attention.query_key_value.weight.view(HEADS, 3, HEAD_WIDTH, width)
        weights[:, 2] = torch.eye(width).view(HEADS, HEAD_WIDTH, width)
        block.self_attention.dense.weight.copy_(torch.eye(width))
    return TokenisedModel(model.eval(), tokenizer, tokens_per_batch=4_000)


def benchmark_of(folder: Path, texts: list[str]) -> Benchmark:
    """A benchmark whose items are these texts, without questions."""
    path = folder / "items.csv"
    rows = [f"i{row},,{text}" for row, text in enumerate(texts)]
    path.write_text("\n".join(["id,question,answer", *rows]) + "\n")
    return read_benchmark(path)


def texts_by_letter() -> list[str]:
    """48 items in the order of the alphabet, four for each of twelve letters."""
    texts = []
    for letter in LETTERS:
        for end in "oiuy":
            texts.append(f"{letter}a{letter}e{letter} {end}")
    return texts


def test_a_sorted_file_that_nobody_read_alarms_and_is_refused(
    copier: TokenisedModel, tmp_path: Path
) -> None:
    benchmark = benchmark_of(tmp_path, texts_by_letter())
    orders = measure_orders(copier, benchmark, ["items"], seed=5)
    (test,) = order_tests(orders, seed=6)
    assert test.n_items == 48
    assert test.lead > 0
    assert test.p < 0.01
    with pytest.raises(UserError, match="ordered by alphabet"):
        check_order(benchmark, ["items"])


def test_a_shuffled_file_is_accepted_and_rarely_alarms(
    copier: TokenisedModel, tmp_path: Path
) -> None:
    alarms = 0
    for seed in range(4):
        texts = texts_by_letter()
        random.Random(seed).shuffle(texts)  # noqa: S311
        benchmark = benchmark_of(tmp_path, texts)
        check_order(benchmark, ["items"])
        orders = measure_orders(copier, benchmark, ["items"], seed)
        (test,) = order_tests(orders, seed)
        alarms += test.p <= 0.05
    # If each of 4 alarms with probability 0.05, then 2 or more do so with probability 0.014.
    assert alarms <= 1


def test_the_published_order_has_the_log_likelihood_of_its_text(
    copier: TokenisedModel, tmp_path: Path
) -> None:
    """By transformers' own loss: the mean over all tokens but the first."""
    benchmark = benchmark_of(tmp_path, ["bab", "dedo", "fi"])
    orders = measure_orders(copier, benchmark, ["items"], seed=1)
    assert orders["order"].tolist() == ORDERS

    ids = copier.tokenizer(
        "bab<|endoftext|>dedo<|endoftext|>fi<|endoftext|>", return_tensors="pt"
    ).input_ids
    loss = copier.model(input_ids=ids, labels=ids).loss.item()
    expected = -loss * (ids.shape[1] - 1)
    published = orders.loc[orders["order"] == 0, "log_likelihood"]
    np.testing.assert_allclose(published, [expected], rtol=1e-5)


def test_items_of_which_no_two_fit_the_context_have_no_order(tmp_path: Path) -> None:
    folder = make_tiny_model("gpt2", tmp_path / "model", n_layers=1)
    model = AutoModelForCausalLM.from_pretrained(folder)
    target = TokenisedModel(model.eval(), load_tokenizer(folder), tokens_per_batch=200)
    # The tokens are bytes: two items have 80, the context 64.
    benchmark = benchmark_of(tmp_path, ["a" * 40, "b" * 40])
    with pytest.raises(UserError, match="no two neighbouring items fit the model's context of 64"):
        measure_orders(target, benchmark, ["items"], seed=1)


def test_the_options_of_each_item_are_read_after_its_question_with_the_right_letter(
    copier: TokenisedModel, tmp_path: Path
) -> None:
    """By transformers' own loss of each of the six texts.

    In every text the answer is the letter of the option `bad`.
    """
    path = tmp_path / "choices.csv"
    path.write_text("id,question,answer,choices\nq,Who?,bad,bad|dedo|fi\n")
    table = measure_orders(copier, read_benchmark(path), ["options"], seed=1)
    assert table["reordered"].unique().tolist() == ["options"]
    assert table["order"].tolist() == ORDERS

    expected = []
    for options in permutations(["bad", "dedo", "fi"]):
        lines = [f"{letter}. {option}" for letter, option in zip("ABC", options, strict=True)]
        right = "ABC"[options.index("bad")]
        text = "\n".join(["Who?", *lines, f"Answer: {right}"])
        ids = copier.tokenizer(text, return_tensors="pt").input_ids
        loss = copier.model(input_ids=ids, labels=ids).loss.item()
        expected.append(-loss * (ids.shape[1] - 1))
    measured = table["log_likelihood"].to_numpy()
    assert measured[0] == pytest.approx(expected[0], rel=1e-5)
    # Every measured likelihood is that of one of the six texts.
    distances = np.abs(measured[:, None] - expected)  # [order, text]
    assert distances.min(axis=1).max() < 1e-3
    # Beside the published order, the 20 permutations lack one or more of the other five orders with
    # a probability of 0.13, so not all six are required.
    assert len(set(measured.round(3))) > 3
