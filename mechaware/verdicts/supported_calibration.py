"""How often a judge's verdict is wrong on planted papers, which were written to known statuses."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import fisher_exact

from mechaware.core.stats.intervals import clopper_pearson
from mechaware.instruments.claims.rubric.criteria import tier_index
from mechaware.instruments.claims.rubric.records import PaperText, Scores
from mechaware.instruments.claims.rubric.support import SUPPORTED_TIER, find_support
from mechaware.planted.papers.judged import planted_agreement
from mechaware.planted.papers.plan import PlantedPaper
from mechaware.verdicts.procedure import Procedure
from mechaware.verdicts.supported import PLANTED_TEXT

_STAGE = "audited"  # the stage whose statuses give the score
_SHARES = ("exact", "exact_low", "exact_high", "always_yes", "always_no")
_COLUMNS = [
    "judge",
    "level",
    "papers",
    "supported",
    "found",
    "others",
    "false",
    "sensitivity",
    "sensitivity_low",
    "sensitivity_high",
    "specificity",
    "specificity_low",
    "specificity_high",
    "p",
    *_SHARES,
    "text",
    "text_length",
    "procedure",
]


def calibrate_judges(
    scores: Sequence[Scores],
    truths: Sequence[PlantedPaper],
    texts: Sequence[PaperText],
    summary: Mapping[str, pd.DataFrame],
    procedures: Mapping[str, Procedure],
    *,
    confidence_level: float,
) -> pd.DataFrame:
    """How often each judge is right about planted papers.

    Args:
        scores: The scores of all papers that the judges read; only planted papers count.
        truths: All planted papers.
        texts: The records of the texts of all planted papers.
        summary: The tables that `planted_agreement` reads.
        procedures: By judge, its procedure.
        confidence_level: The level of the intervals, such as 0.95.

    Returns:
        A row for each judge of `procedures` that read a planted paper. Columns:

        - judge, level, papers (their number), and text, text_length and procedure, as a calibration
          has them;
        - supported, the number of papers whose planted tier is `SUPPORTED_TIER` or higher; others,
          the number of all other papers;
        - found and false, the numbers of supported and of other papers that the judge calls
          supported (`find_support`). A paper in which it finds no claim is not called supported;
        - sensitivity = found / supported and specificity = 1 - false / others, with Clopper-Pearson
          intervals; missing without a paper of the kind;
        - p, of Fisher's exact test, one-sided, of the hypothesis that the judge calls supported
          papers supported no more often than others;
        - exact, with its interval over papers, always_yes and always_no: the shares of single
          criteria that the judge and two constant answers get right (`planted_agreement`).
    """
    tiers = {paper.paper: tier_index(paper.tier) for paper in truths}
    lengths = {about.paper: about.characters for about in texts}
    agreement = planted_agreement(summary, list(procedures), confidence_level=confidence_level)
    agreement = agreement[(agreement["stage"] == _STAGE) & (agreement["criterion"] == "")]
    by_judge = agreement.set_index("judge")

    table: list[dict[str, Any]] = []
    for judge, procedure in procedures.items():
        is_called_supported = {}
        for scored in scores:
            if scored.judge == judge and scored.paper in tiers:
                is_called_supported[scored.paper] = find_support(scored).status == "supported"
        if not is_called_supported:
            continue

        called = pd.Series(is_called_supported)
        is_supported = called.index.map(tiers) >= tier_index(SUPPORTED_TIER)
        shares = {name: by_judge.loc[judge, name] for name in _SHARES}
        table.append(
            {
                "judge": judge,
                "level": confidence_level,
                "papers": len(called),
                **_counts(called[is_supported], called[~is_supported], confidence_level),
                **shares,
                "text": PLANTED_TEXT,
                "text_length": median(lengths[paper] for paper in called.index),
                "procedure": procedure.text,
            }
        )
    return pd.DataFrame(table, columns=_COLUMNS)


def _counts(
    supported: pd.Series, others: pd.Series, confidence_level: float
) -> dict[str, float | int | None]:
    """How many papers of each kind are called supported, the two rates with their intervals, and p.

    The series are true for the papers that the judge calls supported.
    """
    found = int(supported.sum())
    missed = len(supported) - found
    false = int(others.sum())
    rightly_left = len(others) - false
    by_kind_and_call = np.array([[found, missed], [false, rightly_left]])
    return {
        "supported": len(supported),
        "found": found,
        "others": len(others),
        "false": false,
        **_rate("sensitivity", found, len(supported), confidence_level),
        **_rate("specificity", rightly_left, len(others), confidence_level),
        "p": float(fisher_exact(by_kind_and_call, alternative="greater").pvalue),
    }


def _rate(name: str, right: int, n: int, confidence_level: float) -> dict[str, float | None]:
    """The columns of the rate `right` / n and its Clopper-Pearson interval; missing for n = 0."""
    if n == 0:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    interval = clopper_pearson(right, n, confidence_level)
    return {name: right / n, f"{name}_low": interval.low, f"{name}_high": interval.high}
