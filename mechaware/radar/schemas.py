"""The columns of the RADAR study's tables that hold text or truth values."""

from mechaware.frames import Schema

ORIGIN = ("model", "prompt_set")
_PROMPT = ("id", "label", "category")

PREDICTIONS = Schema(text=(*_PROMPT, "predicted"), boolean=("tie",))
CONTROL_PREDICTIONS = Schema(
    text=("id", "label", "group", "protocol", "system", "reduction", "predicted"), boolean=("tie",)
)
SPREAD = Schema(text=("protocol", "system", "id", "reduction"))
PERMUTATIONS = Schema(text=ORIGIN)
PERFORMANCE = Schema(text=(*ORIGIN, "slice", "place"), boolean=("papers_kind",))
COMPARISON = Schema(text=(*ORIGIN, "protocol", "system", "reduction"))
DISCRIMINATION = Schema(text=(*ORIGIN, "feature", "kind", "same_order_as"))
SCORES = Schema(text=(*ORIGIN, *_PROMPT))
SCORE_MEANS = Schema(text=(*ORIGIN, "score", "label", "place"), boolean=("papers_kind",))
ANSWERS = Schema(text=("id", "label", "answers", "decoded"), boolean=("has_answer", "right"))
ANSWER_COUNTS = Schema(text=(*ORIGIN, "label"))
CORRELATION = Schema(text=("model", "feature", "other"))
REDUNDANCY = Schema(text=("model",))
DATASETS = Schema(
    text=("prompt_set", "role", "category", "label", "example", "reported_n", "place"), boolean=("papers_kind",)
)
SUSPECTED = Schema(text=("id",), boolean=("seen",))
REPORTED_PERFORMANCE = Schema(text=("slice", "place"))
REPORTED_LENGTHS = Schema(text=("label", "place"))
REPORTED_SCORES = Schema(text=("score", "label", "place"))
REPORTED_DATASETS = Schema(text=("role", "category", "label", "place"))
ANSWERED = Schema(text=("id", "kind"), boolean=("answered", "base_answered"))
CANARIES = Schema(text=("half",), boolean=("recited",))
MEMORISED_ITEMS = Schema(text=("kind", "form"))
DETECTORS = Schema(text=("detector", "kind", "form"))
ROC = Schema(text=("detector", "kind"))
CROSSED = Schema(text=("form", "kind"))
REGRESSION = Schema(text=("term",))
PROXIES = Schema(text=("proxy", "real"))
