"""The table of shortcuts has how often each shortcut is right, once for the same pairs."""

import pandas as pd

from exhibits.grounding.tables import grounding_shortcuts
from mechaware.instruments.grounding.shortcuts import PLACE_SHORTCUTS

FEW_SHOT = "smollm2-135m-instruct.few-shot"


def test_runs_on_the_same_pairs_share_their_rows_of_shortcuts() -> None:
    """`schema-s0` and `relay` have the same 20 pairs, and the pretrained model 4 of its own."""
    rows = []
    for run, n in (("schema-s0", 20), ("relay", 20), (FEW_SHOT, 4)):
        rows.append((run, "db_synonyms", n, 0.5, 0.25, 0.0, 0.75, 1.0))
        rows.append((run, "overall", n, 0.25, 0.5, 0.0, 0.5, 0.125))
    columns = ["run", "category", "n", *PLACE_SHORTCUTS]  # five shortcuts

    table = grounding_shortcuts.fill(shortcuts=pd.DataFrame(rows, columns=columns))

    assert len(table.numbers) == 6
    assert table.shown[["Pairs of", "n"]].drop_duplicates().to_numpy().tolist() == [
        ["schema, seed 0", "20"],
        ["smollm2-135m-instruct, few-shot", "4"],
    ]

    overall = table.shown.iloc[1].to_dict()
    assert overall.pop("Pairs of") == "schema, seed 0"
    assert overall.pop("Category") == "overall"
    # n, then the five shortcuts in percent.
    assert list(overall.values()) == ["20", "25.0", "50.0", "0.0", "50.0", "12.5"]
