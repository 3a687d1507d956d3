"""Pairs whose words have several tokens: the tokens follow from a rule by hand."""

import pytest
from transformers import PreTrainedTokenizerFast

from mechaware.instruments.grounding.data.pairs import Pair, Prompt
from mechaware.instruments.grounding.readable_pairs import usable_pairs, word_tokens
from mechaware.instruments.grounding.tokens import Span, differing_span
from tests.unit.instruments.grounding.pairs_by_hand import make_pair, texts_of, tokens_of
from tests.unit.instruments.grounding.pieces import make_piece_tokenizer, pieces_by_hand


def make_two(
    *,
    request_word: str = "birth",
    beside: str = "pet",
    corrupted: str = "open_at",
    third: str = "",
    replacement: str = "song",
) -> Pair:
    """A pair that asks for made_on, the column after `beside`.

    By default its words have two tokens: ` made`, `_on` and ` open`, `_at`.
    """
    return make_pair(
        "two",
        "db_scramble",
        place=2,
        columns=[beside, "made_on", "city"],
        request_word=request_word,
        corrupted=corrupted,
        third=third,
        replacement=replacement,
    )


TWO = make_two()
# ` creat`, `ed`, `_on` for ` eleva`, `tion`, `_a`.
THREE = make_pair(
    "three",
    "db_scramble",
    place=1,
    columns=["created_on", "pet"],
    request_word="birth",
    corrupted="elevation_a",
    replacement="song",
)


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    """It knows the pieces of the prompts of TWO and THREE, and of some more words."""
    words = " made_to open_up created_at price opened_on phone number"
    return make_piece_tokenizer([words, *texts_of([TWO, THREE])])


@pytest.mark.parametrize(
    ("pair", "n_tokens", "clean", "corrupted"),
    [
        pytest.param(TWO, 2, "made_on", "open_at", id="two tokens"),
        pytest.param(THREE, 3, "created_on", "elevation_a", id="three tokens"),
    ],
)
def test_the_prompts_of_a_pair_differ_in_all_tokens_of_the_word(
    tokenizer: PreTrainedTokenizerFast, pair: Pair, n_tokens: int, clean: str, corrupted: str
) -> None:
    (tokens,) = tokens_of([pair], tokenizer)

    assert tokens.n_tokens == n_tokens
    for ids, word in ((tokens.clean, clean), (tokens.corrupted, corrupted)):
        pieces = tokenizer.convert_ids_to_tokens(ids)
        end = tokens.position + n_tokens
        assert "".join(pieces[tokens.position : end]) == f" {word}"
        # The type of the column follows.
        assert pieces[end] in (" TEXT", " DATE")


@pytest.mark.parametrize(
    ("pair", "clean", "corrupted"),
    [(TWO, "made_on", "open_at"), (THREE, "created_on", "elevation_a")],
    ids=["two tokens", "three tokens"],
)
def test_the_answers_are_the_first_tokens_of_the_words(
    tokenizer: PreTrainedTokenizerFast, pair: Pair, clean: str, corrupted: str
) -> None:
    (tokens,) = tokens_of([pair], tokenizer)

    answers = tokenizer.convert_ids_to_tokens([tokens.correct, tokens.incorrect])
    assert answers == [pieces_by_hand(clean)[0], pieces_by_hand(corrupted)[0]]


@pytest.mark.parametrize("word", ["price", "made_on", "phone number"])
def test_a_word_has_the_tokens_that_it_has_after_a_space(
    tokenizer: PreTrainedTokenizerFast, word: str
) -> None:
    assert tokenizer.convert_ids_to_tokens(word_tokens(tokenizer, word)) == pieces_by_hand(word)


@pytest.mark.parametrize("word", ["zebra", "price zebra"])
def test_a_word_has_no_tokens_if_one_is_unknown(
    tokenizer: PreTrainedTokenizerFast, word: str
) -> None:
    assert word_tokens(tokenizer, word) == ()


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(make_two(corrupted="price"), id="one token for two"),
        pytest.param(
            make_two(replacement="opened_on"), id="three tokens for one in an unasked column"
        ),
        pytest.param(make_two(corrupted="made_to"), id="corrupted and clean word begin alike"),
        pytest.param(make_two(third="open_up"), id="third and corrupted word begin alike"),
        pytest.param(make_two(beside="made_to"), id="two columns begin alike"),
        pytest.param(make_two(corrupted="unheard_of"), id="unknown corrupted word"),
        pytest.param(make_two(replacement="zebra"), id="unknown replacement"),
        pytest.param(make_two(request_word="zebra"), id="unknown request word"),
    ],
)
def test_a_pair_whose_words_are_unknown_begin_alike_or_differ_in_length_is_passed_over(
    tokenizer: PreTrainedTokenizerFast, changed: Pair
) -> None:
    assert usable_pairs([TWO, changed], tokenizer, 256, len(tokenizer)) == [TWO]


def test_a_pair_with_more_tokens_than_the_model_reads_is_passed_over(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    longest = max(len(tokenizer(prompt.text).input_ids) for prompt in TWO.prompts.values())

    assert usable_pairs([TWO], tokenizer, longest, len(tokenizer)) == [TWO]
    assert usable_pairs([TWO], tokenizer, longest - 1, len(tokenizer)) == []


def test_the_pairs_of_the_shortest_words_come_first(tokenizer: PreTrainedTokenizerFast) -> None:
    assert usable_pairs([THREE, TWO], tokenizer, 256, len(tokenizer)) == [TWO, THREE]


def test_all_tokens_of_a_phrase_that_asks_count_as_length(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    """The phrase phone number has the tokens ` phone`, ` numbe` and `r`; the word birth has one."""
    asked_by_phrase = make_two(request_word="phone number")
    pairs = [asked_by_phrase, THREE, TWO]

    assert usable_pairs(pairs, tokenizer, 256, len(tokenizer)) == [TWO, asked_by_phrase, THREE]


# Words that end alike


@pytest.mark.parametrize(
    ("answer", "n_tokens"),
    [
        pytest.param(" created_at", 3, id="the word is the answer: all of its tokens"),
        pytest.param(" pet", 2, id="it is not: up to the last token that differs"),
    ],
)
def test_a_word_that_ends_as_its_counterpart_is_whole_if_it_is_the_answer(
    tokenizer: PreTrainedTokenizerFast, answer: str, n_tokens: int
) -> None:
    """Of ` creat`, `ed`, `_at` and ` opene`, `d`, `_at` the first two tokens differ."""

    def prompt(word: str, wanted: str) -> Prompt:
        return Prompt(
            text=f" {word} price SELECT",
            wanted=wanted,
            against=" city",
            options=(answer, " city"),
            category="",
            place="",
            request="",
            shortcuts={},
        )

    clean = prompt("created_at", wanted=answer)
    corrupted = prompt("opened_at", wanted="")
    (tokens,) = tokens_of([Pair("pair", {"clean": clean, "corrupted": corrupted})], tokenizer)

    assert (tokens.position, tokens.n_tokens) == (0, n_tokens)


@pytest.mark.parametrize(
    ("first", "second", "span"),
    [
        ("a b c d", "a x c d", Span(before=1, first=1, second=1, after=2)),
        ("a b c d", "a x y z d", Span(before=1, first=2, second=3, after=1)),
        ("in New York it", "in Rome it", Span(before=1, first=2, second=1, after=1)),
        ("a b", "a c", Span(before=1, first=1, second=1, after=0)),
        # One text only has additional tokens: the shared token before them counts to the span.
        ("in New York it", "in York it", Span(before=0, first=2, second=1, after=2)),
        ("on a a a b", "on a b", Span(before=1, first=3, second=1, after=1)),
        # At the beginning it is the shared token after them.
        ("New York it", "York it", Span(before=0, first=2, second=1, after=1)),
        ("in it", "it", Span(before=0, first=2, second=1, after=0)),
    ],
)
def test_two_texts_differ_between_what_they_share_at_both_ends(
    first: str, second: str, span: Span
) -> None:
    words = sorted({*first.split(), *second.split()})
    first_ids = [words.index(word) for word in first.split()]
    second_ids = [words.index(word) for word in second.split()]

    assert differing_span(first_ids, second_ids) == span

    swapped = span._replace(first=span.second, second=span.first)
    assert differing_span(second_ids, first_ids) == swapped
