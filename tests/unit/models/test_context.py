"""The context of a model is the longest text that it can read."""

import pytest
import torch
from transformers import LlamaConfig, WhisperConfig

from mechaware.models.context import COUNTED_FROM_PADDING, context_length
from tests.architectures import tiny_model

ROWS = 16  # of the table of positions
PADDING = 1  # the id of the padding token


@pytest.mark.parametrize("model_type", COUNTED_FROM_PADDING)
def test_positions_that_count_from_the_padding_tokens_id_leave_a_shorter_context(
    model_type: str,
) -> None:
    """The first token has the position after the id of padding: rows 0 and 1 belong to no token.

    The model reads a text of 14 tokens, and fails for 15.
    """
    settings = {
        "is_decoder": True,
        "max_position_embeddings": ROWS,
        "pad_token_id": PADDING,
        # Read by xmod.
        "languages": ["en_XX"],
        "default_language": "en_XX",
    }
    model = tiny_model(model_type, settings)
    assert context_length(model.config) == ROWS - PADDING - 1
    with torch.inference_mode():
        model(input_ids=torch.full((1, ROWS - PADDING - 1), 7))
        with pytest.raises((IndexError, RuntimeError), match=r"out of (bounds|range)"):
            model(input_ids=torch.full((1, ROWS - PADDING), 7))


def test_positions_after_unused_rows_of_a_longer_table_leave_the_whole_context() -> None:
    """OPT's positions begin at 2, in a table that has two rows more than the config names."""
    model = tiny_model("opt", {"max_position_embeddings": ROWS})
    assert context_length(model.config) == ROWS
    with torch.inference_mode():
        model(input_ids=torch.full((1, ROWS), 7))


def test_the_context_is_the_number_of_positions_in_the_config_under_any_of_its_names() -> None:
    assert context_length(LlamaConfig(max_position_embeddings=128)) == 128
    assert context_length(WhisperConfig(max_target_positions=448)) == 448


def test_the_context_of_longrope_is_the_length_of_its_short_factors() -> None:
    """Beyond 16 tokens all tokens of a pass, also the first ones, are rotated by other factors."""
    rope = {
        "rope_type": "longrope",
        "rope_theta": 10000.0,
        "original_max_position_embeddings": 16,
        "short_factor": [1.0] * 4,
        "long_factor": [8.0] * 4,
    }
    assert context_length(LlamaConfig(max_position_embeddings=128, rope_parameters=rope)) == 16
