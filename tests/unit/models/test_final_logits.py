"""Final logits in batches against transformers, one prompt at a time, for every family."""

import random
from pathlib import Path

import pytest
import torch

from mechaware.models.families.supported import FAMILIES
from mechaware.models.final_logits import final_logits
from mechaware.models.registry import load_model
from tests.tiny_models import CONTEXT_LENGTH, make_tiny_model


@pytest.mark.parametrize("family", FAMILIES)
def test_logits_are_those_of_one_prompt_after_the_other(family: str, tmp_path: Path) -> None:
    model = load_model(make_tiny_model(family, tmp_path), torch.device("cpu"))
    draw = random.Random(2)  # noqa: S311
    prompts = [draw.choices(range(250), k=length) for length in (7, 1, CONTEXT_LENGTH, 30, 7, 2)]
    with torch.inference_mode():
        expected = torch.stack(
            [model(torch.tensor([ids]), use_cache=False).logits[0, -1] for ids in prompts]
        )

    assert expected.std() > 0.1  # models that say the same of every prompt would show nothing
    for tokens_per_batch in (1, 20, 10**6):
        found = final_logits(model, prompts, tokens_per_batch=tokens_per_batch)
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
