"""What the training rows provide for matched pairs: words, types, numbers of columns, requests."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.data.alignment import Carrier, align
from mechaware.instruments.grounding.data.relation import Relation, relate
from mechaware.instruments.grounding.data.rows import Row, columns_and_types
from mechaware.planted.sql.generation import MIN_COLUMNS, TYPES
from mechaware.planted.sql.pair_words import Tokens, share_a_part


class PairSource(NamedTuple):
    """What pairs are made of.

    - `relation`: which words name which columns in the training rows.
    - `carriers`: the rows that select one column, whose requests the pairs take over.
    - `types`: the types of each column, sorted.
    - `type_lengths`: the number of tokens of each type.
    - `widths`: the number of columns of each row that has two or more. A random element is the
      width of a pair, so wide schemas are as frequent in pairs as in the rows.
    - `tokens`: the tokens of each word that the tokenizer knows.
    - `rare`: columns that cannot be a word of a pair, but may be among the other columns of its
      schema.
    """

    relation: Relation
    carriers: list[Carrier]
    types: dict[str, list[str]]
    type_lengths: dict[str, int]
    widths: list[int]
    tokens: Tokens
    rare: frozenset[str]

    @property
    def usable(self) -> Tokens:
        """The words that a pair may hold."""
        return {word: ids for word, ids in self.tokens.items() if word not in self.rare}

    def described(self) -> str:
        """How many words there are, and which of them no pair holds; for a message."""
        words = self.relation.near.keys()
        # Words that the tokenizer does not know have no tokens.
        unknown = sorted(words - self.tokens.keys())
        examples = f" ({', '.join(unknown[:5])} ...)" if unknown else ""
        n_requests = 0
        n_sharing = 0
        for column, requests in self.relation.names.items():
            n_requests += len(requests)
            n_sharing += sum(share_a_part(column, request) for request in requests)
        return (
            f"{len(words)} words; passed over: {len(unknown)} with unknown tokens{examples}, "
            f"{len(self.rare)} rare columns, {n_sharing} of {n_requests} request words, which "
            "share a part with their column"
        )


def read_source(rows: Sequence[Row], tokens_of: Callable[[str], tuple[int, ...]]) -> PairSource:
    """What the training rows provide for pairs.

    A column is rare if it occurs less than a tenth as often as the median column. TinySQL has some,
    which it renames in a single table.

    Args:
        rows: The training rows.
        tokens_of: The tokens of a word; () for one that the tokenizer does not know.

    Raises:
        UserError: No table has two columns, or the requests cannot be aligned with their SQL.
    """
    # A pair exchanges a second, unasked column, which a table of one column lacks.
    widths = [len(row.table_fields) for row in rows if len(row.table_fields) >= MIN_COLUMNS]
    if not widths:
        raise UserError(
            "grounding/data: no table of the training rows has two columns; take other rows"
        )
    alignment = align(rows)
    relation = relate(alignment.names)

    types = defaultdict[str, set[str]](set)
    count = Counter[str]()
    for row in rows:
        for column, type_ in columns_and_types(row.create_statement):
            types[column].add(type_)
            count[column] += 1
    least = median(count.values()) / 10
    rare = frozenset(column for column in count if count[column] < least)

    # The irrelevant prompt needs another type; rows with one type borrow `TYPES`.
    all_types = set[str]().union(*types.values())
    if len(all_types) < 2:
        all_types.update(TYPES)

    tokens = {}
    for word in sorted(relation.near):
        ids = tokens_of(word)
        if ids:
            tokens[word] = ids
    return PairSource(
        relation=relation,
        carriers=alignment.carriers,
        types={column: sorted(names) for column, names in types.items()},
        type_lengths={type_: len(tokens_of(type_)) for type_ in sorted(all_types)},
        widths=widths,
        tokens=tokens,
        rare=rare,
    )
