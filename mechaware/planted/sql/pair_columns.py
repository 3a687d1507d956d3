"""Draws the columns of a pair's schema that the request does not ask for."""

import random
from collections.abc import Collection, Sequence
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.planted.sql.pair_source import PairSource
from mechaware.planted.sql.pair_words import PairWords, Tokens


class PairColumns(NamedTuple):
    """The columns of a pair, except the wanted one.

    - `unasked`: a column that is not asked for.
    - `replacement`: the column that replaces it in the pair's unasked prompt, which otherwise
      equals the clean prompt.
    - `others`: the remaining columns of the schema.
    """

    unasked: str
    replacement: str
    others: list[str]


def draw_columns(
    words: PairWords, width: int, source: PairSource, generator: random.Random
) -> PairColumns:
    """The columns of a schema that has `width` columns, without the wanted one.

    They are the unasked column and `width` - 2 others, and the replacement of the unasked column.

    - Every column, the replacement included, is unrelated to the words of the pair and begins with
      a token with which no other column and no answer begins.
    - The `width` - 2 others are also unrelated to the unasked column and to its replacement.
    - The replacement has as many tokens as the unasked column and is unrelated to it. Neither is
      rare (`PairSource.rare`).

    Raises `UserError` if the training rows have too few such columns.
    """
    pair_words = [word for word in words if word]
    free = _free_columns(words, source, generator)
    frequent = [column for column in free if column not in source.rare]
    exchange = _find_exchange(frequent, source)

    others: list[str] = []
    if exchange is not None:
        for column in free:
            if len(others) == width - 2:
                break
            is_unrelated = source.relation.unrelated(column, exchange)
            if is_unrelated and _begins_differently(column, [*exchange, *others], source.tokens):
                others.append(column)
    if exchange is None or len(others) < width - 2:
        raise UserError(
            f"grounding/data: {len(source.relation.database)} columns of the training rows give "
            f"fewer than {width} that are unrelated to {', '.join(pair_words)} and begin with "
            "different tokens; take rows with more columns"
        )
    unasked, replacement = exchange
    return PairColumns(unasked, replacement, others)


def _free_columns(words: PairWords, source: PairSource, generator: random.Random) -> list[str]:
    """The columns that suit the words of a pair, in random order.

    The tokenizer knows such a column, its first token is not the first of an answer, and it is
    unrelated to the words of the pair.
    """
    pair_words = [word for word in words if word]
    answers = [word for word in (words.clean, words.corrupted, words.third) if word]
    free = []
    database = source.relation.database
    for column in generator.sample(database, len(database)):
        if column not in source.tokens:
            continue
        begins_differently = _begins_differently(column, answers, source.tokens)
        if begins_differently and source.relation.unrelated(column, pair_words):
            free.append(column)
    return free


def _find_exchange(columns: Sequence[str], source: PairSource) -> tuple[str, str] | None:
    """The first column that another one can replace, and the first that can replace it.

    The two have equally many tokens, begin with different ones, and are unrelated. None if no
    column can be replaced.
    """
    tokens = source.tokens
    for unasked in columns:
        for replacement in columns:
            if len(tokens[replacement]) != len(tokens[unasked]):
                continue
            begins_differently = _begins_differently(replacement, [unasked], tokens)
            if begins_differently and source.relation.unrelated(replacement, [unasked]):
                return unasked, replacement
    return None


def _begins_differently(column: str, others: Collection[str], tokens: Tokens) -> bool:
    """Whether the first token of `column` is the first token of none of `others`."""
    return tokens[column][0] not in {tokens[other][0] for other in others}
