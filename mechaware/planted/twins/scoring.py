"""Scores the planted items under both twins by every detector, once with the truth and once with the truth shuffled.

It also scores questions by kind: by blind readers of exactly what RADAR and the loss read, and by RADAR's features.

A user's own detectors have a table of their own with the same rows: a new one leaves the scores of ours as they are.
"""

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Int

from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.detectors.columns import (
    BLIND,
    FEATURE,
    IDENTITY,
    QUESTION_LOSS,
    SHUFFLED,
)
from mechaware.instruments.radar.detectors.detector import Detector, score_held_out
from mechaware.instruments.radar.detectors.registry import DETECTORS, score_items
from mechaware.instruments.radar.evidence.evidence import Evidence, join_evidence
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.prompts import QuestionAnswer
from mechaware.models.tokenisation.token_ids import token_ids
from mechaware.planted.twins.items import KINDS, TWINS, Item, PlantedItem

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

DETECTOR_LABELS = (
    {detector.name: detector.label for detector in DETECTORS}
    | {QUESTION_LOSS: "loss of the question alone"}
    | {name: f"{label} (blind)" for name, label in BLIND.items()}
)
DETECTOR_SOURCES = (
    {detector.name: detector.source for detector in DETECTORS}
    | {QUESTION_LOSS: "ours"}
    | dict.fromkeys(BLIND, "the text alone")
)
_NGRAMS = {"question_words": ("word", 2), "question_letters": ("char", 4)}  # unit, longest n-gram


def score_twins(
    evidence: Mapping[str, Evidence],
    answers: Mapping[str, pd.DataFrame],
    items: Sequence[Item],
    corpora: Mapping[str, Sequence[str]],
    fitting: Mapping[str, Sequence[QuestionAnswer]],
    tokenizer: "PreTrainedTokenizerBase",
    token_counts: Int[np.ndarray, " vocabulary"],
    *,
    seed: int,
) -> pd.DataFrame:
    """One row per twin and item: `IDENTITY`, and a column for each of our detectors, blind reader and feature of RADAR.

    `evidence`, `answers` (as `measure_twin` gives them) and `corpora` (texts that each twin was trained on, C's
    included) are by twin; `fitting` are the questions of each kind that RADAR is fitted on; `token_counts` are those of
    C's corpus. The scores by which seen items are found have a second set of columns with the prefix `shuffled_`: each
    item's two truths are swapped with probability 1/2, and detectors that are fitted on the truth are fitted on the
    swapped one.
    """
    twins = _join_twins(evidence, items, corpora, token_counts, seed)
    question_loss = pd.concat(
        [answers[twin]["question_log_likelihood"] for twin in TWINS]
    ).to_numpy(float)
    true, shuffled = (
        pd.concat(
            [
                score_items(twins.evidence._replace(seen=truth), seed=seed),
                pd.DataFrame({QUESTION_LOSS: question_loss}),
                _blind_scores(twins.evidence, truth, twins.rows["twin"].tolist(), seed),
            ],
            axis=1,
        )
        for truth in twins.truths
    )
    by_question = _question_scores(
        [item.line.question for item in items], fitting, tokenizer, token_counts
    )
    parts = [
        twins.rows,
        true,
        shuffled.add_prefix(f"{SHUFFLED}_"),
        pd.concat([by_question] * len(TWINS), ignore_index=True),
    ]
    if twins.evidence.features is not None:
        parts.append(twins.evidence.features[list(FEATURES)].add_prefix(FEATURE))
    return pd.concat(parts, axis=1)


def score_texts(
    evidence: Mapping[str, Evidence],
    items: Sequence[PlantedItem],
    corpora: Mapping[str, Sequence[str]],
    token_counts: Int[np.ndarray, " vocabulary"],
    *,
    seed: int,
) -> pd.DataFrame:
    """The rows of `score_twins` for items without a question: our detectors and blind readers, with both truths.

    The arguments are those of `score_twins`.
    """
    twins = _join_twins(evidence, items, corpora, token_counts, seed)
    true, shuffled = (
        pd.concat(
            [
                score_items(twins.evidence._replace(seen=truth), seed=seed),
                _blind_scores(twins.evidence, truth, twins.rows["twin"].tolist(), seed),
            ],
            axis=1,
        )
        for truth in twins.truths
    )
    return pd.concat([twins.rows, true, shuffled.add_prefix(f"{SHUFFLED}_")], axis=1)


def score_twins_by_own(
    evidence: Mapping[str, Evidence],
    items: Sequence[Item],
    corpora: Mapping[str, Sequence[str]],
    token_counts: Int[np.ndarray, " vocabulary"],
    detectors: tuple[Detector, ...],
    *,
    seed: int,
) -> pd.DataFrame:
    """The rows of `score_twins` with two columns per detector of the user's own, one of them with shuffled truths.

    With the arguments and the `seed` of `score_twins` the truths are shuffled as there, and a detector scores as it
    would beside ours.
    """
    twins = _join_twins(evidence, items, corpora, token_counts, seed)
    true, shuffled = (
        score_items(twins.evidence._replace(seen=truth), detectors, seed=seed)
        for truth in twins.truths
    )
    return pd.concat([twins.rows, true, shuffled.add_prefix(f"{SHUFFLED}_")], axis=1)


def read_scores(scores: Sequence[Path], own_scores: Sequence[Path]) -> list[pd.DataFrame]:
    """The table of each seed: the columns of `score_twins`, then those of `score_twins_by_own`.

    `scores` and `own_scores` are files, one for each seed; `own_scores` is empty without detectors of the user's own.
    """
    tables = [pd.read_parquet(path) for path in scores]
    if not own_scores:
        return tables
    rows = [*IDENTITY, f"{SHUFFLED}_seen"]
    return [
        table.merge(pd.read_parquet(path), how="left", on=rows, validate="one_to_one")
        for table, path in zip(tables, own_scores, strict=True)
    ]


class _TwinRows(NamedTuple):
    """The items under both twins.

    `rows`: a row per twin and item, with `IDENTITY` and `shuffled_seen`. `evidence`: of the same rows, without a truth.
    `truths`: which rows were seen, and the same with truths exchanged.
    """

    rows: pd.DataFrame
    evidence: Evidence
    truths: tuple[Bool[np.ndarray, " row"], Bool[np.ndarray, " row"]]


def _join_twins(
    evidence: Mapping[str, Evidence],
    items: Sequence[PlantedItem],
    corpora: Mapping[str, Sequence[str]],
    token_counts: Int[np.ndarray, " vocabulary"],
    seed: int,
) -> _TwinRows:
    seen = np.array([item.half == twin for twin in TWINS for item in items])
    rows_of_both = join_evidence([evidence[twin] for twin in TWINS])._replace(
        corpus=[corpora[twin] for twin in TWINS for _ in items], token_counts=token_counts
    )
    exchanged = _exchange(seen, rows_of_both.groups, derive_seed(seed, SHUFFLED))
    rows = pd.DataFrame(
        [(twin, item.id, item.kind, item.form, item.dose) for twin in TWINS for item in items],
        columns=IDENTITY[:-1],
    ).assign(seen=seen)
    rows[f"{SHUFFLED}_seen"] = exchanged
    return _TwinRows(rows, rows_of_both, (seen, exchanged))


def _question_scores(
    questions: Sequence[str],
    fitting: Mapping[str, Sequence[QuestionAnswer]],
    tokenizer: "PreTrainedTokenizerBase",
    token_counts: Int[np.ndarray, " vocabulary"],
) -> pd.DataFrame:
    """What the questions alone say about their kind: length, mean log frequency, n-grams as a classifier reads them.

    The frequency stands twice: as it is, and as the log odds of recall by a classifier that is fitted on the
    frequencies of the `fitting` questions, so that it is in reverse where these have it in reverse.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    known = [line.question for kind in KINDS for line in fitting[kind]]
    labels = [kind == KINDS[0] for kind in KINDS for _ in fitting[kind]]
    frequency, known_frequency = (
        np.array(
            [
                np.log1p(token_counts[ids]).mean()
                for ids in token_ids(tokenizer, texts, len(token_counts))
            ]
        )
        for texts in (questions, known)
    )
    by_frequency = make_pipeline(StandardScaler(), LogisticRegression()).fit(
        known_frequency[:, None], labels
    )
    scores = {
        "question_characters": [float(len(question)) for question in questions],
        "question_frequency": frequency,
        "question_frequency_fitted": by_frequency.decision_function(frequency[:, None]),
    }
    for name, (unit, longest) in _NGRAMS.items():
        vectoriser = CountVectorizer(analyzer=unit, ngram_range=(1, longest))
        fitted = make_pipeline(vectoriser, LogisticRegression(max_iter=1000)).fit(known, labels)
        scores[name] = fitted.decision_function(questions)
    return pd.DataFrame(scores)


def _blind_scores(
    evidence: Evidence, truth: Bool[np.ndarray, " row"], models: Sequence[str], seed: int
) -> pd.DataFrame:
    """Baselines that read the texts alone: length in characters, compressed bytes, and a bag of words.

    The bag of words is fitted within each model, on the truth of other items. Fitted on both twins at once it could not
    score above chance, because every text has both truths there. `models` names the model of each row.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    vectoriser = CountVectorizer(token_pattern=r"\w+")  # noqa: S106
    # The vocabulary of all texts: it holds no truth, and each fold has the same columns.
    counts = vectoriser.fit_transform(evidence.texts).toarray().astype(float)
    items, model_of_row = np.array(evidence.groups), np.array(models)

    def fit_score(training: np.ndarray, seen: np.ndarray, held_out: np.ndarray) -> np.ndarray:
        return np.asarray(
            LogisticRegression(max_iter=1000).fit(training, seen).decision_function(held_out),
            dtype=float,
        )

    words = np.empty(len(items))
    for model in np.unique(model_of_row):
        rows = model_of_row == model
        words[rows] = score_held_out(
            counts[rows], truth[rows], items[rows].tolist(), fit_score, seed=seed
        )
    return pd.DataFrame(
        {
            "length": [float(len(text)) for text in evidence.texts],
            "zlib_bytes": [float(len(zlib.compress(text.encode()))) for text in evidence.texts],
            "bag_of_words": words,
        }
    )


def _exchange(
    seen: Bool[np.ndarray, " row"], groups: Sequence[str], seed: int
) -> Bool[np.ndarray, " row"]:
    """`seen` with the truth of both rows of an item exchanged, or not, at random."""
    names, member = np.unique(list(groups), return_inverse=True)
    flip = np.random.default_rng(seed).random(len(names)) < 0.5
    # Both rows together: each text keeps one truth of either kind.
    return np.asarray(seen ^ flip[member])
