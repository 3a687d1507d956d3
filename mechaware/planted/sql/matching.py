"""Makes matched pairs in the paper's five categories from the requests, tables, columns and types of training rows."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.seeds import derive_seed
from mechaware.instruments.grounding.data.alignment import PART, Carrier, align
from mechaware.instruments.grounding.data.pairs import PLACE_SHORTCUTS, Pair, Prompt
from mechaware.instruments.grounding.data.relation import Relation, relate
from mechaware.instruments.grounding.data.rows import (
    Row,
    columns_and_types,
    create_table_sql,
    prompt_of,
)
from mechaware.instruments.grounding.names import CATEGORIES, SYNONYMS
from mechaware.planted.sql.generation import MIN_COLUMNS, TYPES
from mechaware.planted.sql.pair_words import (
    DEFINITIONS,
    PairWords,
    Tokens,
    draw_words,
    share_a_part,
)

# Marks by which the rules' readers and the controls' heads find the parts of a prompt.
_MARKS = (
    " SELECT ",
    " Context",
    " (",
    "###",
)


class PairSource(NamedTuple):
    """What pairs are made of.

    - `relation`: which words name which columns in the training rows.
    - `carriers`: the rows that select one column, whose requests the pairs take over.
    - `types`: the types of each column, sorted.
    - `type_lengths`: the number of tokens of each type.
    - `widths`: the number of columns of each row that has two or more.
    - `tokens`: the tokens of each word that the tokenizer knows.
    - `rare`: columns that cannot be a word of a pair, but may be among the other columns of its schema.
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
        """How many words there are, and which of them no pair holds."""
        # Words that the tokenizer does not know have no tokens.
        unknown = [word for word in self.relation.near if word not in self.tokens]
        examples = f" ({', '.join(sorted(unknown)[:5])} ...)" if unknown else ""
        n_requests = 0
        n_sharing = 0
        for column, requests in self.relation.names.items():
            n_requests += len(requests)
            n_sharing += sum(share_a_part(column, request) for request in requests)
        return (
            f"{len(self.relation.near)} words; passed over: {len(unknown)} with unknown tokens{examples}, "
            f"{len(self.rare)} rare columns, {n_sharing} of {n_requests} request words, which share a part with their "
            "column"
        )


def read_source(rows: Sequence[Row], tokens_of: Callable[[str], tuple[int, ...]]) -> PairSource:
    """What the training rows provide for pairs.

    A column is rare if it occurs less than a tenth as often as the median column. TinySQL has some, which it renames in
    a single table.

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


def make_pairs(
    source: PairSource, categories: Collection[str] = CATEGORIES, *, per_category: int, seed: int
) -> list[Pair]:
    """`per_category` different pairs of each of `categories`, in the order of `CATEGORIES`.

    Phrasing and table come from a training row that selects one column. A column has a type that it has in some row.
    Raises `UserError` for a category that the words of `source` cannot fill, and for too few columns or requests.
    """
    pairs: list[Pair] = []
    used_places: Counter[tuple[int, int]] = Counter()
    for category in CATEGORIES:
        if category not in categories:
            continue
        generator = random.Random(derive_seed(seed, category))  # noqa: S311
        drawn = draw_words(category, source.relation, source.usable, per_category, generator)
        if len(drawn) < per_category:
            raise UserError(
                f"category {category}: {len(drawn)} pairs of {per_category} can be made, since the training rows have "
                f"too few {DEFINITIONS[category].needs} ({source.described()}); take other rows (grounding/data), "
                f"fewer pairs (grounding/pairs_per_category), or remove {category} from grounding/categories"
            )
        for number, words in enumerate(drawn, start=1):
            pair_id = f"{category}-{number:02d}"
            width, place = _draw_place(used_places, source.widths, generator)
            pair = _make_pair(pair_id, category, words, source, generator, place=place, width=width)
            pairs.append(pair)
    return pairs


def _draw_place(
    used: Counter[tuple[int, int]], widths: Sequence[int], generator: random.Random
) -> tuple[int, int]:
    """A random width (number of columns), and the place, from 1, that the wanted column has had least often in it.

    `used` counts the pairs of width and place. Places are balanced within each width. If they were balanced over all
    widths together, the later places, which only wide schemas have, would fill the wide schemas, and the first places
    would be left to the narrow ones: most wanted columns would be first or last, and a copier of either would pass in
    most pairs.
    """
    width = generator.choice(widths)
    in_random_order = generator.sample(range(1, width + 1), width)
    place = min(in_random_order, key=lambda candidate: used[width, candidate])
    used[width, place] += 1
    return width, place


class _Frame(NamedTuple):
    """What the prompts of a pair have in common: the clean prompt, of which each other one changes a part.

    - `columns`, `types`: of the clean schema, in order.
    - `place`: the place of the wanted column, from 1.
    """

    category: str
    words: PairWords
    carrier: Carrier
    columns: list[str]
    types: list[str]
    place: int

    def prompt(
        self,
        *,
        exchange: tuple[str, str] | None = None,
        types: Sequence[str] | None = None,
        request: str | None = None,
        wanted: str | None = None,
    ) -> Prompt:
        """The clean prompt, or a change of it. An answer includes the space before it.

        Args:
            exchange: A column, and the word that replaces it.
            types: The types of the columns.
            request: The word for the column that is asked for.
            wanted: The right answer; "" if there is none.
        """
        columns = self.columns
        if exchange is not None:
            removed, put_in = exchange
            columns = [put_in if column == removed else column for column in columns]
        types = self.types if types is None else types
        request = self.words.request if request is None else request
        wanted = self.words.clean if wanted is None else wanted
        against = self.words.clean if wanted == self.words.corrupted else self.words.corrupted

        schema = create_table_sql(
            self.carrier.row.table_name, list(zip(columns, types, strict=True))
        )
        english = self.carrier.before + request + self.carrier.after
        options = tuple(f" {column}" for column in columns)
        return Prompt(
            text=f"{prompt_of(english, schema)} SELECT",
            wanted=f" {wanted}" if wanted else "",
            against=f" {against}",
            options=options,
            category=self.category,
            place=str(self.place),
            request=request,
            shortcuts={name: choose(options) for name, choose in PLACE_SHORTCUTS.items()},
        )


def _make_pair(
    pair_id: str,
    category: str,
    words: PairWords,
    source: PairSource,
    generator: random.Random,
    *,
    place: int,
    width: int,
) -> Pair:
    """The pair of `words` with the wanted column at `place` of `width` columns; all else is drawn."""
    carrier = _draw_carrier(source, generator)
    unasked, replacement, others = _draw_columns(words, width, source, generator)
    columns = generator.sample([unasked, *others], width - 1)
    columns.insert(place - 1, words.clean)

    # A clean word that is no column of the rows has the types of its request word, which is a column there.
    typed_as = words.clean if words.clean in source.types else words.request
    types = []
    for column in columns:
        name = typed_as if column == words.clean else column
        types.append(generator.choice(source.types[name]))
    frame = _Frame(category, words, carrier, columns, types, place)

    has_synonyms = category in SYNONYMS
    prompts = {
        "clean": frame.prompt(),
        "corrupted": frame.prompt(
            exchange=(words.clean, words.corrupted), wanted=words.corrupted if has_synonyms else ""
        ),
    }
    if words.third:
        prompts["third"] = frame.prompt(exchange=(words.clean, words.third), wanted=words.third)
    prompts["unasked"] = frame.prompt(exchange=(unasked, replacement))
    if not has_synonyms:
        prompts["both"] = frame.prompt(exchange=(unasked, words.corrupted))
    other_types = _change_one(types, source.type_lengths, generator)
    prompts["irrelevant"] = frame.prompt(types=other_types)
    # The seed is the pair's id: the draw shifts no other one.
    other = _draw_other(columns, words.clean, source, random.Random(pair_id))  # noqa: S311
    if other is not None:
        column, request = other
        prompts["other"] = frame.prompt(request=request, wanted=column)
    return Pair(pair_id, prompts)


def _draw_other(
    columns: Sequence[str], clean: str, source: PairSource, generator: random.Random
) -> tuple[str, str] | None:
    """Another column than `clean`, and a request word that names it in the rows and can mean no other column here.

    None if no column has such a word.
    """
    possible = []
    for column in columns:
        if column == clean:
            continue
        other_columns = [name for name in columns if name != column]
        for request in sorted(source.relation.names.get(column, set()) & set(source.tokens)):
            if share_a_part(request, column):
                continue
            if all(source.relation.unrelated(name, [request]) for name in other_columns):
                possible.append((column, request))
    return generator.choice(possible) if possible else None


def _draw_carrier(source: PairSource, generator: random.Random) -> Carrier:
    """A row at random that names no column in its table or in the request around its phrase, and has no mark there.

    A mark (`_MARKS`) in the request would break the prompt's form: TinySQL has requests such as `SELECT a FROM t`.
    Raises `UserError` if there is no such row.
    """
    for carrier in generator.sample(source.carriers, len(source.carriers)):
        marked = any(mark in f" {carrier.before} {carrier.after}" for mark in _MARKS)
        if not marked and not _mentions(carrier, source.relation.near):
            return carrier
    raise UserError(
        f"grounding/data: {len(source.carriers)} training requests are for one column, and each of them names another "
        "column in its other words or in its table, or has a mark of the prompt; take more rows"
    )


def _mentions(carrier: Carrier, words: Iterable[str]) -> bool:
    """Whether one of `words` is in the table name or in the request around its phrase; `_` counts as a space."""
    text = f"{carrier.before} {carrier.row.table_name} {carrier.after}".lower().replace("_", " ")
    spoken = f" {' '.join(PART.findall(text))} "
    return any(f" {word.lower().replace('_', ' ')} " in spoken for word in words)


class _Columns(NamedTuple):
    """The columns of a pair, except the wanted one.

    - `unasked`: a column that is not asked for.
    - `replacement`: the column that replaces it in the unasked prompt.
    - `others`: the remaining columns of the schema.
    """

    unasked: str
    replacement: str
    others: list[str]


def _draw_columns(
    words: PairWords, width: int, source: PairSource, generator: random.Random
) -> _Columns:
    """The columns of a schema of `width`, without the wanted one: the unasked column and `width` - 2 others.

    - Every column, the replacement of the unasked one included, is unrelated to the words of the pair and begins with a
      token of its own.
    - The `width` - 2 others are also unrelated to the unasked column and to its replacement.
    - The replacement has as many tokens as the unasked column.

    Raises `UserError` if the training rows have too few such columns.
    """
    tokens = source.tokens
    pair_words = [word for word in words if word]
    answers = [word for word in (words.clean, words.corrupted, words.third) if word]
    first_tokens = {tokens[answer][0] for answer in answers}

    free = []
    database = source.relation.database
    for column in generator.sample(database, len(database)):
        is_usable = column in tokens and tokens[column][0] not in first_tokens
        if is_usable and source.relation.unrelated(column, pair_words):
            free.append(column)

    def goes_with(column: str, drawn: Sequence[str]) -> bool:
        """Whether the column begins differently from all drawn ones and is unrelated to the first two."""
        begins_differently = tokens[column][0] not in {tokens[other][0] for other in drawn}
        return begins_differently and source.relation.unrelated(column, drawn[:2])

    frequent = [column for column in free if column not in source.rare]
    exchange = _draw_exchange(frequent, tokens, goes_with)
    drawn = list(exchange)
    if exchange:
        for column in free:
            if len(drawn) < width and goes_with(column, drawn):
                drawn.append(column)
    if len(drawn) < width:
        raise UserError(
            f"grounding/data: {len(database)} columns of the training rows give fewer than {width} "
            f"that are unrelated to {', '.join(pair_words)} and begin with different tokens; take rows with more "
            "columns"
        )
    unasked, replacement, *others = drawn
    return _Columns(unasked, replacement, others)


def _draw_exchange(
    columns: Sequence[str], tokens: Tokens, goes_with: Callable[[str, Sequence[str]], bool]
) -> tuple[str, ...]:
    """The first column that another one with equally many tokens can replace, and its replacement.

    () if no column can be replaced.
    """
    for unasked in columns:
        for replacement in columns:
            same_length = len(tokens[replacement]) == len(tokens[unasked])
            if same_length and goes_with(replacement, [unasked]):
                return unasked, replacement
    return ()


def _change_one(
    types: Sequence[str], lengths: Mapping[str, int], generator: random.Random
) -> list[str]:
    """The types of columns, with one of them changed, at random, to a type of equally many tokens if there is one.

    A longer prompt would shift every later position, which has an effect of its own. If no column can change to a type
    of its length, the length may differ.
    """
    other_types = {}
    equally_long_types = {}
    for type_ in types:
        others = [other for other in lengths if other != type_]
        other_types[type_] = others
        equally_long_types[type_] = [other for other in others if lengths[other] == lengths[type_]]
    choices = equally_long_types if any(equally_long_types.values()) else other_types

    changeable = [index for index, type_ in enumerate(types) if choices[type_]]
    index = generator.choice(changeable)
    changed = list(types)
    changed[index] = generator.choice(choices[types[index]])
    return changed
