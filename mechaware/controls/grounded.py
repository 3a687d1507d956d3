"""Transformers that answer with the column that the request asks for: they differ in the blocks that read the schema.

Where no column fits the request, all columns of the schema have the same logit.
"""

from mechaware.controls.design import (
    BRING_REQUEST,
    MARK_EARLY,
    SHARP,
    WORD,
    Design,
    Units,
    gather,
    match,
    take_from_previous,
)


def find_among_gathered(share: float = 1.0) -> tuple[Units, Units]:
    """Units that keep `share` of the gathered words that are sought, and nothing of the others.

    A word that is gathered (1) and sought (1) has 2, all others have at most 1.5.
    """
    found = Units(read={WORD: 1.0, "sought": 1.0}, threshold=1.75, write={WORD: 4 * share})
    return found, Units(read={WORD: 1.0}, threshold=0.0, write={WORD: -1.0})


def grounded(reading_block: int) -> Design:
    """Block 1 brings the request to the final position; there, the reading block (2 or later) copies the match."""
    return Design({1: (BRING_REQUEST,), reading_block: (match(),)}, {})


GROUNDED_1 = Design({1: (BRING_REQUEST, gather("other"))}, {1: find_among_gathered()})
"""Block 1 brings the request and, at the same time, all columns; its MLP finds the column that both name."""

RELAY = Design(
    {
        1: (BRING_REQUEST, take_from_previous("code", "code"), take_from_previous(WORD, WORD)),
        3: (match(key={"constant": -SHARP, "other": SHARP}),),
    },
    {},
)
"""In block 1 each position takes over the word before it. In block 3 the match is sought among those that are no column
themselves, so it is read from the position after the column."""


def split(share: float) -> Design:
    """Block 1 gives `share` of the answer as `GROUNDED_1` does, and block 3 the rest as `grounded(3)` does."""
    heads = {1: (BRING_REQUEST, gather("other")), 3: (match(share=1 - share),)}
    return Design(heads, {1: find_among_gathered(share)})


REDUNDANT = Design(
    {1: (BRING_REQUEST, gather("other")), 3: (match(),)},
    {1: find_among_gathered(), 4: (Units(read={WORD: 1.0}, threshold=1.0, write={WORD: -1.0}),)},
)
"""Blocks 1 and 3 each give the whole answer, and the MLP of block 4 makes 1 of 2: one of the two readings is enough."""

BY_PLACE = Design(
    {
        1: (BRING_REQUEST, take_from_previous("opening", "mark")),
        2: (
            match(key={"mark": SHARP, "first": 1.75 * SHARP}),
            match(share=-0.5, key={"mark": -SHARP}),
        ),
        3: (match(share=1.5, key={"mark": -SHARP}),),
    },
    {},
)
"""Block 1 marks the first column. Block 2 copies the match if it is marked, and takes off half of it if it is not;
block 3 then adds one and a half. After block 2 a patch recovers nothing of the first kind and too much of the second:
the best layers of the pairs differ."""

ASKED_ABOVE_OTHERS = Design(
    {1: (BRING_REQUEST, MARK_EARLY), 2: (gather("other", "early"),), 3: (match(share=1.5),)}, {}, answer_logit=4.0
)
"""Block 2 gives every column of the schema a logit of 4, and block 3 another 6 to the one that is asked for."""
