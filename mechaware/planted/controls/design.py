"""The mechanism of a transformer as plain data: what its heads and MLPs read and write.

The residual stream is a set of features, each with dimensions of its own. Token embeddings hold

- `word`: the word, if it is a column of some schema, as one dimension for each such word;
- `code`: the same word as a vector of norm 1 (`_word_codes` in assembly.py), by which attention
  matches words; with many column words it has fewer dimensions than `word`;
- `sought`: the columns that the word may mean as a request word, the union of their codes;
- `constant`, which is 1 everywhere;
- flags, 1 or 0: `opening` (the token ` (`), `context` (` Context`), `final` (` SELECT`), `request`
  (a request word), `table` (the table of some schema), `gate` (a word that opens a gate, as
  gates.py finds it) and `other` (not a column of any schema).

Position embeddings hold `first` (1 at the first position), `late` (the index as a share of the
context) and the bits of the index and of the previous index, `position` and `previous`, +1 or -1.

Three flags start at zero, and heads write them: `early` (before ` Context`), `mark` (the first
column) and `chosen` (at the final position: the gate is open). Heads and MLPs may write any other
feature as well. At the final position `word` and `sought` start at zero, and the logit of a column
word is its `word` there times `answer_logit`.
"""

from collections.abc import Mapping
from math import log
from typing import NamedTuple

WORD = "word"
CODES = ("code", "sought")  # the features that hold codes of words
INDICES = ("position", "previous")  # the features that hold bits of an index

# Features of one width, each with a weight. A head or unit reads the weighted sum of the features;
# what it writes is added to each feature, times the feature's weight.
Form = Mapping[str, float]

# A part of an attention score: the form of the query position times the form of the key position.
Score = tuple[Form, Form]


class Head(NamedTuple):
    """An attention head.

    At each position it adds to `write` the mean of `read`, weighted by the attention there. The
    score of a key position for a query position is the sum over `scores` of
    (query form . key form).
    """

    scores: tuple[Score, ...]
    read: Form
    write: Form


class Units(NamedTuple):
    """One MLP unit for each column word c.

    At the final position it adds relu(`read` . c - `threshold`) c to `write`. In the feature
    `word`, c is the dimension of the word; in `sought`, it is the code of the word.
    """

    read: Form
    threshold: float
    write: Form


N_BLOCKS = 4  # of a transformer, unless its design has another number


class Design(NamedTuple):
    """A transformer of `n_blocks`: its heads and MLP units by block, from 1.

    `answer_logit`: the logit of a word whose feature `word` is 1 at the final position.
    """

    heads: Mapping[int, tuple[Head, ...]]
    units: Mapping[int, tuple[Units, ...]]
    answer_logit: float = 10.0
    n_blocks: int = N_BLOCKS


# The scores of competing positions differ by at least 200, and exp(-200) is 0 in float32: attention
# is exactly 1 or 0. A state that is ablated to zeros scores 0, less than the position that the head
# attends to when nothing matches.
SHARP = 800.0
# The scores of neighbouring positions differ by LATE over the length of the context, which is at
# most 1,024: by at least 256.
LATE = 2.0**18
# A head that gathers columns attends this many times as much to the first position, which has no
# word, as to a column.
_SINK = 2.0**16

# Every position except the final one attends to the first, which holds no column and no request
# word. The query form is 0 at the final position, and 1 at all others.
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
"""Marks the request as `early`: a position before ` Context` copies the flag `first` to `early`.

A later position sees ` Context`, whose score is twice the score of the first position, and copies 0
from there.
"""


def match(*, share: float = 1.0, key: Form | None = None) -> Head:
    """The final position adds the word that is sought, times `share`, to its own `word`.

    It attends to the position whose `code` is sought, and to the first position if there is none.
    The form `key` is added to the scores of all positions; its `first` replaces the threshold.
    """
    # In units of SHARP, a sought word scores 1, and any other word at most 0.5, since it shares at
    # most half of its code with the union of the sought codes. The first position scores in
    # between.
    threshold = {"first": 0.75 * SHARP}
    by_code: Score = ({"sought": 1.0}, {"code": SHARP})
    by_key: Score = ({"final": 1.0}, threshold | dict(key or {}))
    return Head((TO_FIRST, by_code, by_key), read={WORD: 1.0}, write={WORD: share})


def gather(*excluded: str, share: float = 1.0) -> Head:
    """The final position adds `share` times the sum of the words at all positions.

    Positions with one of the flags `excluded` are left out. The k other positions, of columns, have
    the score 0. The first position has no word, and weighs as much as `_SINK` columns. So
    attention gives (sum of the columns) / (k + _SINK). Times `_SINK`, this is the sum of the
    columns times 1 / (1 + k / _SINK), almost the sum itself.
    """
    # The first position also has the excluded flags; its score makes up for them.
    key = dict.fromkeys(excluded, -SHARP) | {"first": len(excluded) * SHARP + log(_SINK)}
    return Head((TO_FIRST, ({"final": 1.0}, key)), read={WORD: 1.0}, write={WORD: share * _SINK})


def take_from_previous(read: str, write: str) -> Head:
    """Every position adds the feature `read` of the previous position to its feature `write`.

    The first position adds its own.
    """
    return Head((({"previous": 1.0}, {"position": SHARP}),), read={read: 1.0}, write={write: 1.0})


MARK_FIRST = take_from_previous("opening", "mark")
"""Marks the position of the first column."""


def find_among_gathered(share: float = 1.0) -> tuple[Units, Units]:
    """Units that keep `share` of the gathered words that are sought, and remove the others.

    A word that is gathered (1) and sought (1) sums to 2. Every other word sums to at most 1.5: a
    word that is not sought has at most half of its code in common with those that are. Above the
    threshold 1.75, 0.25 of the 2 are left, hence the factor 4.
    """
    keep_sought = Units(read={WORD: 1.0, "sought": 1.0}, threshold=1.75, write={WORD: 4 * share})
    remove_all = Units(read={WORD: 1.0}, threshold=0.0, write={WORD: -1.0})
    return keep_sought, remove_all


def suggest(weight: float) -> Units:
    """Units that give `weight` to every word that the request may mean.

    A sought word has 1, of which 1/4 is above the threshold 0.75, hence the factor 4. Any other
    word has at most 0.5.
    """
    return Units(read={"sought": 1.0}, threshold=0.75, write={WORD: 4 * weight})
