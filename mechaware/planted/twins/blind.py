"""Blind readers: baselines that read only texts, and no model.

Two sets of baselines score the texts of the planted items:

- `blind_scores` reads whole items, as detectors of seen items do, to separate seen from unseen;
- `question_scores` reads only the questions, as RADAR does, to separate recall from reasoning.
"""

import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from mechaware.instruments.radar.detectors.detector import score_held_out
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.tokenisation.token_ids import token_ids
from mechaware.planted.twins.world import KINDS

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

# By score, the unit of its n-grams and the length of the longest one.
_NGRAMS = {"question_words": ("word", 2), "question_letters": ("char", 4)}


def blind_scores(
    evidence: Evidence, truth: Bool[np.ndarray, " row"], models: Sequence[str], seed: int
) -> pd.DataFrame:
    """The scores of the texts by baselines that read nothing else; higher means more likely seen.

    Args:
        evidence: A row per item and model. Only its `texts` are read, and its `groups`, the items,
            which cross-fitting never splits.
        truth: Which rows count as seen; the bag of words is fitted on it.
        models: The model of each row.
        seed: The seed of the folds.

    Returns:
        A row per row of `evidence`, with the columns

        - length: the text's characters;
        - zlib_bytes: its bytes after compression;
        - bag_of_words: the log odds of "seen" by a classifier of word counts, which is fitted
          within each model, on other items. Fitted on both twins at once, it could not score above
          chance: one of them has seen a text, the other has not.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    vectoriser = CountVectorizer(token_pattern=r"\w+")  # noqa: S106
    # The vocabulary of all texts: it holds no truth, and each fold has the same columns.
    counts = vectoriser.fit_transform(evidence.texts).toarray().astype(float)
    items = np.array(evidence.groups)
    model_of_row = np.array(models)

    def fit_score(
        training: Float[np.ndarray, "training word"],
        seen: Bool[np.ndarray, " training"],
        held_out: Float[np.ndarray, "held_out word"],
    ) -> Float[np.ndarray, " held_out"]:
        classifier = LogisticRegression(max_iter=1000).fit(training, seen)
        return np.asarray(classifier.decision_function(held_out), dtype=float)

    bag_of_words = np.empty(len(items))
    for model in np.unique(model_of_row):
        rows = model_of_row == model
        bag_of_words[rows] = score_held_out(
            counts[rows], truth[rows], items[rows].tolist(), fit_score, seed=seed
        )
    return pd.DataFrame(
        {
            "length": [float(len(text)) for text in evidence.texts],
            "zlib_bytes": [float(len(zlib.compress(text.encode()))) for text in evidence.texts],
            "bag_of_words": bag_of_words,
        }
    )


def question_scores(
    questions: Sequence[str],
    fitting: Mapping[str, Sequence[QuestionAnswer]],
    tokenizer: "PreTrainedTokenizerBase",
    token_counts: Int[np.ndarray, " vocabulary"],
) -> pd.DataFrame:
    """How much the questions themselves give away of their kind; higher means more likely recall.

    Args:
        questions: The questions to score.
        fitting: By kind, the questions on which RADAR, and the fitted readers here, are fitted.
        tokenizer: The tokenizer of the clean base C.
        token_counts: How often C's corpus has each token.

    Returns:
        A row per question, with the columns

        - question_characters: its length;
        - question_frequency: the mean of ln(1 + count) over its tokens;
        - question_frequency_fitted: the log odds of recall by a classifier of this mean. They fall
          as the mean rises if recall questions have the rarer tokens;
        - question_words, question_letters: the log odds of recall by classifiers of its n-grams, of
          up to 2 words and up to 4 characters.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    known = []
    is_recall = []
    for kind in KINDS:
        for line in fitting[kind]:
            known.append(line.question)
            is_recall.append(kind == "recall")

    frequency = _mean_log_frequency(questions, tokenizer, token_counts)
    known_frequency = _mean_log_frequency(known, tokenizer, token_counts)
    by_frequency = make_pipeline(StandardScaler(), LogisticRegression())
    by_frequency.fit(known_frequency[:, None], is_recall)
    scores = {
        "question_characters": [float(len(question)) for question in questions],
        "question_frequency": frequency,
        "question_frequency_fitted": by_frequency.decision_function(frequency[:, None]),
    }
    for name, (unit, longest) in _NGRAMS.items():
        vectoriser = CountVectorizer(analyzer=unit, ngram_range=(1, longest))
        by_ngrams = make_pipeline(vectoriser, LogisticRegression(max_iter=1000))
        scores[name] = by_ngrams.fit(known, is_recall).decision_function(questions)
    return pd.DataFrame(scores)


def _mean_log_frequency(
    texts: Sequence[str],
    tokenizer: "PreTrainedTokenizerBase",
    token_counts: Int[np.ndarray, " vocabulary"],
) -> Float[np.ndarray, " text"]:
    """The mean over each text's tokens of ln(1 + count)."""
    encoded = token_ids(tokenizer, texts, len(token_counts))
    return np.array([np.log1p(token_counts[ids]).mean() for ids in encoded])
