"""The model's answers to five recall prompts, and RADAR's predictions.

id  decoded  right  predicted
a   7        yes    recall
b   8        yes    reasoning
c   x        no     recall
d   y        no     recall
e   nothing  no     reasoning
"""

import pandas as pd

ANSWERS = pd.DataFrame(
    {
        "id": ["a", "b", "c", "d", "e"],
        "label": "recall",
        "decoded": ["7", "8", "x", "y", ""],
        "has_answer": True,
        "right": [True, True, False, False, False],
    }
)

PREDICTIONS = pd.DataFrame(
    {
        "id": ["a", "b", "c", "d", "e"],
        "predicted": ["recall", "reasoning", "recall", "recall", "reasoning"],
    }
)
