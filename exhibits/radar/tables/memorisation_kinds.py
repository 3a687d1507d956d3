"""What tells recall from reasoning: RADAR, blind readers of the text, RADAR's strongest features.

A blind reader sees the text and not the model. Features are strong if their AUROC of recall against
reasoning is far from one half, on either side.
"""

import pandas as pd

from exhibits.radar.tables.cells import area_with_interval
from exhibits.report.tables import Table
from mechaware.instruments.radar.detectors.columns import FEATURE, KIND_READERS
from mechaware.instruments.radar.names import display_name

READS = {"kinds": "results/radar/memorisation/kinds.parquet"}
SHOWN_FEATURES = 3
# The headings of the designs of the planted items; the default design has the name "".
DESIGNS = {
    "": "AUROC of the kind",
    "crossed": "With crossed words",
    "names": "With names as answers",
}


def fill(*, kinds: pd.DataFrame) -> Table:
    """The numbers have a row for each design and each reader or feature (`detector`).

    The cells have a row for each reader and for each of the `SHOWN_FEATURES` strongest features of
    the default design, and a column for each design that was run.
    """
    labels = KIND_READERS | _strongest_features(kinds[kinds["design"] == ""])
    shown = pd.DataFrame({"Reader": list(labels.values())})
    for design, heading in DESIGNS.items():
        of_design = kinds[kinds["design"] == design]
        if len(of_design):
            rows = of_design.set_index("detector").loc[list(labels)]
            shown[heading] = [area_with_interval(row) for _, row in rows.iterrows()]
    return Table(kinds, shown)


def _strongest_features(kinds: pd.DataFrame) -> dict[str, str]:
    """By name in `kinds`, the labels of the features whose AUROC is farthest from one half.

    Features that are functions of one another order the items alike or in reverse, so that their
    AUROC has the same distance from one half. They share a row, which has the name of the first and
    the number of the others: "feature: attention entropy (+2)".
    """
    features = kinds[kinds["detector"].str.startswith(FEATURE)]
    # Rounded, so that distances that differ by float error alone are equal.
    distance = (features["auroc"] - 0.5).abs().round(9)
    alike = features["detector"].groupby(distance).agg(["first", "size"])
    farthest = alike.sort_index(ascending=False).head(SHOWN_FEATURES)

    labels = {}
    for first, size in zip(farthest["first"], farthest["size"], strict=True):
        label = f"feature: {display_name(first.removeprefix(FEATURE))}"
        if size > 1:
            label += f" (+{size - 1})"
        labels[first] = label
    return labels
