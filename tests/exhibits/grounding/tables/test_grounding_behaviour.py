"""The table of behaviour has how often each run is right, by prompt and by place."""

import pandas as pd

from exhibits.grounding.tables import grounding_behaviour

FEW_SHOT = "smollm2-135m-instruct.few-shot"


def test_behaviour_has_a_row_per_run_and_gathers_the_later_places() -> None:
    columns = ["run", "prompt", "column", "n", "right", "low", "high"]
    columns += ["right_db", "right_other", "first", "most_likely"]
    # Column 0 is over all places.
    rows = [
        ("schema-s0", "clean", 0, 15, 7 / 15, 0.2, 0.8, 0.9, 0.1, 0.4, 0.3),
        ("schema-s0", "clean", 1, 4, 0.75, 0, 1, 1, 0, 0.75, 0),
        ("schema-s0", "clean", 2, 5, 0.4, 0, 1, 1, 0, 0.5, 0),
        ("schema-s0", "clean", 3, 4, 0.5, 0, 1, 1, 0, 0.25, 0),
        ("schema-s0", "clean", 4, 2, 0.0, 0, 1, 1, 0, 0.0, 0),
        ("schema-s0", "third", 0, 5, 0.2, 0, 1, 1, 0, 0.0, 0),
        ("schema-s0", "other", 0, 5, 0.6, 0, 1, 1, 0, 0.0, 0),
        (FEW_SHOT, "corrupted", 0, 4, 1.0, 0.3976, 1.0, 1, None, 0.0, 0.25),
    ]

    table = grounding_behaviour.fill(behaviour=pd.DataFrame(rows, columns=columns))

    shown = table.shown.set_index("Run")
    assert shown.loc["schema, seed 0"].to_dict() == {
        "Right, first": "75.0",
        "Right, second": "40.0",
        "Right, later": "33.3",  # 2 of 4 at the third place and 0 of 2 at the fourth
        "Most likely": "30.0",
        "Another request": "60.0",
        "Other column": "",
        "Corrupted": "",
        "Third word": "20.0",
    }

    few_shot = shown.loc["smollm2-135m-instruct, few-shot"]
    places = ["Right, first", "Right, second", "Right, later"]
    assert few_shot[["Corrupted", *places]].tolist() == ["100.0", "", "", ""]
