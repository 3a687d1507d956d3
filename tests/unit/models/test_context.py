"""The context of a model is the longest text that it can read."""

import pytest
import torch
from transformers import LlamaConfig, WhisperConfig

from mechaware.models.context import COUNTED_FROM_PADDING, context_length
from tests.architectures import tiny_model

ROWS, PADDING = 16, 1  # of the table of positions; the id of the padding token


@pytest.mark.parametrize("model_type", COUNTED_FROM_PADDING)
def test_positions_that_count_from_the_padding_tokens_id_leave_a_shorter_context(
    model_type: str,
) -> None:
    """The first token of a text has position 2, since padding has 1: rows 0 and 1 belong to no token."""
    settings = {
        "is_decoder": True,
        "max_position_embeddings": ROWS,
        "pad_token_id": PADDING,
        "languages": ["en_XX"],  # of xmod
        "default_language": "en_XX",
    }
    model = tiny_model(model_type, settings)
    assert context_length(model.config) == ROWS - PADDING - 1
    with torch.inference_mode():
        model(input_ids=torch.full((1, ROWS - PADDING - 1), 7))
        with pytest.raises((IndexError, RuntimeError), match=r"out of (bounds|range)"):
            model(input_ids=torch.full((1, ROWS - PADDING), 7))


def test_positions_after_unused_rows_of_a_longer_table_leave_the_whole_context() -> None:
    """OPT's positions begin at 2 in a table of two rows more."""
    model = tiny_model("opt", {"max_position_embeddings": ROWS})
    assert context_length(model.config) == ROWS
    with torch.inference_mode():
        model(input_ids=torch.full((1, ROWS), 7))


def test_the_context_is_the_number_of_positions_in_the_config_under_any_of_its_names() -> None:
    assert context_length(LlamaConfig(max_position_embeddings=128)) == 128
    assert context_length(WhisperConfig(max_target_positions=448)) == 448


def test_the_context_ends_before_the_length_from_which_all_tokens_of_a_pass_are_rotated_otherwise() -> (
    None
):
    rope = {
        "rope_type": "longrope",
        "rope_theta": 10000.0,
        "original_max_position_embeddings": 16,
        "short_factor": [1.0] * 4,
        "long_factor": [8.0] * 4,
    }
    assert context_length(LlamaConfig(max_position_embeddings=128, rope_parameters=rope)) == 16
