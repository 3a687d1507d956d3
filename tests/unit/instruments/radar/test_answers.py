"""Prompts are continued unchanged, and alike in batches of any size."""

from pathlib import Path

import torch

from mechaware.instruments.radar.answers import answer_prompts
from mechaware.instruments.radar.prompts import Prompt
from mechaware.models.decoding import decode
from mechaware.models.registry import load_model, load_tokenizer
from tests.tiny_models import make_tiny_model


def test_the_model_continues_each_prompt_unchanged_in_batches_of_any_size(tmp_path: Path) -> None:
    folder = make_tiny_model("gpt2", tmp_path)
    model = load_model(folder, torch.device("cpu"))
    tokenizer = load_tokenizer(folder)
    texts = ["four", "a longer prompt", "b"]
    alone = [decode(model, tokenizer, [text], max_new_tokens=3, batch_size=1)[0] for text in texts]
    prompts = [Prompt(text, text, "recall", "c", "s", row=2) for text in texts]
    for tokens_per_batch in (1, 40, 1000):
        table = answer_prompts(
            model, tokenizer, prompts, answer_tokens=3, tokens_per_batch=tokens_per_batch
        )
        assert table["decoded"].tolist() == alone
    assert not table["has_answer"].any()
    assert not table["right"].any()
