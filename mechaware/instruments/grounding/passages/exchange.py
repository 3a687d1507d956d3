"""Which passage each item gets in place of its own: another one of about its length."""

import random
from collections.abc import Sequence

# Passages are exchanged within a block of this many passages of neighbouring length. Larger blocks
# mix lengths. Smaller ones would pair a passage with its nearest neighbour, which may be an edit of
# it.
_BLOCK = 8


def exchange_passages(passages: Sequence[str], seed: int) -> dict[str, str]:
    """By passage, another one: a permutation of the different passages without a fixed point, the
    same for one `seed`.

    The passages are sorted by length and cut into blocks of eight; the last has eight to fifteen,
    or all if there are fewer. In a block, in random order, each passage gets the next one, and the
    last the first: of the block A B C, A gets B, B gets C, and C gets A. A passage without another
    gets itself.
    """
    ordered = sorted(set(passages), key=lambda passage: (len(passage), passage))
    generator = random.Random(seed)  # noqa: S311

    n_blocks = max(1, len(ordered) // _BLOCK)
    starts = [number * _BLOCK for number in range(n_blocks)]
    ends = [*starts[1:], len(ordered)]  # the last block takes the remainder

    exchanged: dict[str, str] = {}
    for start, end in zip(starts, ends, strict=True):
        block = ordered[start:end]
        generator.shuffle(block)
        next_in_block = block[1:] + block[:1]
        exchanged |= dict(zip(block, next_in_block, strict=True))
    return exchanged
