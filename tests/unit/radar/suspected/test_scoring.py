"""What a corpus adds to the evidence of a benchmark."""

from pathlib import Path

import numpy as np
import pytest

from mechaware.models.registry import load_tokenizer
from mechaware.radar.detectors.listed import DETECTORS
from mechaware.radar.evidence import token_counts
from mechaware.radar.evidence.line import Line
from mechaware.radar.evidence.token_counts import count_tokens
from mechaware.radar.suspected.benchmark import Benchmark, BenchmarkItem
from mechaware.radar.suspected.scoring import score_benchmark
from tests.tiny_models import make_tiny_model
from tests.unit.radar.detectors.made_evidence import scored, tokens


def test_tokens_are_counted_over_all_texts_without_special_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_counts, "TEXTS_AT_ONCE", 2)
    tokenizer = load_tokenizer(make_tiny_model("gpt2", tmp_path / "model", n_layers=1))
    counts = count_tokens(iter(["aab", "b", "ca"]), tokenizer)
    ids = {letter: tokenizer(letter, add_special_tokens=False).input_ids[0] for letter in "abc"}
    assert {letter: counts[ids[letter]] for letter in "abc"} == {"a": 3, "b": 2, "c": 1}
    assert counts.sum() == 6
    assert len(counts) == len(tokenizer)


def test_a_corpus_adds_the_overlap_and_without_the_truth_there_is_no_column_of_it() -> None:
    evidence = scored(tokens([-1]), tokens([-2]), texts=["The cat sat.", "A dog ran."])
    items = [BenchmarkItem(name, Line("", text), None, 2) for name, text in zip("ab", evidence.texts, strict=True)]
    scores = score_benchmark(evidence, Benchmark(Path("x.csv"), tuple(items)), corpus=["There the cat sat"], seed=0)
    assert list(scores)[:5] == ["id", "loss", "zlib", "min_k", "min_k_plus_plus"]
    assert list(scores)[1:] == [detector.name for detector in DETECTORS if {"corpus"}.issuperset(detector.needs)]
    assert scores["id"].tolist() == ["a", "b"]
    # The words of the first text are a run of the corpus's words.
    assert scores["overlap"].tolist() == [1, 0]
    np.testing.assert_allclose(scores["loss"], [-1, -2])
