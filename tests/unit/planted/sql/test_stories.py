"""Stories: what their words share, by a scan of the text, and what they leave out."""

import re
from collections import Counter, defaultdict
from itertools import combinations

import pytest

from mechaware.models.tokenizers import make_word_tokenizer
from mechaware.planted.sql.generation import TYPES, Vocabulary, read_vocabulary
from mechaware.planted.sql.stories import generate_stories, story_words
from tests.conftest import REPOSITORY

VOCABULARY = REPOSITORY / "config/sql/vocabulary.yaml"


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return read_vocabulary(VOCABULARY, tables=5, fields=20)


@pytest.fixture(scope="module")
def stories(vocabulary: Vocabulary) -> list[str]:
    return generate_stories(vocabulary, 4000, seed=1)


def test_a_word_and_its_synonyms_occur_in_the_same_sentences(
    stories: list[str], vocabulary: Vocabulary
) -> None:
    """The other words of a sentence with a thing's word are its context; `shared` is the overlap of two counts of them.

    A field that is another one's synonym has two sets of traits, its own and the other's: it is left out.
    """
    contexts: dict[str, Counter[str]] = defaultdict(Counter)
    words = vocabulary.words()
    for sentence in " ".join(stories).split(". "):
        parts = re.findall(r"\w+", sentence)
        (named,) = words.intersection(parts)  # a sentence is about one thing
        contexts[named].update(part for part in parts if part != named)

    def shared(one: str, other: str) -> float:
        return (contexts[one] & contexts[other]).total() / min(
            contexts[one].total(), contexts[other].total()
        )

    entries = [
        (base, *synonyms)
        for kind in (vocabulary.tables, vocabulary.fields)
        for base, synonyms in kind.items()
    ]
    things_named = Counter(word for entry in entries for word in entry)
    alone = [entry for entry in entries if max(things_named[word] for word in entry) == 1]
    assert len(alone) > 10
    assert min(shared(*pair) for entry in alone for pair in combinations(entry, 2)) > 0.8
    unrelated = [shared(one[0], other[0]) for one, other in combinations(alone, 2)]
    assert sum(unrelated) / len(unrelated) < 0.7


def test_every_word_occurs_about_as_often_as_its_synonyms_though_none_of_these_is_a_column(
    stories: list[str], vocabulary: Vocabulary
) -> None:
    counts = Counter(re.findall(r"\w+", " ".join(stories)))
    for base, synonyms in vocabulary.tables.items():
        expected = 4000 * 5 / (25 * 3)  # sentences, of 25 things with three words each
        assert all(abs(counts[word] - expected) < 0.3 * expected for word in (base, *synonyms))
    assert vocabulary.words() <= counts.keys()


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
    assert words.isdisjoint(read_vocabulary(VOCABULARY, tables=118, fields=259).words())


def test_every_story_is_known_to_a_tokenizer_of_their_words(
    stories: list[str], vocabulary: Vocabulary
) -> None:
    tokenizer = make_word_tokenizer([*(f" {word}" for word in vocabulary.words()), *story_words()])
    assert all(tokenizer.unk_token_id not in ids for ids in tokenizer(stories).input_ids)


def test_the_seed_draws_the_stories_and_a_longer_text_begins_with_the_shorter(
    stories: list[str], vocabulary: Vocabulary
) -> None:
    assert (
        generate_stories(vocabulary, 9, seed=1)
        == stories[:9]
        != generate_stories(vocabulary, 9, seed=2)
    )
