"""How far predicted tiers agree with papers' labels,
and which way they err (sections 4.2, 5.1 and 6.3).

A paper's label is the tier that a registry, an expert or a list expects. Papers are compared by the
ranks of their tiers: 0 for the lowest, 4 for the highest.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from mechaware.core.stats.intervals import clopper_pearson
from mechaware.instruments.claims.rubric.criteria import TIERS, tier_index
from mechaware.instruments.claims.rubric.scoring import printed_score, tier

Weights = Literal["linear", "quadratic"] | None
# Names of sets of labels (`boundary_agreement`).
ALL = "all"
SHARED = "shared"


class _TierAgreement(NamedTuple):
    """The agreement of the predicted tiers of n papers with the expected ones.

    - `exact`, `within_one`: the numbers of papers whose predicted tier is the expected one, or at
      most one rank away. `*_low` and `*_high` are Clopper-Pearson bounds of the shares of these
      papers, 0 to 1; None without papers.
    - `kappa`, `kappa_linear`, `kappa_quadratic`: Cohen's kappa over the five tiers, unweighted and
      weighted; None without papers, and if only one tier occurs among all predicted and expected
      tiers.
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
    and the agreement of the changed tiers with the labels.
    """

    boundary: float
    moved_to: float
    changed: list[int]
    after: _TierAgreement


def tier_agreement(
    predicted: Sequence[int], expected: Sequence[int], *, confidence_level: float
) -> _TierAgreement:
    """The agreement of the predicted with the expected ranks, 0 to 4, of the same papers."""
    errors = np.array(predicted, dtype=int) - np.array(expected, dtype=int)
    n = len(errors)
    exact = int((errors == 0).sum())
    within_one = int((np.abs(errors) <= 1).sum())
    exact_low, exact_high = _bounds(exact, n, confidence_level)
    within_one_low, within_one_high = _bounds(within_one, n, confidence_level)
    up = int((errors > 0).sum())
    down = int((errors < 0).sum())
    papers_by_rank = np.bincount(np.array(expected, dtype=int), minlength=len(TIERS))
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
        commonest=int(papers_by_rank.max()),
    )


def _bounds(count: int, n: int, confidence_level: float) -> tuple[float | None, float | None]:
    """The Clopper-Pearson bounds of a share of n papers; None without papers."""
    if n == 0:
        return None, None
    low, high = clopper_pearson(count, n, confidence_level)
    return low, high


def _cohens_kappa(first: Sequence[int], second: Sequence[int], weights: Weights) -> float | None:
    """Cohen's kappa over the five tiers, given by their ranks.

    None without papers, and if only one rank occurs: its agreement by chance is 1, and kappa
    would be 0 / 0.
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
    """The rank, 0 to 4, of a score's tier. `boundaries`, if given, replace the least scores of the
    second to the fifth tier.
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
    """The agreement of each source of scores with each set of labels, and after each boundary is
    moved by `shift`.

    A source of scores is the claim-validity paper, named "reported", or a judge. A set of labels is

        ALL                    the labels of all papers of the source of scores
        a `label_source`       the labels that this registry or expert gave; missing if the papers
                               have only one
        SHARED                 the labels of the papers that every list of `references` has
        a list of references   the papers that this list has, with the list's tiers as labels

    SHARED and the lists are missing if no paper is in every list.

    Args:
        reported: A row for each paper that the claim-validity paper scores. Each printed CVS
            stands for the attainable score that rounds to it (`printed_score`).
        papers: A row for each judge and paper. Papers without a score or a label are left out.
        judges: The judges. A judge with no papers left has one row, with n = 0.
        references: A row for each list (`reference`) and paper, with the tier that the list
            expects.
        shift: By how much a boundary is moved down, and then up, in points of CVS.
        confidence_level: Of the Clopper-Pearson bounds.

    Returns:
        The fields of `_TierAgreement`, with the columns `source`, `labels`, `boundary`, `moved_to`
        and `changed`. Each source of scores has a row for each set of labels, with no boundary
        moved; then, with the labels ALL, a row for each moved boundary. `changed` names the papers
        whose tier this changes, separated by spaces.
    """
    sources = {"reported": reported.assign(cvs=reported["cvs"].map(printed_score))}
    known = papers[(papers["status"] == "scored") & (papers["expected_tier"] != "")]
    for judge in judges:
        sources[judge] = known[known["judge"] == judge]

    rows: list[dict[str, Any]] = []
    for source, scored in sources.items():
        for labels, labelled in _label_sets(scored, references):
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


def _label_sets(
    papers: pd.DataFrame, references: pd.DataFrame
) -> Iterator[tuple[str, pd.DataFrame]]:
    """The name of each set of labels (`boundary_agreement`),
    and its papers with their expected tiers.
    """
    yield ALL, papers
    label_sources = papers["label_source"].unique()
    if len(label_sources) > 1:
        for label_source in label_sources:
            yield label_source, papers[papers["label_source"] == label_source]

    # By list, the tiers that it expects of its papers.
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
