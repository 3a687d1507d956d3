"""Which columns hold text or truth values, for each CSV that the RADAR study reads."""

from mechaware.core.frames import Schema

DATASETS = Schema(
    text=("prompt_set", "role", "category", "label", "example", "reported_n", "place"),
    boolean=("papers_kind",),
)
DETECTORS = Schema(text=("detector", "kind", "form"))
NATURAL = Schema(text=("detector",))
INSIDE = Schema(text=("reader", "kind", "form", "seeds", "rival"))
LENS = Schema(text=("kind", "form", "fit", "reader"))
PROXIES = Schema(text=("proxy", "real", "date", "device", "commit", "command"))
SUSPECTED = Schema(text=("id",), boolean=("seen", "control"))
REPORTED_PERFORMANCE = Schema(text=("slice", "place"))
REPORTED_LENGTHS = Schema(text=("label", "place"))
REPORTED_SCORES = Schema(text=("score", "label", "place"))
REPORTED_DATASETS = Schema(text=("role", "category", "label", "place"))
