"""Makes matched pairs in the paper's five categories from the words and requests of training rows.

A pair is a clean prompt with variants that differ from it in one part, such as a column or a type.
"""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.seeds import derive_seed
from mechaware.instruments.grounding.data.alignment import PART, Carrier
from mechaware.instruments.grounding.data.pairs import PLACE_SHORTCUTS, Pair, Prompt
from mechaware.instruments.grounding.data.rows import create_table_sql, prompt_of
from mechaware.instruments.grounding.names import CATEGORIES, SYNONYMS
from mechaware.planted.sql.pair_columns import draw_columns
from mechaware.planted.sql.pair_source import PairSource
from mechaware.planted.sql.pair_words import DEFINITIONS, PairWords, draw_words, share_a_part

# Marks by which the rules' readers and the controls' heads find the parts of a prompt.
_MARKS = (
    " SELECT ",
    " Context",
    " (",
    "###",
)


def make_pairs(
    source: PairSource, categories: Collection[str] = CATEGORIES, *, per_category: int, seed: int
) -> list[Pair]:
    """`per_category` different pairs of each of `categories`, in the order of `CATEGORIES`.

    Phrasing and table come from a training row that selects one column. A column has a type that it
    has in some row. Raises `UserError` for a category that the words of `source` cannot fill, and
    for too few columns or requests.
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
                f"category {category}: {len(drawn)} pairs of {per_category} can be made, since the "
                f"training rows have too few {DEFINITIONS[category].needs} ({source.described()}); "
                "take other rows (grounding/data), fewer pairs (grounding/pairs_per_category), or "
                f"remove {category} from grounding/categories"
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
    """A random width, and the place in it, from 1, that the wanted column has had least often.

    A width is a number of columns. `used` counts the pairs of each width and place, and is updated.
    On a tie the place is random. Places are balanced within each width. If they were balanced over
    all widths together, the later places, which only wide schemas have, would fill the wide
    schemas, and the first places would be left to the narrow ones: most wanted columns would be
    first or last, and a copier of either would pass in most pairs.
    """
    width = generator.choice(widths)
    in_random_order = generator.sample(range(1, width + 1), width)
    place = min(in_random_order, key=lambda candidate: used[width, candidate])
    used[width, place] += 1
    return width, place


class _Frame(NamedTuple):
    """What the prompts of a pair have in common: the clean prompt, which the others change in part.

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
        """The clean prompt, with the given parts in place of its own.

        An answer includes the space before it. The answer that competes with the wanted one,
        `against`, is the corrupted word; where that word is wanted itself, it is the clean word.

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
    """The pair of `words` with the wanted column at `place` of `width` columns; all else is drawn.

    With the request `fare`, which names `price` in the rows, and the columns `price` and `city`:

        prompt       request  schema       differs from the clean prompt in
        clean        fare     price, city
        corrupted    fare     size, city   the wanted column
        third        fare     toll, city   the wanted column: another one that `fare` may mean
        unasked      fare     price, date  the unasked column
        both         fare     price, size  the unasked column: the corrupted word replaces it
        irrelevant   fare     price, city  a type
        other        town     price, city  the request, which asks for another column

    A pair has `third` if there is such a word, `both` if the request cannot mean the corrupted word
    (else it would have two answers), and `other` if a request word can mean only another column.
    """
    carrier = _draw_carrier(source, generator)
    unasked, replacement, others = draw_columns(words, width, source, generator)
    columns = generator.sample([unasked, *others], width - 1)
    columns.insert(place - 1, words.clean)

    # A clean word that is no column of the rows has the types of its request word, which is a
    # column there.
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

    # Seeded by the pair's id, so that this draw shifts no other draw.
    other = _draw_other(columns, words.clean, source, random.Random(pair_id))  # noqa: S311
    if other is not None:
        column, request = other
        prompts["other"] = frame.prompt(request=request, wanted=column)
    return Pair(pair_id, prompts)


def _draw_carrier(source: PairSource, generator: random.Random) -> Carrier:
    """A random row whose request, around the phrase for its column, can hold another phrase.

    Neither the table nor the request around the phrase names a column, and this part of the request
    has no mark. A mark (`_MARKS`) would break the prompt's form: TinySQL has requests such as
    `SELECT a FROM t`. Raises `UserError` if there is no such row.
    """
    for carrier in generator.sample(source.carriers, len(source.carriers)):
        marked = any(mark in f" {carrier.before} {carrier.after}" for mark in _MARKS)
        if not marked and not _mentions(carrier, source.relation.near):
            return carrier
    raise UserError(
        f"grounding/data: {len(source.carriers)} training requests are for one column, and each of "
        "them names another column in its other words or in its table, or has a mark of the "
        "prompt; take more rows"
    )


def _mentions(carrier: Carrier, words: Iterable[str]) -> bool:
    """Whether one of `words` is in the table name or in the request around its phrase.

    Case is ignored, and `_` counts as a space.
    """
    text = f"{carrier.before} {carrier.row.table_name} {carrier.after}".lower().replace("_", " ")
    # Spaces around each word: `rate` is not in ` generate `.
    spaced = f" {' '.join(PART.findall(text))} "
    return any(f" {word.lower().replace('_', ' ')} " in spaced for word in words)


def _change_one(
    types: Sequence[str], lengths: Mapping[str, int], generator: random.Random
) -> list[str]:
    """The types of columns, with one of them, at random, changed to a type of equally many tokens.

    A longer prompt would shift every later position, which has an effect of its own. If no column
    can change to another type of its length, the length may differ. `lengths` are the numbers of
    tokens of all types.
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


def _draw_other(
    columns: Sequence[str], clean: str, source: PairSource, generator: random.Random
) -> tuple[str, str] | None:
    """A column other than `clean`, and a request word that names it and can mean no other column.

    The word names the column in the rows, and is unrelated to the other `columns` of the schema.
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
