"""Quotes are found where they stand, and passages by what they say."""

import pytest

from mechaware.claims.judges.language_model.passages import WORDS, PassageIndex, split_passages
from mechaware.claims.judges.language_model.quotes import locate_quotes

TEXT = (
    "We study agreement. Ablating heads 3.1 and 4.2 lowers the logit difference by 61%,\nfrom 3.2 to 1.2. "
    "The probe finds the subject\u2019s number in layer 2. No other task was tried."
)


@pytest.mark.parametrize(
    ("evidence", "found"),
    [
        (
            '"Ablating heads 3.1 and 4.2 lowers the logit difference"',
            ["Ablating heads 3.1 and 4.2 lowers the logit difference"],
        ),
        (
            'They say "difference by 61%, from 3.2 to 1.2".',
            ["difference by 61%,\nfrom 3.2 to 1.2"],
        ),  # over a line break
        ("“No other task was tried.”", ["No other task was tried"]),
        (
            '"The probe finds the subject\'s number in layer 2"',
            ["The probe finds the subject\u2019s number in layer 2"],
        ),  # another apostrophe
        ('"patching restores the whole behaviour at once"', [None]),
        ('"The probe finds" and "every attention head was patched"', ["The probe finds", None]),
        ("an ablation, without a quote", []),
        ('head "3.1"', []),  # too short to have one place
    ],
)
def test_each_quote_has_its_place_or_none(evidence: str, found: list[str | None]) -> None:
    places = locate_quotes(evidence, TEXT)
    assert [None if place is None else TEXT[slice(*place)] for place in places] == found


def test_a_quote_longer_than_the_text_is_not_in_it() -> None:
    assert locate_quotes('"a short text with much more behind it"', "a short text") == [None]


def test_passages_are_whole_sentences_and_keep_every_word() -> None:
    text = " ".join(f"Sentence {number} tells of head {number}.1 in eleven words or so." for number in range(40))
    passages = split_passages(text)
    assert " ".join(passages) == text
    assert all(passage.endswith("so.") for passage in passages)
    assert max(len(passage.split()) for passage in passages) <= WORDS


def test_a_sentence_longer_than_a_passage_stands_alone() -> None:
    long = " ".join(["word"] * (WORDS + 5)) + "."
    assert split_passages(f"One. {long} Two.") == ["One.", long, "Two."]


def test_the_best_passages_hold_the_words_of_the_query_in_the_papers_order() -> None:
    filler = " ".join(["The weather was fair on that day and nothing else."] * 7)
    text = f"Ablation of 9.9 hurts. {filler} Patching 9.9 restores. {filler} Ablation again, of 9.9, hurts. {filler}"
    first, second = PassageIndex(split_passages(text)).best("ablation hurts 9.9", 2)
    assert "Ablation of 9.9 hurts" in first
    assert "Ablation again" in second


@pytest.mark.parametrize("text", ["", "   \n"])
def test_an_empty_text_has_no_passages(text: str) -> None:
    assert PassageIndex(split_passages(text)).best("anything", 3) == []


def test_a_claim_is_no_passage_for_itself() -> None:
    claim = "Heads 9.9 and 9.6 move names."
    passages = [f"{claim} So we hold.", "Ablating 9.9 costs 40%.", claim, "Heads 1.1 and 1.2 do not."]
    assert PassageIndex(passages).best("9.9 names", 2, without=claim) == ["Ablating 9.9 costs 40%.", passages[3]]
    assert PassageIndex(passages).best("9.9 names", 2) == [passages[0], claim]
