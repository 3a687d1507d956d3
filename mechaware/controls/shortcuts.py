"""Transformers that do not ground: they ignore the request or the schema, or lower the word that they should answer."""

from mechaware.controls.design import (
    BRING_REQUEST,
    MARK_EARLY,
    SHARP,
    TO_FIRST,
    WORD,
    Design,
    Head,
    Units,
    gather,
    match,
    take_from_previous,
)


def first_column(reading_block: int) -> Design:
    """Answers with the schema's first column: block 1 marks the position after ` (`, a later block copies its word."""
    scores = (TO_FIRST, ({"final": 1.0}, {"mark": SHARP, "first": SHARP / 2}))
    copy = Head(scores, read={WORD: 1.0}, write={WORD: 1.0})
    return Design({1: (take_from_previous("opening", "mark"),), reading_block: (copy,)}, {})


ANY_COLUMN = Design({1: (MARK_EARLY,), 2: (gather("other", "early"),)}, {})
"""Gives every column the same logit: block 1 marks what precedes ` Context`, block 2 gathers the columns after it."""

SUPPRESSOR = Design({1: (BRING_REQUEST,), 2: (match(),)}, {}, answer_logit=-10.0)
"""Finds the column that the request asks for, as `grounded(2)` does, and lowers its logit."""


def suggest(weight: float) -> Units:
    """Units that give `weight` to every word that the request may mean."""
    return Units(read={"sought": 1.0}, threshold=0.75, write={WORD: 4 * weight})


SCHEMA_BLIND = Design({1: (BRING_REQUEST,)}, {1: (suggest(1.0),)})
"""Gives every word that the request may mean the same logit, whatever the schema holds."""

HABIT = Design(
    {1: (BRING_REQUEST, MARK_EARLY), 2: (gather("other", "early"),)},
    {1: (suggest(2.0),)},
    answer_logit=5.0,
)
"""Gives every word that the request may mean a logit of 10, whatever the schema holds, and every column 5 more,
whatever is asked: it answers rightly where a column fits, and with a word that the schema lacks where none does."""
