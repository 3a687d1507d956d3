"""Two trained models of one seed: the inputs of tables and figures of trained models.

One model is trained with the schema, the other without. Each has four pairs.
"""

import pandas as pd

from mechaware.instruments.grounding.training_conditions import CONTRASTED_VERDICTS
from scripts.grounding.contrast_needed import COLUMNS

# The gap of each of the four pairs, in logits.
GAPS = {"schema-s3": (2.0, 1.0, 0.0, -1.0), "no_schema-s3": (0.5, 0.0, 0.0, 0.1)}
# How many pairs pass R1, R1 and R2, and R1 to R3; these are the first ones.
PASSED = {"schema-s3": (3, 2, 1), "no_schema-s3": (1, 1, 0)}
EXACT_MATCH = {"schema-s3": 0.96, "no_schema-s3": 0.8}
# The contrast of models trained on data where the schema is needed, in a run without such models.
NO_CONTRAST = pd.DataFrame(columns=COLUMNS)


def two_models(*, met: bool = True) -> dict[str, pd.DataFrame]:
    """The tables `rules` and `trained`, by the names of the parameters that read them.

    `rules` has a row per pair, `trained` a row per model. `met` is whether both models met the
    criterion of their training.
    """
    rules = []
    for run, gaps in GAPS.items():
        for pair, gap in enumerate(gaps):
            verdicts = dict.fromkeys(CONTRASTED_VERDICTS, False)
            for name, n_passed in zip(("r1", "r2", "r3"), PASSED[run], strict=True):
                verdicts[name] = pair < n_passed
            rules.append({"run": run, "pair": str(pair), "delta": gap} | verdicts)
    trained = pd.DataFrame(
        {
            "run": list(GAPS),
            "condition": ["schema", "no_schema"],
            "seed": 3,
            "steps": 1200,
            "held_out_exact_match": [0.95, 0.78],
            "met_criterion": met,
            "exact_match": list(EXACT_MATCH.values()),
            "low": [0.93, 0.75],
            "high": [0.98, 0.84],
            "n": 50,
        }
    )
    return {"rules": pd.DataFrame(rules), "trained": trained}
