"""Matched pairs are what their category and their prompts promise, checked by lists of words."""

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.instruments.grounding.data.rows import Row, create_table_sql
from mechaware.instruments.grounding.names import CATEGORIES, SYNONYMS
from mechaware.planted.sql.generation import generate_rows, read_vocabulary
from mechaware.planted.sql.matching import make_pairs
from mechaware.planted.sql.pair_source import PairSource, read_source
from tests.unit.instruments.grounding.data.written_rows import REQUEST_WORDS, write_rows
from tests.unit.planted.sql.small_vocabulary import SHIPPED

PROMPT = re.compile(
    r"### Instruction: (?P<request>.+) "
    r"### Context: CREATE TABLE (?P<table>\w+) \( (?P<schema>.+) \) "
    r"### Response: SELECT"
)
# A word tokenizer has one token for each of these, except for phrases of several parts.
WORDS = set(REQUEST_WORDS).union(*REQUEST_WORDS.values())

# The pairs of a category. The written words give 10 database synonyms: 4 of `price` and `cost`, as
# each has a word of its own and both have `charge`; 4 of `city` and `town` in the same way; and 2
# of `unit_price` and `speed`.
PER_CATEGORY = {"written": 10, "generated": 20}


class Data(NamedTuple):
    """Training rows, and by column the request words that their author gave it."""

    rows: list[Row]
    words: dict[str, tuple[str, ...]]


@cache
def data(name: str) -> Data:
    if name == "written":
        return Data(write_rows(1000), REQUEST_WORDS)
    vocabulary = read_vocabulary(SHIPPED, tables=30, fields=60)
    rows = generate_rows(
        vocabulary,
        2000,
        max_columns=3,
        table_synonym_probability=0.8,
        field_synonym_probability=0.5,
        seed=1,
    )
    return Data(rows, dict(vocabulary.fields))


def one_part(word: str) -> bool:
    return " " not in word


def token_of(word: str) -> tuple[int, ...]:
    """A tokenizer with one token for each word of one part; for any other word it has none.

    The token of a word is the number that its bytes make.
    """
    return (int.from_bytes(word.encode()),) if one_part(word) else ()


def tokens_of(known: set[str]) -> Callable[[str], tuple[int, ...]]:
    """A tokenizer that has tokens only for the words in `known`, and for types, all in capitals."""

    def token_if_known(word: str) -> tuple[int, ...]:
        is_known = word in known or word.isupper()
        return token_of(word) if is_known else ()

    return token_if_known


@cache
def source_of(name: str) -> PairSource:
    return read_source(data(name).rows, token_of)


class PairTexts(NamedTuple):
    """The words of a pair and the texts of its prompts.

    The words are without the space before an answer; "" is a word that the pair lacks.

    - `place`: the place of the clean word among the columns, from 1.
    - `third`: the wanted answer of the prompt `third`.
    - `other`: the wanted answer of the prompt `other`, which asks for it by the word
      `other_request`.
    - `unasked`: a column that is not asked for. `replacement`: what takes its place in the prompt
      `unasked`.
    - `texts`: by the prompts' names.
    """

    id: str
    category: str
    place: int
    columns: list[str]
    request_word: str
    clean: str
    corrupted: str
    third: str
    other: str
    other_request: str
    unasked: str
    replacement: str
    texts: dict[str, str]


def words_of(pair: Pair) -> PairTexts:
    """The words of a pair, once each of its prompts is found to be consistent.

    A prompt has its options in the order of its schema, the right answers of shortcuts by place,
    and its request word in its text.
    """
    for prompt in pair.prompts.values():
        assert [option.strip() for option in prompt.options] == names_of(prompt.text)
        assert prompt.shortcuts["first"] == prompt.options[0]
        assert prompt.shortcuts["last"] == prompt.options[-1]
        assert prompt.shortcuts["alphabetical"] == min(prompt.options)
        assert prompt.request in prompt.text

    clean = pair.prompts["clean"]
    third = pair.prompts.get("third")
    other = pair.prompts.get("other")
    unasked, replacement = pair.exchanged
    return PairTexts(
        id=pair.id,
        category=pair.category,
        place=pair.place,
        columns=names_of(clean.text),
        request_word=clean.request,
        clean=clean.wanted.strip(),
        corrupted=clean.against.strip(),
        third=third.wanted.strip() if third else "",
        other=other.wanted.strip() if other else "",
        other_request=other.request if other else "",
        unasked=unasked.strip(),
        replacement=replacement.strip(),
        texts={name: prompt.text for name, prompt in pair.prompts.items()},
    )


def made(source: PairSource, *categories: str, seed: int, per_category: int) -> list[PairTexts]:
    """The words of the pairs of some categories, by default of all."""
    pairs = make_pairs(source, categories or CATEGORIES, per_category=per_category, seed=seed)
    return [words_of(pair) for pair in pairs]


@cache
def pairs_of(name: str, seed: int = 0) -> list[PairTexts]:
    return made(source_of(name), seed=seed, per_category=PER_CATEGORY[name])


@cache
def related(word: str, other: str, name: str) -> bool:
    """Whether one word is a request word of the other, or some word is linked to both in this way.

    This is the definition, without the tables of `Relation`.
    """
    words = data(name).words

    def linked(left: str, right: str) -> bool:
        """Whether one of the two words is a request word of the other."""
        return right in words.get(left, ()) or left in words.get(right, ())

    everything = set(words).union(*words.values())
    if linked(word, other):
        return True
    return any(linked(word, middle) and linked(middle, other) for middle in everything)


def schema_of(prompt: str) -> list[tuple[str, str]]:
    """The name and type of each column; the prompt must match `PROMPT`."""
    match = PROMPT.fullmatch(prompt)
    assert match, prompt
    columns = re.findall(r"(\w+) ([A-Z]+(?:\([\d,]+\))?)(?:, |$)", match["schema"])
    assert ", ".join(f"{name} {type_}" for name, type_ in columns) == match["schema"]
    return columns


def names_of(prompt: str) -> list[str]:
    return [name for name, _ in schema_of(prompt)]


on_written_and_generated_rows = pytest.mark.parametrize("name", ["written", "generated"])


# The five categories


# By category, whether the clean word and the corrupted word are columns of the rows.
DATABASE = {
    "db_synonyms": (True, True),
    "db_scramble": (True, True),
    "non_db_synonyms": (False, False),
    "non_db_scramble": (False, False),
    "super_scramble": (True, False),
}


@on_written_and_generated_rows
def test_every_category_has_its_number_of_different_pairs_of_the_words_that_it_names(
    name: str,
) -> None:
    """A synonym is related to the other two words, a scrambled word to neither."""
    words = data(name).words
    pairs = pairs_of(name)
    count = PER_CATEGORY[name]

    ids = []
    categories = []
    for category in CATEGORIES:
        ids += [f"{category}-{number:02d}" for number in range(1, count + 1)]
        categories += [category] * count
    assert [pair.id for pair in pairs] == ids
    assert [pair.category for pair in pairs] == categories
    different = {(pair.category, pair.request_word, pair.clean, pair.corrupted) for pair in pairs}
    assert len(different) == 5 * count

    for pair in pairs:
        assert (pair.clean in words, pair.corrupted in words) == DATABASE[pair.category], pair
        assert len({pair.request_word, pair.clean, pair.corrupted}) == 3

        is_synonym = pair.category.endswith("synonyms")
        assert related(pair.corrupted, pair.clean, name) == is_synonym, pair
        assert related(pair.corrupted, pair.request_word, name) == is_synonym, pair

        column = pair.clean
        asked = pair.request_word
        if pair.category.startswith("non_db"):
            column, asked = asked, column
        assert asked in words[column], pair


def test_the_database_synonyms_of_the_written_words_are_the_ten_that_can_be_counted() -> None:
    pairs = [pair for pair in pairs_of("written") if pair.category == "db_synonyms"]
    words = {(pair.request_word, pair.clean, pair.corrupted) for pair in pairs}
    assert words == {
        ("fee", "price", "cost"),
        ("charge", "price", "cost"),
        ("expense", "cost", "price"),
        ("charge", "cost", "price"),
        ("metro", "city", "town"),
        ("municipality", "city", "town"),
        ("village", "town", "city"),
        ("municipality", "town", "city"),
        ("rate", "unit_price", "speed"),
        ("rate", "speed", "unit_price"),
    }
    assert len(pairs) == 10
    # The words that the request word names come first: `charge`, `municipality` and `rate` name two
    # columns each.
    assert {pair.request_word for pair in pairs[:6]} == {"charge", "municipality", "rate"}
    assert not {pair.request_word for pair in pairs[6:]} & {"charge", "municipality", "rate"}
    # All six clean words come before any of them comes again.
    all_clean_words = {"price", "cost", "city", "town", "unit_price", "speed"}
    assert {pair.clean for pair in pairs[:6]} == all_clean_words
    assert {pair.clean for pair in pairs[6:]} == {"price", "cost", "city", "town"}


def meant(request: str, name: str) -> tuple[set[str], set[str]]:
    """The words that a request word may mean, directly and by way of a column.

    Directly: the columns whose request word it is, and its own request words if it is a column. By
    way of a column: the other request words of those columns. With `fee` and `charge` as request
    words of `price`, `fee` may mean `price` directly, and `charge` by way of `price`.
    """
    words = data(name).words
    direct = set(words.get(request, ()))
    alike: set[str] = set()
    for column, asked in words.items():
        if request in asked:
            direct.add(column)
            alike |= set(asked)
    return direct, alike - {request}


@on_written_and_generated_rows
def test_the_third_word_is_one_more_column_that_the_request_may_mean(name: str) -> None:
    for pair in pairs_of(name):
        others = data(name).words.keys() - {pair.request_word, pair.clean, pair.corrupted}
        direct, alike = meant(pair.request_word, name)
        # Words that are meant directly are preferred.
        candidates = direct & others or alike & others
        if candidates:
            assert pair.third in candidates, pair
        else:
            assert pair.third == "", pair
    assert any(pair.third for pair in pairs_of(name))
    assert not all(pair.third for pair in pairs_of(name))


@on_written_and_generated_rows
def test_synonyms_name_a_column_of_the_request_word_or_are_named_by_it(name: str) -> None:
    for pair in pairs_of(name):
        if pair.category in SYNONYMS:
            assert pair.corrupted in set.union(*meant(pair.request_word, name)), pair


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_clean_word_comes_twice_while_there_are_others(category: str) -> None:
    seen = Counter(pair.clean for pair in pairs_of("generated") if pair.category == category)
    assert set(seen.values()) == {1}


def test_a_request_word_that_is_no_column_is_preferred() -> None:
    # `price` may be asked for as `fee` and as `cost`, which is a column too.
    for seed in range(5):
        for pair in made(source_of("written"), seed=seed, per_category=1):
            if pair.category.startswith("non_db"):
                continue
            usable = set(filter(one_part, REQUEST_WORDS[pair.clean]))
            no_columns = usable - set(REQUEST_WORDS)
            assert pair.request_word in no_columns or not no_columns, pair


# Places


@on_written_and_generated_rows
def test_places_come_equally_often_in_schemas_of_each_width(name: str) -> None:
    pairs = pairs_of(name)
    counts = Counter((len(pair.columns), pair.place) for pair in pairs)
    widths = {len(pair.columns) for pair in pairs}
    assert widths == ({2, 3} if name == "generated" else set(range(2, 13)))
    for width in widths:
        of_width = [counts[width, place] for place in range(1, width + 1)]
        assert max(of_width) - min(of_width) <= 1


# Prompts


@on_written_and_generated_rows
def test_the_other_prompt_asks_for_another_column_by_a_word_that_means_no_further_one(
    name: str,
) -> None:
    with_other = [pair for pair in pairs_of(name) if pair.other]
    assert len(with_other) >= len(pairs_of(name)) / 2
    for pair in with_other:
        request_word = rf"\b{pair.request_word}\b"
        expected = re.sub(request_word, pair.other_request, pair.texts["clean"], count=1)
        assert pair.texts["other"] == expected

        assert pair.other != pair.clean
        assert pair.other_request in data(name).words[pair.other]
        meant_columns = [
            column for column in pair.columns if related(column, pair.other_request, name)
        ]
        assert meant_columns == [pair.other]


def test_the_other_request_shares_no_part_with_its_column() -> None:
    # With a tokenizer that knows phrases as well, `phone number` would ask for `phone`.
    source = read_source(data("written").rows, lambda word: (int.from_bytes(word.encode()),))
    with_other = [pair for pair in made(source, seed=0, per_category=10) if pair.other]
    assert any(" " in pair.other_request for pair in with_other)
    for pair in with_other:
        parts = set(re.split("[ _]", pair.other_request))
        assert parts.isdisjoint(pair.other.split("_")), pair


def test_no_column_of_a_pair_begins_like_the_third_word() -> None:
    # The first of two tokens is the first letter.
    source = read_source(data("written").rows, lambda word: (ord(word[0]), *token_of(word)))
    with_third = []
    for seed in range(5):
        pairs = made(source._replace(widths=[5]), "db_scramble", seed=seed, per_category=5)
        with_third += [pair for pair in pairs if pair.third]
    assert with_third
    for pair in with_third:
        columns = [*pair.columns, pair.corrupted, pair.third, pair.replacement]
        assert len({column[0] for column in columns}) == len(columns), pair


def replaced(prompt: str, old: str, new: str) -> list[tuple[str, str]]:
    return [(new if name == old else name, type_) for name, type_ in schema_of(prompt)]


@on_written_and_generated_rows
def test_every_prompt_differs_from_the_clean_one_in_what_its_name_says_alone(
    name: str,
) -> None:
    for pair in pairs_of(name):
        clean = pair.texts["clean"]
        assert names_of(clean) == pair.columns
        assert pair.columns[pair.place - 1] == pair.clean
        assert len(set(pair.columns)) == len(pair.columns)

        assert schema_of(pair.texts["corrupted"]) == replaced(clean, pair.clean, pair.corrupted)
        assert schema_of(pair.texts["unasked"]) == replaced(clean, pair.unasked, pair.replacement)
        if pair.category in SYNONYMS:  # the request may mean both words
            assert "both" not in pair.texts
        else:
            assert schema_of(pair.texts["both"]) == replaced(clean, pair.unasked, pair.corrupted)
            assert {pair.clean, pair.corrupted} <= set(names_of(pair.texts["both"]))
        assert ("third" in pair.texts) == bool(pair.third)
        if pair.third:
            assert schema_of(pair.texts["third"]) == replaced(clean, pair.clean, pair.third)

        # Exactly one type differs.
        assert names_of(pair.texts["irrelevant"]) == pair.columns
        types = [type_ for _, type_ in schema_of(clean)]
        other_types = [type_ for _, type_ in schema_of(pair.texts["irrelevant"])]
        assert sum(a != b for a, b in zip(types, other_types, strict=True)) == 1

        request_and_table = clean.partition(" ( ")[0]
        for prompt, text in pair.texts.items():
            if prompt != "other":
                assert text.partition(" ( ")[0] == request_and_table


@on_written_and_generated_rows
def test_all_other_columns_are_unrelated_to_the_words_of_the_pair(name: str) -> None:
    """The columns beside the clean word, and the replacement of the unasked column."""
    words = data(name).words
    for pair in pairs_of(name):
        others = [column for column in pair.columns if column != pair.clean]
        assert set(others) <= set(words)
        words_of_pair = {pair.request_word, pair.clean, pair.corrupted, pair.third} - {""}
        for word in words_of_pair:
            assert not any(column == word or related(column, word, name) for column in others), pair

        assert pair.unasked in pair.columns
        assert pair.unasked != pair.clean
        assert pair.replacement in words
        assert pair.replacement not in pair.columns
        for word in words_of_pair | {pair.unasked}:
            assert not related(pair.replacement, word, name), pair
    assert {pair.columns.index(pair.unasked) for pair in pairs_of("generated")} == {0, 1, 2}


@on_written_and_generated_rows
def test_the_other_columns_are_unrelated_to_the_unasked_column_and_to_its_replacement(
    name: str,
) -> None:
    for pair in pairs_of(name):
        for column in set(pair.columns) - {pair.clean, pair.unasked}:
            assert not related(column, pair.unasked, name), pair
            assert not related(column, pair.replacement, name), pair


def test_the_replacement_is_unrelated_to_the_unasked_column() -> None:
    # Of two columns of 10, drawn without this rule, 1 in 45 would be `price` and `cost`; 250 pairs
    # have about 5.
    source = source_of("written")
    first_five = {"price", "cost", "pet", "song", "team"}
    ten = first_five | {"author", "colour", "salary", "language", "height"}
    tokens = {}
    for word, ids in source.tokens.items():
        if word in ten or word not in REQUEST_WORDS:
            tokens[word] = ids
    narrow = source._replace(
        relation=source.relation._replace(database=sorted(ten)), widths=[2], tokens=tokens
    )
    for seed in range(25):
        for pair in made(narrow, seed=seed, per_category=2):
            assert {pair.unasked, pair.replacement} != {"price", "cost"}, pair


def gaps(request: str, phrase: str) -> list[str]:
    """The request with a gap for the phrase, for each place where it is."""
    with_gaps = []
    for match in re.finditer(rf"\b{phrase}\b", request):
        with_gaps.append(f"{request[: match.start()]}<>{request[match.end() :]}")
    return with_gaps


@on_written_and_generated_rows
def test_the_request_is_that_of_a_training_row_with_the_request_word_for_its_column(
    name: str,
) -> None:
    rows, words = data(name)
    carriers = set()
    for row in rows:
        if len(row.select) != 1:
            continue
        (column,) = row.select
        for phrase in (column, *words[column]):
            for gap in gaps(row.english_prompt, phrase):
                carriers.add((gap, row.table_name))

    for pair in pairs_of(name):
        clean = PROMPT.fullmatch(pair.texts["clean"])
        assert clean
        (gap,) = gaps(clean["request"], pair.request_word)
        assert (gap, clean["table"]) in carriers, pair


@on_written_and_generated_rows
def test_the_request_and_the_table_hold_no_column_and_no_other_word_of_the_pair(name: str) -> None:
    for pair in pairs_of(name):
        clean = PROMPT.fullmatch(pair.texts["clean"])
        assert clean
        words = {pair.clean, pair.corrupted, pair.third, pair.replacement, *pair.columns}
        spoken = f" {clean['request']} {clean['table']} ".replace("_", " ")
        for word in words - {""}:
            assert not re.search(rf"\b{word.replace('_', ' ')}\b", spoken), (word, spoken)


def test_a_column_has_a_type_that_it_has_in_the_rows() -> None:
    seen: set[str] = set()
    for row in data("written").rows:
        seen |= set(re.findall(r"(\w+ [A-Z]\S*?),? ", row.create_statement))
    for pair in pairs_of("written"):
        for column, type_ in schema_of(pair.texts["clean"]):
            # A clean word that is no column has the type of the column that the request names.
            stands_for = pair.request_word if column not in REQUEST_WORDS else column
            assert f"{stands_for} {type_}" in seen


def test_a_type_changes_to_one_of_equally_many_tokens() -> None:
    # `DECIMAL(10,2)` has no type of its length, but only `price` has it, and no schema has `price`
    # alone.
    n_tokens = {"TEXT": 1, "INTEGER": 1, "REAL": 1, "DATE": 1}
    n_tokens |= {"VARCHAR(20)": 2, "TINYINT(1)": 2, "DECIMAL(10,2)": 3}
    source = source_of("written")._replace(type_lengths=n_tokens)

    changes = set()
    for pair in made(source, seed=0, per_category=10):
        types = [type_ for _, type_ in schema_of(pair.texts["clean"])]
        other_types = [type_ for _, type_ in schema_of(pair.texts["irrelevant"])]
        changes |= {(a, b) for a, b in zip(types, other_types, strict=True) if a != b}
    assert all(n_tokens[a] == n_tokens[b] for a, b in changes), changes
    assert {n_tokens[a] for a, _ in changes} == {1, 2}


# Seeds


def test_the_same_seed_gives_the_same_pairs_and_another_one_others() -> None:
    again = made(source_of("written"), seed=0, per_category=10)
    assert again == pairs_of("written", seed=0)
    first = {pair.texts["clean"] for pair in pairs_of("written", seed=0)}
    second = {pair.texts["clean"] for pair in pairs_of("written", seed=1)}
    assert not first & second


# Words that cannot be used


def test_only_words_that_the_tokenizer_knows_are_words_of_a_pair() -> None:
    # With the eight phrases of several parts, 14 words have no token.
    unknown = {"fee", "city", "telephone", "mass", "photo_url", "shade"}
    source = read_source(data("written").rows, tokens_of(WORDS - unknown))
    # Of the ten database synonyms, 5 are left: without `fee`, and without the four of `city` and
    # `town`.
    for pair in made(source, seed=0, per_category=5):
        named = {
            pair.request_word,
            pair.clean,
            pair.corrupted,
            pair.third,
            pair.unasked,
            pair.replacement,
        }
        assert not named & unknown
        assert all(map(one_part, named))
    with pytest.raises(
        UserError, match=r"^category db_synonyms: 5 pairs of 6 can be made, .* 14 with unk"
    ):
        make_pairs(source, per_category=6, seed=0)


def test_a_rare_column_is_no_word_of_a_pair() -> None:
    # `pet_name` is in 2 of 1,002 rows, and every other column in hundreds.
    schema = "CREATE TABLE t ( pet_name TEXT, price REAL )"
    select = "SELECT pet_name FROM t"
    rare = Row("Show animal from t", schema, select, "t", ["pet_name", "price"], ["pet_name"])
    source = read_source([*data("written").rows, rare, rare], token_of)
    assert "pet_name" in source.relation.database
    assert "pet_name" not in source.usable
    assert "pet" in source.usable


def test_a_column_with_a_tenth_of_the_median_number_of_rows_is_not_rare() -> None:
    def row(asked: str, *columns: str) -> Row:
        schema = create_table_sql("t", [(column, "TEXT") for column in columns])
        select = f"SELECT {asked} FROM t"  # noqa: S608
        return Row(f"Show {asked} from t", schema, select, "t", [*columns], [asked])

    # `price` is in 21 rows, `city` and `song` in 20, `pet` in two and `colour` in one.
    rows = [row("price", "price", "city", "song"), row("city", "price", "city", "song")] * 9
    rows += [row("song", "price", "city", "song")] * 2
    rows += [row("pet", "pet", "colour"), row("pet", "pet", "price")]
    assert read_source(rows, token_of).rare == {"colour"}


# Columns that nothing is asked for: they can be next to a wanted column, and be a scrambled one.
NOT_ASKED = {"pet", "colour", "author"}
LACKING = {
    "db_synonyms": "requests that name two columns by one word",
    "non_db_synonyms": "columns that requests name by two words which are no columns",
    "non_db_scramble": "columns that requests name by words which are no columns",
}


@pytest.mark.parametrize(
    ("tokens", "category"),
    [
        # No word can be used.
        (set(), "db_synonyms"),
        # `fee` is the only word that is no column.
        ({"price", "cost", "fee", *NOT_ASKED}, "non_db_synonyms"),
        # `fee` and `charge`, the words that are no columns, are related.
        ({"price", "cost", "fee", "charge", *NOT_ASKED}, "non_db_scramble"),
    ],
)
def test_a_category_that_cannot_be_filled_is_refused_with_the_words_that_are_passed_over(
    tokens: set[str], category: str
) -> None:
    source = read_source(data("written").rows, tokens_of(tokens))._replace(widths=[2])
    with pytest.raises(UserError) as refused:
        make_pairs(source, per_category=1, seed=0)

    # `price per unit`, `phone number`, `currently open` and `number at the door` share a part with
    # their columns.
    unknown = sorted(WORDS - tokens)
    lacking, _, passed_over = str(refused.value).partition(" (")
    assert lacking == (
        f"category {category}: 0 pairs of 1 can be made, since the training rows have too few "
        f"{LACKING[category]}"
    )
    assert passed_over == (
        f"{len(WORDS)} words; passed over: {len(unknown)} with unknown tokens "
        f"({', '.join(unknown[:5])} ...), 0 rare columns, 4 of 52 request words, which share a "
        "part with their column); take other rows (grounding/data), fewer pairs "
        f"(grounding/pairs_per_category), or remove {category} from grounding/categories"
    )


def test_a_category_that_is_left_out_has_no_pairs_and_does_not_change_the_words_of_others() -> None:
    kept = made(source_of("written"), "super_scramble", "db_scramble", seed=0, per_category=2)
    assert [pair.category for pair in kept] == ["db_scramble"] * 2 + ["super_scramble"] * 2
    with_all = {pair.id: pair for pair in pairs_of("written")}
    for pair in kept:
        same = with_all[pair.id]
        assert pair.request_word == same.request_word
        assert pair.clean == same.clean
        assert pair.corrupted == same.corrupted


def test_rows_of_one_column_are_refused() -> None:
    row = Row(
        "Show price from t",
        "CREATE TABLE t ( price REAL )",
        "SELECT price FROM t",
        "t",
        ["price"],
        ["price"],
    )
    with pytest.raises(
        UserError,
        match=r"^grounding/data: no table of the training rows has two columns; take other",
    ):
        read_source([row] * 9, token_of)
