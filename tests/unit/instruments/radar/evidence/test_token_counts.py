"""Tokens of a corpus, counted by hand."""

from pathlib import Path

import pytest

from mechaware.instruments.radar.evidence import token_counts
from mechaware.instruments.radar.evidence.token_counts import count_tokens
from mechaware.models.registry import load_tokenizer
from tests.tiny_models import make_tiny_model


def test_tokens_are_counted_over_all_texts_without_special_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_counts, "_TEXTS_AT_ONCE", 2)
    tokenizer = load_tokenizer(make_tiny_model("gpt2", tmp_path / "model", n_layers=1))
    counts = count_tokens(iter(["aab", "b", "ca"]), tokenizer)
    ids = {letter: tokenizer(letter, add_special_tokens=False).input_ids[0] for letter in "abc"}
    assert {letter: counts[ids[letter]] for letter in "abc"} == {"a": 3, "b": 2, "c": 1}
    assert counts.sum() == 6
    assert len(counts) == len(tokenizer)
