"""The figure of readings: what a block's keys and values carry, and what a patch recovers.

Both are shares of the gap, and each has a curve of its own for every run: the cut curve is of the
keys and values, the patched curve of the residual stream after the block.
"""

import pandas as pd
from matplotlib.figure import Figure

from exhibits.grounding.figures import grounding_reading

N_PAIRS = 10
# By block, the shares of the gap that denoising recovers. Noising has the same shares with the
# other sign, and is not drawn.
BY_KEYS_AND_VALUES = {"1": 0.2, "2": 0.6}
AFTER_BLOCK = {1: 0.1, 2: 0.2}


def draw_reading(*runs: str) -> Figure:
    """The figure of these runs, which all recover the same shares."""
    recovery = []
    reading = []
    for run in runs:
        for layer, recovered in AFTER_BLOCK.items():
            recovery.append((run, layer, recovered, 0.05, 0.3, N_PAIRS))
        for mode, sign in (("denoise", 1), ("noise", -1)):
            for block, share in BY_KEYS_AND_VALUES.items():
                reading.append((run, mode, block, sign * share, 0.0, 0.9, N_PAIRS))
            reading.append((run, mode, "interaction", 0.2, 0.0, 0.9, N_PAIRS))
    return grounding_reading.draw(
        recovery=pd.DataFrame(recovery, columns=["run", "layer", "recovered", "low", "high", "n"]),
        reading=pd.DataFrame(
            reading, columns=["run", "mode", "block", "share", "low", "high", "n"]
        ),
        width=7.0,
    )


def test_each_condition_has_a_panel_with_both_curves_and_pretrained_models_have_the_last() -> None:
    figure = draw_reading(
        "schema-s0",
        "schema-s1",
        "no_schema-s0",
        "grounded_2",
        "first_column",
        "smollm2-135m-instruct.zero-shot",
        "smollm2-135m-instruct.few-shot",
    )
    curves = []
    for axes in figure.axes:
        curves.append([line for line in axes.lines if line.get_marker() != "None"])
    # Each run has two curves. The panels have two seeds with the schema, one seed without, and two
    # pretrained models; the two controls are in none.
    assert [len(lines) for lines in curves] == [2 * 2, 2 * 1, 2 * 2]

    # The first seed's curves, each block with its percentage.
    cut, _, patched, _ = curves[0]
    assert cut.get_xydata().tolist() == [[1, 20], [2, 60]]
    assert patched.get_xydata().tolist() == [[1, 10], [2, 20]]
    assert cut.get_linestyle() != patched.get_linestyle()


def test_without_a_model_whose_pairs_pass_r1_one_empty_panel_has_that_as_its_title() -> None:
    figure = draw_reading("grounded_1")  # a control, which has no panel

    assert [axes.get_title() for axes in figure.axes] == ["no pair passes R1"]
    figure.draw_without_rendering()
