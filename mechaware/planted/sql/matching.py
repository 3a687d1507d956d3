"""Makes matched pairs in the paper's five categories from the requests, tables, columns and types of training rows."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain, zip_longest
from statistics import median
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.seeds import derive_seed
from mechaware.instruments.grounding.data.alignment import PART, Carrier, Relation, align, relate
from mechaware.instruments.grounding.data.pairs import PLACE_SHORTCUTS, Pair, Prompt
from mechaware.instruments.grounding.data.rows import (
    Row,
    columns_and_types,
    create_statement,
    prompt_of,
)
from mechaware.instruments.grounding.names import CATEGORIES, SYNONYMS
from mechaware.planted.sql.generation import MIN_COLUMNS, TYPES

# By which readers, and the controls' heads, find their way in a prompt.
_MARKS = (
    " SELECT ",
    " Context",
    " (",
    "###",
)
_Tokens = Mapping[str, tuple[int, ...]]
"""The tokens of each word that a pair may hold. A phrase of several words may stand in a request, not in a schema."""


class _Words(NamedTuple):
    """The words of a pair: `request` asks for `clean`, which the corrupted schema lacks, and may mean `third`, too.

    `third` is empty where there is none.
    """

    request: str
    clean: str
    corrupted: str
    third: str = ""


class _Category(NamedTuple):
    """Whether the clean and the corrupted word are database words, and what the category `needs`, for a message.

    The two words are related in the categories `SYNONYMS`.
    """

    clean_in_database: bool
    corrupted_in_database: bool
    needs: str


_DEFINITIONS = {
    "db_synonyms": _Category(True, True, "requests that name two columns by one word"),
    "db_scramble": _Category(
        True, True, "requests that name columns by other words, and unrelated columns"
    ),
    "non_db_synonyms": _Category(
        False, False, "columns that requests name by two words which are no columns"
    ),
    "non_db_scramble": _Category(
        False, False, "columns that requests name by words which are no columns"
    ),
    "super_scramble": _Category(
        True, False, "columns that requests name by two words, of which one is no column"
    ),
}


class PairSource(NamedTuple):
    """What pairs are made of: `types` of each column, `widths`, the numbers of columns of the rows.

    `type_lengths`: the number of tokens of each type. `tokens`: the tokens of each word known to the tokenizer. A word
    in `rare` is no word of a pair, but may be a column beside them.
    """

    relation: Relation
    carriers: list[Carrier]
    types: dict[str, list[str]]
    type_lengths: dict[str, int]
    widths: list[int]
    tokens: _Tokens
    rare: frozenset[str]

    @property
    def usable(self) -> _Tokens:
        """The words that a pair may hold."""
        return {word: ids for word, ids in self.tokens.items() if word not in self.rare}

    def described(self) -> str:
        """How many words there are, and which of them no pair holds."""
        unknown = [word for word in self.relation.near if word not in self.tokens]
        names = [(column, name) for column, named in self.relation.names.items() for name in named]
        alike = sum(_share_a_part(column, name) for column, name in names)
        examples = f" ({', '.join(sorted(unknown)[:5])} ...)" if unknown else ""
        return (
            f"{len(self.relation.near)} words; passed over: {len(unknown)} with unknown tokens{examples}, "
            f"{len(self.rare)} rare columns, {alike} of {len(names)} request words, which share a part with their "
            "column"
        )


def read_source(rows: Sequence[Row], tokens_of: Callable[[str], tuple[int, ...]]) -> PairSource:
    """What `rows`, the training rows, provide for pairs of words whose tokens are `tokens_of` each, none if unknown.

    A column is rare if it occurs less than a tenth as often as the median column. TinySQL has some, which it renames in
    one table alone. Raises `UserError` if no table has two columns, or if requests cannot be aligned with their SQL.
    """
    # A pair exchanges a second, unasked column, which a table of one column lacks.
    widths = [len(row.table_fields) for row in rows if len(row.table_fields) >= MIN_COLUMNS]
    if not widths:
        raise UserError(
            "grounding/data: no table of the training rows has two columns; take other rows"
        )
    alignment = align(rows)
    relation = relate(alignment.names)
    columns = [column for row in rows for column in columns_and_types(row.create_statement)]
    types = defaultdict[str, set[str]](set)
    for column, type_ in columns:
        types[column].add(type_)
    # G1's null needs another type; rows with one type borrow `TYPES`.
    all_types = {type_ for _, type_ in columns}
    count = Counter(column for column, _ in columns)
    rare = {column for column in count if count[column] < median(count.values()) / 10}
    return PairSource(
        relation,
        alignment.carriers,
        {column: sorted(names) for column, names in types.items()},
        {
            type_: len(tokens_of(type_))
            for type_ in sorted(all_types if len(all_types) > 1 else all_types.union(TYPES))
        },
        widths,
        {word: ids for word in sorted(relation.near) if (ids := tokens_of(word))},
        frozenset(rare),
    )


def make_pairs(
    source: PairSource, categories: Collection[str] = CATEGORIES, *, per_category: int, seed: int
) -> list[Pair]:
    """`per_category` different pairs of each of `categories`, in the order of `CATEGORIES`.

    Phrasing and table come from a training row that selects one column; a column has a type that some row gives it.
    Raises `UserError` for a category that the words of `source` cannot fill, and for too few columns or requests.
    """
    pairs: list[Pair] = []
    places: Counter[tuple[int, int]] = Counter()
    for category in (name for name in CATEGORIES if name in categories):
        generator = random.Random(derive_seed(seed, category))  # noqa: S311
        drawn = _draw_words(category, source.relation, source.usable, per_category, generator)
        if len(drawn) < per_category:
            raise UserError(
                f"category {category}: {len(drawn)} pairs of {per_category} can be made, since the training rows have "
                f"too few {_DEFINITIONS[category].needs} ({source.described()}); take other rows (grounding/data), "
                f"fewer pairs (grounding/pairs_per_category), or take {category} out of grounding/categories"
            )
        for number, words in enumerate(drawn, start=1):
            width, place = _draw_place(places, source.widths, generator)
            pairs.append(
                _make_pair(
                    f"{category}-{number:02d}", category, words, place, width, source, generator
                )
            )
    return pairs


def _draw_place(
    used: Counter[tuple[int, int]], widths: Sequence[int], generator: random.Random
) -> tuple[int, int]:
    """A number of columns, and the place (from 1) that schemas so wide had least often; both are counted in `used`.

    Balanced within each width, or the last place of narrow schemas would be the first of few: places that come equally
    often over all widths put most wanted columns first or last, and a copier of either would pass in most pairs.
    """
    width = generator.choice(widths)
    place = min(generator.sample(range(1, width + 1), width), key=lambda place: used[width, place])
    used[width, place] += 1
    return width, place


def _make_pair(
    id_: str,
    category: str,
    words: _Words,
    place: int,
    width: int,
    source: PairSource,
    generator: random.Random,
) -> Pair:
    """The pair of `words` with the wanted column at `place` of `width` columns; all else is drawn."""
    carrier = _draw_carrier(source, generator)
    unasked, replacement, *others = _draw_columns(words, width, source, generator)
    others = generator.sample([unasked, *others], width - 1)
    columns = [*others[: place - 1], words.clean, *others[place - 1 :]]
    # Of the two, one is a column of the rows.
    typed = words.clean if words.clean in source.types else words.request
    types = [
        generator.choice(source.types[typed if column == words.clean else column])
        for column in columns
    ]

    other, other_request = _draw_other(columns, words.clean, source, random.Random(id_))  # noqa: S311

    def prompt(
        original: str = "",
        substitute: str = "",
        types: Sequence[str] = types,
        request: str = words.request,
        wanted: str = words.clean,
    ) -> Prompt:
        """The clean prompt with one change; an answer includes the space before it."""
        names = [substitute if column == original else column for column in columns]
        schema = create_statement(carrier.row.table_name, list(zip(names, types, strict=True)))
        options = tuple(f" {name}" for name in names)
        return Prompt(
            text=f"{prompt_of(carrier.before + request + carrier.after, schema)} SELECT",
            wanted=wanted and f" {wanted}",
            against=f" {words.clean if wanted == words.corrupted else words.corrupted}",
            options=options,
            category=category,
            place=str(place),
            request=request,
            shortcuts={name: choose(options) for name, choose in PLACE_SHORTCUTS.items()},
        )

    synonyms = category in SYNONYMS
    prompts = {
        "clean": prompt(),
        "corrupted": prompt(
            words.clean, words.corrupted, wanted=words.corrupted if synonyms else ""
        ),
        "third": prompt(words.clean, words.third, wanted=words.third) if words.third else None,
        "unasked": prompt(unasked, replacement),
        "both": None if synonyms else prompt(unasked, words.corrupted),
        "irrelevant": prompt(types=_change_one(types, source.type_lengths, generator)),
        "other": prompt(request=other_request, wanted=other) if other else None,
    }
    return Pair(id_, {name: made for name, made in prompts.items() if made})


def _draw_other(
    columns: Sequence[str], clean: str, source: PairSource, generator: random.Random
) -> tuple[str, str]:
    """Another column than `clean`, and a request word that names it in the rows and may mean none of the others."""
    named = [
        (column, request)
        for column in columns
        if column != clean
        for request in sorted(source.relation.names.get(column, set()) & set(source.tokens))
        if not _share_a_part(request, column)
        and all(source.relation.unrelated(name, [request]) for name in columns if name != column)
    ]
    return generator.choice(named) if named else ("", "")


def _draw_carrier(source: PairSource, generator: random.Random) -> Carrier:
    """A row whose request, without its phrase for the column, and whose table name no column and hold no mark.

    A mark (`_MARKS`) in the request would break the prompt's form: TinySQL has requests such as `SELECT a FROM t`.
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
    """Whether the request beside its phrase, or the table, holds one of `words`; an underscore counts as a space."""
    text = f"{carrier.before} {carrier.row.table_name} {carrier.after}".lower().replace("_", " ")
    spoken = f" {' '.join(PART.findall(text))} "
    return any(f" {word.lower().replace('_', ' ')} " in spoken for word in words)


def _draw_columns(
    words: _Words, width: int, source: PairSource, generator: random.Random
) -> list[str]:
    """The unasked column, its replacement with equally many tokens, and `width` - 2 other columns.

    They are unrelated to the words of the pair and to the first two, and each begins with a token of its own.
    """
    database = generator.sample(source.relation.database, len(source.relation.database))
    database = [column for column in database if column in source.tokens]
    named = [word for word in words if word]
    first_tokens = {source.tokens[word][0] for word in words[1:] if word}
    free = [column for column in database if source.tokens[column][0] not in first_tokens]
    free = [column for column in free if source.relation.unrelated(column, named)]

    def goes_with(column: str, drawn: Sequence[str]) -> bool:
        begins_differently = source.tokens[column][0] not in {
            source.tokens[other][0] for other in drawn
        }
        return begins_differently and source.relation.unrelated(column, drawn[:2])

    drawn = _draw_exchange(
        [column for column in free if column not in source.rare], source.tokens, goes_with
    )
    for column in free:
        if drawn and len(drawn) < width and goes_with(column, drawn):
            drawn.append(column)
    if len(drawn) < width:
        raise UserError(
            f"grounding/data: {len(source.relation.database)} columns of the training rows give fewer than {width} "
            f"that are unrelated to {', '.join(named)} and begin with different tokens; take rows with more columns"
        )
    return drawn


def _draw_exchange(
    columns: Sequence[str], tokens: _Tokens, goes_with: Callable[[str, Sequence[str]], bool]
) -> list[str]:
    """The first column that another one with equally many tokens can replace, and that one; empty without any."""
    for unasked in columns:
        for replacement in columns:
            if len(tokens[replacement]) == len(tokens[unasked]) and goes_with(
                replacement, [unasked]
            ):
                return [unasked, replacement]
    return []


def _change_one(
    types: Sequence[str], lengths: Mapping[str, int], generator: random.Random
) -> list[str]:
    """The types with another one in one place, one of equally many tokens if there is any."""
    other_types = {type_: [name for name in lengths if name != type_] for type_ in types}
    # Of equally many tokens where possible: a longer prompt would shift every later position, an effect of its own.
    alike = {
        type_: [name for name in names if lengths[name] == lengths[type_]]
        for type_, names in other_types.items()
    }
    choices = alike if any(alike.values()) else other_types
    index = generator.choice([position for position, type_ in enumerate(types) if choices[type_]])
    return [*types[:index], generator.choice(choices[types[index]]), *types[index + 1 :]]


def _draw_words(
    category: str, relation: Relation, tokens: _Tokens, count: int, generator: random.Random
) -> list[_Words]:
    """`count` different words of a category, or all if there are fewer, of the words in `tokens` alone.

    The clean, the corrupted and the third word have equally many tokens and begin with different ones; none has a part
    in common with the request word. Every clean word comes once before any comes twice, with another request or
    corrupted word; synonyms that the request word names in the training rows come before all others.
    """
    definition = _DEFINITIONS[category]
    pools = {
        True: [word for word in relation.database if _is_name(word, tokens)],
        False: [word for word in relation.non_database if _is_name(word, tokens)],
    }
    clean_words = pools[definition.clean_in_database]
    options = [
        _options(
            clean, category, relation, tokens, pools[definition.corrupted_in_database], generator
        )
        for clean in generator.sample(clean_words, len(clean_words))
    ]
    # Round by round over the clean words, so that none comes twice before each has come once.
    rounds = [words for words in chain.from_iterable(zip_longest(*options)) if words is not None]
    if category in SYNONYMS:
        rounds.sort(key=lambda words: words.corrupted not in relation.near[words.request])
    chosen = rounds[:count]
    return [
        words._replace(third=_draw_third(words, relation, tokens, generator)) for words in chosen
    ]


def _is_name(word: str, tokens: _Tokens) -> bool:
    """Whether `word` is in `tokens` and can be the name of a column: letters, digits and underscores."""
    return word in tokens and re.fullmatch(r"\w+", word) is not None


def _options(
    clean: str,
    category: str,
    relation: Relation,
    tokens: _Tokens,
    pool: list[str],
    generator: random.Random,
) -> list[_Words]:
    """All request, clean and corrupted words with one clean word, in random order; request words that are columns last.

    A column's request word names it in the training rows; a non-database word's is a column that it names there.
    """
    requests = (
        relation.names[clean] if _DEFINITIONS[category].clean_in_database else relation.near[clean]
    )
    options = [
        _Words(request, clean, corrupted)
        for request in sorted(requests & set(tokens))
        if not _share_a_part(request, clean)
        for corrupted in pool
        if _can_replace(corrupted, [clean], request, tokens)
        and _fits(corrupted, (request, clean), category, relation)
    ]
    return sorted(
        generator.sample(options, len(options)), key=lambda words: words.request in relation.names
    )


def _can_replace(word: str, others: Collection[str], request: str, tokens: _Tokens) -> bool:
    """Whether `word` has as many tokens as `others`, begins with another one, and has no part of the request word.

    A model answers with the first token of a word, so words that begin alike would be the same answer.
    """
    same_length = all(len(tokens[word]) == len(tokens[other]) for other in others)
    begins_differently = tokens[word][0] not in {tokens[other][0] for other in others}
    return same_length and begins_differently and not _share_a_part(word, request)


def _share_a_part(word: str, other: str) -> bool:
    """Whether two words have a part in common, by which a model could match them without knowing their meaning.

    `user_id` and `user number` have: `user`.
    """
    return not _parts(word).isdisjoint(_parts(other))


@cache
def _parts(word: str) -> frozenset[str]:
    return frozenset(re.split(r"[\W_]+", word.lower()))


def _fits(corrupted: str, others: tuple[str, str], category: str, relation: Relation) -> bool:
    """Whether the request may mean `corrupted` as well as the clean word, or `corrupted` is related to neither."""
    if category in SYNONYMS:
        request, clean = others
        meant = relation.near[request] | relation.siblings[request]
        return corrupted in meant and corrupted in relation.related[clean]
    return relation.unrelated(corrupted, others)


def _draw_third(
    words: _Words, relation: Relation, tokens: _Tokens, generator: random.Random
) -> str:
    """Another database word that the request may mean, one that it names in the rows if possible; empty without any."""
    for meant in (relation.near[words.request], relation.siblings[words.request]):
        names = sorted(word for word in meant & relation.names.keys() if _is_name(word, tokens))
        possible = [
            word
            for word in names
            if _can_replace(word, (words.clean, words.corrupted), words.request, tokens)
        ]
        if possible:
            return generator.choice(possible)
    return ""
