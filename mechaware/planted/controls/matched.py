"""Matched controls: transformers that answer every prompt alike by different mechanisms.

All of them answer with the requested column, with logits that are equal to within rounding, so
answers cannot tell them apart. No two have the same depth, route, blocks and shares. They test
whether an instrument finds the blocks in which the column is read.

Half of the controls are held out (`Draw.held_out`): rules are developed on the other half.
"""

import random

from mechaware.planted.controls.draw import Draw

_SEED = 48  # another seed gives other controls
_DEPTHS = (5, 6, 8)  # numbers of blocks of the transformers
_ROUTES = ("one block", "shared", "relay", "redundant")
_PER_CELL = 2  # controls of each route at each depth in each half


def route_of(draw: Draw) -> str:
    """The route by which the column reaches the answer.

    - `one block`: one block reads it.
    - `shared`: several blocks each read a part of the answer.
    - `relay`: block 1 moves it on to the next position, where another block reads it.
    - `redundant`: two blocks each read all of the answer.
    """
    if draw.relay:
        return "relay"
    if draw.redundant:
        return "redundant"
    return "one block" if len(draw.shares) == 1 else "shared"


def _matched_controls() -> dict[str, Draw]:
    """The matched controls by name: all different, each route in both halves at every depth."""
    generator = random.Random(_SEED)  # noqa: S311
    drawn: list[Draw] = []
    for n_blocks in _DEPTHS:
        for route in _ROUTES:
            for held_out in (False, True) * _PER_CELL:
                control = _draw_new(route, n_blocks, drawn, generator)
                drawn.append(control._replace(held_out=held_out))
    return {f"matched_{number:02d}": control for number, control in enumerate(drawn, start=1)}


def _draw_new(route: str, n_blocks: int, drawn: list[Draw], generator: random.Random) -> Draw:
    """A control, not held out, whose mechanism differs from those of all controls in `drawn`."""
    # Without the half to which each belongs, equal controls have equal mechanisms.
    known = [control._replace(held_out=False) for control in drawn]
    while True:
        control = Draw(
            policy="requested",
            shares=_draw_shares(route, n_blocks, generator),
            relay=route == "relay",
            redundant=route == "redundant",
            n_blocks=n_blocks,
        )
        if control not in known:
            return control


def _draw_shares(route: str, n_blocks: int, generator: random.Random) -> dict[int, float]:
    """By block, the share of the answer that it reads.

    The shares sum to 1; with the route `redundant`, each of the two blocks has a share of 1.
    """
    # Block 1 reads no column for the answer: its logit would be off by up to 0.008
    # (`design.gather`), and answers would give such a control away. In relays, block 1 moves the
    # columns on.
    blocks = range(2, n_blocks + 1)
    if route in ("one block", "relay"):
        return {generator.choice(blocks): 1.0}

    if route == "redundant":
        return dict.fromkeys(sorted(generator.sample(blocks, 2)), 1.0)

    first, *later = sorted(generator.sample(blocks, generator.choice((2, 3))))
    # With -0.5, later blocks undo what the first one does. With 0.05, the first one reads far less
    # than the share of the gap (`alpha`) that rules require.
    share = generator.choice((0.05, 0.2, 0.4, 0.7, -0.5))
    return {first: share} | dict.fromkeys(later, (1 - share) / len(later))


MATCHED = _matched_controls()
