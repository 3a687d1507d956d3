"""The context of a model is the longest text that it can read."""

import pytest
import torch

from mechaware.models.context import COUNTED_FROM_PADDING, context_length
from tests.architectures import tiny_model

ROWS, PADDING = 16, 1  # of the table of positions; the id of the padding token


@pytest.mark.parametrize("model_type", COUNTED_FROM_PADDING)
def test_positions_that_count_from_behind_the_padding_token_leave_a_shorter_context(
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


def test_positions_behind_rows_that_the_table_has_besides_leave_the_whole_context() -> None:
    """OPT's positions begin at 2 in a table of two rows more."""
    model = tiny_model("opt", {"max_position_embeddings": ROWS})
    assert context_length(model.config) == ROWS
    with torch.inference_mode():
        model(input_ids=torch.full((1, ROWS), 7))
