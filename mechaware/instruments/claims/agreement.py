"""How far predicted tiers agree with reference labels, and which way they err (sections 4.2, 5.1 and 6.3)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from mechaware.core.stats import clopper_pearson
from mechaware.instruments.claims.rubric.criteria import TIERS, tier_index
from mechaware.instruments.claims.rubric.scoring import printed_score, tier

Weights = Literal["linear", "quadratic"] | None
WEIGHTS: tuple[Weights, ...] = (None, "linear", "quadratic")
# Labels of all papers of a source, and of those that every list of references has.
ALL, SHARED = (
    "all",
    "shared",
)


class _TierAgreement(NamedTuple):
    """Predicted against expected tiers of n papers; None for a value that so few or so uniform papers leave undefined.

    `exact` and `within_one` are numbers of papers, `*_low` and `*_high` Clopper-Pearson bounds of their shares, 0 to 1.
    `up` and `down` count errors by direction; `p` is the p-value of a two-sided sign test on them.
    """

    n: int
    exact: int
    exact_low: float | None
    exact_high: float | None
    within_one: int
    within_one_low: float | None
    within_one_high: float | None
    kappa: float | None
    kappa_linear: float | None
    kappa_quadratic: float | None
    up: int
    down: int
    p: float | None


class _MovedBoundary(NamedTuple):
    """One tier boundary moved: the indices of the papers whose tier changes, and the agreement after it."""

    boundary: float
    moved_to: float
    changed: list[int]
    after: _TierAgreement


def tier_agreement(
    predicted: Sequence[int], expected: Sequence[int], *, level: float
) -> _TierAgreement:
    """The agreement of tiers, given by their ranks 0 to 4, paper by paper."""
    off = np.array(predicted, dtype=int) - np.array(expected, dtype=int)
    exact, within = int((off == 0).sum()), int((np.abs(off) <= 1).sum())
    up, down = int((off > 0).sum()), int((off < 0).sum())
    exact_low, exact_high = clopper_pearson(exact, len(off), level) if len(off) else (None, None)
    within_low, within_high = clopper_pearson(within, len(off), level) if len(off) else (None, None)
    plain, linear, quadratic = (_cohens_kappa(predicted, expected, weights) for weights in WEIGHTS)
    counts = (len(off), exact, exact_low, exact_high, within, within_low, within_high)
    return _TierAgreement(*counts, plain, linear, quadratic, up, down, sign_test(up, down))


def _cohens_kappa(first: Sequence[int], second: Sequence[int], weights: Weights) -> float | None:
    """Cohen's kappa over the five tiers; None where chance alone makes all agree, or there is nothing to compare."""
    if len({*first, *second}) < 2:
        return None
    return float(cohen_kappa_score(first, second, labels=range(len(TIERS)), weights=weights))


def sign_test(up: int, down: int) -> float | None:
    """Two-sided exact p-value of the hypothesis that errors up and down are equally likely; None without errors."""
    return float(binomtest(up, up + down).pvalue) if up + down else None


def boundary_sensitivity(
    scores: Sequence[float], expected: Sequence[int], *, shift: float, level: float
) -> Iterator[_MovedBoundary]:
    """Every tier boundary moved down and up by `shift`, one at a time (section 6.3)."""
    before = list(map(_tier_rank, scores))
    boundaries = [tier.boundary for tier in TIERS[1:]]
    for index, boundary in enumerate(boundaries):
        for moved_to in (boundary - shift, boundary + shift):
            moved = [*boundaries[:index], moved_to, *boundaries[index + 1 :]]
            after = [_tier_rank(score, moved) for score in scores]
            changed = [i for i, now in enumerate(after) if now != before[i]]
            yield _MovedBoundary(
                boundary, moved_to, changed, tier_agreement(after, expected, level=level)
            )


def _tier_rank(score: float, boundaries: Sequence[float] | None = None) -> int:
    return tier_index(tier(score, boundaries).name)


def boundary_agreement(
    reported: pd.DataFrame,
    papers: pd.DataFrame,
    judges: Iterable[str],
    references: pd.DataFrame,
    *,
    shift: float,
    level: float,
) -> pd.DataFrame:
    """A row for each source of scores, set of labels and moved boundary, with the fields of `_TierAgreement`.

    The labels are those of all papers, of each source of labels, and of each list in `references`, beside those of the
    papers that every list has (`SHARED`). For the labels of all papers each boundary is moved as well: `changed` names
    the papers whose tier it changes, separated by spaces. `reported` has the printed papers; their CVS are taken as
    they were before rounding. Of the judged `papers`, those without a score or a label are left out. A judge without
    any has one row, of no papers.
    """
    printed = reported.assign(cvs=reported["cvs"].map(printed_score))
    known = papers[(papers["status"] == "scored") & (papers["expected_tier"] != "")]
    sources = {"reported": printed} | {judge: known[known["judge"] == judge] for judge in judges}
    rows: list[dict[str, Any]] = []
    for source, scored in sources.items():
        for labels, labelled in _labelled(scored, references):
            agreement = tier_agreement(*_ranks(labelled), level=level)
            unmoved = {
                "source": source,
                "labels": labels,
                "boundary": None,
                "moved_to": None,
                "changed": "",
            }
            rows.append(unmoved | agreement._asdict())
        scores, expected = scored["cvs"].tolist(), _ranks(scored)[1]
        for moved in (
            boundary_sensitivity(scores, expected, shift=shift, level=level) if scores else ()
        ):
            changed = " ".join(scored["paper"].iloc[moved.changed])
            move = {"boundary": moved.boundary, "moved_to": moved.moved_to, "changed": changed}
            rows.append({"source": source, "labels": ALL} | move | moved.after._asdict())
    return pd.DataFrame(rows)


def _labelled(papers: pd.DataFrame, references: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The papers under each set of labels, with the tier that it expects."""
    yield ALL, papers
    label_sources = papers["label_source"].unique()
    for labels in label_sources if len(label_sources) > 1 else ():
        yield labels, papers[papers["label_source"] == labels]
    lists = {
        name: listed.set_index("paper")["tier"]
        for name, listed in references.groupby("reference", sort=False)
    }
    shared = [paper for paper in papers["paper"] if all(paper in tiers for tiers in lists.values())]
    if not shared:
        return
    yield SHARED, papers[papers["paper"].isin(shared)]
    for name, tiers in lists.items():
        listed = papers[papers["paper"].isin(tiers.index)]
        yield str(name), listed.assign(expected_tier=listed["paper"].map(tiers))


def _ranks(papers: pd.DataFrame) -> tuple[list[int], list[int]]:
    """The predicted and the expected tiers, by rank."""
    return [_tier_rank(score) for score in papers["cvs"]], list(
        map(tier_index, papers["expected_tier"])
    )
