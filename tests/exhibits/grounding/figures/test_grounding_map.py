"""The gap that denoising recovers, by position and layer: a panel per model."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from exhibits.grounding.figures import grounding_map


def residual_map(shares: dict[str, float | None], *, layers: int = 3) -> pd.DataFrame:
    """The share of the gap that is recovered in each run, by position and layer.

    At layer l it is the run's entry of `shares` + l / 10 at the schema word, and 0.1 more at the
    final position. An entry of None stands for a run in which no pair has a gap.
    """
    rows = []
    for run, share in shares.items():
        for position, added in (("schema word", 0.0), ("final", 0.1)):
            for layer in range(layers):
                recovered = None
                if share is not None:
                    recovered = share + layer / 10 + added
                rows.append((run, position, layer, recovered))
    table = pd.DataFrame(rows, columns=["run", "position", "layer", "recovered"])
    return table.astype({"recovered": float})


def panels_of(figure: Figure) -> list[Axes]:
    """The axes with a title: all but the colour bar."""
    return [axes for axes in figure.axes if axes.get_title()]


def numbers_in(panel: Axes) -> list[str]:
    return [text.get_text() for text in panel.texts]


def test_the_condition_schema_the_control_and_each_pretrained_model_have_a_panel() -> None:
    table = residual_map(
        {
            "schema-s0": 0.0,
            "schema-s1": 0.2,
            "no_schema-s0": 0.9,
            "grounded_1": 0.5,
            "grounded_2": 0.3,
            "smollm2-135m-instruct.zero-shot": 0.4,
        }
    )
    figure = grounding_map.draw(residual_map=table, control="grounded_2", width=7.0)
    panels = panels_of(figure)

    assert [panel.get_title() for panel in panels] == [
        "trained: schema",
        "grounded,\nread in block 2",
        "smollm2-135m-instruct,\nzero-shot",
    ]

    schema, control, _ = panels
    # The mean of the two seeds, in %: 10, 20 and 30 at the schema word, and 10 more at the end.
    assert [label.get_text() for label in schema.get_yticklabels()] == ["schema word", "final"]
    assert numbers_in(schema) == ["10", "20", "30", "20", "30", "40"]
    assert numbers_in(control) == ["30", "40", "50", "40", "50", "60"]


def test_the_map_of_a_deep_model_has_no_numbers_in_its_cells() -> None:
    runs = {"smollm2-135m-instruct.zero-shot": 0.0, "smollm2-135m-instruct.few-shot": 0.5}
    table = residual_map(runs, layers=31)
    figure = grounding_map.draw(residual_map=table, control="grounded_2", width=7.0)
    (panel,) = panels_of(figure)

    assert numbers_in(panel) == []
    assert [label.get_text() for label in panel.get_xticklabels()] == ["0", "15", "30"]


def test_a_run_in_which_no_pair_has_a_gap_has_a_panel_without_numbers() -> None:
    table = residual_map({"schema-s0": 0.0, "schema_blind": None})
    figure = grounding_map.draw(residual_map=table, control="schema_blind", width=7.0)
    panels = panels_of(figure)

    assert [panel.get_title() for panel in panels] == ["trained: schema", "blind to the schema"]

    _, blind = panels
    assert numbers_in(blind) == []
    assert [label.get_text() for label in blind.get_xticklabels()] == ["0", "1", "2"]

    # Nor does it fail to be drawn.
    figure.draw_without_rendering()
