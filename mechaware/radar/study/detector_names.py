"""Labels of detectors and of forms of planted items in tables and figures, and who proposed each detector."""

from mechaware.radar.detectors.listed import DETECTORS
from mechaware.radar.memorisation.scoring import BLIND

LABELS = {detector.name: detector.label for detector in DETECTORS} | {
    name: f"{label} (blind)" for name, label in BLIND.items()
}
SOURCES = {detector.name: detector.source for detector in DETECTORS} | dict.fromkeys(BLIND, "the text alone")
FORMS = {
    "verbatim": "verbatim",
    "paraphrase": "paraphrased",
    "answer_only": "answer only",
    "contradicted": "contradicted",
}
