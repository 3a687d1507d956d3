"""A paper is split into passages for a small model, and passages are ranked for a query."""

from mechaware.instruments.claims.judges.language_model.small_model import (
    PASSAGE_WORDS,
    _PassageIndex,
    _split_passages,
)


def test_passages_are_whole_sentences_and_keep_every_word() -> None:
    sentences = [
        f"Sentence {number} tells of head {number}.1 in all of eleven words."
        for number in range(40)
    ]

    passages = _split_passages(" ".join(sentences))

    assert PASSAGE_WORDS == 30
    # Two sentences have 22 words, three have 33.
    pairs = [f"{sentences[number]} {sentences[number + 1]}" for number in range(0, 40, 2)]
    assert passages == pairs


def test_a_sentence_longer_than_a_passage_stands_alone() -> None:
    long = " ".join(["word"] * (PASSAGE_WORDS + 5)) + "."
    assert _split_passages(f"One. {long} Two.") == ["One.", long, "Two."]


def test_the_best_passages_hold_the_words_of_the_query_in_the_papers_order() -> None:
    # Long enough that no passage holds two of the sentences about head 9.9.
    filler = " ".join(["The weather was fair on that day and nothing else."] * 7)
    text = (
        f"Ablation of 9.9 hurts. {filler} Patching 9.9 restores. {filler} "
        f"Ablation again, of 9.9, hurts. {filler}"
    )

    first, second = _PassageIndex(_split_passages(text)).best("ablation hurts 9.9", 2)

    assert "Ablation of 9.9 hurts" in first
    assert "Ablation again" in second


def test_passages_that_contain_the_claim_are_no_evidence_for_it() -> None:
    claim = "Heads 9.9 and 9.6 move names."
    with_claim = f"{claim} So we hold."
    ablation = "Ablating 9.9 costs 40%."
    others = "Heads 1.1 and 1.2 do not."
    index = _PassageIndex([with_claim, ablation, claim, others])

    assert index.best("9.9 names", 2, without=claim) == [ablation, others]
    assert index.best("9.9 names", 2) == [with_claim, claim]
