"""The figure of trained models, drawn for `two_models`: one seed, trained with the schema or not.

run           exact match  pairs of four that pass R1, R1 and R2, R1 to R3
schema-s3     0.96         3, 2, 1
no_schema-s3  0.80         1, 1, 0
"""

import pytest
from matplotlib.axes import Axes

from exhibits.grounding.figures import grounding_models
from exhibits.report.style import COLOUR
from tests.exhibits.grounding.models import two_models


def assert_points(axes: Axes, schema: float, no_schema: float) -> None:
    """The points are at the exact match, 96 and 80 %, and at these percentages of passing pairs.

    A line joins the two points.
    """
    line, point_schema, point_no_schema = axes.lines
    assert line.get_xydata().tolist() == [[96, schema], [80, no_schema]]
    assert point_schema.get_xydata().tolist() == [[96, schema]]
    assert point_no_schema.get_xydata().tolist() == [[80, no_schema]]


@pytest.mark.parametrize(
    ("met", "filled", "labels"),
    [
        pytest.param(
            True,
            [COLOUR["schema"], COLOUR["no_schema"]],
            ["trained: schema", "trained: no schema"],
            id="criterion met",
        ),
        pytest.param(
            False,
            ["none", "none"],
            ["trained: schema", "trained: no schema", "criterion not met"],
            id="criterion not met",
        ),
    ],
)
def test_a_model_is_a_point_at_its_exact_match_and_its_share_of_passing_pairs(
    met: bool, filled: list[str], labels: list[str]
) -> None:
    """The point is open if the model did not meet the criterion of its training."""
    figure = grounding_models.draw(**two_models(met=met), width=7.0)
    r1, r2, r3 = figure.axes

    assert [axes.get_title() for axes in figure.axes] == ["R1", "R1 and R2", "R1 to R3"]
    assert_points(r1, schema=75, no_schema=25)
    assert_points(r2, schema=50, no_schema=25)
    assert_points(r3, schema=25, no_schema=0)

    for axes in figure.axes:
        _, *points = axes.lines
        assert [point.get_markerfacecolor() for point in points] == filled

    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == labels
