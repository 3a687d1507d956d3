"""The rules of schema grounding, tested on drawn controls of known mechanism: verdicts as the long table of a card."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mechaware.cards.card import Instrument
from mechaware.controls.generator import Draw, drawn_control
from mechaware.grounding.rules.registry import PREFIX, RULE_SETS, RULES, further_columns
from mechaware.grounding.shortcuts import corrected

_SCRIPT = "scripts/grounding/judge_runs.py"
_LADDER = "reads the requested column"


def rules(verdict: Path, truth: Path, verdict_share: float) -> Iterator[Instrument]:
    """Each set of rules, each rule of the sets and each rule of the user's own package.

    A unit is a drawn control of the half that was held out. Its verdict is that of the study: the share of pairs that
    pass, beyond the best place shortcut, reaches `verdict_share`. The truth: every pair is answered from the requested
    column.
    """
    planted = pd.read_parquet(truth).groupby("run").agg(held_out=("held_out", "first"), truth=("reads", "all"))
    drawn = pd.read_parquet(verdict).merge(planted.reset_index(), on="run")
    drawn = drawn[drawn["held_out"]].reset_index(drop=True)
    described = [(run, facet, condition) for run in drawn["run"] for facet, condition in _mechanism(drawn_control(run))]
    rows = pd.DataFrame(described, columns=["run", "facet", "condition"]).merge(drawn, on="run")
    rows = rows.assign(unit=rows["run"], group=rows["run"], part="", length=np.nan)
    rows = rows.sort_values(["facet", "condition"], ascending=[False, True], kind="stable")
    labels = RULE_SETS | {rule.name: rule.name.upper() for rule in RULES}
    labels |= {name: name.removeprefix(PREFIX) for name in further_columns(drawn)}
    for name, label in labels.items():
        passes = corrected(rows[name], rows["shortcut"]) >= verdict_share
        yield Instrument(
            kind="rule",
            name=name.removeprefix(PREFIX),
            label=label,
            claims=f"Does a model answer from the requested column? Yes, if {label} hold in enough pairs.",
            units="controls",
            rows=rows.assign(score=passes.astype(float)),
            ladder=_LADDER,
            verdicts=True,
            within=False,
            sources={str(verdict): _SCRIPT, str(truth): "scripts/grounding/build_controls.py"},
            beside={"right answer, no patch": "answer_verdict"},
        )


def _mechanism(draw: Draw) -> Iterator[tuple[str, str]]:
    """What was drawn for a control, as pairs of facet and condition."""
    if draw.grounded:
        yield _LADDER, f"readers in {len(draw.shares)} block{'s' if len(draw.shares) > 1 else ''}"
    elif draw.gate and "requested" in (draw.policy, draw.otherwise):
        yield _LADDER, "readers in some prompts only"
    elif draw.lowers or draw.policy == "none":
        yield "another policy", "readers that lower the column" if draw.lowers else "no readers"
    else:
        yield "another policy", f"copiers of the {draw.policy} column"
    beside = {"a relay": draw.relay, "redundancy": draw.redundant, "a habit": draw.habit, "raised columns": draw.raised}
    yield from (("beside", name) for name, drawn in beside.items() if drawn)
