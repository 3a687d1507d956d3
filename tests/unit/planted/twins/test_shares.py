"""How much of a corpus was planted, by hand with a tokenizer of bytes."""

from pathlib import Path

import pytest

from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.registry import load_tokenizer
from mechaware.planted.twins.shares import planted_share
from tests.tiny_models import make_tiny_model


def test_the_planted_share_of_lines_and_of_tokens(tmp_path: Path) -> None:
    tokenizer = load_tokenizer(make_tiny_model("gpt2", tmp_path / "tiny"))
    filler = [QuestionAnswer("", "abcdefg"), QuestionAnswer("ab", "cd")]
    corpora = {
        "A": [filler[0], QuestionAnswer("", "xyz"), filler[1]],
        "B": [filler[0], QuestionAnswer("", "uvwxy"), filler[1]],
    }
    # A token a byte, and the end of text: 8 + 4 + 5 of twin A, 8 + 6 + 5 of twin B.
    counts = planted_share(corpora, tokenizer)
    assert counts == (6, 2, 17 + 19, 4 + 6)
    assert counts.share == pytest.approx(10 / 36)
