"""Decides whether a benchmark was seen, from the scores of its items and of a control.

A control is a set of texts of the same kind and source that the model cannot have seen. Detectors
are chosen before the scores are known. The blind rows, which compare the texts without a model, can
only make a verdict weaker.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float
from scipy import stats

from mechaware.core.seeds import derive_seed
from mechaware.core.stats.p_values import EXACT_PAIRS, TIED_PERMUTATIONS, holm, mann_whitney_p
from mechaware.core.stats.roc import area_under_roc
from mechaware.instruments.radar.verdicts import blind_rows
from mechaware.instruments.radar.verdicts.blind_rows import BlindTest, blind_tests
from mechaware.models.summaries import TokenScores

CORRECTION = "Holm"  # corrects the detectors' p-values for the number of detectors
Status = Literal["seen", "not shown", "confounded", "no verdict"]
# A significant blind row confounds a verdict if its AUROC is at least `BLIND_BOUND` from 0.5 or,
# where a detector is significant, at least `BLIND_SHARE` as far from 0.5 as the best detector's. By
# significance alone, any difference in length would confound once the sets are large.
BLIND_BOUND = 0.1
BLIND_SHARE = 0.5
# The scores of detectors that are named after a quantity which is lower for a seen text: such a
# detector's score is minus the quantity.
_SCORES = {"loss": "minus the loss", "question_loss": "minus the question's loss"}


class DetectorTest(NamedTuple):
    """Whether a detector scores the items above the control.

    `p`: one-sided, by Mann-Whitney. `p_adjusted`: corrected for the number of detectors by
    `method`.

    `p_of_means`: one-sided, by Welch's t-test; None if a side has one score, or if the scores of
    neither side vary. No verdict rests on `p_of_means`: a few items that were read often move a
    mean and hardly a rank, but so do a few odd texts that the control lacks. It is computed for
    printed verdicts alone (`with_p_of_means`), not for the draws of a calibration.
    """

    detector: str
    auroc: float
    p: float
    p_adjusted: float
    method: str = CORRECTION
    p_of_means: float | None = None


class Decision(NamedTuple):
    """A status, the reason for it in a sentence, and the tests that it follows from."""

    status: Status
    reason: str
    detectors: list[DetectorTest]
    blind: list[BlindTest]


def decide(
    scores: pd.DataFrame,
    texts: Sequence[str],
    token_scores: Sequence[TokenScores],
    is_item: Bool[np.ndarray, " row"],
    *,
    significance: float,
    seed: int,
) -> Decision:
    """Whether the model has seen the items: every step from scores to status.

    The items were *seen* if a detector scores them above the control at `significance` after Holm's
    correction and no blind row confounds the result (`BLIND_BOUND`).

    Args:
        scores: A column for each detector that was chosen beforehand, a row for each text.
        texts: The texts of the items and of the control.
        token_scores: The scores of each text's tokens.
        is_item: Which rows are items; the others are the control's.
        significance: The level of the tests.
        seed: The seed of the permutations.
    """
    tests = detector_tests(scores, is_item, seed)
    blind = blind_tests(texts, token_scores, is_item, derive_seed(seed, "blind"))
    status, reason = conclude(tests, blind, significance)
    return Decision(status, reason, with_p_of_means(tests, scores, is_item), blind)


def deciding_settings(significance: float) -> dict[str, object]:
    """The settings that decide a status, besides the detectors."""
    return {
        "level": significance,
        "correction": CORRECTION,
        "exact_pairs": EXACT_PAIRS,
        "tied_permutations": TIED_PERMUTATIONS,
        "blind_rows": " ".join(row.replace(" ", "_") for row in blind_rows.BLIND_ROWS),
        "blind_bound": BLIND_BOUND,
        "blind_share": BLIND_SHARE,
        "blind_permutations": blind_rows.PERMUTATIONS,
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
        # The correction needs all p-values: it follows below.
        tests.append(DetectorTest(name, area_under_roc(items, control), p, p_adjusted=p))

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
    """The one-sided p of Welch's t-test that the items have the higher mean.

    None if a side has one score, or if the scores of neither side vary.
    """
    if min(len(items), len(control)) < 2 or items.std() + control.std() == 0:
        return None
    test = stats.ttest_ind(items, control, equal_var=False, alternative="greater")
    return float(test.pvalue)


def score_name(detector: str) -> str:
    """What a detector's score is, higher for a text that was more likely seen.

    For example `minus the loss` for `loss`.
    """
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
    for test in blind:
        if test.p <= significance and _distance(test) >= bound - 1e-9:  # 1e-9 is for rounding
            confounding.append(test)
    if confounding:
        worst = max(confounding, key=_distance)
        return "confounded", (
            f"the texts alone tell items from control ({worst.row}: AUROC {worst.auroc:.2f}, "
            f"p = {worst.p:.2g}), so that a score cannot show what the model has seen; give a "
            "control of the same source and length"
        )

    corrected = ""
    if len(tests) > 1:
        corrected = f" after Holm's correction for {len(tests)}"
    score = score_name(best.detector)
    numbers = f"{score}, AUROC {best.auroc:.2f}, p = {best.p_adjusted:.2g}{corrected}"
    if is_significant:
        return "seen", f"the items score above the control ({numbers})"
    return "not shown", f"the items score no higher than the control ({numbers})"


def _distance(test: BlindTest) -> float:
    """How far the AUROC is from 0.5, the AUROC of texts that are alike."""
    return abs(test.auroc - 0.5)
