"""The judges of claims, tested on planted papers and on edits of them: statuses as the long table of a card."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from mechaware.cards.card import Instrument
from mechaware.claims.rubric.criteria import CRITERIA, STATUSES
from mechaware.claims.study.planted import judged_at
from mechaware.claims.trust.edits import PLACEBOS
from mechaware.claims.trust.responses import judged_statuses, responses

_STATUSES, _MOVES = "statuses of planted claims", "statuses after an edit"
# From edits that change what a text says to those that leave other evidence in it.
_EDITS = {family: f"evidence {family}" for family in ("toggled", "inserted", "deleted", "negated", "withdrawn")}
_EDITS |= {"universal": "a universal claim", "others": "evidence of others", "component": "evidence of a component"}
_EDITS |= {"circuit": "evidence of the circuit"}


def judges(
    criteria: Path, levels: Path, papers: Path, trials: Mapping[str, Path], labels: Mapping[str, str]
) -> Iterator[Instrument]:
    """Each judge of `labels`, by its audited statuses of planted claims, and by `trials` where there are any.

    The first three are tables of the summary, each judge's papers among them. A unit is a criterion of a claim, and
    papers are groups. Of a status the truth is YES, and PARTIAL counts as NO.
    Of an edit the truth is that the status should move, and the verdict that it moved so, or moved at all where it
    should stay.
    """
    statuses, planted, read = map(pd.read_parquet, (criteria, levels, papers))
    for name, label in labels.items():
        scored = judged_at(statuses, name, "audited")
        scored = scored[scored["status"].isin(STATUSES)]
        unit = scored["paper"] + "/" + scored["claim"].astype(str) + "/" + scored["criterion"]
        parts = [
            scored.assign(unit=unit, part=_STATUSES, facet="criterion", condition=scored["criterion"])
            .assign(truth=scored["truth"] == "YES", score=scored["status"] == "YES")
            .sort_values("condition", key=lambda codes: codes.map(list(CRITERIA).index), kind="stable")
        ]
        if name in trials:
            parts.append(_responses(pd.read_parquet(trials[name])))
        rows = pd.concat(parts, ignore_index=True)
        n_planted = planted["paper"].isin(read.loc[read["judge"] == name, "paper"]).sum()
        missing = [f"{n_planted - len(scored)} of {n_planted} planted statuses, of claims that it did not find"]
        if name not in trials:
            missing.append(f"{_MOVES}: snakemake results/claims/trust/{name} measures them")
        yield Instrument(
            kind="judge",
            name=name,
            label=label,
            claims="Does a paper's text meet a criterion for its claim? And does the status follow edited evidence?",
            units="statuses",
            rows=rows.assign(group=rows["paper"], score=rows["score"].astype(float), length=np.nan),
            ladder="edit",
            verdicts=True,
            within=False,
            sources={str(criteria): "scripts/claims/summarise_claims.py"}
            | ({str(trials[name]): "scripts/claims/measure_trust.py"} if name in trials else {}),
            beside={},
            missing="; ".join(missing),
        )


def _responses(trials: pd.DataFrame) -> pd.DataFrame:
    """The responses to edits, those to the plainest edits first."""
    moves = responses(judged_statuses(trials))
    step = np.sign(moves["after"] - moves["before"])
    expected = moves["expected"] != 0
    rows = moves.assign(
        unit=np.arange(len(moves)).astype(str),
        part=_MOVES,
        facet="edit",
        condition=moves["edit"].map(_EDITS).fillna(""),  # a placebo is none: it moves nothing
        truth=expected,
        score=np.where(expected, step == moves["expected"], step != 0),
    )
    return rows.sort_values("edit", key=lambda names: names.map([*_EDITS, *PLACEBOS].index), kind="stable")
