"""Draws controls at random: what they read, in which blocks, and how strong their habit is.

The choices are those of `Draw`, which also gives the truth about a control and its transformer.
"""

import random
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from mechaware.planted.controls.design import N_BLOCKS
from mechaware.planted.controls.draw import Draw

_SEED = 35  # another seed gives other controls


class _Behaviour(NamedTuple):
    """What a control does, as the fields of `Draw` of the same names.

    Where and how strongly it reads is drawn.
    """

    policy: str
    gate: str = ""
    otherwise: str = ""
    lowers: bool = False


_GROUNDED = _Behaviour("requested")

# What controls do that do not ground, or not in every prompt.
_SHORTCUTS = (
    _Behaviour("first"),
    _Behaviour("last"),
    _Behaviour("first", gate="request", otherwise="last"),
    _Behaviour("first", gate="table", otherwise="last"),
    _Behaviour("requested", gate="word", otherwise="none"),
    _Behaviour("requested", gate="request", otherwise="last"),
    _Behaviour("none"),
    _Behaviour("requested", lowers=True),
    _Behaviour("requested", gate="table", otherwise="first"),
    _Behaviour("requested", gate="word", otherwise="first"),
)


@cache
def drawn_controls(count: int) -> dict[str, Draw]:
    """`count` controls by name, from `drawn_01`; a larger `count` appends others.

    Of every four controls in a row, the first two ground, and the second of these is held out. The
    other two have the same shortcut, and both or neither are held out, so that no shortcut is in
    both halves. A control whose shortcut has a gate also grounds if the gate happens to be open in
    every prompt.
    """
    generator = random.Random(_SEED)  # noqa: S311
    controls = {}
    for number in range(1, count + 1):
        controls[f"drawn_{number:02d}"] = _draw_control(number, generator)
    return controls


def drawn_control(name: str) -> Draw:
    """The drawn control of this name."""
    return drawn_controls(int(name.removeprefix("drawn_")))[name]


def _draw_control(number: int, generator: random.Random) -> Draw:
    """The drawn control of this number, from 1.

    The order in which `generator` is called decides which controls there are.
    """
    # Of every four in a row, two ground and two have the same shortcut.
    quartet, index_in_quartet = divmod(number - 1, 4)
    if index_in_quartet < 2:
        behaviour = _GROUNDED
        held_out = index_in_quartet == 1
    else:
        behaviour = _SHORTCUTS[quartet % len(_SHORTCUTS)]
        held_out = quartet % 2 == 1
    policy = behaviour.policy
    gate = behaviour.gate
    otherwise = behaviour.otherwise
    lowers = behaviour.lowers

    relay = policy == "requested" and not gate and generator.random() < 0.2
    # Block 1 sets gates and the mark of the first column, and moves columns for a relay. A control
    # that needs any of these reads in later blocks. So of the controls here, block 1 can read a
    # requested or a last column, without a gate and a relay.
    needs_block_1 = relay or bool(gate) or "first" in (policy, otherwise)
    candidates = range(2 if needs_block_1 else 1, N_BLOCKS + 1)
    n_reading = generator.randint(1, len(candidates))
    blocks = sorted(generator.sample(candidates, n_reading))

    redundant = len(blocks) == 2 and not lowers and generator.random() < 0.5
    # Of `raised` and `habit`, 0 is twice as likely as any other value. A habit of 12 logits exceeds
    # what reading gives (`draw.STRENGTH`).
    raised = 0.0
    if not redundant and not lowers:
        raised = generator.choice((0.0, 0.0, 2.0, 4.0, 9.0))
    habit = 0.0
    if not lowers:
        habit = generator.choice((0.0, 0.0, 3.0, 6.0, 12.0))
    shares = _draw_shares(blocks, generator, redundant=redundant)

    if policy == "none":
        # Nothing is read for the answer, which is a habit; all columns are raised alike.
        shares = {}
        redundant = False
        habit = generator.choice((6.0, 12.0))
        raised = raised or 4.0

    return Draw(
        policy,
        shares,
        gate=gate,
        gate_share=generator.choice((0.5, 0.75, 0.9)),
        otherwise=otherwise,
        relay=relay,
        redundant=redundant,
        habit=habit,
        raised=raised,
        lowers=lowers,
        held_out=held_out,
    )


def _draw_shares(
    blocks: Sequence[int], generator: random.Random, *, redundant: bool
) -> dict[int, float]:
    """By block, the part of the answer that it reads.

    It is 1 for each block if `redundant`; otherwise the parts sum to 1, and are equal or not.
    """
    if redundant:
        return dict.fromkeys(blocks, 1.0)
    if len(blocks) == 1 or generator.random() >= 0.5:
        return dict.fromkeys(blocks, 1 / len(blocks))

    first, *later = blocks
    # With -0.5, later blocks undo what the first one does.
    share = generator.choice((0.2, 0.4, 0.7, -0.5))
    return {first: share} | dict.fromkeys(later, (1 - share) / len(later))
