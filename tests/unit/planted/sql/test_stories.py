"""Stories: what their words share, by a scan of the text, and what they leave out."""

import re
from collections import Counter, defaultdict
from itertools import combinations

import pytest

from mechaware.models.tokenizers import make_word_tokenizer
from mechaware.planted.sql.generation import TYPES, Vocabulary, read_vocabulary
from mechaware.planted.sql.stories import generate_stories, story_words
from tests.unit.planted.sql.small_vocabulary import SHIPPED


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return read_vocabulary(SHIPPED, tables=5, fields=20)


@pytest.fixture(scope="module")
def stories(vocabulary: Vocabulary) -> list[str]:
    return generate_stories(vocabulary, 4000, seed=1)


@pytest.fixture(scope="module")
def unambiguous(vocabulary: Vocabulary) -> list[tuple[str, ...]]:
    """Of each table and field, its word and its synonyms, where none of them names another thing.

    A field that is another one's synonym has two sets of traits, its own and the other's.
    """
    entries = []
    for tables_or_fields in (vocabulary.tables, vocabulary.fields):
        for base, synonyms in tables_or_fields.items():
            entries.append((base, *synonyms))
    things_named = Counter[str]()
    for entry in entries:
        things_named.update(entry)
    return [entry for entry in entries if max(things_named[word] for word in entry) == 1]


def test_a_word_and_its_synonyms_occur_in_the_same_sentences(
    stories: list[str], vocabulary: Vocabulary, unambiguous: list[tuple[str, ...]]
) -> None:
    """The context of a word is the other words of its sentences; two contexts share some of them.

    A thing has 4 of 24 verbs, 4 of 24 adjectives and 4 of 16 places, which all of its words share.
    Words of two things share the templates, the people and, by chance, some traits.
    """
    contexts: dict[str, Counter[str]] = defaultdict(Counter)
    words = vocabulary.words()
    for sentence in " ".join(stories).split(". "):
        parts = re.findall(r"\w+", sentence)
        (named,) = words.intersection(parts)  # a sentence is about one thing
        contexts[named].update(part for part in parts if part != named)

    def shared(word: str, other: str) -> float:
        """The words in both contexts, as a share of the shorter context."""
        n_common = (contexts[word] & contexts[other]).total()
        return n_common / min(contexts[word].total(), contexts[other].total())

    assert len(unambiguous) > 10
    for entry in unambiguous:
        for word, other in combinations(entry, 2):
            assert shared(word, other) > 0.8

    unrelated = []
    for entry, other_entry in combinations(unambiguous, 2):
        unrelated.append(shared(entry[0], other_entry[0]))
    assert sum(unrelated) / len(unrelated) < 0.7


def test_a_table_and_its_synonyms_occur_about_equally_often(
    stories: list[str], vocabulary: Vocabulary
) -> None:
    counts = Counter(re.findall(r"\w+", " ".join(stories)))
    # 4000 stories of 5 sentences, about 25 things with three words each: 267 sentences for a word,
    # with a standard deviation of 16 if they were independent. The bound is five of those.
    expected = 4000 * 5 / (25 * 3)
    for base, synonyms in vocabulary.tables.items():
        for word in (base, *synonyms):
            assert counts[word] == pytest.approx(expected, rel=0.3)


def test_every_word_of_the_vocabulary_occurs(stories: list[str], vocabulary: Vocabulary) -> None:
    assert vocabulary.words() <= set(re.findall(r"\w+", " ".join(stories)))


def test_stories_hold_no_request_no_schema_and_no_sql(
    stories: list[str], vocabulary: Vocabulary
) -> None:
    text = " ".join(stories)
    assert set(re.findall(r"[^\w\s]", text)) == {".", ","}
    format_words = {
        "SELECT",
        "FROM",
        "CREATE",
        "TABLE",
        "Instruction",
        "Context",
        "Response",
        *TYPES,
    }
    assert format_words.isdisjoint(text.split())
    for phrasing in vocabulary.phrasings:
        request = r"[\w, ]+".join(map(re.escape, re.split(r"{\w+}", phrasing)))
        assert re.search(request, text) is None


def test_no_word_of_the_templates_is_a_word_of_the_vocabulary() -> None:
    words = set(re.findall(r"\w+", " ".join(story_words())))
    # All tables and fields of the file.
    whole = read_vocabulary(SHIPPED, tables=118, fields=259)
    assert words.isdisjoint(whole.words())


def test_every_story_is_known_to_a_tokenizer_of_their_words(
    stories: list[str], vocabulary: Vocabulary
) -> None:
    tokenizer = make_word_tokenizer([*(f" {word}" for word in vocabulary.words()), *story_words()])
    assert all(tokenizer.unk_token_id not in ids for ids in tokenizer(stories).input_ids)


def test_the_seed_draws_the_stories_and_a_longer_text_begins_with_the_shorter(
    stories: list[str], vocabulary: Vocabulary
) -> None:
    assert generate_stories(vocabulary, 9, seed=1) == stories[:9]
    assert generate_stories(vocabulary, 9, seed=2) != stories[:9]
