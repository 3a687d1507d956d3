"""What counts as a right answer, and which prompts are given to the model."""

from pathlib import Path

import pytest
import torch

from mechaware.models.decoding import decode
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.radar.answers import _is_right, answer_prompts
from mechaware.radar.prompts import Prompt
from tests.tiny_models import make_tiny_model


@pytest.mark.parametrize(
    ("decoded", "answers", "right"),
    [
        ("Lisbon.", ("lisbon",), True),
        ("the city of LISBON, in Portugal", ("lisbon",), True),
        ("\n\nLisbon", ("lisbon",), True),
        ("Madrid.\nNo, Lisbon", ("lisbon",), False),
        ("Lisbonne", ("lisbon",), False),
        ("", ("lisbon",), False),
        ("Lisbon", (), False),
        ("It is 1,024 bytes", ("1024",), True),
        ("10240", ("1024",), False),
        ("$30.00 each", ("30",), True),
        ("30.05", ("30",), False),
        ("2.75", ("2.7",), False),
        ("126cm", ("126",), True),
        ("twenty-seven", ("seven",), False),
        ("Twenty-Seven!", ("27", "twenty-seven"), True),
        ("at 8:15 p.m.", ("8:15",), True),
        ("at 8:45, or 15", ("8:15",), False),
        ("V, X, and L", ("v x and l",), True),
        ("CO₂", ("co2",), True),
        ("the right-angle", ("right angle",), False),
    ],
)
def test_an_answer_is_a_whole_sequence_of_words_in_the_first_line(
    decoded: str, answers: tuple[str, ...], right: bool
) -> None:
    assert _is_right(decoded, answers) is right


def test_the_model_continues_each_prompt_as_it_stands(tmp_path: Path) -> None:
    folder = make_tiny_model("gpt2", tmp_path)
    model, tokenizer = load_model(folder, torch.device("cpu")), load_tokenizer(folder)
    texts = ["four", "a longer prompt", "b"]
    alone = [decode(model, tokenizer, [text], max_new_tokens=3, batch_size=1)[0] for text in texts]
    prompts = [Prompt(text, text, "recall", "c", "s", row=2) for text in texts]
    for tokens_per_batch in (1, 40, 1000):
        table = answer_prompts(model, tokenizer, prompts, answer_tokens=3, tokens_per_batch=tokens_per_batch)
        assert table["decoded"].tolist() == alone
    assert not table["has_answer"].any()
    assert not table["right"].any()
