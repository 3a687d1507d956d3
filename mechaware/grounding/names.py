"""Names of the study's runs, categories and interventions in files, and their labels in figures and tables.

A run is a model under one kind of prompt: a trained model (`schema-s0`: condition and seed), its base, which has read
stories alone (`base-s0`), a control, chosen or drawn (`drawn_01`), or a pretrained model, not trained further, without
worked examples (`{model}.zero-shot`) or with them (`{model}.few-shot`).
"""

import re

from mechaware.controls.generator import Draw, drawn_control
from mechaware.controls.schema_readers import CONTROLS, SchemaReader

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
HISTORY = "history.csv"  # in a trained model's folder


def condition_of(run: str) -> str:
    """The training condition in a run's name: `no_schema-s1` -> `no_schema`, `base-s1` -> `base`; else the name."""
    trained = re.fullmatch(rf"({'|'.join((*CONDITIONS, BASE))})-s\d+", run)
    return trained[1] if trained else run


def is_drawn(run: str) -> bool:
    """Whether a run is of a drawn control (mechaware.controls.generator)."""
    return re.fullmatch(r"drawn_\d+", run) is not None


def _control_of(run: str) -> Draw | SchemaReader | None:
    """The control of a run, chosen or drawn; None for a model."""
    return drawn_control(run) if is_drawn(run) else CONTROLS.get(run)


def known_blocks(run: str) -> tuple[int, ...]:
    """The blocks by which a control reads the schema word, from 1; none for a run that is no control."""
    return control.read_blocks if (control := _control_of(run)) else ()


def group_of(run: str) -> str:
    """`trained`, `base` or `pretrained` for a model, `drawn`, `grounded` or `shortcut` for a control."""
    if control := _control_of(run):
        return "drawn" if is_drawn(run) else "grounded" if control.grounded else "shortcut"
    condition = condition_of(run)
    return "trained" if condition in CONDITIONS else BASE if condition == BASE else "pretrained"


def run_label(run: str) -> str:
    """The label of a run: `schema, seed 0`, `before SQL, seed 0`, a control's, or `{model}, zero-shot`."""
    if control := _control_of(run):
        return control.label
    if group_of(run) in ("trained", BASE):
        condition, seed = run.rsplit("-s", 1)
        return f"{CONDITIONS.get(condition, 'before SQL')}, seed {seed}"
    model, shots = run.rsplit(".", 1)
    return f"{model}, {shots}"
