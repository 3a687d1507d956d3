"""The agreement of tiers with their labels, as it is and after each tier boundary is moved (section 6.3)."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pandas as pd

from mechaware.claims.rubric.criteria import tier_index
from mechaware.claims.rubric.scoring import printed_score, tier
from mechaware.claims.study.agreement import TierAgreement, boundary_sensitivity, tier_agreement

ALL = "all"


class Setting(NamedTuple):
    """The papers with one kind of label, at the boundaries of section 3.4 (none moved) or with one of them moved.

    `changed` names the papers whose tier the move changes, separated by spaces.
    """

    labels: str
    boundary: float | None
    moved_to: float | None
    changed: str
    agreement: TierAgreement


def boundary_agreement(
    reported: pd.DataFrame, papers: pd.DataFrame, judges: Iterable[str], *, shift: float, level: float
) -> pd.DataFrame:
    """A row for each source of scores and setting: source, the fields of `Setting`, those of `TierAgreement`.

    `reported` has the printed papers; their CVS are taken as they were before rounding. Of the judged `papers`, those
    without a score or a label are left out. A judge without any has one row, of no papers.
    """
    printed = reported.assign(cvs=reported["cvs"].map(printed_score))
    known = papers[(papers["status"] == "scored") & (papers["expected_tier"] != "")]
    sources = {"reported": printed} | {judge: known[known["judge"] == judge] for judge in judges}
    rows = [
        {"source": source} | setting._asdict() | setting.agreement._asdict()
        for source, scored in sources.items()
        for setting in _settings(scored, shift, level)
    ]
    return pd.DataFrame(rows).drop(columns="agreement")


def _settings(papers: pd.DataFrame, shift: float, level: float) -> Iterator[Setting]:
    label_sources = papers["label_source"].unique()
    for labels in (ALL, *(label_sources if len(label_sources) > 1 else ())):
        labelled = papers[(papers["label_source"] == labels) | (labels == ALL)]
        predicted = [tier_index(tier(cvs).name) for cvs in labelled["cvs"]]
        expected = list(map(tier_index, labelled["expected_tier"]))
        yield Setting(labels, None, None, "", tier_agreement(predicted, expected, level=level))
    if papers.empty:
        return
    expected = list(map(tier_index, papers["expected_tier"]))
    for moved in boundary_sensitivity(papers["cvs"].tolist(), expected, shift=shift, level=level):
        changed = " ".join(papers["paper"].iloc[moved.changed])
        yield Setting(ALL, moved.boundary, moved.moved_to, changed, moved.after)
