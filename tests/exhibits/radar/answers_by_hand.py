"""Predictions and answers of a few prompts."""

import pandas as pd

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
