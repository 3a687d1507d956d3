"""Decides whether a benchmark was seen, from the scores of its items and of a control's.

A control is a set of items of the same kind and source that the model cannot have seen. Detectors are chosen before the
scores are known. Das et al. 2024 (arXiv:2406.16201) found that baselines which read the texts alone beat detectors on
many published comparisons; the same baselines, here the blind rows, can only make a verdict weaker.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

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
BLIND = ("characters", "words", "tokens", "bag of words")
# A significant blind row confounds a verdict from an AUROC of 0.6 (or 0.4) on, or if it is half as far from 0.5 as the
# detector. Significance alone would do so for any difference in length once the sets are large.
BLIND_BOUND, BLIND_SHARE = 0.1, 0.5
_PERMUTATIONS = 199  # of the blind rows: p-values from 0.005 on


class DetectorTest(NamedTuple):
    """Whether a detector scores the items above the control.

    `p`: one-sided, by Mann-Whitney. `p_adjusted`: corrected for the number of detectors by `method`.
    """

    detector: str
    auroc: float
    p: float
    p_adjusted: float
    method: str = CORRECTION


class BlindTest(NamedTuple):
    """Whether texts alone separate the two sets: AUROC, and p corrected for the number of blind rows."""

    row: str
    auroc: float
    p: float


class ItemTest(NamedTuple):
    """An item by the first detector: its conformal p against the control, and corrected for the number of items."""

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
    level: float,
    seed: int,
) -> Decision:
    """Whether the model has seen the items: every step from scores to status.

    `scores` has a column for each detector that was chosen beforehand, and a row for each of the `texts`, whose tokens
    are `tokens`; `is_item` marks the rows of the items, the others are the control's. The items were *seen* if a
    detector scores them above the control at `level` after Holm's correction and no blind row confounds that
    (`BLIND_BOUND`).
    """
    tests = detector_tests(scores, is_item, seed)
    blind = blind_tests(texts, tokens, is_item, derive_seed(seed, "blind"))
    status, reason = conclude(tests, blind, level)
    return Decision(status, reason, tests, blind)


def deciding_settings(level: float) -> dict[str, object]:
    """The settings that decide a status, beside the detectors."""
    return {
        "level": level,
        "correction": CORRECTION,
        "exact_pairs": EXACT_PAIRS,
        "tied_permutations": TIED_PERMUTATIONS,
        "blind_rows": " ".join(row.replace(" ", "_") for row in BLIND),
        "blind_bound": BLIND_BOUND,
        "blind_share": BLIND_SHARE,
        "blind_permutations": _PERMUTATIONS,
    }


def detector_tests(
    scores: pd.DataFrame, is_item: Bool[np.ndarray, " row"], seed: int
) -> list[DetectorTest]:
    """A one-sided test of each column: do the items score above the control?"""
    names = list(map(str, scores))
    columns = [
        (scores[name].to_numpy(float)[is_item], scores[name].to_numpy(float)[~is_item])
        for name in names
    ]
    p = np.array(
        [
            mann_whitney_p(*sides, derive_seed(seed, name))
            for sides, name in zip(columns, names, strict=True)
        ]
    )
    return [
        DetectorTest(name, area_under_roc(*sides), float(raw), float(corrected))
        for name, sides, raw, corrected in zip(names, columns, p, holm(p), strict=True)
    ]


def blind_tests(
    texts: Sequence[str],
    scores: Sequence[TokenScores],
    is_item: Bool[np.ndarray, " row"],
    seed: int,
) -> list[BlindTest]:
    """Whether lengths or words separate the items from the control, in either direction of a length.

    Of the `scores` only the numbers of tokens are read.

    A row's bag of words is its tf-idf vector of words and marks, and its score the mean cosine with the *other* items
    less that with the other controls (nearest centroid, each row left out in turn). The p-values hold for the four rows
    together (`stats.largest_statistic_p`).
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    generator = np.random.default_rng(seed)
    truths = [is_item, *(generator.permutation(is_item) for _ in range(_PERMUTATIONS))]
    items = np.stack(truths, axis=1).astype(float)
    words = TfidfVectorizer(lowercase=False, token_pattern=r"\w+|[^\w\s]").fit_transform(texts)  # noqa: S106
    sums = [
        (words @ (words.T @ side) - side, side.sum(axis=0) - side) for side in (items, 1 - items)
    ]
    # The only item of its side is near no other.
    near_items, near_control = (
        np.divide(near, n, out=np.zeros_like(near), where=n > 0) for near, n in sums
    )
    lengths = [
        [len(text), len(text.split()), len(row.ids)]
        for text, row in zip(texts, scores, strict=True)
    ]
    rows = [*np.array(lengths, dtype=float).T[:, :, None], near_items - near_control]
    distances = np.array([areas_under_roc(row, items) for row in rows]) - 0.5
    # Either direction of a length counts; a bag of words below 0.5 has learnt nothing.
    p = largest_statistic_p(np.stack([*np.abs(distances[:-1]), distances[-1]]))
    return [
        BlindTest(*row)
        for row in zip(BLIND, (distances[:, 0] + 0.5).tolist(), p.tolist(), strict=True)
    ]


def item_tests(
    rows: Sequence[tuple[str, str]],
    scores: Float[np.ndarray, " item"],
    control: Float[np.ndarray, " control"],
) -> list[ItemTest]:
    """Conformal p-values, the likeliest seen first: (1 + controls that score as high) / (1 + controls).

    Bates et al. 2023 (arXiv:2104.08279) show that Benjamini and Hochberg's procedure holds for p-values that share a
    control.
    """
    above = len(control) - np.searchsorted(np.sort(control), scores, side="left")
    p = (1 + above) / (1 + len(control))
    adjusted = stats.false_discovery_control(p)
    numbers = zip(scores.tolist(), p.tolist(), adjusted.tolist(), strict=True)
    items = [ItemTest(*row, *values) for row, values in zip(rows, numbers, strict=True)]
    return sorted(items, key=lambda item: -item.score)


def conclude(
    tests: Sequence[DetectorTest], blind: Sequence[BlindTest], level: float
) -> tuple[Status, str]:
    """The status, and in one sentence why: `decide` explains the rule."""
    found = [test for test in tests if test.p_adjusted <= level]
    best = min(tests, key=lambda test: (test.p_adjusted, -test.auroc))
    bound = min(BLIND_BOUND, BLIND_SHARE * (best.auroc - 0.5)) if found else BLIND_BOUND
    confounding = [row for row in blind if row.p <= level and abs(row.auroc - 0.5) >= bound - 1e-9]
    corrected = f" after Holm's correction for {len(tests)}" if len(tests) > 1 else ""
    numbers = f"{best.detector}, AUROC {best.auroc:.2f}, p = {best.p_adjusted:.2g}{corrected}"
    if confounding:
        row = max(confounding, key=lambda row: abs(row.auroc - 0.5))
        return "confounded", (
            f"the texts alone tell items from control ({row.row}: AUROC {row.auroc:.2f}, p = {row.p:.2g}), so that a "
            "score cannot show what the model has seen; give a control of the same source and length"
        )
    if found:
        return "seen", f"the items score above the control ({numbers})"
    return "not shown", f"the items score no higher than the control ({numbers})"
