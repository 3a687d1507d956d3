"""How far predicted tiers agree with reference labels,
and which way they err (sections 4.2, 5.1 and 6.3).
"""

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
ALL = "all"  # the labels of all papers of a source
SHARED = "shared"  # the labels of the papers that every list of references has


class _TierAgreement(NamedTuple):
    """The agreement of the predicted tiers of n papers with the expected ones.

    - `exact`, `within_one`: the numbers of papers whose predicted tier is the expected one, or at
      most one rank away. `*_low` and `*_high` are Clopper-Pearson bounds of the shares of these
      papers, 0 to 1; None without papers.
    - `kappa`, `kappa_linear`, `kappa_quadratic`: Cohen's kappa over the five tiers, unweighted and
      weighted; None if all predicted and expected tiers are the same one.
    - `up`, `down`: the numbers of papers whose predicted tier is too high, and too low. `p` is the
      p-value of a two-sided sign test on them; None without errors.
    - `commonest`: the number of papers that the commonest expected tier, predicted throughout, gets
      right. This baseline knows the labels and reads no paper.
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
    commonest: int


class _MovedBoundary(NamedTuple):
    """One tier boundary moved: the indices of the papers whose tier changes,
    and the agreement after it.
    """

    boundary: float
    moved_to: float
    changed: list[int]
    after: _TierAgreement


def tier_agreement(
    predicted: Sequence[int], expected: Sequence[int], *, confidence_level: float
) -> _TierAgreement:
    """The agreement of tiers, given by their ranks 0 to 4, paper by paper."""
    off = np.array(predicted, dtype=int) - np.array(expected, dtype=int)
    n = len(off)
    exact = int((off == 0).sum())
    within_one = int((np.abs(off) <= 1).sum())
    exact_low, exact_high = _bounds(exact, n, confidence_level)
    within_one_low, within_one_high = _bounds(within_one, n, confidence_level)
    up = int((off > 0).sum())
    down = int((off < 0).sum())
    by_tier = np.bincount(np.array(expected, dtype=int), minlength=len(TIERS))
    return _TierAgreement(
        n=n,
        exact=exact,
        exact_low=exact_low,
        exact_high=exact_high,
        within_one=within_one,
        within_one_low=within_one_low,
        within_one_high=within_one_high,
        kappa=_cohens_kappa(predicted, expected, None),
        kappa_linear=_cohens_kappa(predicted, expected, "linear"),
        kappa_quadratic=_cohens_kappa(predicted, expected, "quadratic"),
        up=up,
        down=down,
        p=sign_test(up, down),
        commonest=int(by_tier.max()),
    )


def _bounds(count: int, n: int, confidence_level: float) -> tuple[float | None, float | None]:
    """The Clopper-Pearson bounds of a share of n papers; None without papers."""
    if n == 0:
        return None, None
    low, high = clopper_pearson(count, n, confidence_level)
    return low, high


def _cohens_kappa(first: Sequence[int], second: Sequence[int], weights: Weights) -> float | None:
    """Cohen's kappa over the five tiers; None where chance alone makes all agree,
    or there is nothing to compare.
    """
    if len({*first, *second}) < 2:
        return None
    return float(cohen_kappa_score(first, second, labels=range(len(TIERS)), weights=weights))


def sign_test(up: int, down: int) -> float | None:
    """Two-sided exact p-value of the hypothesis that errors up and down are equally likely;
    None without errors.
    """
    if up + down == 0:
        return None
    return float(binomtest(up, up + down).pvalue)


def boundary_sensitivity(
    scores: Sequence[float], expected: Sequence[int], *, shift: float, confidence_level: float
) -> Iterator[_MovedBoundary]:
    """Every tier boundary moved down and up by `shift`, one at a time (section 6.3)."""
    before = [_tier_rank(score) for score in scores]
    boundaries = [upper.boundary for upper in TIERS[1:]]
    for index, boundary in enumerate(boundaries):
        for moved_to in (boundary - shift, boundary + shift):
            shifted = [*boundaries[:index], moved_to, *boundaries[index + 1 :]]
            after = [_tier_rank(score, shifted) for score in scores]
            changed = [paper for paper in range(len(scores)) if after[paper] != before[paper]]
            agreement = tier_agreement(after, expected, confidence_level=confidence_level)
            yield _MovedBoundary(boundary, moved_to, changed, agreement)


def _tier_rank(score: float, boundaries: Sequence[float] | None = None) -> int:
    """The rank 0 to 4 of a score's tier, by the paper's boundaries or by the given ones of the
    second to fifth tier.
    """
    return tier_index(tier(score, boundaries).name)


def boundary_agreement(
    reported: pd.DataFrame,
    papers: pd.DataFrame,
    judges: Iterable[str],
    references: pd.DataFrame,
    *,
    shift: float,
    confidence_level: float,
) -> pd.DataFrame:
    """A row for each source of scores, set of labels and moved boundary, with the fields of
    `_TierAgreement`.

    A source of scores is the source paper (`reported`, whose printed CVS are taken as they were
    before rounding) or a judge. Judged papers without a score or a label are left out; a judge with
    no paper left has one row, of no papers.

    A set of labels is one of these:

        ALL                  the labels of all papers; each boundary is moved for this set alone
        a source of labels   the papers that it labels, if there are several such sources
        SHARED               the papers that every list in `references` has
        a list's name        the papers of this list, with its tiers in place of their labels

    The last two are missing if no paper is in every list. `changed` names the papers whose tier a
    moved boundary changes, separated by spaces.
    """
    sources = {"reported": reported.assign(cvs=reported["cvs"].map(printed_score))}
    known = papers[(papers["status"] == "scored") & (papers["expected_tier"] != "")]
    for judge in judges:
        sources[judge] = known[known["judge"] == judge]

    rows: list[dict[str, Any]] = []
    for source, scored in sources.items():
        for labels, labelled in _labelled(scored, references):
            predicted, expected = _ranks(labelled)
            agreement = tier_agreement(predicted, expected, confidence_level=confidence_level)
            unmoved = {
                "source": source,
                "labels": labels,
                "boundary": None,
                "moved_to": None,
                "changed": "",
            }
            rows.append(unmoved | agreement._asdict())

        scores = scored["cvs"].tolist()
        if not scores:
            continue
        _, expected = _ranks(scored)
        for moved in boundary_sensitivity(
            scores, expected, shift=shift, confidence_level=confidence_level
        ):
            row = {
                "source": source,
                "labels": ALL,
                "boundary": moved.boundary,
                "moved_to": moved.moved_to,
                "changed": " ".join(scored["paper"].iloc[moved.changed]),
            }
            rows.append(row | moved.after._asdict())
    return pd.DataFrame(rows)


def _labelled(papers: pd.DataFrame, references: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The name of each set of labels (`boundary_agreement`),
    and its papers with their expected tiers.
    """
    yield ALL, papers
    label_sources = papers["label_source"].unique()
    if len(label_sources) > 1:
        for source in label_sources:
            yield source, papers[papers["label_source"] == source]

    # The tiers of each list of references, by paper.
    lists: dict[str, pd.Series] = {}
    for name, listed in references.groupby("reference", sort=False):
        lists[str(name)] = listed.set_index("paper")["tier"]
    is_shared = pd.Series(data=True, index=papers.index)
    for tiers in lists.values():
        is_shared &= papers["paper"].isin(tiers.index)
    if not is_shared.any():
        return

    yield SHARED, papers[is_shared]
    for name, tiers in lists.items():
        labelled = papers[papers["paper"].isin(tiers.index)]
        yield name, labelled.assign(expected_tier=labelled["paper"].map(tiers))


def _ranks(papers: pd.DataFrame) -> tuple[list[int], list[int]]:
    """The ranks, 0 to 4, of the predicted and of the expected tiers."""
    predicted = [_tier_rank(score) for score in papers["cvs"]]
    expected = [tier_index(name) for name in papers["expected_tier"]]
    return predicted, expected
