"""Names of conditions, categories and interventions in files,
and their labels in figures and tables.
"""

import re

CONDITIONS = {"schema": "schema", "no_schema": "no schema"}
BASE = "base"
CATEGORIES = ("db_synonyms", "db_scramble", "non_db_synonyms", "non_db_scramble", "super_scramble")
CATEGORY_LABELS = {
    "db_synonyms": "DB synonyms",
    "db_scramble": "DB scramble",
    "non_db_synonyms": "non-DB synonyms",
    "non_db_scramble": "non-DB scramble",
    "super_scramble": "super-scramble",
    "overall": "overall",
}
# In these categories the request may mean the corrupted word as well as the clean one.
SYNONYMS = ("db_synonyms", "non_db_synonyms")
TIE = 1e-3  # logits; a preference by less is none
# In the map of the residual stream.
POSITIONS = ("schema word", "its type", "next token", "last but one", "final")
HISTORY = "history.csv"  # in a trained model's folder


def condition_of(run: str) -> str:
    """The training condition in a run's name: `no_schema-s1` -> `no_schema`,
    `base-s1` -> `base`; else the name.
    """
    conditions = "|".join((*CONDITIONS, BASE))
    trained = re.fullmatch(rf"({conditions})-s\d+", run)
    return trained[1] if trained else run
