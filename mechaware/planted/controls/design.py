"""The mechanism of a transformer as plain data: what its heads and MLPs read and write.

The residual stream is a set of features, each with dimensions of its own. Token embeddings hold

- `word`: the word, if it is a column of some schema, as one dimension for each such word;
- `code`: the same as a shorter vector of length 1 (`_word_codes` in assembly.py), for attention to match;
- `sought`: the columns that the word may mean as a request word, the union of their codes;
- `constant`, which is 1 everywhere;
- flags, 1 or 0: `opening` (the token ` (`), `context` (` Context`), `final` (` SELECT`), `request` (a request word),
  `table` (the table of some schema), `gate` (a word that opens a gate, as words.py finds it) and `other` (not a
  column of any schema).

Position embeddings hold `first` (1 at the first position), `late` (the index as a share of the context) and the bits of
the index and of the previous index, `position` and `previous`, +1 or -1. The flags `early`, `mark` and `chosen` start
at zero.

Heads and MLPs may write any feature. At the final position `word` and `sought` start at zero, and the logit of a column
word is its `word` there times `answer_logit`.
"""

from collections.abc import Mapping
from math import log
from typing import NamedTuple

WORD = "word"
CODES = ("code", "sought")
INDICES = ("position", "previous")

# A weighted sum of features of one width; as a target, the features that get it, weighted.
Form = Mapping[str, float]

# A part of an attention score: the form of the query position times the form of the key position.
Score = tuple[Form, Form]


class Head(NamedTuple):
    """An attention head: `write` gets, at each position, the mean of `read` weighted by the attention there.

    The score of a key position for a query position is the sum over `scores` of (query form . key form).
    """

    scores: tuple[Score, ...]
    read: Form
    write: Form


class Units(NamedTuple):
    """One MLP unit for each column word c: at the final position it adds relu(`read` . c - `threshold`) c to `write`.

    In the feature `word`, c is the dimension of the word; in `sought`, it is the code of the word.
    """

    read: Form
    threshold: float
    write: Form


N_BLOCKS = 4  # of a transformer, unless its design says otherwise


class Design(NamedTuple):
    """A transformer of `n_blocks`: its heads and MLP units by block, from 1.

    `answer_logit`: the logit of a word whose feature `word` is 1 at the final position.
    """

    heads: Mapping[int, tuple[Head, ...]]
    units: Mapping[int, tuple[Units, ...]]
    answer_logit: float = 10.0
    n_blocks: int = N_BLOCKS


# The scores of competing positions differ by at least 200, and exp(-200) is 0 in float32: attention is exactly 1 or 0.
# A state that is ablated to zeros scores 0, less than the position that the head attends to when nothing matches.
SHARP = 800.0
# The scores of neighbouring positions differ by this over the length of the context, at most 1,024.
LATE = 2.0**18
# A head that gathers columns attends this many times as much to the first position, which has no word, as to a column.
_SINK = 2.0**16

# Every position except the final one attends to the first, which holds no column and no request word.
TO_FIRST: Score = ({"constant": 1.0, "final": -1.0}, {"first": 2 * SHARP})

BRING_REQUEST = Head(
    scores=(TO_FIRST, ({"final": 1.0}, {"request": LATE, "late": -LATE})),
    read={"sought": 1.0},
    write={"sought": 1.0},
)
"""The final position copies `sought` of the earliest request word."""

MARK_EARLY = Head(
    scores=(({"constant": 1.0}, {"context": 2 * SHARP, "first": SHARP}),),
    read={"first": 1.0},
    write={"early": 1.0},
)
"""Marks the request as `early`: a position that does not yet see ` Context` copies the flag of the first one."""


def match(*, share: float = 1.0, key: Form | None = None) -> Head:
    """The final position adds `share` times the `word` of the position whose `code` is sought to its own `word`.

    The form `key` is added to the scores of all positions. Without a match the final position attends to the first. A
    word that is not sought has at most half of its code in common with those that are, and the threshold is 0.75.
    """
    threshold = {"first": 0.75 * SHARP}  # between a match, 1, and half a code, 0.5
    by_code: Score = ({"sought": 1.0}, {"code": SHARP})
    by_key: Score = ({"final": 1.0}, threshold | dict(key or {}))
    return Head((TO_FIRST, by_code, by_key), read={WORD: 1.0}, write={WORD: share})


def gather(*excluded: str, share: float = 1.0) -> Head:
    """The final position adds up `share` times the words of all positions without the flags `excluded`.

    All columns have the score 0, so attention gives the mean of k columns and a sink that weighs as much as `_SINK` of
    them. Multiplied by `_SINK` it is the sum of the columns times 1 / (1 + k / _SINK).
    """
    # The first position has the excluded flags itself; its score makes up for them.
    key = dict.fromkeys(excluded, -SHARP) | {"first": len(excluded) * SHARP + log(_SINK)}
    return Head((TO_FIRST, ({"final": 1.0}, key)), read={WORD: 1.0}, write={WORD: share * _SINK})


def take_from_previous(read: str, write: str) -> Head:
    """Every position adds a feature of the position before it to `write`; the first position adds its own."""
    return Head((({"previous": 1.0}, {"position": SHARP}),), read={read: 1.0}, write={write: 1.0})


MARK_FIRST = take_from_previous("opening", "mark")
"""Marks the position of the first column."""


def find_among_gathered(share: float = 1.0) -> tuple[Units, Units]:
    """Units that keep `share` of the gathered words that are sought, and remove the others.

    A word that is gathered (1) and sought (1) sums to 2, every other word to at most 1.5: a word that is not sought has
    at most half of its code in common with those that are. The threshold 1.75 leaves 0.25, hence the factor 4.
    """
    keep_sought = Units(read={WORD: 1.0, "sought": 1.0}, threshold=1.75, write={WORD: 4 * share})
    remove_all = Units(read={WORD: 1.0}, threshold=0.0, write={WORD: -1.0})
    return keep_sought, remove_all


def suggest(weight: float) -> Units:
    """Units that give `weight` to every word that the request may mean: 1 minus the threshold of 0.75 leaves 1/4."""
    return Units(read={"sought": 1.0}, threshold=0.75, write={WORD: 4 * weight})
