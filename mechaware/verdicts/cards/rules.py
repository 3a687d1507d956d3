"""The cards' instruments of grounding: each set of rules and each rule, by its planted controls."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mechaware.instruments.grounding.rules.registry import (
    BASELINES,
    PREFIX,
    RULE_SETS,
    RULES,
    VARIANTS,
    further_columns,
)
from mechaware.instruments.grounding.shortcuts import corrected
from mechaware.planted.controls.draw import Draw
from mechaware.planted.controls.generator import drawn_control
from mechaware.verdicts.cards.card import Instrument


def rules(verdict: Path, truth: Path, verdict_share: float) -> Iterator[Instrument]:
    """The sets of rules and their variants, each rule (also of the user's package), and baselines.

    A unit is a drawn control of the half that was held out. Its score is the share of pairs that
    pass, corrected for the best place shortcut. Its verdict is yes if this share is at least
    `verdict_share`, as in the study. Its truth is whether every pair is answered from the requested
    column.

    Args:
        verdict: The file with the share of passing pairs, a row for each run.
        truth: The file with the truth about each prompt of each control.
        verdict_share: The share of pairs, 0 to 1, that must pass.
    """
    by_prompt = pd.read_parquet(truth)
    planted = by_prompt.groupby("run").agg(held_out=("held_out", "first"), truth=("reads", "all"))
    held_out = planted[planted["held_out"]].reset_index()
    drawn = pd.read_parquet(verdict).merge(held_out, on="run")

    conditions: list[tuple[str, str]] = []
    for run, grounds in zip(drawn["run"], drawn["truth"], strict=True):
        for condition in _mechanism(drawn_control(run), grounds=grounds):
            conditions.append((run, condition))
    rows = pd.DataFrame(conditions, columns=["run", "condition"]).merge(drawn, on="run")
    rows = rows.sort_values(["truth", "condition"], ascending=[False, True])
    rows = rows.assign(unit=rows["run"], group=rows["run"], part="", length=np.nan)

    labels = dict(RULE_SETS)
    for rule in RULES:
        labels[rule.name] = rule.name.upper()
    for name, variant in (VARIANTS | BASELINES).items():
        labels[name] = variant.label
    for name in further_columns(drawn):
        labels[name] = name.removeprefix(PREFIX)
    for name, label in labels.items():
        yield Instrument(
            kind="rule",
            name=name.removeprefix(PREFIX),
            label=label,
            claims="Does a model answer from the requested column in every pair? The score is the "
            "share of pairs that pass, corrected for the best place shortcut; it says yes from "
            f"{verdict_share:.0%} on.",
            units="controls",
            rows=rows.assign(score=corrected(rows[name], rows["shortcut"])),
            cut=verdict_share,
            sources={
                str(verdict): "scripts/grounding/judge_runs.py",
                str(truth): "scripts/grounding/measure_controls.py",
            },
        )


def _mechanism(draw: Draw, *, grounds: bool) -> Iterator[str]:
    """The conditions of a control, in words: "reads in 2 blocks", "wrong, with a habit".

    `grounds` is the truth about the control.
    """
    if grounds:
        n_blocks = len(draw.shares)
        yield f"reads in {n_blocks} blocks" if n_blocks > 1 else f"reads in {n_blocks} block"
    else:
        policy = f"lowers {draw.policy}" if draw.lowers else draw.policy
        if draw.gate:
            policy += f" if the {draw.gate} is open, else {draw.otherwise}"
        yield f"wrong: {policy}"

    further_parts = {
        "a relay": draw.relay,
        "redundancy": draw.redundant,
        "a habit": draw.habit,
        "raised columns": draw.raised,
    }
    for name, is_drawn in further_parts.items():
        if is_drawn:
            yield f"reads, with {name}" if grounds else f"wrong, with {name}"
