"""What tables and figures call slices, systems, protocols, detectors and forms of planted items."""

from mechaware.radar.detectors.registry import DETECTORS
from mechaware.radar.feature_extraction.features import FEATURES
from mechaware.radar.memorisation.scoring import BLIND

SLICES = {
    "overall": "all prompts",
    "cross_validation": "cross-validation",
    "recall_tasks": "recall tasks",
    "reasoning_tasks": "reasoning tasks",
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
DETECTOR_LABELS = {detector.name: detector.label for detector in DETECTORS} | {
    name: f"{label} (blind)" for name, label in BLIND.items()
}
DETECTOR_SOURCES = {detector.name: detector.source for detector in DETECTORS} | dict.fromkeys(BLIND, "the text alone")
FORMS = {
    "verbatim": "verbatim",
    "paraphrase": "paraphrased",
    "answer_only": "answer only",
    "contradicted": "contradicted",
}


def display_name(name: str) -> str:
    """A name of the config or of a prompt set in display_name words: `category:clear_recall` -> `clear recall`."""
    return SLICES.get(name, name.removeprefix("category:").replace("_", " "))


def system_label(system: str, reduction: str) -> str:
    """A system's name with the reduction of the attention entropies that it reads; an empty `reduction`: none."""
    return f"{SYSTEMS[system]} ({reduction})" if reduction else SYSTEMS[system]
