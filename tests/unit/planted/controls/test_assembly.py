"""The layout of a handwritten transformer: its heads hold what they move,
for any number of words.
"""

import pytest

from mechaware.planted.controls.assembly import _lay_out
from mechaware.planted.controls.schema_readers import CONTROLS
from mechaware.planted.controls.words import Words


@pytest.mark.parametrize("name", CONTROLS)
@pytest.mark.parametrize("n_columns", [2, 7, 30, 60, 132, 133, 200, 400])
def test_a_design_has_room_for_any_number_of_columns(name: str, n_columns: int) -> None:
    words = Words(list(range(n_columns)), {n_columns: [0, 1], n_columns + 1: [1]})
    layout = _lay_out(CONTROLS[name].design, words, context_length=256)
    assert layout.d_model % layout.n_heads == 0
    assert layout.d_model >= max(dimensions.stop for dimensions in layout.features.values())
    # A loose bound: the width is linear in the number of columns.
    assert layout.d_model < 4 * n_columns + 500
