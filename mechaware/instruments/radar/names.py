"""The names of slices, systems and protocols in tables and figures."""

from mechaware.instruments.radar.feature_extraction.features import FEATURES

SLICES = {
    "overall": "all prompts",
    "cross_validation": "cross-validation",
    "recall_tasks": "recall tasks",
    "reasoning_tasks": "reasoning tasks",
    "answered_pairs": "pairs, both prompts answered rightly",
}
SYSTEMS = {
    "radar": f"RADAR, {len(FEATURES)} features",
    "surface_only": "surface features only",
    "mechanistic_only": "mechanistic features only",
    "prompt_length": "prompt length alone",
    "bag_of_words": "bag of words",
    "majority_class": "majority class",
}
PROTOCOLS = {"trained": "trained", "cross_validated": "cross-validated"}


def display_name(name: str) -> str:
    """A name of the config or of a prompt set in plain words:
    `category:clear_recall` -> `clear recall`.
    """
    return SLICES.get(name, name.removeprefix("category:").replace("_", " "))
