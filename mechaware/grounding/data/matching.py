"""Makes matched pairs in five categories from the requests, tables, columns and types of training rows."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from statistics import median
from typing import NamedTuple

from mechaware.errors import UserError
from mechaware.grounding.data.alignment import PART, Carrier, align
from mechaware.grounding.data.pair_words import Words, draw_words
from mechaware.grounding.data.pairs import Pair
from mechaware.grounding.data.relation import Relation, relate
from mechaware.grounding.data.rows import Row, columns_and_types, prompt_of
from mechaware.grounding.data.sql import MIN_COLUMNS, TYPES, create_statement
from mechaware.grounding.names import CATEGORIES, SYNONYMS
from mechaware.seeds import derive_seed


class PairSource(NamedTuple):
    """What pairs are made of: `types` of each column, `all_types` of any, `widths`, the numbers of columns of the rows.

    Of all words, `tokens` are those that are one token, without rare columns; `split` are those that are several.
    """

    relation: Relation
    carriers: list[Carrier]
    types: dict[str, list[str]]
    all_types: list[str]
    widths: list[int]
    tokens: frozenset[str]
    split: list[str]

    def passed_over(self) -> str:
        """How many words are passed over because they are not one token, with the first of them."""
        n_words = len({*self.relation.database, *self.relation.non_database})
        examples = f": {', '.join(self.split[:5])} ..." if self.split else ""
        return f"{len(self.split)} of {n_words} words are not one token{examples}"


def read_source(rows: Sequence[Row], is_token: Callable[[str], bool]) -> PairSource:
    """What `rows`, the training rows, provide for pairs with words that `is_token` accepts.

    A column is rare if it occurs less than a tenth as often as the median column. TinySQL has some, which it renames in
    one table alone. Raises `UserError` if no table has two columns, or if requests cannot be aligned with their SQL.
    """
    widths = [len(row.table_fields) for row in rows if len(row.table_fields) >= MIN_COLUMNS]
    if not widths:
        raise UserError("grounding/data: no table of the training rows has two columns; take other rows")
    alignment = align(rows)
    relation = relate(alignment.names)
    columns = [column for row in rows for column in columns_and_types(row.create_statement)]
    types = defaultdict[str, set[str]](set)
    for column, type_ in columns:
        types[column].add(type_)
    all_types = {type_ for _, type_ in columns}
    count = Counter(column for column, _ in columns)
    rare = {column for column in count if count[column] < median(count.values()) / 10}
    words = {*relation.database, *relation.non_database}
    split = {word for word in words if not is_token(word)}
    return PairSource(
        relation,
        alignment.carriers,
        {column: sorted(names) for column, names in types.items()},
        sorted(all_types if len(all_types) > 1 else all_types.union(TYPES)),
        widths,
        frozenset(words - split - rare),
        sorted(split),
    )


def make_pairs(source: PairSource, *, per_category: int, seed: int) -> list[Pair]:
    """`per_category` different pairs of each category.

    Phrasing and table are those of a training row that selects one column; a column has a type that it has in a row.
    Raises `UserError` for a category that the words of `source` cannot fill, and for too few columns or requests.
    """
    pairs = []
    for category in CATEGORIES:
        draw = random.Random(derive_seed(seed, category))  # noqa: S311
        drawn = draw_words(category, source.relation, source.tokens, per_category, draw)
        if len(drawn) < per_category:
            raise UserError(
                f"category {category}: {len(drawn)} pairs of {per_category} can be made ({source.passed_over()}); take "
                "training rows with more columns and synonyms (grounding/data), or fewer pairs "
                "(grounding/pairs_per_category)"
            )
        places = _draw_places(per_category, source.widths, draw)
        for number, (words, place, width) in enumerate(zip(drawn, *places, strict=True), start=1):
            pairs.append(_make_pair(f"{category}-{number:02d}", category, words, place, width, source, draw))
    return pairs


def _draw_places(count: int, widths: Sequence[int], draw: random.Random) -> tuple[list[int], list[int]]:
    """`count` places, from 1, and numbers of columns; every place comes as often as the numbers of columns allow."""
    used: dict[int, int] = defaultdict(int)
    drawn = []
    for width in sorted(draw.choice(widths) for _ in range(count)):  # the fewer columns, the fewer places
        place = min(draw.sample(range(1, width + 1), width), key=lambda place: used[place])
        used[place] += 1
        drawn.append((place, width))
    shuffled = draw.sample(drawn, count)
    return [place for place, _ in shuffled], [width for _, width in shuffled]


def _make_pair(
    id_: str, category: str, words: Words, place: int, width: int, source: PairSource, draw: random.Random
) -> Pair:
    """The pair of `words` with the wanted column at `place` of `width` columns; all else is drawn."""
    wanted = [word for word in words if word]
    carrier = _draw_carrier(wanted, source.carriers, draw)
    unasked, replacement, *others = _draw_columns(wanted, width, carrier, source, draw)
    others = draw.sample([unasked, *others], width - 1)
    columns = [*others[: place - 1], words.clean, *others[place - 1 :]]
    typed = words.clean if words.clean in source.types else words.request  # of the two, one is a column of the rows
    types = [draw.choice(source.types[typed if column == words.clean else column]) for column in columns]

    def prompt(replaced: str = "", replacing: str = "", types: Sequence[str] = types) -> str:
        names = [replacing if column == replaced else column for column in columns]
        schema = create_statement(carrier.row.table_name, list(zip(names, types, strict=True)))
        return f"{prompt_of(carrier.before + words.request + carrier.after, schema)} SELECT"

    return Pair(
        id=id_,
        category=category,
        place=place,
        columns=columns,
        request_word=words.request,
        clean=words.clean,
        corrupted=words.corrupted,
        third=words.third,
        unasked=unasked,
        replacement=replacement,
        clean_prompt=prompt(),
        corrupted_prompt=prompt(words.clean, words.corrupted),
        third_prompt=prompt(words.clean, words.third) if words.third else "",
        unasked_prompt=prompt(unasked, replacement),
        both_prompt="" if category in SYNONYMS else prompt(unasked, words.corrupted),
        irrelevant_prompt=prompt(types=_change_one(types, source.all_types, draw)),
    )


def _draw_carrier(wanted: Collection[str], carriers: Sequence[Carrier], draw: random.Random) -> Carrier:
    """A row whose request and table have none of the pair's words beside the phrase that gives way to one of them."""
    for carrier in draw.sample(carriers, len(carriers)):
        if not any(_mentions(carrier, word) for word in wanted):
            return carrier
    raise UserError(
        f"grounding/data: {len(carriers)} training requests are for one column, and none is without "
        f"{', '.join(wanted)} in its other words and its table; take more rows"
    )


def _mentions(carrier: Carrier, word: str) -> bool:
    """Whether the request beside its phrase, or the table, holds `word`; an underscore and a space are the same."""
    text = f"{carrier.before} {carrier.row.table_name} {carrier.after}".lower().replace("_", " ")
    return f" {word.lower().replace('_', ' ')} " in f" {' '.join(PART.findall(text))} "


def _draw_columns(
    wanted: Collection[str], width: int, carrier: Carrier, source: PairSource, draw: random.Random
) -> list[str]:
    """The unasked column and its replacement, which are one token each, and `width` - 2 other columns.

    The request mentions none of them. They are unrelated to the wanted words and to the first two.
    """
    database = draw.sample(source.relation.database, len(source.relation.database))
    drawn: list[str] = []
    for candidates, count in (([word for word in database if word in source.tokens], 2), (database, width)):
        for column in candidates:
            if len(drawn) == count:
                break
            free = column not in drawn and source.relation.unrelated(column, [*wanted, *drawn[:2]])
            if free and not _mentions(carrier, column):
                drawn.append(column)
    if len(drawn) < width:
        raise UserError(
            f"grounding/data: {len(database)} columns of the training rows give fewer than {width} that are unrelated "
            f"to {', '.join(wanted)}; take rows with more columns"
        )
    return drawn


def _change_one(types: Sequence[str], all_types: Sequence[str], draw: random.Random) -> list[str]:
    """The types with another one in one place."""
    changed = list(types)
    at = draw.randrange(len(types))
    changed[at] = draw.choice([name for name in all_types if name != types[at]])
    return changed
