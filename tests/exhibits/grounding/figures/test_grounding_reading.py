"""What the keys and values of each block carry, and what a patch after it recovers."""

import pandas as pd
from matplotlib.figure import Figure

from exhibits.grounding.figures import grounding_reading

N_PAIRS = 10
# Shares of the gap that denoising recovers; noising has the same with another sign, and is not drawn.
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


def test_reading_has_both_places_of_each_condition_and_of_pretrained_models_on_the_right() -> None:
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
    # Two curves of each run: two seeds with the schema, one without it, two pretrained ones; none of the controls.
    assert [len(lines) for lines in curves] == [4, 2, 4]

    # In percent.
    cut, _, patched, _ = curves[0]
    assert cut.get_xydata().tolist() == [[1, 20], [2, 60]]
    assert patched.get_xydata().tolist() == [[1, 10], [2, 20]]
    assert cut.get_linestyle() != patched.get_linestyle()


def test_reading_says_where_no_pair_of_a_model_passes_r1() -> None:
    of_a_control_alone = draw_reading("grounded_1")
    assert [axes.get_title() for axes in of_a_control_alone.axes] == ["no pair passes R1"]

    of_a_control_alone.draw_without_rendering()
