"""The columns of the grounding study's tables that hold text or truth values."""

from mechaware.frames import Schema

PREDICTIONS = Schema(text=("evaluated_with", "gold", "predicted"), boolean=("exact_match",))
TRAINING = Schema(text=("run",))
ACCURACY = Schema(text=("run", "trained_with", "evaluated_with", "metric", "place"))
SUMMARY = Schema(text=("run", "category", "quantity"))
COMPARISON = Schema(text=("category", "quantity", "place"))
LAYERS = Schema(text=("run",), boolean=("most_common",))
RECOVERY = Schema(text=("run", "mode"))
THRESHOLDS = Schema(text=("run",))
TRIANGULATION = Schema(text=("run", "mode"))
CONTROLS = Schema(text=("run", "rule", "expected_layers"))
REPORTED_ACCURACY = Schema(text=("trained_with", "evaluated_with", "metric", "place"))
REPORTED_RULES = Schema(text=("category", "quantity", "place"))
