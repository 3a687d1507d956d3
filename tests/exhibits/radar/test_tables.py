"""RADAR's tables from numbers written by hand."""

import pandas as pd

from exhibits.radar.summaries.predictions import count_answers
from exhibits.radar.tables import radar_answers
from mechaware.instruments.radar.identity import with_origin

ANSWERS = pd.DataFrame(
    {
        "id": ["a", "b"],
        "label": "recall",
        "decoded": ["7", ""],
        "has_answer": True,
        "right": [True, False],
    }
)
PREDICTIONS = pd.DataFrame({"id": ["a", "b"], "predicted": ["recall", "reasoning"]})


def test_the_answers_table_sets_the_verdicts_beside_the_answers() -> None:
    counts = with_origin(count_answers(ANSWERS, PREDICTIONS, level=0.95), "m", "mine")
    (row,) = radar_answers.fill(counts=counts, model_labels={"m": "Model"}).shown.to_dict("records")
    assert list(row.values())[:7] == [
        "Model",
        "mine",
        "recall",
        "2",
        "1",
        "1",
        "50.0 (1.3 to 98.7)",
    ]
    assert (row["Recall if right"], row["Recall if not"]) == ("1 of 1", "0 of 1")
