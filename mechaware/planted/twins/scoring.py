"""Scores the planted items under both twins by every detector, once with the truth and once with
the truth shuffled.

Shuffling swaps the two truths of an item, seen by A or seen by B, with probability 1/2.

Blind readers also score each question for its kind, recall or reasoning. They read the question
alone, as RADAR and the loss of the question do. RADAR's features follow, if measured.

The scores of a user's own detectors are in a table of their own with the same rows, so that a new
detector leaves the scores of ours unchanged.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.detectors.columns import (
    BLIND,
    FEATURE,
    IDENTITY,
    QUESTION_LOSS,
    SHUFFLED,
)
from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.instruments.radar.detectors.registry import DETECTORS, score_items
from mechaware.instruments.radar.evidence.evidence import Evidence, join_evidence
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.planted.twins.blind import blind_scores, question_scores
from mechaware.planted.twins.items import TWINS, Item, PlantedItem

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


def score_twins(
    evidence: Mapping[str, Evidence],
    answers: Mapping[str, pd.DataFrame],
    items: Sequence[Item],
    *,
    corpora: Mapping[str, Sequence[str]],
    fitting: Mapping[str, Sequence[QuestionAnswer]],
    tokenizer: "PreTrainedTokenizerBase",
    token_counts: Int[np.ndarray, " vocabulary"],
    seed: int,
) -> pd.DataFrame:
    """The scores of every item under both twins.

    Args:
        evidence: By twin, its evidence: a row per item, in the order of `items`.
        answers: By twin, as `measure_twin` gives them.
        items: The planted items.
        corpora: By twin, the texts that it was trained on, those of the clean base C included, from
            which both twins start.
        fitting: By kind, recall and reasoning, the questions that RADAR is fitted on.
        tokenizer: The tokenizer of C and both twins.
        token_counts: How often C's corpus has each token.
        seed: The seed of the shuffled truths, and of detectors that draw.

    Returns:
        A row per twin and item. Columns: `IDENTITY`; `shuffled_seen`; a score by each of our
        detectors, by the loss of the question and by each blind reader of the text; the same scores
        with the prefix `shuffled_`, where all that is fitted on the truth is fitted on the shuffled
        one (`_swap_truths`); then, for the question's kind, the scores by blind readers, higher for
        recall (`question_scores`); then RADAR's features, if measured, with the prefix `FEATURE`.
    """
    twins = _join_twins(evidence, items, corpora, token_counts, seed)
    # Higher means more likely seen, as in every score: the loss of the question with its sign
    # reversed.
    log_likelihoods = pd.concat([answers[twin]["question_log_likelihood"] for twin in TWINS])
    question_loss = log_likelihoods.to_numpy(float)
    questions = [item.line.question for item in items]
    by_question = question_scores(questions, fitting, tokenizer, token_counts)
    true = _score_with(twins.seen, twins, seed, question_loss)
    shuffled = _score_with(twins.shuffled, twins, seed, question_loss)
    parts = [
        twins.rows,
        true,
        shuffled.add_prefix(f"{SHUFFLED}_"),
        pd.concat([by_question] * len(TWINS), ignore_index=True),
    ]
    features = twins.evidence.features
    if features is not None:
        parts.append(features[list(FEATURES)].add_prefix(FEATURE))
    return pd.concat(parts, axis=1)


def score_texts(
    evidence: Mapping[str, Evidence],
    items: Sequence[PlantedItem],
    corpora: Mapping[str, Sequence[str]],
    token_counts: Int[np.ndarray, " vocabulary"],
    *,
    seed: int,
) -> pd.DataFrame:
    """As `score_twins`, for items without a question: the scores by our detectors and by blind
    readers of the text, with both truths.

    The arguments are as in `score_twins`.
    """
    twins = _join_twins(evidence, items, corpora, token_counts, seed)
    true = _score_with(twins.seen, twins, seed)
    shuffled = _score_with(twins.shuffled, twins, seed).add_prefix(f"{SHUFFLED}_")
    return pd.concat([twins.rows, true, shuffled], axis=1)


def score_twins_by_own(
    evidence: Mapping[str, Evidence],
    items: Sequence[Item],
    corpora: Mapping[str, Sequence[str]],
    token_counts: Int[np.ndarray, " vocabulary"],
    detectors: tuple[Detector, ...],
    *,
    seed: int,
) -> pd.DataFrame:
    """The rows of `score_twins` with two columns per detector of the user's own, one of them with
    shuffled truths.

    Given the same evidence, items, corpora, counts and seed as `score_twins`, it shuffles the
    truths in the same way, and a detector scores as it would among ours.
    """
    twins = _join_twins(evidence, items, corpora, token_counts, seed)
    true = score_items(twins.evidence._replace(seen=twins.seen), detectors, seed=seed)
    shuffled = score_items(twins.evidence._replace(seen=twins.shuffled), detectors, seed=seed)
    return pd.concat([twins.rows, true, shuffled.add_prefix(f"{SHUFFLED}_")], axis=1)


def read_scores(scores: Sequence[Path], own_scores: Sequence[Path]) -> list[pd.DataFrame]:
    """The table of each seed: the columns of `score_twins`, then those of `score_twins_by_own`.

    `scores` and `own_scores` are files, one for each seed; `own_scores` is empty without detectors
    of the user's own.
    """
    tables = [pd.read_parquet(path) for path in scores]
    if not own_scores:
        return tables
    shared_columns = [*IDENTITY, f"{SHUFFLED}_seen"]
    joined = []
    for table, path in zip(tables, own_scores, strict=True):
        own = pd.read_parquet(path)
        joined.append(table.merge(own, how="left", on=shared_columns, validate="one_to_one"))
    return joined


class _TwinRows(NamedTuple):
    """The items under both twins: all of them under A, then all of them under B.

    - `rows`: a row per twin and item, with `IDENTITY` and `shuffled_seen`.
    - `evidence`: of the same rows, without a truth.
    - `seen`, `shuffled`: which rows were seen, and the same with the truths of some items swapped
      (`_swap_truths`).
    """

    rows: pd.DataFrame
    evidence: Evidence
    seen: Bool[np.ndarray, " row"]
    shuffled: Bool[np.ndarray, " row"]


def _join_twins(
    evidence: Mapping[str, Evidence],
    items: Sequence[PlantedItem],
    corpora: Mapping[str, Sequence[str]],
    token_counts: Int[np.ndarray, " vocabulary"],
    seed: int,
) -> _TwinRows:
    """The items and their evidence under both twins; the arguments are those of `score_twins`."""
    identity = []
    corpus_of_row = []
    for twin in TWINS:
        for item in items:
            is_seen = item.half == twin
            identity.append((twin, item.id, item.kind, item.form, item.dose, is_seen))
            corpus_of_row.append(corpora[twin])
    rows = pd.DataFrame(identity, columns=list(IDENTITY))

    joined = join_evidence([evidence[twin] for twin in TWINS])
    joined = joined._replace(corpus=corpus_of_row, token_counts=token_counts)
    seen = rows["seen"].to_numpy(bool)
    shuffled = _swap_truths(seen, joined.groups, derive_seed(seed, SHUFFLED))
    rows[f"{SHUFFLED}_seen"] = shuffled
    return _TwinRows(rows, joined, seen, shuffled)


def _score_with(
    truth: Bool[np.ndarray, " row"],
    twins: _TwinRows,
    seed: int,
    question_loss: Float[np.ndarray, " row"] | None = None,
) -> pd.DataFrame:
    """A column for each of our detectors, for `question_loss` if there is one, and for each blind
    reader of the text.

    Those that learn which items were seen learn it from `truth`.
    """
    parts = [score_items(twins.evidence._replace(seen=truth), seed=seed)]
    if question_loss is not None:
        parts.append(pd.DataFrame({QUESTION_LOSS: question_loss}))
    parts.append(blind_scores(twins.evidence, truth, twins.rows["twin"].tolist(), seed))
    return pd.concat(parts, axis=1)


def _swap_truths(
    seen: Bool[np.ndarray, " row"], groups: Sequence[str], seed: int
) -> Bool[np.ndarray, " row"]:
    """`seen`, in which the truths of an item's two rows are swapped with probability 1/2.

    Each item is still seen by one twin. Of two items, a read by twin A and b read by twin B, if the
    truths of a are swapped and those of b are not:

        row       A, a    A, b    B, a    B, b
        seen      yes     no      no      yes
        returned  no      no      yes     yes

    `groups` has the item of each row.
    """
    names, item_of_row = np.unique(list(groups), return_inverse=True)
    is_swapped = np.random.default_rng(seed).random(len(names)) < 0.5
    return np.asarray(seen ^ is_swapped[item_of_row])
