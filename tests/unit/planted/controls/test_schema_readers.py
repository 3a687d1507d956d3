"""The controls have the logits of their draws, and read the schema word in their blocks.

A control's draw (`Draw`) is the record of the choices that define it: the column that it reads (the
policy, which may depend on a gate), the blocks that read it, each with its share of the answer, and
logits that do not depend on the policy (`habit`, `raised`). Logits and blocks are tested at every
place of a schema. Every expected value follows from how the models are built: a word that is wholly
the answer has a logit of 10. The two prompts of a pair differ in one column, at the position p: the
clean word or the corrupted word. The gap is logit(clean word) - logit(corrupted word).

The tests of prompts and draws come first. Those of the models follow: logits, patches of the
residual stream, patches of keys and values, the truth about prompts, and how models are built.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import product
from typing import NamedTuple

import pytest
import torch

from mechaware.models.patching.residual import patch_pairs
from mechaware.planted.controls.draw import STRENGTH, Draw
from mechaware.planted.controls.generator import drawn_controls
from mechaware.planted.controls.matched import MATCHED
from mechaware.planted.controls.schema_readers import CONTROLS, SPLIT_SHARE, build_control
from mechaware.planted.controls.words import read_words
from tests.unit.planted.controls.control_runs import Planted, Running
from tests.unit.planted.controls.schema_prompts import (
    CONTEXT_LENGTH,
    OTHERS,
    PAIRS,
    PROMPTS,
    WANTED,
    Pair,
    prompt_of,
)

DRAWN = drawn_controls(40)
# Of the matched controls, the held-out ones with 8 blocks: two of each route by which the column
# reaches the answer (`matched.route_of`). The same code builds transformers of other depths.
DEEPEST = {name: draw for name, draw in MATCHED.items() if draw.n_blocks == 8 and draw.held_out}
EVERY = {name: control.draw for name, control in CONTROLS.items()} | DRAWN | DEEPEST
FIRST_COLUMN_CONTROLS = ["first_column", "late_first_column"]
IS_AT_FIRST = torch.tensor([pair.place == 0 for pair in PAIRS])
# Logits. A head that gathers k words loses the part k / 2^16 of each; MLP units multiply the loss
# by 4. With at most 13 words, a logit of 10 is off by at most 10 * 4 * 13 / 2^16 = 0.008.
CLOSE = {"rtol": 0, "atol": 0.01}
# A change of a gap is a sum of four logits, two of them with a minus: most of their errors, which
# are at most 0.008 each, cancel.
CLOSE_CHANGE_OF_GAP = {"rtol": 0, "atol": 0.03}
# Logits. Sums in another order differ by less on every machine, and a gap is 10.
ROUNDING = 1e-5


@pytest.fixture(scope="module")
def planted() -> Callable[[str], Planted]:
    """Builds a control by its name, each control once."""

    @cache
    def build(name: str) -> Planted:
        control = build_control(PROMPTS, WANTED, name=name, context_length=CONTEXT_LENGTH)
        return Planted(control)

    return build


def test_the_prompts_are_as_varied_as_the_claims_need() -> None:
    places_by_size = defaultdict(set)
    for pair in PAIRS:
        places_by_size[len(pair.schemas[0])].add(pair.place)
    assert places_by_size == {n_columns: set(range(n_columns)) for n_columns in range(2, 13)}

    assert {pair.request for pair in PAIRS} == set(WANTED)
    assert {pair.fits for pair in PAIRS if pair.place == 0} == {True, False}
    # Of 77 pairs, many have a corrupted word that fits, and many have one that does not.
    assert 20 < sum(pair.fits for pair in PAIRS) < 50
    # Some request words are also columns: the clean words of some pairs, and columns that the
    # request of their pair does not mean.
    assert WANTED.keys() & {pair.clean_word for pair in PAIRS}
    columns = set[str]()
    for pair in PAIRS:
        columns.update(pair.schemas[0])
    assert WANTED.keys() & columns & set(OTHERS)
    # A type such as VARCHAR(20) has parentheses of its own, inside those of the schema.
    schema = PROMPTS[0].split(" ( ")[1]
    assert "(" in schema


class LogitCase(NamedTuple):
    """A draw, the logits that follow from it by hand, and whether its gate is open.

    The schema has the columns a, b and c, and the request may mean b or d. A column that is read
    gets 10 times the sum of the shares, or 10 in a redundant control; with `lowers` it loses as
    much. The columns a, b and c also get `raised`, and b and d get `habit`.
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


def test_each_half_of_the_draws_has_ten_grounded_controls_and_five_shortcuts_of_its_own() -> None:
    shortcuts = {}
    for held_out in (False, True):
        half = [draw for draw in DRAWN.values() if draw.held_out == held_out]
        assert sum(draw.grounded for draw in half) == 10
        others = [draw for draw in half if not draw.grounded]
        shortcuts[held_out] = {(draw.policy, draw.gate, draw.otherwise) for draw in others}
        assert len(shortcuts[held_out]) == 5
    assert shortcuts[False].isdisjoint(shortcuts[True])


def test_a_larger_number_of_draws_begins_with_the_same_draws() -> None:
    assert list(drawn_controls(4).items()) == list(DRAWN.items())[:4]


def test_draws_vary_in_the_number_of_blocks_the_habit_and_the_route() -> None:
    assert {len(draw.shares) for draw in DRAWN.values()} == {0, 1, 2, 3, 4}
    assert {draw.habit for draw in DRAWN.values()} == {0, 3, 6, 12}
    assert any(draw.relay for draw in DRAWN.values())
    assert any(draw.redundant for draw in DRAWN.values())


def split_pairs(by_prompt: Sequence[bool]) -> tuple[list[bool], list[bool]]:
    """The values of the clean and of the corrupted prompts, which alternate in `PROMPTS`."""
    return list(by_prompt[::2]), list(by_prompt[1::2])


def gate_of(model: Planted, draw: Draw) -> list[bool]:
    """Whether the gate is open in each pair; its two prompts have the same request and table."""
    words = read_words(
        model.tokenizer,
        PROMPTS,
        WANTED,
        CONTEXT_LENGTH,
        gate=draw.gate,
        gate_share=draw.gate_share,
    )
    in_clean, in_corrupted = split_pairs(words.gate_open)
    assert in_clean == in_corrupted
    return in_clean


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
            # In the vocabulary, U+0120 stands for the space before a word.
            meant = {word for word in WANTED[pair.request] if f"\u0120{word}" in vocabulary}
            by_word = draw.logits(pair.schemas[side], meant, gate_open=is_open)
            for word, logit in by_word.items():
                row[model.token(word)] = logit
        torch.testing.assert_close(logits, expected, **CLOSE)


class Recovery(NamedTuple):
    """The shares of the gap that a patch recovers in a control of `CONTROLS`, all of four blocks.

    The patch puts the clean residual stream at p into the corrupted run. The five shares are for a
    patch before block 1 (layer 0) and after each of the blocks 1 to 4.

    - `shares`: where the corrupted word does not fit the request.
    - `if_fitting`: where the corrupted word fits the request; empty for the same shares.
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
    # With a patch between blocks 1 and 3, block 1 has read the corrupted word, and block 3 reads
    # the clean one. If the corrupted word fits, both are wholly the answer: a difference of 0 is
    # half-way from -10 to 10.
    "redundant": Recovery([1, 1, 1, 0, 0], if_fitting=[1, 0.5, 0.5, 0, 0]),
    "first_column": Recovery([1, 1, 0, 0, 0]),
    "late_first_column": Recovery([1, 1, 1, 1, 0]),
    "any_column": Recovery([1, 1, 0, 0, 0]),
    "suppressor": Recovery([1, 1, 0, 0, 0]),
    "schema_blind": Recovery([]),
    "habit": Recovery([1, 1, 0, 0, 0]),
    # Every column gets a logit of 4 in block 2, and the requested one 6 more in block 3. In a clean
    # run the difference is 10 (the corrupted word is not in the schema), and in a corrupted run -4,
    # or -10 if the corrupted word fits. With a patch after block 2, the clean word has 6 and the
    # corrupted one keeps 4: a difference of 2. That recovers 2 - (-4) = 6 of 14, or 2 - (-10) = 12
    # of 20.
    "asked_above_others": Recovery([1, 1, 6 / 14, 0, 0], if_fitting=[1, 1, 12 / 20, 0, 0]),
    # Block 2 has subtracted half of the word; block 3 adds one and a half of the word at p.
    "by_place": Recovery([1, 1, 1.5, 0, 0]),
}
# Where the requested column is the first, `by_place` reads it in block 2 alone.
FIRST_BY_PLACE = Recovery([1, 1, 0, 0, 0])


def test_every_control_has_an_expected_recovery_of_0_after_its_last_block() -> None:
    assert RECOVERY.keys() == CONTROLS.keys()
    assert SPLIT_SHARE == 0.4
    for name, recovery in RECOVERY.items():
        # After the last block that reads, the clean word at p no longer has an effect.
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
    # The prompts of a pair have the same first column unless p is the first: a control that reads
    # the first column has no gap in the other pairs.
    has_gap = torch.ones_like(IS_AT_FIRST)
    if name in FIRST_COLUMN_CONTROLS:
        has_gap = IS_AT_FIRST
    torch.testing.assert_close(recovered[has_gap], expected[has_gap], rtol=0, atol=1e-3)
    assert (gap[~has_gap].abs() <= ROUNDING).all()


@contextmanager
def keys_and_values(
    model: Planted, blocks: tuple[int, ...], sources: dict[str, torch.Tensor] | None
) -> Iterator[dict]:
    """In the `with` block, each run of the pairs' prompts stores its keys and values at p.

    Yields the dictionary that a run fills: for each of `blocks` and each projection, under a name
    such as `2 k_proj`, the vectors of all pairs. If `sources` is the dictionary of an earlier run,
    the run continues with its vectors instead.
    """
    stored = {}
    handles = []
    pairs = torch.arange(len(model.pairs))
    for block in blocks:
        for kind in ("k_proj", "v_proj"):
            # The default value binds the name of this projection; the loop goes on to others.
            def hook(_module, _inputs, output, name=f"{block} {kind}"):
                stored[name] = output[pairs, model.positions].clone()
                if sources is not None:
                    output[pairs, model.positions] = sources[name]

            projection = model.model.get_submodule(
                f"transformer.h.{block - 1}.attn.attention.{kind}"
            )
            handles.append(projection.register_forward_hook(hook))
    try:
        yield stored
    finally:
        for handle in handles:
            handle.remove()


def shrinkage(draw: Draw, block: int, pair: Pair, *, gate_open: bool) -> float:
    """By how many logits the gap shrinks if one block reads the corrupted keys and values at p.

    This follows from the draw. If the policy reads p, the clean word loses its logits. The
    corrupted word gains as many, except where the policy reads the requested column and the
    corrupted word does not fit the request.
    """
    policy = draw.policy_if(gate_open=gate_open)
    policies_that_read_p = {"requested"}
    if pair.place == 0:
        policies_that_read_p.add("first")
    if pair.place == len(pair.schemas[0]) - 1:
        policies_that_read_p.add("last")

    # The number of words whose logits change.
    if policy not in policies_that_read_p:
        n_words = 0
    elif policy == "requested" and not pair.fits:
        n_words = 1
    else:
        n_words = 2

    change_of_word = -STRENGTH if draw.lowers else STRENGTH
    by_policy = n_words * change_of_word
    # All columns are raised in block 2, so both words change by `raised`.
    by_raising = 2 * draw.raised if block == 2 else 0.0

    if draw.relay:
        # Block 1 moves the columns on, so it alone reads keys and values at p.
        by_relay = by_policy if block == 1 else 0.0
        return by_raising + by_relay
    if draw.redundant:
        # The other block still gives the clean word, so only the corrupted word changes the gap.
        corrupted_word_changes = n_words == 2 and block in draw.shares
        return change_of_word if corrupted_word_changes else 0.0
    return by_raising + by_policy * draw.shares.get(block, 0.0)


def draw_at(name: str, pair: Pair) -> Draw:
    """The draw of a control; where p is first, `by_place` reads it in block 2 alone."""
    if name == "by_place" and pair.place == 0:
        return Draw("requested", {2: 1.0})
    return EVERY[name]


@pytest.mark.parametrize("name", EVERY)
def test_each_block_changes_the_gap_by_its_share_and_the_read_blocks_carry_the_whole_gap(
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
            shrunk_by = clean_gap - model.difference(model.logits(clean_prompts))
        expected = []
        for pair, is_open in zip(PAIRS, gate_open, strict=True):
            expected.append(shrinkage(draw_at(name, pair), block, pair, gate_open=is_open))
        torch.testing.assert_close(shrunk_by, torch.tensor(expected), **CLOSE_CHANGE_OF_GAP)
        assert block in draw.read_blocks or not any(expected)

    with keys_and_values(model, draw.read_blocks, corrupted):
        patched_gap = model.difference(model.logits(clean_prompts))
    corrupted_gap = model.difference(model.corrupted)
    torch.testing.assert_close(patched_gap, corrupted_gap, **CLOSE_CHANGE_OF_GAP)


@pytest.mark.parametrize("name", EVERY)
def test_the_truth_about_a_prompt_follows_from_its_gate(
    planted: Callable[[str], Planted], name: str
) -> None:
    model = planted(name)
    draw = EVERY[name]
    expected = [draw.reads_requested(gate_open=is_open) for is_open in gate_of(model, draw)]
    in_clean, in_corrupted = split_pairs(model.reads)
    assert in_clean == expected
    assert in_corrupted == expected


def test_the_weights_do_not_depend_on_the_order_of_words_and_no_random_number_is_drawn() -> None:
    state = torch.random.get_rng_state()
    in_order = {request: sorted(words) for request, words in WANTED.items()}
    first = build_control(PROMPTS, WANTED, name="split", context_length=CONTEXT_LENGTH)
    second = build_control(PROMPTS, in_order, name="split", context_length=CONTEXT_LENGTH)
    assert first.model.config._attn_implementation == "eager"
    assert first.tokenizer.get_vocab() == second.tokenizer.get_vocab()
    torch.testing.assert_close(first.model.state_dict(), second.model.state_dict(), rtol=0, atol=0)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_six_hundred_columns_and_256_tokens_fit_the_redundant_control() -> None:
    """Each request word may mean a column of its own schema and a column of another schema."""
    syllables = product("bdfghklmn", "aeiou", "bdfghklmnprstv")  # 9 * 5 * 14 = 630
    words = ["".join(letters) for letters in syllables][:600]
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
    # The repeated word fills the context almost to its 256 tokens.
    long_prompt = prompt_of("Give " + "all " * 195 + f"{words[7]}s", schemas[0])

    control = build_control([*prompts, long_prompt], wanted, name="redundant", context_length=256)
    model = Running(control)
    assert model.model.config.hidden_size < 1500
    encoded = [model.tokenizer.encode(prompt) for prompt in (*prompts[:10], long_prompt)]
    assert 240 < len(encoded[-1]) <= 256
    assert model.answers(model.logits(encoded)) == [*asked[:10], words[7]]
