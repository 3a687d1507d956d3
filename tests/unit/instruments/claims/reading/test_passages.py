"""A text is split into passages, whose BM25 scores for a question are computed here by hand."""

import math

import pytest

from mechaware.instruments.claims.reading.passages import (
    Passage,
    PassageRanking,
    search_words,
    split_passages,
)


def passage(words: str, start: int = 0) -> Passage:
    """A passage with these words, which begins at character `start` of its paper."""
    return Passage(start, start + len(words), words)


def test_a_passage_is_whole_sentences_of_one_paragraph() -> None:
    short = "Head nine moves the name to the end. It copies what it reads there."
    # 39 words, so that no other sentence fits into the same passage.
    long = " ".join(["Many"] + ["words"] * 38) + "."
    text = f"{short}\n\nAnother paragraph has its own words here. {long}"

    passages = split_passages(text)

    assert [found.text for found in passages] == [
        short,
        "Another paragraph has its own words here.",
        long,
    ]
    for found in passages:
        assert " ".join(text[found.start : found.end].split()) == found.text


@pytest.mark.parametrize(("more_words", "passages"), [(33, 1), (34, 2)])
def test_a_passage_has_forty_words_at_most(more_words: int, passages: int) -> None:
    seven_words = "Here the heads move the name on."
    other_sentence = " ".join(["Then"] + ["words"] * (more_words - 1)) + "."
    assert len(split_passages(f"{seven_words} {other_sentence}")) == passages


def test_headings_and_the_list_of_references_are_no_passages() -> None:
    text = (
        "1 Introduction\n\nWe ablate each of the heads in turn.\n\nReferences\n\n"
        "A. Author. How heads are ablated in turn, and why. 2020.\n\nAppendix\n\n"
        "Here we ablate the other heads in turn.\n"
    )
    assert [found.text for found in split_passages(text)] == [
        "We ablate each of the heads in turn.",
        "Here we ablate the other heads in turn.",
    ]


def test_search_words_are_stems_without_stop_words() -> None:
    assert search_words("The ablations were re-run: we ablate 3 heads") == [
        "ablat",
        "re-run",
        "ablat",
        "head",
    ]


def test_scores_are_those_of_the_formula() -> None:
    """By the formula of `mechaware.instruments.claims.reading.passages`: K1 = 1.2, B = 0.75.

    The three passages have 2, 4 and 3 words: the mean length is 3.

        idf("ablate"), in two of three passages = ln(1 + (3 - 2 + 0.5) / (2 + 0.5)) = ln 1.6
        idf("head"), in one of three            = ln(1 + (3 - 1 + 0.5) / (1 + 0.5)) = ln(8 / 3)

    To the score of a passage of |d| words a word that it has f times adds

        idf * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * |d| / 3))

        first passage:  "ablate" once:  ln 1.6 * 1 * 2.2 / (1 + 0.9)
        second passage: "ablate" twice: ln 1.6 * 2 * 2.2 / (2 + 1.5)
                        "head" once:    ln(8 / 3) * 1 * 2.2 / (1 + 1.5)
    """
    ranking = PassageRanking(
        [passage("ablate neuron"), passage("ablate ablate head query"), passage("key query value")]
    )
    words = ["ablat", "head"]
    first = math.log(1.6) * 2.2 / 1.9
    second = math.log(1.6) * 4.4 / 3.5 + math.log(8 / 3) * 2.2 / 2.5
    scores = [ranking._score(index, words) for index in range(3)]
    assert scores == pytest.approx([first, second, 0.0])

    # The best first, and none that has no word of the question.
    shown = ranking.best("Do heads matter when we ablate?", 5)
    assert [found.text for found in shown] == ["ablate ablate head query", "ablate neuron"]
    assert ranking.best("ablate", 1)[0].text == "ablate ablate head query"


def test_a_word_that_a_question_has_three_times_counts_once() -> None:
    """All passages have two words, so that a word's score is its idf (see above).

    "head" has ln(8 / 3) = 0.98, "ablate" ln 1.6 = 0.47: counted three times it would win with 1.41.
    """
    ranking = PassageRanking(
        [passage("ablate neuron"), passage("head query"), passage("ablate key")]
    )
    assert ranking.best("ablate, ablate, ablate heads", 1)[0].text == "head query"


def test_of_equal_passages_the_earlier_comes_first() -> None:
    equal = [passage("the second probe", 20), passage("the second probe", 60)]
    ranking = PassageRanking([*equal, passage("zebra", 90)])
    assert [found.start for found in ranking.best("probe", 2)] == [20, 60]


def test_no_passage_is_best_for_a_question_that_shares_no_word_with_the_paper() -> None:
    assert PassageRanking([passage("the second probe")]).best("giraffe", 10) == []
    assert PassageRanking([]).best("probe", 10) == []
