"""The controls behave as their draws predict, at every place of a schema, and read the schema word in their blocks.

Every expected value follows from how the models are built: a word that is wholly the answer has a logit of 10.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import product
from typing import NamedTuple

import pytest
import torch

from mechaware.models.patching.residual import patch_pairs
from mechaware.planted.controls.generator import STRENGTH, Draw, drawn_controls
from mechaware.planted.controls.matched import MATCHED
from mechaware.planted.controls.schema_readers import CONTROLS, SPLIT_SHARE, build_control
from mechaware.planted.controls.words import read_words
from tests.unit.planted.controls.schema_prompts import (
    CONTEXT_LENGTH,
    OTHERS,
    PAIRS,
    PROMPTS,
    WANTED,
    Pair,
    Planted,
    Running,
    prompt_of,
)

DRAWN = drawn_controls(40)
# One of each route, in the deepest transformers: those of other depths differ in nothing else.
DEEPEST = {name: draw for name, draw in MATCHED.items() if draw.n_blocks == 8 and draw.held_out}
EVERY = {name: control.draw for name, control in CONTROLS.items()} | DRAWN | DEEPEST
FIRST = ["first_column", "late_first_column"]
AT_FIRST = torch.tensor([pair.place == 0 for pair in PAIRS])
# Logits of 10 and shares of 1 in which at most 13 of 2^16 are lost, four times.
CLOSE = {"rtol": 0, "atol": 0.01}
ROUNDING = 1e-5  # logits: sums in another order differ by less on every machine, and a gap is 10


@pytest.fixture(scope="module")
def planted() -> Callable[[str], Planted]:
    return cache(
        lambda name: Planted(
            build_control(PROMPTS, WANTED, name=name, context_length=CONTEXT_LENGTH)
        )
    )


def test_the_prompts_are_as_varied_as_the_claims_need() -> None:
    found = {(len(pair.schemas[0]), pair.place) for pair in PAIRS}
    for n_columns in range(2, 13):
        assert {place for n, place in found if n == n_columns} == set(range(n_columns))
    assert {n for n, _ in found} == set(range(2, 13))
    assert {pair.request for pair in PAIRS} == set(WANTED)
    assert {pair.fits for pair in PAIRS if pair.place == 0} == {True, False}
    assert 20 < sum(pair.fits for pair in PAIRS) < 50
    # One prompt's request word is another's column.
    assert WANTED.keys() & {pair.clean_word for pair in PAIRS}
    columns = set[str]().union(*(pair.schemas[0] for pair in PAIRS))
    assert WANTED.keys() & columns & set(OTHERS)
    assert "(" in PROMPTS[0].split(" ( ")[1]  # a type with parentheses


class LogitCase(NamedTuple):
    """A draw, the logits that follow from it by hand, and whether its gate is open.

    The schema has the columns a, b and c, and the request may mean b or d.
    """

    draw: Draw
    logits: dict[str, float]
    gate_open: bool = True


GATED = Draw("requested", {2: 1.0}, gate="word", otherwise="first")
LOGITS = {
    "requested": LogitCase(Draw("requested", {1: 1.0}), {"a": 0, "b": 10, "c": 0, "d": 0}),
    "requested, every column raised": LogitCase(
        Draw("requested", {3: 0.6}, raised=4), {"a": 4, "b": 10, "c": 4, "d": 0}
    ),
    "requested, with a habit": LogitCase(
        Draw("requested", {1: 1.0}, habit=3), {"a": 0, "b": 13, "c": 0, "d": 3}
    ),
    "lowered": LogitCase(
        Draw("requested", {2: 1.0}, lowers=True), {"a": 0, "b": -10, "c": 0, "d": 0}
    ),
    "first": LogitCase(Draw("first", {2: 1.0}), {"a": 10, "b": 0, "c": 0, "d": 0}),
    "last, with a habit": LogitCase(
        Draw("last", {1: 0.5, 2: 0.5}, habit=6), {"a": 0, "b": 6, "c": 10, "d": 6}
    ),
    "none, every column raised": LogitCase(
        Draw("none", {}, habit=10, raised=5), {"a": 5, "b": 15, "c": 5, "d": 10}
    ),
    "an open gate": LogitCase(GATED, {"a": 0, "b": 10, "c": 0, "d": 0}, gate_open=True),
    "a shut gate": LogitCase(GATED, {"a": 10, "b": 0, "c": 0, "d": 0}, gate_open=False),
    "redundant": LogitCase(
        Draw("last", {1: 1.0, 4: 1.0}, redundant=True), {"a": 0, "b": 0, "c": 10, "d": 0}
    ),
}


@pytest.mark.parametrize("name", LOGITS)
def test_the_logits_of_a_draw_by_hand(name: str) -> None:
    case = LOGITS[name]
    logits = case.draw.logits(["a", "b", "c"], {"b", "d"}, gate_open=case.gate_open)
    assert logits == case.logits


def test_either_half_of_the_draws_has_ten_grounded_controls_and_five_shortcuts_of_its_own() -> None:
    shortcuts = []
    for held_out in (False, True):
        half = [draw for draw in DRAWN.values() if draw.held_out == held_out]
        assert sum(draw.grounded for draw in half) == 10
        others = [draw for draw in half if not draw.grounded]
        shortcuts.append({(draw.policy, draw.gate, draw.otherwise) for draw in others})
    developed, held_out_shortcuts = shortcuts
    assert len(developed) == len(held_out_shortcuts) == 5
    assert developed.isdisjoint(held_out_shortcuts)


def test_more_draws_begin_with_the_fewer() -> None:
    assert list(drawn_controls(4).items()) == list(DRAWN.items())[:4]


def test_draws_vary_in_the_number_of_blocks_the_habit_and_the_route() -> None:
    assert {len(draw.shares) for draw in DRAWN.values()} == {0, 1, 2, 3, 4}
    assert {draw.habit for draw in DRAWN.values()} == {0, 3, 6, 12}
    assert any(draw.relay for draw in DRAWN.values())
    assert any(draw.redundant for draw in DRAWN.values())


def gate_of(model: Planted, draw: Draw) -> list[bool]:
    """Whether the gate is open in each pair, whose two prompts have the same request and table."""
    gate_open = read_words(
        model.tokenizer, PROMPTS, WANTED, CONTEXT_LENGTH, draw.gate, draw.gate_share
    ).open
    assert gate_open[::2] == gate_open[1::2]
    return list(gate_open[::2])


@pytest.mark.parametrize("name", EVERY)
def test_the_weights_give_the_logits_of_the_draw_at_every_place(
    planted: Callable[[str], Planted], name: str
) -> None:
    model = planted(name)
    draw = EVERY[name]
    vocabulary = model.tokenizer.get_vocab()
    for logits, side in ((model.clean, 0), (model.corrupted, 1)):
        expected = torch.zeros_like(logits)
        for row, pair, is_open in zip(expected, PAIRS, gate_of(model, draw), strict=True):
            known = {word for word in WANTED[pair.request] if f"\u0120{word}" in vocabulary}
            by_word = draw.logits(pair.schemas[side], known, gate_open=is_open)
            for word, logit in by_word.items():
                row[model.token(word)] = logit
        torch.testing.assert_close(logits, expected, **CLOSE)


class Recovery(NamedTuple):
    """The shares of the gap that the clean state gives back after layers 0 to 4.

    - `shares`: where the corrupted word does not fit the request.
    - `if_fitting`: where it does; empty for the same shares.
    """

    shares: Sequence[float]
    if_fitting: Sequence[float] = ()

    def of_pair(self, pair: Pair) -> Sequence[float]:
        """The shares that are expected for a pair."""
        if pair.fits and self.if_fitting:
            return self.if_fitting
        return self.shares


RECOVERY = {
    "grounded_1": Recovery([1, 0, 0, 0, 0]),
    "grounded_2": Recovery([1, 1, 0, 0, 0]),
    "grounded_3": Recovery([1, 1, 1, 0, 0]),
    "relay": Recovery([1, 0, 0, 0, 0]),
    "split": Recovery([1, 0.6, 0.6, 0, 0]),
    # Of two words that are wholly the answer, neither is preferred: half of the gap.
    "redundant": Recovery([1, 1, 1, 0, 0], if_fitting=[1, 0.5, 0.5, 0, 0]),
    "first_column": Recovery([1, 1, 0, 0, 0]),
    "late_first_column": Recovery([1, 1, 1, 1, 0]),
    "any_column": Recovery([1, 1, 0, 0, 0]),
    "suppressor": Recovery([1, 1, 0, 0, 0]),
    "schema_blind": Recovery([]),
    "habit": Recovery([1, 1, 0, 0, 0]),
    # A logit of 4 to every column and 6 to the requested one: gaps of 10 + 4, or 10 + 10; after block 2 the clean word
    # gets 6 and the corrupted one keeps its 4: 2 in place of -4, or of -10.
    "asked_above_others": Recovery([1, 1, 6 / 14, 0, 0], if_fitting=[1, 1, 12 / 20, 0, 0]),
    "by_place": Recovery([1, 1, 1.5, 0, 0]),
}
# Where the wanted column is first, `by_place` reads it in block 2 alone.
FIRST_BY_PLACE = Recovery([1, 1, 0, 0, 0])


def test_the_expected_recoveries_are_those_of_all_controls() -> None:
    assert RECOVERY.keys() == CONTROLS.keys()
    assert SPLIT_SHARE == 0.4
    for name, recovery in RECOVERY.items():
        # Nothing is left to recover after the last block that reads.
        last = max(CONTROLS[name].read_blocks, default=0)
        assert not any(recovery.shares[last:])


@pytest.mark.parametrize("name", sorted(CONTROLS.keys() - {"schema_blind"}))
def test_the_clean_state_recovers_the_gap_before_the_blocks_that_read_it(
    planted: Callable[[str], Planted], name: str
) -> None:
    model = planted(name)
    swept = patch_pairs(model.model, model.pairs, tokens_per_batch=32768)
    gap = swept.clean_diff - swept.corrupted_diff
    recovered = (swept.patched_diff - swept.corrupted_diff[:, None]) / gap[:, None]
    by_pair = []
    for pair in PAIRS:
        is_first_by_place = name == "by_place" and pair.place == 0
        recovery = FIRST_BY_PLACE if is_first_by_place else RECOVERY[name]
        by_pair.append(recovery.of_pair(pair))
    expected = torch.tensor(by_pair, dtype=torch.float32)
    # A control of the first column tells the prompts apart only where that column differs.
    has_gap = AT_FIRST if name in FIRST else torch.ones_like(AT_FIRST)
    torch.testing.assert_close(recovered[has_gap], expected[has_gap], rtol=0, atol=1e-3)
    assert (gap[~has_gap].abs() <= ROUNDING).all()


@contextmanager
def keys_and_values(
    model: Planted, blocks: tuple[int, ...], sources: dict[str, torch.Tensor] | None
) -> Iterator[dict]:
    """Inside, keep the keys and values at each pair's position p in `blocks`, or put `sources` in their place.

    Yields the kept ones by block and projection, such as `2 k_proj`; `sources` were kept so before.
    """
    kept = {}
    handles = []
    pairs = torch.arange(len(model.pairs))
    for block in blocks:
        for kind in ("k_proj", "v_proj"):

            def hook(_module, _inputs, output, name=f"{block} {kind}"):
                kept[name] = output[pairs, model.positions].clone()
                if sources is not None:
                    output[pairs, model.positions] = sources[name]

            projection = model.model.get_submodule(
                f"transformer.h.{block - 1}.attn.attention.{kind}"
            )
            handles.append(projection.register_forward_hook(hook))
    yield kept
    for handle in handles:
        handle.remove()


def carried(draw: Draw, block: int, pair: Pair, *, gate_open: bool) -> float:
    """By how many logits the gap shrinks if one block reads the corrupted keys and values at p, from the draw.

    The clean word loses its logits. The corrupted word gains as many if the policy reads it: where the policy reads
    the requested column, only if it fits the request.
    """
    policy = draw.policy_if(gate_open=gate_open)
    policies_that_read_p = {"requested"}
    if pair.place == 0:
        policies_that_read_p.add("first")
    if pair.place == len(pair.schemas[0]) - 1:
        policies_that_read_p.add("last")

    n_words = 0
    if policy in policies_that_read_p:
        n_words = 2 if policy != "requested" or pair.fits else 1
    moved = n_words * (-STRENGTH if draw.lowers else STRENGTH)
    raised = 2 * draw.raised if block == 2 else 0.0

    if draw.relay:
        return raised + (moved if block == 1 else 0.0)
    if draw.redundant:
        # The other block still gives the clean word, so only the corrupted word moves the gap.
        return moved / 2 if n_words == 2 and block in draw.shares else 0.0
    return raised + moved * draw.shares.get(block, 0.0)


def draw_at(name: str, pair: Pair) -> Draw:
    """The draw of a control; `by_place` reads a first column in block 2 alone."""
    if name == "by_place" and pair.place == 0:
        return Draw("requested", {2: 1.0})
    return EVERY[name]


@pytest.mark.parametrize("name", EVERY)
def test_a_control_uses_the_blocks_that_it_says_for_the_share_that_it_says(
    planted: Callable[[str], Planted], name: str
) -> None:
    model = planted(name)
    draw = EVERY[name]
    gate_open = gate_of(model, draw)
    clean_prompts = [pair.clean for pair in model.pairs]
    blocks = tuple(range(1, draw.n_blocks + 1))
    with keys_and_values(model, blocks, None) as corrupted:
        model.logits([pair.corrupted for pair in model.pairs])

    clean_gap = model.difference(model.clean)
    for block in blocks:
        with keys_and_values(model, (block,), corrupted):
            moved = clean_gap - model.difference(model.logits(clean_prompts))
        expected = []
        for pair, is_open in zip(PAIRS, gate_open, strict=True):
            expected.append(carried(draw_at(name, pair), block, pair, gate_open=is_open))
        torch.testing.assert_close(moved, torch.tensor(expected), rtol=0, atol=0.03)
        assert block in draw.read_blocks or not any(expected)

    # All blocks that read the word together carry the whole gap.
    with keys_and_values(model, draw.read_blocks, corrupted):
        ablated = model.difference(model.logits(clean_prompts))
    torch.testing.assert_close(ablated, model.difference(model.corrupted), rtol=0, atol=0.03)


@pytest.mark.parametrize("name", EVERY)
def test_the_truth_about_a_prompt_follows_from_its_gate(
    planted: Callable[[str], Planted], name: str
) -> None:
    model = planted(name)
    draw = EVERY[name]
    expected = [draw.reads_requested(gate_open=is_open) for is_open in gate_of(model, draw)]
    assert model.reads[::2] == expected
    assert model.reads[1::2] == expected


def test_building_twice_gives_the_same_weights_and_leaves_random_numbers_alone() -> None:
    state = torch.random.get_rng_state()
    in_order = {request: sorted(words) for request, words in WANTED.items()}
    first = build_control(PROMPTS, WANTED, name="split", context_length=CONTEXT_LENGTH)
    second = build_control(PROMPTS, in_order, name="split", context_length=CONTEXT_LENGTH)
    assert first.model.config._attn_implementation == "eager"
    assert first.tokenizer.get_vocab() == second.tokenizer.get_vocab()
    torch.testing.assert_close(first.model.state_dict(), second.model.state_dict(), rtol=0, atol=0)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_six_hundred_columns_and_256_tokens_fit_the_control_with_most_parts() -> None:
    """Each request word may mean a column of its own schema and one of another schema."""
    words = ["".join(letters) for letters in product("bdfghklmn", "aeiou", "bdfghklmnprstv")][:600]
    wanted = {}
    for number, word in enumerate(words):
        wanted[f"{word}s"] = [word, words[(number + 300) % 600]]

    schemas = [words[start : start + 12] for start in range(0, 600, 12)]
    asked = []
    prompts = []
    for number, schema in enumerate(schemas):
        column = schema[number % 12]
        asked.append(column)
        prompts.append(prompt_of(f"Give {column}s", schema))
    long_prompt = prompt_of("Give " + "all " * 195 + f"{words[7]}s", schemas[0])

    control = build_control([*prompts, long_prompt], wanted, name="redundant", context_length=256)
    model = Running(control)
    assert model.model.config.hidden_size < 1500
    encoded = [model.tokenizer.encode(prompt) for prompt in (*prompts[:10], long_prompt)]
    assert 240 < len(encoded[-1]) <= 256
    assert model.answers(model.logits(encoded)) == [*asked[:10], words[7]]
