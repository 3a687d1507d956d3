"""Scores the items of both twins by every detector, once with the truth and once with the truth shuffled."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from jaxtyping import Bool, Int

from mechaware.radar.detectors.detector import score_held_out
from mechaware.radar.detectors.registry import DETECTORS, score_items
from mechaware.radar.evidence.evidence import Evidence, join_evidence
from mechaware.radar.memorisation.items import TWINS, Item
from mechaware.seeds import derive_seed

IDENTITY = ("twin", "id", "kind", "form", "dose", "seen")
BLIND = {"length": "length", "zlib_bytes": "compressed length", "bag_of_words": "bag of words"}
DETECTOR_LABELS = {detector.name: detector.label for detector in DETECTORS} | {
    name: f"{label} (blind)" for name, label in BLIND.items()
}
DETECTOR_SOURCES = {detector.name: detector.source for detector in DETECTORS} | dict.fromkeys(BLIND, "the text alone")
SHUFFLED = "shuffled"


def score_twins(
    evidence: Mapping[str, Evidence],
    items: Sequence[Item],
    corpora: Mapping[str, Sequence[str]],
    token_counts: Int[np.ndarray, " vocabulary"],
    *,
    seed: int,
) -> pd.DataFrame:
    """One row per twin and item: `IDENTITY`, and a column per detector and per score of `BLIND`.

    `evidence` and `corpora` (texts that each twin was trained on, C's included) are by twin; `token_counts` are those
    of C's corpus. A second set of columns has the prefix `shuffled_`: each item's two truths are swapped with
    probability 1/2, and detectors that are fitted on the truth are fitted on the swapped one.
    """
    if any(list(evidence[twin].groups) != [item.id for item in items] for twin in TWINS):
        raise ValueError("the evidence is of other items")
    seen = np.array([item.half == twin for twin in TWINS for item in items])
    rows_of_both = join_evidence([evidence[twin] for twin in TWINS])._replace(
        corpus=[corpora[twin] for twin in TWINS for _ in items], token_counts=token_counts
    )
    rows = pd.DataFrame(
        [(twin, item.id, item.kind, item.form, item.dose) for twin in TWINS for item in items], columns=IDENTITY[:-1]
    ).assign(seen=seen)
    exchanged = _exchange(seen, rows_of_both.groups, derive_seed(seed, SHUFFLED))
    rows[f"{SHUFFLED}_seen"] = exchanged
    scores = [
        _all_scores(rows_of_both._replace(seen=truth), rows["twin"].tolist(), seed) for truth in (seen, exchanged)
    ]
    return pd.concat([rows, scores[0], scores[1].add_prefix(f"{SHUFFLED}_")], axis=1)


def _blind_scores(evidence: Evidence, models: Sequence[str], seed: int) -> pd.DataFrame:
    """Baselines that read the texts alone: length in characters, compressed bytes, and a bag of words.

    The bag of words is fitted within each model, on the truth of other items. Fitted on both twins at once it could not
    score above chance, because every text has both truths there. `models` names the model of each row.
    """
    import zlib

    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    if evidence.seen is None:
        raise ValueError("blind scores need the truth, from which the bag of words learns")
    vectoriser = CountVectorizer(token_pattern=r"\w+")  # noqa: S106
    # The vocabulary of all texts: it holds no truth, and each fold has the same columns.
    counts = vectoriser.fit_transform(evidence.texts).toarray().astype(float)
    items, model_of_row, truth = np.array(evidence.groups), np.array(models), np.asarray(evidence.seen)

    def fit_score(training: np.ndarray, seen: np.ndarray, held_out: np.ndarray) -> np.ndarray:
        return np.asarray(
            LogisticRegression(max_iter=1000).fit(training, seen).decision_function(held_out), dtype=float
        )

    words = np.empty(len(items))
    for model in np.unique(model_of_row):
        rows = model_of_row == model
        words[rows] = score_held_out(counts[rows], truth[rows], items[rows].tolist(), fit_score, seed=seed)
    return pd.DataFrame(
        {
            "length": [float(len(text)) for text in evidence.texts],
            "zlib_bytes": [float(len(zlib.compress(text.encode()))) for text in evidence.texts],
            "bag_of_words": words,
        }
    )


def _all_scores(evidence: Evidence, models: Sequence[str], seed: int) -> pd.DataFrame:
    return pd.concat([score_items(evidence, seed=seed), _blind_scores(evidence, models, seed)], axis=1)


def _exchange(seen: Bool[np.ndarray, " row"], groups: Sequence[str], seed: int) -> Bool[np.ndarray, " row"]:
    """`seen` with the truth of both rows of an item exchanged, or not, at random."""
    names, member = np.unique(list(groups), return_inverse=True)
    flip = np.random.default_rng(seed).random(len(names)) < 0.5
    return np.asarray(seen ^ flip[member])  # both rows together: each text keeps one truth of either kind
