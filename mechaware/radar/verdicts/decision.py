"""Decides whether a benchmark was seen, from the scores of its items and of a control's.

A control is a set of items of the same kind and source that the model cannot have seen. Detectors are chosen before the
scores are known. Das et al. 2024 (arXiv:2406.16201) found that baselines which read the texts alone beat detectors on
many published comparisons; the same baselines, here the blind rows, can only make a verdict weaker.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float
from scipy import stats

from mechaware.errors import UserError
from mechaware.frames import Schema
from mechaware.models.summaries import TokenScores
from mechaware.radar.detectors.detector import required
from mechaware.radar.detectors.registry import DETECTORS
from mechaware.radar.evidence.evidence import Evidence
from mechaware.radar.verdicts.control import CONTROL
from mechaware.seeds import derive_seed
from mechaware.stats import area_under_roc, areas_under_roc, holm, largest_statistic_p, mann_whitney_p

CALIBRATION = Schema(text=("detectors",))
Status = Literal["seen", "not shown", "confounded", "no verdict"]
BLIND = ("characters", "words", "tokens", "bag of words")
# A significant blind row confounds a verdict from an AUROC of 0.6 (or 0.4) on, or if it is half as far from 0.5 as the
# detector. Significance alone would do so for any difference in length once the sets are large.
BLIND_BOUND, BLIND_SHARE = 0.1, 0.5
_CELL = [
    *("dose", "n_items", "n_seen", "n_control", "seen", "low", "high", "lowest", "highest", "confounded"),
    *("draws", "independent"),
]
_PERMUTATIONS = 199  # of the blind rows: p-values from 0.005 on


class _DetectorTest(NamedTuple):
    """Whether a detector scores the items above the control: one-sided Mann-Whitney p, and after Holm's correction."""

    detector: str
    auroc: float
    p: float
    p_holm: float


class _BlindTest(NamedTuple):
    """Whether texts alone separate the two sets: AUROC, and p corrected for the number of blind rows."""

    row: str
    auroc: float
    p: float


class _ItemTest(NamedTuple):
    """An item by the first detector: its conformal p against the control, and after Benjamini and Hochberg."""

    id: str
    text: str
    score: float
    p: float
    p_adjusted: float


class _ErrorRates(NamedTuple):
    """How often a verdict is wrong on planted items: rows of a calibration (`verdicts/calibration.py`).

    `caveat`: in what the verdict differs from those that were measured, or why none is comparable; empty if in nothing.
    """

    caveat: str
    cells: list[dict[str, float]]


class Verdict(NamedTuple):
    """The verdict and what it rests on.

    `reason`: the verdict in one sentence. `level`: of every test, such as 0.05. `items`: from the likeliest seen on.
    `control_scores`: of the first detector. `notes`: on how items were read. Without a control `n_control` is 0 and the
    other lists are empty.
    """

    status: Status
    reason: str
    level: float
    n_items: int
    n_control: int
    detectors: list[_DetectorTest]
    blind: list[_BlindTest]
    items: list[_ItemTest]
    control_scores: list[float]
    error_rates: _ErrorRates = _ErrorRates("not measured", [])
    notes: Sequence[str] = ()

    def record(self) -> dict[str, object]:
        """The verdict as JSON holds it."""
        lists = {name: [test._asdict() for test in getattr(self, name)] for name in ("detectors", "blind", "items")}
        return self._asdict() | lists | {"error_rates": self.error_rates._asdict()}


def decide(
    scores: pd.DataFrame,
    evidence: Evidence,
    detectors: Sequence[str],
    calibration: pd.DataFrame,
    *,
    level: float,
    seed: int,
) -> Verdict:
    """The verdict on the items of `scores`, whose column `control` marks the rows of the control.

    `evidence` has the same rows. `detectors` are those chosen beforehand; a detector without a column, whose evidence
    an entry lacks, is passed over. The items were *seen* if a detector scores them above the control at `level` after
    Holm's correction and no blind row confounds that (`BLIND_BOUND`). `calibration`: what `calibrate` made. Raises
    `UserError` for a name that is no detector's, and if none of `detectors` has a column.
    """
    names = [name for name in detectors if name in scores]
    unknown = set(detectors) - set(names) - {detector.name for detector in DETECTORS}
    if unknown or not names:
        wrong = ", ".join(sorted(unknown)) or ", ".join(detectors)
        raise UserError(f"radar/verdict_detectors: no scores of {wrong}; name columns of scores.csv")
    if CONTROL not in scores:
        return Verdict("no verdict", "give a control", level, len(scores), 0, [], [], [], [])
    is_item = ~scores[CONTROL].to_numpy(bool)
    tests = detector_tests(scores[names], is_item, seed)
    blind = blind_tests(evidence.texts, evidence.scores, is_item, derive_seed(seed, "blind"))
    status, reason = conclude(tests, blind, level)
    first = scores[names[0]].to_numpy(float)
    named = [row for row, item in zip(zip(scores["id"], evidence.texts, strict=True), is_item, strict=True) if item]
    items = _test_items(named, first[is_item], first[~is_item])
    control_scores = sorted(first[~is_item].tolist())
    verdict = Verdict(status, reason, level, len(items), len(control_scores), tests, blind, items, control_scores)
    return verdict._replace(error_rates=_error_rates(verdict, calibration, model_shape(evidence)))


def detector_tests(scores: pd.DataFrame, is_item: Bool[np.ndarray, " row"], seed: int) -> list[_DetectorTest]:
    """A one-sided test of each column: do the items score above the control?"""
    names = list(map(str, scores))
    columns = [(scores[name].to_numpy(float)[is_item], scores[name].to_numpy(float)[~is_item]) for name in names]
    p = np.array([mann_whitney_p(*sides, derive_seed(seed, name)) for sides, name in zip(columns, names, strict=True)])
    return [
        _DetectorTest(name, area_under_roc(*sides), float(raw), float(corrected))
        for name, sides, raw, corrected in zip(names, columns, p, holm(p), strict=True)
    ]


def blind_tests(
    texts: Sequence[str], scores: Sequence[TokenScores], is_item: Bool[np.ndarray, " row"], seed: int
) -> list[_BlindTest]:
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
    sums = [(words @ (words.T @ side) - side, side.sum(axis=0) - side) for side in (items, 1 - items)]
    # The only item of its side is near no other.
    near_items, near_control = (np.divide(near, n, out=np.zeros_like(near), where=n > 0) for near, n in sums)
    lengths = [[len(text), len(text.split()), len(row.ids)] for text, row in zip(texts, scores, strict=True)]
    rows = [*np.array(lengths, dtype=float).T[:, :, None], near_items - near_control]
    distances = np.array([areas_under_roc(row, items) for row in rows]) - 0.5
    # Either direction of a length counts; a bag of words below 0.5 has learnt nothing.
    p = largest_statistic_p(np.stack([*np.abs(distances[:-1]), distances[-1]]))
    return [_BlindTest(*row) for row in zip(BLIND, (distances[:, 0] + 0.5).tolist(), p.tolist(), strict=True)]


def _test_items(
    rows: Sequence[tuple[str, str]], scores: Float[np.ndarray, " item"], control: Float[np.ndarray, " control"]
) -> list[_ItemTest]:
    """Conformal p-values, the likeliest seen first: (1 + controls that score as high) / (1 + controls).

    Bates et al. 2023 (arXiv:2104.08279) show that Benjamini and Hochberg's procedure holds for p-values that share a
    control.
    """
    above = len(control) - np.searchsorted(np.sort(control), scores, side="left")
    p = (1 + above) / (1 + len(control))
    adjusted = stats.false_discovery_control(p)
    numbers = zip(scores.tolist(), p.tolist(), adjusted.tolist(), strict=True)
    items = [_ItemTest(*row, *values) for row, values in zip(rows, numbers, strict=True)]
    return sorted(items, key=lambda item: -item.score)


def conclude(tests: Sequence[_DetectorTest], blind: Sequence[_BlindTest], level: float) -> tuple[Status, str]:
    """The status, and in one sentence why: `decide` explains the rule."""
    found = [test for test in tests if test.p_holm <= level]
    best = min(tests, key=lambda test: (test.p_holm, -test.auroc))
    bound = min(BLIND_BOUND, BLIND_SHARE * (best.auroc - 0.5)) if found else BLIND_BOUND
    confounding = [row for row in blind if row.p <= level and abs(row.auroc - 0.5) >= bound - 1e-9]
    corrected = f" after Holm's correction for {len(tests)}" if len(tests) > 1 else ""
    numbers = f"{best.detector}, AUROC {best.auroc:.2f}, p = {best.p_holm:.2g}{corrected}"
    if confounding:
        row = max(confounding, key=lambda row: abs(row.auroc - 0.5))
        return "confounded", (
            f"the texts alone tell items from control ({row.row}: AUROC {row.auroc:.2f}, p = {row.p:.2g}), so that a "
            "score cannot show what the model has seen; give a control of the same source and length"
        )
    if found:
        return "seen", f"the items score above the control ({numbers})"
    return "not shown", f"the items score no higher than the control ({numbers})"


def model_shape(evidence: Evidence) -> dict[str, int]:
    """The number of blocks and the width of the model that gave the evidence."""
    _, n_layers, d_model = required(evidence.states).shape
    return {"n_layers": n_layers, "d_model": d_model}


def _error_rates(verdict: Verdict, calibration: pd.DataFrame, shape: Mapping[str, int]) -> _ErrorRates:
    """The cells of a calibration with the verdict's detectors and level, and no more items than either of its sets.

    `shape`: `model_shape` of the model that the verdict is about.
    """
    family = " ".join(test.detector for test in verdict.detectors)
    measured = calibration[(calibration["detectors"] == family) & np.isclose(calibration["level"], verdict.level)]
    if measured.empty:
        return _ErrorRates(f"not measured with these detectors ({family}) at level {verdict.level:g}", [])
    rows = measured[measured["n_items"] <= min(verdict.n_items, verdict.n_control)]
    if rows.empty:
        return _ErrorRates(f"not measured with fewer than {measured['n_items'].min()} items", [])
    planted = {name: int(rows[name].iloc[0]) for name in ("n_layers", "d_model")}
    caveat = ""
    if planted != dict(shape):
        ours, theirs = (f"{size['n_layers']} blocks of width {size['d_model']}" for size in (shape, planted))
        caveat = f"not measured at this size: the model has {ours}, and the rates are of models with {theirs}"
    cells = (dict(zip(_CELL, row, strict=True)) for row in rows[_CELL].itertuples(index=False, name=None))
    return _ErrorRates(caveat, list(cells))
