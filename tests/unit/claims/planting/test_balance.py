"""No single count of letters, numbers or small words tells met from unmet sentences, as papers have them."""

from functools import cache

import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from mechaware.claims.planting.manuscript import Manuscript, compose
from mechaware.claims.planting.plan import plan_papers
from mechaware.claims.rubric.criteria import CRITERIA
from mechaware.claims.trust.controls.wordings import surface_counts
from mechaware.claims.trust.planted.papers import plan_trial_papers, write_trial_paper

SEEDS = range(840, 843)  # none that a wording was chosen on
# The area under the ROC curve of a count, met against unmet: one half for a count that tells nothing.
LOW, HIGH = 0.2, 0.8
POOLED_LOW, POOLED_HIGH = 0.4, 0.6


def manuscripts(seed: int) -> list[Manuscript]:
    """Planted papers and papers of the trust study, with their real families, components and numbers."""
    return [
        *(compose(paper) for paper in plan_papers(20, seed)),
        *(write_trial_paper(paper) for paper in plan_trial_papers(16, seed)),
    ]


@cache
def sentences() -> pd.DataFrame:
    """The surface counts of all sentences with a status, beside `code` and `met`.

    Unmet is NO, and for E1 PARTIAL, too, which is its lowest level where anything was intervened on. Rows of tables and
    leaks are no sentences of `met` or `pitfall`.
    """
    found = [
        {"code": s.code, "met": s.status == "YES", **surface_counts(s.text)}
        for seed in SEEDS
        for manuscript in manuscripts(seed)
        for s in manuscript.sentences()
        if s.code and (s.status in ("YES", "NO") or s.code == "E1") and not s.leak and "\t" not in s.text
    ]
    return pd.DataFrame(found)


def areas(table: pd.DataFrame) -> dict[str, float]:
    """The area of each count."""
    return {name: roc_auc_score(table["met"], table[name]) for name in table.columns.difference(["code", "met"])}


def test_surface_counts_by_hand() -> None:
    counts = surface_counts("We tested 12 of 20.5%, not the 3; the rest (it's few): none, but us.")
    assert counts == {
        "characters": 68,
        "words": 12,  # we tested of not the the rest it's few none but us
        "mean word length": pytest.approx(39 / 12),
        "digits": 6,
        "numbers": 3,
        "decimals": 1,
        "words in -ed": 1,
        "commas": 2,
        "semicolons": 1,
        "colons": 1,
        "brackets": 1,
        "percent signs": 1,
        "negations": 2,
        "we, our, us": 2,
        "the": 2,
        "and": 0,
        "but": 1,
    }


@pytest.mark.parametrize("code", CRITERIA)
def test_no_count_tells_met_from_unmet_of_a_criterion(code: str) -> None:
    table = sentences()[sentences()["code"] == code]
    assert table["met"].value_counts().min() >= 40
    assert {name: area for name, area in areas(table).items() if not LOW < area < HIGH} == {}


def test_no_count_tells_met_from_unmet_over_all_criteria() -> None:
    assert {name: area for name, area in areas(sentences()).items() if not POOLED_LOW < area < POOLED_HIGH} == {}
