"""Continuations compared with one another and a text with its corpus, against values worked out by hand."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from mechaware.radar.detectors.sequences import OVERLAP, PEAKEDNESS
from mechaware.radar.evidence.evidence import Samples
from tests.unit.radar.detectors.made_evidence import scored, tokens

GREEDY = list(range(100, 120))  # 20 tokens: one edit is allowed


def peakedness(greedy: Sequence[int], *drawn: Sequence[int]) -> float:
    samples = Samples(np.array(greedy, dtype=int), [np.array(ids, dtype=int) for ids in drawn])
    (score,) = PEAKEDNESS.score(scored(tokens([-1]), samples=[samples]), 0)
    return float(score)


def test_the_score_is_the_share_of_samples_within_one_edit_in_twenty() -> None:
    one_edit, two_edits = [7, *GREEDY[1:]], [7, 8, *GREEDY[2:]]
    assert peakedness(GREEDY, GREEDY, one_edit, two_edits) == pytest.approx(2 / 3)


def test_an_edit_is_of_a_token_not_of_a_digit() -> None:
    assert peakedness(GREEDY, [*GREEDY[:-1], 98765]) == 1


def test_a_token_left_out_shifts_the_others_and_is_one_edit() -> None:
    assert peakedness(GREEDY, GREEDY[1:]) == 1


def test_the_length_is_that_of_the_longest_continuation() -> None:
    # A sample of 40 tokens allows two edits, which the other sample needs; itself it needs at least 20.
    assert peakedness(GREEDY, [7, 8, *GREEDY[2:]], range(40)) == 0.5


def test_short_continuations_have_to_be_equal() -> None:
    assert peakedness([1, 2], [1, 2], [1, 3], [1], [1, 2, 3]) == 0.25


def test_empty_continuations_are_equal_and_no_continuations_score_zero() -> None:
    assert peakedness([], []) == 1
    assert peakedness([], [1]) == 0
    assert peakedness([1]) == 0


def overlap(text: str, *corpus: str) -> float:
    (score,) = OVERLAP.score(scored(tokens([-1]), texts=[text], corpus=[corpus]), 0)
    return float(score)


def test_the_score_is_the_share_of_the_texts_8_grams() -> None:
    # 10 words are 3 8-grams; the corpus has the first two.
    assert overlap("a b c d e f g h i j", "z a b c d e f g h i z") == pytest.approx(2 / 3)


def test_case_and_punctuation_do_not_count() -> None:
    assert overlap("a b c d e f g h", "A, b-c (D) e; f.\ng h!") == 1


def test_a_repeated_8_gram_counts_once() -> None:
    # Nine times "a" and then "b": "a" * 8 twice and "a" * 7 + "b", of which the first is found.
    assert overlap("a a a a a a a a a b", "a a a a a a a a") == 0.5


def test_a_short_text_is_sought_whole() -> None:
    assert overlap("x y z", "w x y z") == 1
    assert overlap("x y z", "x y w z") == 0


def test_a_sequence_lies_within_one_text_of_the_corpus() -> None:
    assert overlap("x y z", "w x y", "z") == 0


def test_a_text_without_words_scores_zero() -> None:
    assert overlap("?!", "?!") == 0


def test_rows_of_one_model_share_the_reading_of_its_corpus() -> None:
    class Corpus(list[str]):
        readings = 0

        def __iter__(self) -> Iterator[str]:
            self.readings += 1
            return super().__iter__()

    first, second = Corpus(["a b c"]), Corpus(["d e f"])
    texts = ["a b c", "d e f", "a b c", "d e f"]
    evidence = scored(*[tokens([-1])] * 4, texts=texts, corpus=[first, first, second, second])
    assert OVERLAP.score(evidence, 0).tolist() == [1, 0, 0, 1]
    assert (first.readings, second.readings) == (1, 1)
