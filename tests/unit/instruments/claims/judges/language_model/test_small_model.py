"""Passages for a model that cannot hold a paper are found by what they say."""

from mechaware.instruments.claims.judges.language_model.small_model import (
    PASSAGE_WORDS,
    _PassageIndex,
    _split_passages,
)


def test_passages_are_whole_sentences_and_keep_every_word() -> None:
    text = " ".join(
        f"Sentence {number} tells of head {number}.1 in eleven words or so." for number in range(40)
    )
    passages = _split_passages(text)
    assert " ".join(passages) == text
    assert all(passage.endswith("so.") for passage in passages)
    assert max(len(passage.split()) for passage in passages) <= PASSAGE_WORDS


def test_a_sentence_longer_than_a_passage_stands_alone() -> None:
    long = " ".join(["word"] * (PASSAGE_WORDS + 5)) + "."
    assert _split_passages(f"One. {long} Two.") == ["One.", long, "Two."]


def test_the_best_passages_hold_the_words_of_the_query_in_the_papers_order() -> None:
    filler = " ".join(["The weather was fair on that day and nothing else."] * 7)
    text = f"Ablation of 9.9 hurts. {filler} Patching 9.9 restores. {filler} Ablation again, of 9.9, hurts. {filler}"
    first, second = _PassageIndex(_split_passages(text)).best("ablation hurts 9.9", 2)
    assert "Ablation of 9.9 hurts" in first
    assert "Ablation again" in second


def test_a_claim_is_no_passage_for_itself() -> None:
    claim = "Heads 9.9 and 9.6 move names."
    passages = [
        f"{claim} So we hold.",
        "Ablating 9.9 costs 40%.",
        claim,
        "Heads 1.1 and 1.2 do not.",
    ]
    assert _PassageIndex(passages).best("9.9 names", 2, without=claim) == [
        "Ablating 9.9 costs 40%.",
        passages[3],
    ]
    assert _PassageIndex(passages).best("9.9 names", 2) == [passages[0], claim]
