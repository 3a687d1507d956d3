"""Matched controls agree in their answer to every prompt; each reads the column elsewhere or by another route.

Their logits are equal to within rounding, so answers cannot tell these controls apart. Only the mechanism differs: they
test whether an instrument finds the blocks in which the column is read.
"""

import random

from mechaware.planted.controls.generator import Draw

_SEED = 48  # of the draws; another one gives other controls
_DEPTHS = (5, 6, 8)  # blocks of a transformer
_ROUTES = ("one block", "shared", "relay", "redundant")
_COPIES = 2  # of each route at each depth in each half


def route_of(draw: Draw) -> str:
    """How the column reaches the answer: by `one block`, `shared` among blocks, by a `relay`, or `redundant`."""
    if draw.relay:
        return "relay"
    if draw.redundant:
        return "redundant"
    return "one block" if len(draw.shares) == 1 else "shared"


def _matched_controls() -> dict[str, Draw]:
    """The matched controls by name: all different, with each route in both halves at every depth."""
    generator = random.Random(_SEED)  # noqa: S311
    drawn: list[Draw] = []
    for n_blocks in _DEPTHS:
        for route in _ROUTES:
            for held_out in (False, True) * _COPIES:
                control = _draw_new(route, n_blocks, drawn, generator)
                drawn.append(control._replace(held_out=held_out))
    return {f"matched_{number:02d}": control for number, control in enumerate(drawn, start=1)}


def _draw_new(route: str, n_blocks: int, drawn: list[Draw], generator: random.Random) -> Draw:
    """A control that differs from all in `drawn` in more than its half."""
    known = [control._replace(held_out=False) for control in drawn]
    while True:
        control = Draw(
            "requested",
            _draw_shares(route, n_blocks, generator),
            relay=route == "relay",
            redundant=route == "redundant",
            n_blocks=n_blocks,
        )
        if control not in known:
            return control


def _draw_shares(route: str, n_blocks: int, generator: random.Random) -> dict[int, float]:
    """The part of the answer that each block reads; together they give all of it, redundant ones all of it each."""
    # Block 1 is left to relays, which move the columns on there. A column that block 1 reads for the answer gets a
    # logit that is off by up to 0.008 (`design.gather`), so answers would give such a control away.
    blocks = range(2, n_blocks + 1)
    if route in ("one block", "relay"):
        return {generator.choice(blocks): 1.0}

    if route == "redundant":
        return dict.fromkeys(sorted(generator.sample(blocks, 2)), 1.0)

    first, *later = sorted(generator.sample(blocks, generator.choice((2, 3))))
    # With -0.5, later blocks undo what the first one does; 0.05 is less than any rule asks for.
    share = generator.choice((0.05, 0.2, 0.4, 0.7, -0.5))
    return {first: share} | dict.fromkeys(later, (1 - share) / len(later))


MATCHED = _matched_controls()
