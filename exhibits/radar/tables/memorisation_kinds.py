"""What tells recall from reasoning items: RADAR, blind readers of the same text, and RADAR's strongest features."""

import pandas as pd

from exhibits.radar.tables.cells import area_with_interval
from exhibits.report.tables import Table
from mechaware.instruments.radar.detectors.columns import FEATURE, KIND_READERS
from mechaware.instruments.radar.names import display_name

READS = {"kinds": "results/radar/memorisation/kinds.parquet"}
SHOWN_FEATURES = 3
# The default design has no name.
DESIGNS = {
    "": "AUROC of the kind",
    "crossed": "With crossed words",
    "names": "With names as answers",
}


def fill(*, kinds: pd.DataFrame) -> Table:
    """The numbers have a row per design, reader and feature; the cells the readers and features furthest from one half.

    The cells have a column for each design; the features are chosen in the default one.
    """
    default = kinds[kinds["design"] == ""]
    is_feature = default["detector"].str.startswith(FEATURE)
    distance = (default["auroc"] - 0.5).abs().round(9)  # so that equal distances are equal numbers
    features = default.assign(distance=distance)[is_feature]
    # Features that are functions of one another order the items alike, or in reverse: they share a row.
    alike = features.groupby("distance")["detector"].agg(["first", "size"])
    farthest = alike.sort_index(ascending=False).head(SHOWN_FEATURES)
    labels = dict(KIND_READERS)  # by the name in `kinds`
    for first, size in zip(farthest["first"], farthest["size"], strict=True):
        label = f"feature: {display_name(first.removeprefix(FEATURE))}"
        if size > 1:
            label += f" (+{size - 1})"
        labels[first] = label

    shown = pd.DataFrame({"Reader": list(labels.values())})
    for design, heading in DESIGNS.items():
        of_design = kinds[kinds["design"] == design]
        if len(of_design):
            rows = of_design.set_index("detector").loc[list(labels)]
            shown[heading] = [area_with_interval(row) for _, row in rows.iterrows()]
    return Table(kinds, shown)
