"""The columns of the grounding study's tables that hold text or truth values."""

from mechaware.frames import Schema
from mechaware.grounding.rules.listed import BASELINES, READINGS
from mechaware.grounding.rules.listed import RULE_SETS as LABELS

PREDICTIONS = Schema(text=("evaluated_with", "gold", "predicted"), boolean=("exact_match",))
TRAINING = Schema(text=("run",))
ACCURACY = Schema(text=("trained_with", "evaluated_with", "metric", "place"))
COMPARISON = Schema(text=("category", "quantity", "place"))
RECOVERY = Schema(text=("run",))
THRESHOLDS = Schema(text=("run",))
VERDICT = Schema(
    text=("run", "group", "known_blocks", "found_blocks"),
    boolean=tuple(f"{name}_verdict" for name in (*LABELS, *READINGS, *BASELINES)),
)
# Models trained outside the run: measured once, with date, device, commit and command in each row.
SUBJECTS = Schema(
    text=("run", "known_blocks", "found_blocks", "shares", "subjects", "date", "device", "commit", "command"),
    boolean=VERDICT.boolean,
)
RULE_SETS = Schema(text=("rules", "measure", "wrong"))
OF_CATEGORIES = Schema(text=("run", "category"))
BLOCK_SETS = Schema(text=("run", "found_blocks", "known_blocks"))
BEHAVIOUR = Schema(text=("run", "prompt"))
READING = Schema(text=("run", "mode", "block"))
RESIDUAL_MAP = Schema(text=("run", "position"))
REPORTED_ACCURACY = Schema(text=("trained_with", "evaluated_with", "metric", "place"))
REPORTED_RULES = Schema(text=("category", "quantity", "place"))
