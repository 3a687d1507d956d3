"""Pairs as tokens, whose words have several of them: the tokens follow from a rule by hand.

At the end, from a file of rows to the patched model.
"""

import json
from collections.abc import Iterable
from typing import NamedTuple

import pytest
import torch
from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from mechaware.instruments.grounding.data.pairs import Pair, Prompt
from mechaware.instruments.grounding.data.rows import Row, import_rows, tokenizer_texts
from mechaware.instruments.grounding.measuring import measure_pairs
from mechaware.instruments.grounding.names import CATEGORIES
from mechaware.instruments.grounding.readable_pairs import usable_pairs, word_tokens
from mechaware.instruments.grounding.rules import PairMeasurements
from mechaware.instruments.grounding.tokens import Span, differing_span
from mechaware.models.initialisation import initialise_gpt_neo
from mechaware.models.registry import load_model
from mechaware.models.tokenizers import UNKNOWN
from mechaware.planted.sql.matching import make_pairs
from mechaware.planted.sql.pair_source import PairSource, read_source
from tests.unit.instruments.grounding.data.written_rows import write_rows
from tests.unit.instruments.grounding.pairs_by_hand import (
    make_pair,
    texts_of,
    tokens_of,
    with_contrast,
)

PER_CATEGORY = 4
PIECES = r" ?_?[A-Za-z]{1,5}|[^A-Za-z]"  # five letters at most, with the space or the underscore before them


def tokenizer_of(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """A tokenizer whose tokens are the pieces of the texts: ` created_on` is ` creat`, `ed`, `_on`."""
    split = pre_tokenizers.Split(Regex(PIECES), behavior="isolated")
    found = set[str]()
    for text in texts:
        found.update(piece for piece, _ in split.pre_tokenize_str(text))
    vocabulary = {piece: number for number, piece in enumerate([UNKNOWN, *sorted(found)])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = split
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token=UNKNOWN, pad_token=UNKNOWN, eos_token=UNKNOWN
    )


def pieces_by_hand(word: str) -> list[str]:
    """The tokens of a word by hand: each part in pieces of five letters."""
    found = []
    # "created_on" has the parts " created" and "_on": each begins with its space or underscore.
    for part in f" {word}".replace(" ", "- ").replace("_", "-_").split("-")[1:]:
        found.append(part[:6])
        found += [part[start : start + 5] for start in range(6, len(part), 5)]
    return found


# Pairs by hand

# ` made`, `_on` for ` open`, `_at`.
TWO = make_pair(
    "two", "db_scramble", 2, ["pet", "made_on", "city"], "birth", ("open_at", "", "song")
)
# ` creat`, `ed`, `_on` for ` eleva`, `tion`, `_a`.
THREE = make_pair(
    "three", "db_scramble", 1, ["created_on", "pet"], "birth", ("elevation_a", "", "song")
)


@pytest.fixture(scope="module")
def by_hand() -> PreTrainedTokenizerFast:
    words = [" made_to open_up created_at price opened_on phone number"]
    return tokenizer_of([*words, *texts_of([TWO, THREE])])


@pytest.mark.parametrize(
    ("pair", "n_tokens", "clean", "corrupted"),
    [(TWO, 2, " made_on", " open_at"), (THREE, 3, " created_on", " elevation_a")],
)
def test_the_prompts_of_a_pair_differ_in_a_span(
    by_hand: PreTrainedTokenizerFast, pair: Pair, n_tokens: int, clean: str, corrupted: str
) -> None:
    (tokens,) = tokens_of([pair], by_hand)

    assert tokens.n_tokens == n_tokens
    for ids, word in ((tokens.clean, clean), (tokens.corrupted, corrupted)):
        span = by_hand.convert_ids_to_tokens(ids[tokens.position : tokens.position + n_tokens])
        assert "".join(span) == word
        assert by_hand.convert_ids_to_tokens(ids[tokens.position + n_tokens :])[0] in (
            " TEXT",
            " DATE",
        )

    answers = by_hand.convert_ids_to_tokens([tokens.correct, tokens.incorrect])
    assert answers == [pieces_by_hand(word.strip())[0] for word in (clean, corrupted)]


def test_a_word_has_the_tokens_that_it_has_after_a_space_and_none_if_one_is_unknown(
    by_hand: PreTrainedTokenizerFast,
) -> None:
    for word in ("price", "made_on", "phone number"):
        assert by_hand.convert_ids_to_tokens(word_tokens(by_hand, word)) == pieces_by_hand(word)
    assert word_tokens(by_hand, "zebra") == word_tokens(by_hand, "price zebra") == ()


@pytest.mark.parametrize(
    # `words` are the corrupted, the third and the replacement word; `beside` is a column that is not asked for.
    ("request_word", "beside", "words"),
    [
        ("birth", "pet", ("price", "", "song")),  # one token for two
        ("birth", "pet", ("made_to", "", "song")),  # begins as the clean word does
        ("birth", "pet", ("open_at", "open_up", "song")),  # the third begins as the corrupted does
        ("birth", "pet", ("open_at", "", "open_up")),  # two tokens for one, of the unasked column
        ("birth", "pet", ("unheard_of", "", "song")),
        ("birth", "pet", ("open_at", "", "zebra")),
        ("zebra", "pet", ("open_at", "", "song")),
        ("birth", "made_to", ("open_at", "", "song")),  # beside the wanted column
    ],
)
def test_a_pair_whose_words_are_unknown_or_cannot_be_told_apart_or_exchanged_is_passed_over(
    by_hand: PreTrainedTokenizerFast, request_word: str, beside: str, words: tuple[str, str, str]
) -> None:
    changed = make_pair(
        "changed", "db_scramble", 2, [beside, "made_on", "city"], request_word, words
    )

    assert usable_pairs([TWO, changed], by_hand, 256, len(by_hand)) == [TWO]


def test_a_pair_with_more_tokens_than_the_model_reads_is_passed_over(
    by_hand: PreTrainedTokenizerFast,
) -> None:
    longest = max(len(by_hand(prompt.text).input_ids) for prompt in TWO.prompts.values())

    assert usable_pairs([TWO], by_hand, longest, len(by_hand)) == [TWO]
    assert usable_pairs([TWO], by_hand, longest - 1, len(by_hand)) == []


def test_the_pairs_of_the_shortest_words_come_first(by_hand: PreTrainedTokenizerFast) -> None:
    assert usable_pairs([THREE, TWO], by_hand, 256, len(by_hand)) == [TWO, THREE]

    # A phrase may be asked for; its three tokens count.
    asked = make_pair(
        "asked",
        "db_scramble",
        2,
        ["pet", "made_on", "city"],
        "phone number",
        ("open_at", "", "song"),
    )
    assert usable_pairs([asked, THREE, TWO], by_hand, 256, len(by_hand)) == [TWO, asked, THREE]


@pytest.mark.parametrize(("answer", "n_tokens"), [(" created_at", 3), (" pet", 2)])
def test_the_span_is_all_of_an_answer_and_else_ends_with_the_last_token_that_differs(
    by_hand: PreTrainedTokenizerFast, answer: str, n_tokens: int
) -> None:
    """Of ` creat`, `ed`, `_at` and ` opene`, `d`, `_at` the first two tokens differ."""
    options = (answer, " city")

    def prompt(word: str, wanted: str) -> Prompt:
        return Prompt(f" {word} price SELECT", wanted, " city", options, "", "", "", {})

    pair = Pair("a", {"clean": prompt("created_at", answer), "corrupted": prompt("opened_at", "")})
    (tokens,) = tokens_of([pair], by_hand)

    assert (tokens.position, tokens.n_tokens) == (0, n_tokens)


@pytest.mark.parametrize(
    ("first", "second", "span"),
    [
        ("a b c d", "a x c d", Span(1, 1, 1, 2)),
        ("a b c d", "a x y z d", Span(1, 2, 3, 1)),
        ("in New York it", "in Rome it", Span(1, 2, 1, 1)),
        # One text has a token more: the span has a shared token, too, from before it, or at the start from after it.
        ("in New York it", "in York it", Span(0, 2, 1, 2)),
        ("New York it", "York it", Span(0, 2, 1, 1)),
        ("on a a a b", "on a b", Span(1, 3, 1, 1)),
        ("in it", "it", Span(0, 2, 1, 0)),
        ("a b", "a c", Span(1, 1, 1, 0)),
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


# From a file of rows to the measurements


class Study(NamedTuple):
    """Rows in TinySQL's form, the pairs that are made of them, and a random model measured on the pairs."""

    rows: list[Row]
    source: PairSource
    pairs: list[Pair]
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast
    measured: PairMeasurements


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("spans")
    with (folder / "rows.jsonl").open("w") as lines:
        for row in write_rows(800):
            texts = ("english_prompt", "create_statement", "sql_statement")
            lines.write(json.dumps({name: getattr(row, name) for name in texts}) + "\n")
    rows = import_rows(folder / "rows.jsonl", "train", {"train": 800, "valid": 0, "test": 0})
    tokenizer = tokenizer_of(tokenizer_texts(rows, []))
    source = read_source(rows, lambda word: word_tokens(tokenizer, word))
    pairs = make_pairs(source, per_category=PER_CATEGORY, seed=1)
    sizes = {"n_layers": 2, "d_model": 16, "n_heads": 2, "context_length": 256}
    initialise_gpt_neo(folder / "model", tokenizer, name="spans", seed=7, **sizes)
    model = with_contrast(load_model(folder / "model", torch.device("cpu")))
    measured = measure_pairs(model, tokenizer, pairs, folder, mapped=pairs, tokens_per_batch=10**5)
    return Study(rows, source, pairs, model, tokenizer, measured)


def test_every_category_fills_with_words_of_several_tokens(study: Study) -> None:
    categories = [pair.category for pair in study.pairs]
    assert categories == sorted(categories, key=CATEGORIES.index)
    for category in CATEGORIES:
        assert categories.count(category) == PER_CATEGORY

    usable = usable_pairs(study.pairs, study.tokenizer, 256, len(study.tokenizer))
    assert {pair.id for pair in usable} == {pair.id for pair in study.pairs}

    lengths = {pair.n_tokens for pair in tokens_of(study.pairs, study.tokenizer)}
    assert {1, 2} <= lengths, lengths

    clean = [pair.prompts["clean"] for pair in study.pairs]
    assert any(" " in prompt.request for prompt in clean)
    assert any("_" in prompt.wanted for prompt in clean)
    assert not any(" " in option.strip() for prompt in clean for option in prompt.options)


def test_words_that_take_each_others_place_have_equally_many_tokens_by_hand(study: Study) -> None:
    for pair in study.pairs:
        words = [pair.prompts["clean"].wanted, pair.prompts["clean"].against]
        words += [pair.prompts["third"].wanted] if "third" in pair.prompts else []
        assert len({len(pieces_by_hand(word.strip())) for word in words}) == 1, pair
        assert len({len(pieces_by_hand(word.strip())) for word in pair.exchanged}) == 1, pair

        lengths = set()
        for name, prompt in pair.prompts.items():
            if name not in ("both", "irrelevant", "other"):
                lengths.add(len(study.tokenizer(prompt.text).input_ids))
        assert len(lengths) == 1

        for prompt in pair.prompts.values():
            begin = [pieces_by_hand(option.strip())[0] for option in prompt.options]
            assert len(set(begin)) == len(begin), prompt


def test_identities_hold_over_whole_words(study: Study) -> None:
    patching = study.measured.patching
    first = patching[patching["layer"] == 0]

    assert (first["patched_diff"] - first["clean_diff"]).abs().max() < 1e-4

    cuts = study.measured.cuts[study.measured.cuts["kind"] == "all"]
    other = cuts["clean_diff"].where(cuts["mode"] == "denoise", cuts["corrupted_diff"])
    assert (cuts["cut_diff"] - other).abs().max() < 1e-4
    assert (cuts["clean_diff"] - cuts["corrupted_diff"]).abs().median() > 0.05

    # Shares of gaps of rounding errors' size would be inexact.
    large = first[(first["clean_diff"] - first["corrupted_diff"]).abs() > 0.05]
    at_word = study.measured.residual_map.query("position == 'schema word' and layer == 0")
    at_word = at_word[at_word["pair"].isin(large["pair"])]
    assert len(at_word) > 5
    assert at_word["recovered"].tolist() == pytest.approx([1.0] * len(at_word), abs=1e-2)
