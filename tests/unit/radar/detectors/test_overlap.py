"""The oracle: what of a text occurs in the training corpus."""

from collections.abc import Iterator

import pytest

from mechaware.radar.detectors.overlap import score_overlap
from tests.unit.radar.detectors.made_evidence import scored, tokens


def overlap(text: str, *corpus: str) -> float:
    (score,) = score_overlap(scored(tokens([-1]), texts=[text], corpus=[corpus]), 0)
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
    assert score_overlap(evidence, 0).tolist() == [1, 0, 0, 1]
    assert (first.readings, second.readings) == (1, 1)
