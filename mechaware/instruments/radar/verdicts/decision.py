"""Decides whether a benchmark was seen, from the scores of its items and of a control's.

A control is a set of items of the same kind and source that the model cannot have seen. Detectors are chosen before the
scores are known. Das et al. 2024 (arXiv:2406.16201) found that baselines which read only the texts beat detectors on
many published comparisons; the same baselines, here the blind rows, can only make a verdict weaker.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float
from scipy import stats

from mechaware.core.seeds import derive_seed
from mechaware.core.stats import (
    EXACT_PAIRS,
    TIED_PERMUTATIONS,
    area_under_roc,
    areas_under_roc,
    holm,
    largest_statistic_p,
    mann_whitney_p,
)
from mechaware.models.summaries import TokenScores

CORRECTION = "Holm"  # of the detectors' p-values, for their number
Status = Literal["seen", "not shown", "confounded", "no verdict"]
# What the texts alone are compared by.
BLIND_ROWS = ("characters", "words", "tokens", "bag of words")
# A significant blind row confounds a verdict if its AUROC is at least `BLIND_BOUND` from 0.5 or, where a detector is
# significant, at least `BLIND_SHARE` as far from 0.5 as the best detector's. By significance alone, any difference in
# length would confound once the sets are large.
BLIND_BOUND = 0.1
BLIND_SHARE = 0.5
_PERMUTATIONS = 199  # of the blind rows: p-values from 0.005 on
# The scores of detectors that are named after a quantity which is lower for a seen text: minus that quantity.
_SCORES = {"loss": "minus the loss", "question_loss": "minus the question's loss"}


class DetectorTest(NamedTuple):
    """Whether a detector scores the items above the control.

    `p`: one-sided, by Mann-Whitney. `p_adjusted`: corrected for the number of detectors by `method`.

    `p_of_means`: one-sided, by Welch's t-test; None if a side has one score, or scores do not vary. No verdict rests on
    `p_of_means`: a few items that were read often move a mean and hardly a rank, but so do a few odd texts that the
    control lacks. It is computed for printed verdicts alone (`with_p_of_means`), not for the draws of a calibration.
    """

    detector: str
    auroc: float
    p: float
    p_adjusted: float
    method: str = CORRECTION
    p_of_means: float | None = None


class BlindTest(NamedTuple):
    """Whether the texts by themselves separate the two sets: AUROC, and p corrected for the number of blind rows."""

    row: str
    auroc: float
    p: float


class ItemTest(NamedTuple):
    """An item's score by the first detector, and its conformal p-value against the control.

    `p_adjusted`: corrected for the number of items by `method`.
    """

    id: str
    text: str
    score: float
    p: float
    p_adjusted: float
    method: str = "Benjamini and Hochberg"


class Decision(NamedTuple):
    """A status, the reason for it in a sentence, and the tests that it follows from."""

    status: Status
    reason: str
    detectors: list[DetectorTest]
    blind: list[BlindTest]


def decide(
    scores: pd.DataFrame,
    texts: Sequence[str],
    tokens: Sequence[TokenScores],
    is_item: Bool[np.ndarray, " row"],
    *,
    significance: float,
    seed: int,
) -> Decision:
    """Whether the model has seen the items: every step from scores to status.

    `scores` has a column for each detector that was chosen beforehand, and a row for each of the `texts`, whose tokens
    are `tokens`; `is_item` marks the rows of the items; the other rows are the control's. The items were *seen* if a
    detector scores them above the control at `significance` after Holm's correction and no blind row confounds the
    result (`BLIND_BOUND`).
    """
    tests = detector_tests(scores, is_item, seed)
    blind = blind_tests(texts, tokens, is_item, derive_seed(seed, "blind"))
    status, reason = conclude(tests, blind, significance)
    return Decision(status, reason, with_p_of_means(tests, scores, is_item), blind)


def deciding_settings(significance: float) -> dict[str, object]:
    """The settings that decide a status, besides the detectors."""
    return {
        "level": significance,
        "correction": CORRECTION,
        "exact_pairs": EXACT_PAIRS,
        "tied_permutations": TIED_PERMUTATIONS,
        "blind_rows": " ".join(row.replace(" ", "_") for row in BLIND_ROWS),
        "blind_bound": BLIND_BOUND,
        "blind_share": BLIND_SHARE,
        "blind_permutations": _PERMUTATIONS,
    }


def detector_tests(
    scores: pd.DataFrame, is_item: Bool[np.ndarray, " row"], seed: int
) -> list[DetectorTest]:
    """A one-sided test of each column: do the items score above the control?"""
    tests = []
    for column in scores:
        name = str(column)
        values = scores[name].to_numpy(float)
        items = values[is_item]
        control = values[~is_item]
        p = mann_whitney_p(items, control, derive_seed(seed, name))
        tests.append(DetectorTest(name, area_under_roc(items, control), p, p))

    corrected = holm(np.array([test.p for test in tests]))
    by_test = zip(tests, corrected.tolist(), strict=True)
    return [test._replace(p_adjusted=p_adjusted) for test, p_adjusted in by_test]


def with_p_of_means(
    tests: Sequence[DetectorTest], scores: pd.DataFrame, is_item: Bool[np.ndarray, " row"]
) -> list[DetectorTest]:
    """The tests of `detector_tests`, each with the p of a test of means."""
    complete = []
    for test in tests:
        values = scores[test.detector].to_numpy(float)
        p_of_means = _p_of_means(values[is_item], values[~is_item])
        complete.append(test._replace(p_of_means=p_of_means))
    return complete


def _p_of_means(
    items: Float[np.ndarray, " item"], control: Float[np.ndarray, " control"]
) -> float | None:
    """The one-sided p of Welch's t-test that the items have the higher mean; None where scores have no variance."""
    if min(len(items), len(control)) < 2 or items.std() + control.std() == 0:
        return None
    test = stats.ttest_ind(items, control, equal_var=False, alternative="greater")
    return float(test.pvalue)


def blind_tests(
    texts: Sequence[str],
    scores: Sequence[TokenScores],
    is_item: Bool[np.ndarray, " row"],
    seed: int,
) -> list[BlindTest]:
    """Whether lengths or words separate the items from the control; a length may be larger on either side.

    The bag of words of a text is the tf-idf vector of its words and punctuation marks. Its score is the mean cosine
    with the *other* items minus the mean cosine with the other controls (nearest centroid, each text left out in turn).
    The p-values hold for the four tests together (`stats.largest_statistic_p`).

    Args:
        texts: The items and the controls.
        scores: The token scores of the texts; only the numbers of tokens are read.
        is_item: Which of the texts are items.
        seed: The seed of the permutations.

    Returns:
        A test for each of `BLIND_ROWS`.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    # One column a draw, 1 for the items: first the observed column, then permutations of it. For two items and a
    # control with two permutations:
    #   item     1 1 0
    #   item     1 0 1
    #   control  0 1 1
    generator = np.random.default_rng(seed)
    draws = [is_item]
    for _ in range(_PERMUTATIONS):
        draws.append(generator.permutation(is_item))
    items = np.stack(draws, axis=1).astype(float)

    characters = np.array([len(text) for text in texts], dtype=float)
    words = np.array([len(text.split()) for text in texts], dtype=float)
    tokens = np.array([len(row.ids) for row in scores], dtype=float)
    vectors = TfidfVectorizer(lowercase=False, token_pattern=r"\w+|[^\w\s]").fit_transform(texts)  # noqa: S106
    nearness = _mean_cosine(vectors, items) - _mean_cosine(vectors, 1 - items)

    rows = [characters[:, None], words[:, None], tokens[:, None], nearness]
    aurocs = np.array([areas_under_roc(row, items) for row in rows])
    distances = aurocs - 0.5
    # An AUROC below 0.5 counts for a length; for a bag of words it means that nothing was learnt.
    statistics = distances.copy()
    statistics[:-1] = np.abs(distances[:-1])
    p_values = largest_statistic_p(statistics)

    observed = (distances[:, 0] + 0.5).tolist()
    by_row = zip(BLIND_ROWS, observed, p_values.tolist(), strict=True)
    return [BlindTest(name, auroc, p) for name, auroc, p in by_row]


def _mean_cosine(
    vectors: Any, side: Float[np.ndarray, "row draw"]
) -> Float[np.ndarray, "row draw"]:
    """The mean cosine of each row with the *other* rows of a side, in every draw; `side` is 1 for its rows, else 0.

    `vectors` is a sparse matrix with a row of length 1 for each text. If no other row is on the side, the mean is 0.
    """
    sums = vectors @ (vectors.T @ side) - side  # a row's cosine with itself is 1
    n_others = side.sum(axis=0) - side
    mean: np.ndarray = np.divide(sums, n_others, out=np.zeros_like(sums), where=n_others > 0)
    return mean


def item_tests(
    rows: Sequence[tuple[str, str]],
    scores: Float[np.ndarray, " item"],
    control: Float[np.ndarray, " control"],
) -> list[ItemTest]:
    """Conformal p-values: (1 + controls that score at least as high) / (1 + controls).

    `rows` are the ids and texts of the items. The tests are sorted by score, the likeliest seen first; ties keep the
    order of `rows`.

    Bates et al. 2023 (arXiv:2104.08279) show that Benjamini and Hochberg's procedure holds for p-values that share a
    control.
    """
    n_lower = np.searchsorted(np.sort(control), scores, side="left")
    n_as_high = len(control) - n_lower
    p = (1 + n_as_high) / (1 + len(control))
    adjusted = stats.false_discovery_control(p)

    items = []
    tested = zip(rows, scores.tolist(), p.tolist(), adjusted.tolist(), strict=True)
    for (name, text), score, p_of_item, p_adjusted in tested:
        items.append(ItemTest(name, text, score, p_of_item, p_adjusted))
    return sorted(items, key=lambda item: -item.score)


def score_name(detector: str) -> str:
    """What a detector's score is, higher for a text that was more likely seen: `minus the loss` for `loss`."""
    return _SCORES.get(detector, detector)


def conclude(
    tests: Sequence[DetectorTest], blind: Sequence[BlindTest], significance: float
) -> tuple[Status, str]:
    """The status by the rule of `decide`, and the reason for it in one sentence."""
    is_significant = any(test.p_adjusted <= significance for test in tests)
    # Of tests with equal p-values, the one with the largest AUROC.
    best = min(tests, key=lambda test: (test.p_adjusted, -test.auroc))

    bound = BLIND_BOUND
    if is_significant:
        bound = min(BLIND_BOUND, BLIND_SHARE * (best.auroc - 0.5))
    confounding = []
    for row in blind:
        distance = abs(row.auroc - 0.5)
        if row.p <= significance and distance >= bound - 1e-9:  # 1e-9 is for rounding
            confounding.append(row)

    corrected = ""
    if len(tests) > 1:
        corrected = f" after Holm's correction for {len(tests)}"
    score = score_name(best.detector)
    numbers = f"{score}, AUROC {best.auroc:.2f}, p = {best.p_adjusted:.2g}{corrected}"
    if confounding:
        worst = max(confounding, key=lambda row: abs(row.auroc - 0.5))
        return "confounded", (
            f"the texts alone tell items from control ({worst.row}: AUROC {worst.auroc:.2f}, p = {worst.p:.2g}), so "
            "that a score cannot show what the model has seen; give a control of the same source and length"
        )
    if is_significant:
        return "seen", f"the items score above the control ({numbers})"
    return "not shown", f"the items score no higher than the control ({numbers})"
