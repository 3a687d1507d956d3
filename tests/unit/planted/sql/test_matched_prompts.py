"""The prompts of a matched pair resemble training rows, and differ only as their names say."""

import re
from collections import Counter

from mechaware.instruments.grounding.names import SYNONYMS
from mechaware.planted.sql.pair_source import read_source
from tests.unit.instruments.grounding.data.written_rows import REQUEST_WORDS
from tests.unit.planted.sql.matched_pairs import (
    PROMPT,
    make_pair_texts,
    names_of,
    on_written_and_generated_rows,
    pairs_of,
    related,
    schema_of,
    source_of,
    token_of,
    training_data,
)


@on_written_and_generated_rows
def test_places_come_equally_often_in_schemas_of_each_width(name: str) -> None:
    pairs = pairs_of(name)
    counts = Counter((len(pair.columns), pair.place) for pair in pairs)
    widths = {len(pair.columns) for pair in pairs}
    assert widths == ({2, 3} if name == "generated" else set(range(2, 13)))
    for width in widths:
        of_width = [counts[width, place] for place in range(1, width + 1)]
        assert max(of_width) - min(of_width) <= 1


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
        assert pair.other_request in training_data(name).words[pair.other]
        meant_columns = [
            column for column in pair.columns if related(column, pair.other_request, name)
        ]
        assert meant_columns == [pair.other]


def test_the_other_request_shares_no_part_with_its_column() -> None:
    # With a tokenizer that knows phrases as well, `phone number` would ask for `phone`.
    source = read_source(
        training_data("written").rows, lambda word: (int.from_bytes(word.encode()),)
    )
    with_other = [pair for pair in make_pair_texts(source, seed=0, per_category=10) if pair.other]
    assert any(" " in pair.other_request for pair in with_other)
    for pair in with_other:
        parts = set(re.split("[ _]", pair.other_request))
        assert parts.isdisjoint(pair.other.split("_")), pair


def test_no_column_of_a_pair_begins_like_the_third_word() -> None:
    # The first of two tokens is the first letter.
    source = read_source(
        training_data("written").rows, lambda word: (ord(word[0]), *token_of(word))
    )
    with_third = []
    for seed in range(5):
        pairs = make_pair_texts(
            source._replace(widths=[5]), "db_scramble", seed=seed, per_category=5
        )
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
    words = training_data(name).words
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
        for pair in make_pair_texts(narrow, seed=seed, per_category=2):
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
    rows, words = training_data(name)
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
    for row in training_data("written").rows:
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
    for pair in make_pair_texts(source, seed=0, per_category=10):
        types = [type_ for _, type_ in schema_of(pair.texts["clean"])]
        other_types = [type_ for _, type_ in schema_of(pair.texts["irrelevant"])]
        changes |= {(a, b) for a, b in zip(types, other_types, strict=True) if a != b}
    assert all(n_tokens[a] == n_tokens[b] for a, b in changes), changes
    assert {n_tokens[a] for a, _ in changes} == {1, 2}
